import Foundation
import Testing
import VersoTestSupport

/// What a remote that means harm can send: trees that no file system should get.
@Suite struct HostileRemoteTests {
  /// A vault with a note, tied to a hub that a stranger can write to.
  private struct Victim {
    let scratch: Scratch
    var vault: String { scratch.at("vault") }
    var hub: String { scratch.at("hub.git") }

    init() throws {
      scratch = try Scratch("victim")
      try scratch.write("mine\n", to: "vault/note.md")
      try scratch.write("outside\n", to: "outside.md")
      let made = try Verso.run("init", "-q", "--remote", hub, "--create", vault)
      guard made.status == 0 else { throw Failure("init: \(made.status) \(made.error)") }
    }

    /// Puts a commit with these rows on top of the hub's branch; a name is one component.
    func send(_ rows: [(mode: String, name: String, content: String)]) throws {
      var tree = ""
      for row in try hubGit("ls-tree", "main").split(separator: "\n") { tree += row + "\n" }
      for row in rows {
        let kind = row.mode == "40000" ? "tree" : "blob"
        let id = kind == "tree" ? row.content : try blob(row.content)
        tree += "\(row.mode) \(kind) \(id)\t\(row.name)\n"
      }
      try commit(try hubGit("mktree", "--missing", input: tree))
    }

    func blob(_ content: String) throws -> String {
      try hubGit("hash-object", "-w", "--stdin", input: content)
    }

    /// A raw tree object, whatever git thinks of its names.
    func rawTree(_ rows: [(mode: String, name: [UInt8], id: String)]) throws -> String {
      var bytes: [UInt8] = []
      for row in rows {
        bytes += Array("\(row.mode) ".utf8) + row.name + [0]
        let digits = Array(row.id)
        for index in stride(from: 0, to: digits.count, by: 2) {
          bytes.append(try #require(UInt8(String(digits[index...index + 1]), radix: 16)))
        }
      }
      return try hubGit("hash-object", "-w", "--literally", "-t", "tree", "--stdin", raw: bytes)
    }

    func commit(_ tree: String) throws {
      let id = try hubGit("commit-tree", tree, "-p", "main", "-m", "hostile")
      try hubGit("update-ref", "refs/heads/main", id)
    }

    @discardableResult
    func hubGit(_ arguments: String..., input: String = "", raw: [UInt8]? = nil) throws -> String {
      let outcome = try run(["git", "-C", hub] + arguments, input: raw ?? Array(input.utf8))
      guard outcome.status == 0 else { throw Failure("git \(arguments): \(outcome.error)") }
      return outcome.text.hasSuffix("\n") ? String(outcome.text.dropLast()) : outcome.text
    }

    func sync() throws -> Outcome { try Verso.run("sync", vault) }

    /// Whatever was sent, nothing outside the notes is touched.
    func problems() throws -> [String] {
      var problems: [String] = []
      if scratch.text(of: "outside.md") != "outside\n" { problems.append("outside.md was written") }
      if scratch.text(of: "vault/note.md") != "mine\n" { problems.append("the note is gone") }
      let around = try FileManager.default.contentsOfDirectory(atPath: scratch.path).sorted()
      if around != ["hub.git", "outside.md", "vault"] { problems.append("beside it: \(around)") }
      for name in ["hooks/post-checkout", "owned"]
      where scratch.bytes(of: "vault/.git/\(name)") != nil {
        problems.append("\(name) in the repository")
      }
      let config = scratch.text(of: "vault/.git/config") ?? ""
      if config.contains("evil") { problems.append("the configuration was written") }
      // Saving goes on.
      try scratch.write("more\n", to: "vault/more.md")
      let save = try Verso.run("save", "-C", vault)
      if ![0, 3].contains(save.status) { problems.append("save: \(save.status) \(save.error)") }
      return problems
    }
  }

  /// Names that are git's own directory to some file system, as one component each.
  private static let disguises: [String] = [
    ".git", ".GIT", ".Git", "git~1", "GIT~1", ".git ", ".git.", ".git::$INDEX_ALLOCATION",
    ".g\u{200C}it", ".gi\u{200D}t", "\u{FEFF}.git",
  ]

  @Test(arguments: disguises)
  func `a repository in disguise is not written, and the sync says so`(name: String) throws {
    let victim = try Victim()
    let config = try victim.blob("[core]\n\tfsmonitor = evil\n")
    let inner = try victim.rawTree([("100644", Array("config".utf8), config)])
    let note = try victim.blob("mine\n")
    try victim.commit(
      try victim.rawTree(
        [("40000", Array(name.utf8), inner), ("100644", Array("note.md".utf8), note)]
          .sorted { $0.1.lexicographicallyPrecedes($1.1) }))
    let outcome = try victim.sync()
    #expect(outcome.status != 0, "\(outcome.text)")
    #expect(!outcome.error.isEmpty)
    #expect(try victim.problems() == [])
  }

  @Test(arguments: ["..", ".", "a/b", "../outside.md", ""])
  func `a name that leads out of its folder is refused`(name: String) throws {
    let victim = try Victim()
    let evil = try victim.blob("evil\n")
    let note = try victim.blob("mine\n")
    try victim.commit(
      try victim.rawTree(
        [("100644", Array(name.utf8), evil), ("100644", Array("note.md".utf8), note)]
          .sorted { $0.1.lexicographicallyPrecedes($1.1) }))
    let outcome = try victim.sync()
    #expect(outcome.status != 0, "\(outcome.text)")
    #expect(try victim.problems() == [])
  }

  @Test func `a file below a link is not written through it`() throws {
    let victim = try Victim()
    // First the link, then the file below it in a later commit, and both in one tree of a stranger.
    try victim.send([("120000", "way", "..")])
    #expect(try victim.sync().status == 0)
    let evil = try victim.rawTree([
      ("100644", Array("outside.md".utf8), try victim.blob("evil\n"))
    ])
    let note = try victim.blob("mine\n")
    try victim.commit(
      try victim.rawTree([
        ("100644", Array("note.md".utf8), note), ("40000", Array("way".utf8), evil),
      ]))
    _ = try victim.sync()
    #expect(try victim.problems() == [])
    let both = try victim.rawTree([
      ("100644", Array("note.md".utf8), note),
      ("120000", Array("way".utf8), try victim.blob("..")),
      ("40000", Array("way".utf8), evil),
    ])
    try victim.commit(both)
    _ = try victim.sync()
    #expect(try victim.problems() == [])
  }

  @Test func `a link out of the vault stays a link and is not followed`() throws {
    let victim = try Victim()
    try victim.send([("120000", "passwd", "/etc/passwd"), ("120000", "up", "../outside.md")])
    #expect(try victim.sync().status == 0)
    let target = try FileManager.default.destinationOfSymbolicLink(
      atPath: victim.vault + "/up")
    #expect(target == "../outside.md")
    try victim.send([("100644", "up", "evil\n")])
    _ = try victim.sync()
    #expect(try victim.problems() == [])
  }

  @Test func `names as long as they get, and thousands of folders, harm nobody`() throws {
    let victim = try Victim()
    let long = String(repeating: "n", count: 252) + ".md"
    try victim.send([("100644", long, "long\n")])
    #expect(try victim.sync().status == 0)
    var tree = try victim.rawTree([("100644", Array("x".utf8), try victim.blob("x"))])
    for _ in 0..<3000 { tree = try victim.rawTree([("40000", Array("d".utf8), tree)]) }
    let note = try victim.blob("mine\n")
    try victim.commit(
      try victim.rawTree([
        ("40000", Array("d".utf8), tree), ("100644", Array("note.md".utf8), note),
      ]))
    let outcome = try victim.sync()
    #expect(outcome.status >= 0, "it was killed")
    #expect(try victim.problems() == [])
  }

  @Test func `a conflict with the longest of names gets a copy whose name fits`() throws {
    let victim = try Victim()
    let long = String(repeating: "ä", count: 126) + ".x"
    try victim.send([("100644", long, "theirs\n")])
    try victim.scratch.write("ours\n", to: "vault/\(long)")
    #expect(try victim.sync().status == 3)
    let names = try FileManager.default.contentsOfDirectory(atPath: victim.vault)
    let copy = try #require(names.first { $0.contains("(conflict") })
    #expect(copy.utf8.count <= 255)
    #expect(try victim.problems() == [])
  }

  @Test func `a device called like a path, and words for a terminal, stay words`() throws {
    let victim = try Victim()
    let id = try victim.blob("theirs\n")
    let tree = try victim.rawTree([("100644", Array("note.md".utf8), id)])
    let commit = try run(
      ["git", "-C", victim.hub, "commit-tree", tree, "-p", "main", "-F", "-"],
      input: Array("x\n\nVerso-Device: ../../\u{1B}]0;evil\u{7}x\n".utf8)
    ).text
    try victim.hubGit("update-ref", "refs/heads/main", String(commit.dropLast()))
    try victim.scratch.write("ours\n", to: "vault/note.md")
    let outcome = try victim.sync()
    #expect(outcome.status == 3)
    #expect(!outcome.output.contains(0x1B) && !outcome.error.utf8.contains(0x1B))
    let names = try FileManager.default.contentsOfDirectory(atPath: victim.vault)
    let copy = try #require(names.first { $0.contains("(conflict") })
    #expect(!copy.contains("/") && !copy.contains("\u{1B}"))
  }

  @Test(arguments: [
    "-oProxyCommand=touch owned", "--upload-pack=touch owned", "ext::touch owned",
    "ssh://-oProxyCommand=touch/x", "a\nb",
  ])
  func `an address that is an option or a program is refused before anything runs`(url: String)
    throws
  {
    let scratch = try Scratch()
    try scratch.write("mine\n", to: "vault/note.md")
    let outcome = try Verso.run("init", "--remote=\(url)", scratch.at("vault"), in: scratch.path)
    #expect(outcome.status == 1, "\(outcome.error)")
    #expect(scratch.bytes(of: "owned") == nil && scratch.bytes(of: "vault/owned") == nil)
    #expect(try run(["git", "-C", scratch.at("vault"), "remote"]).text == "")
    let clone = try Verso.run("clone", "--", url, scratch.at("clone"), in: scratch.path)
    #expect([1, 2].contains(clone.status), "\(clone.error)")
    #expect(scratch.bytes(of: "owned") == nil)
    #expect(!FileManager.default.fileExists(atPath: scratch.at("clone")))
  }

  @Test func `a branch that starts like an option is not used`() throws {
    let victim = try Victim()
    try run(["git", "-C", victim.vault, "config", "verso.branch", "--upload-pack=x"])
    let outcome = try victim.sync()
    #expect([1, 5].contains(outcome.status))
    #expect(try victim.problems() == [])
  }
}
