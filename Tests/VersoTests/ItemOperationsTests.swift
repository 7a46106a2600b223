import Testing
import Verso
import VersoModel
import VersoTestSupport

/// A list of the model on a real vault: what an app that embeds it has.
@Suite struct ItemOperationsTests {
  private func item(_ path: RelativePath, _ kind: Item.Kind = .file) -> Item {
    Item(path: path, kind: kind, content: nil)
  }

  private func vault(_ files: [String: String]) async throws -> (Scratch, Vault) {
    let scratch = try Scratch(inMemory: true)
    for (name, text) in files { try scratch.write(text, to: name) }
    return (scratch, try await Vault.create(at: scratch.path))
  }

  private func versions(_ scratch: Scratch) throws -> Int {
    try scratch.git("log", "--format=%s").split(separator: "\n").count
  }

  @Test func `A36: a folder that holds something is deleted by force alone`() async throws {
    let (scratch, vault) = try await vault(["f/a.md": "a\n", "g/.hidden": "h\n"])
    for name in ["f", "g"] as [RelativePath] {
      await #expect(throws: ItemError.notEmpty(name)) {
        try await vault.delete(item(name, .folder), force: false)
      }
    }
    #expect(scratch.text(of: "f/a.md") == "a\n")
    try await vault.delete(item("f", .folder), force: true)
    #expect(scratch.text(of: "f/a.md") == nil)
    try await vault.create(item("empty", .folder))
    try await vault.delete(item("empty", .folder), force: false)
    await #expect(throws: ItemError.isVault) { try await vault.delete(.vault, force: true) }
    await #expect(throws: ItemError.isVault) { try await vault.rename(.vault, to: "x") }
  }

  @Test func `A38: creating, renaming and deleting are on the disk, a version each`() async throws {
    let (scratch, vault) = try await vault(["f/a.md": "a\n"])
    var count = try versions(scratch)
    func expectVersion(_ text: String?, _ name: String, _ line: Int = #line) throws {
      #expect(scratch.text(of: name) == text, "line \(line)")
      #expect(try versions(scratch) == count + 1, "line \(line)")
      count = try versions(scratch)
    }
    try await vault.create(item("f/new.md"))
    try expectVersion("", "f/new.md")
    try await vault.rename(item("f/new.md"), to: "f/other.md")
    try expectVersion("", "f/other.md")
    try await vault.delete(item("f/other.md"), force: false)
    try expectVersion(nil, "f/other.md")
    // What cannot be done is an error, and changes nothing.
    await #expect(throws: VersoError.self) { try await vault.create(item("f/a.md")) }
    await #expect(throws: VersoError.self) {
      try await vault.rename(item("nothing.md"), to: "x.md")
    }
    #expect(scratch.text(of: "f/a.md") == "a\n")
    #expect(try versions(scratch) == count)
  }

  @Test func `A37: the model needs nothing but the library of C`() throws {
    for text in try repositoryTexts("Sources/VersoModel") {
      let imports = text.split(separator: "\n").filter {
        $0.hasPrefix("import ")
          || $0.contains(" import ") && !$0.hasPrefix("//")
            && !$0.hasPrefix("  ")
      }
      for line in imports {
        #expect(
          ["Glibc", "CLinux"].contains(line.split(separator: " ").last.map(String.init)), "\(line)")
      }
    }
  }
}
