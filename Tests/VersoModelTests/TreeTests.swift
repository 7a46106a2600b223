import Testing
import VersoModel
import VersoTestSupport

@Suite struct TreeTests {
  private static func randomTree(_ generator: inout SeededGenerator, changing tree: Tree) -> Tree {
    var tree = tree
    for _ in 0..<Int.random(in: 1...40, using: &generator) {
      var path = RelativePath.root
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        path = path.appending([UInt8.random(in: 0x61...0x64, using: &generator)])
      }
      let content = ObjectID(
        bytes: (0..<20).map { _ in UInt8.random(in: 0...3, using: &generator) })
      switch Int.random(in: 0...5, using: &generator) {
      case 0: tree = tree.removing(path)
      case 1: tree = tree.addingFolder(at: path)
      case 2: tree = tree.setting(.init(kind: .link, content: content), at: path)
      default: tree = tree.setting(.init(kind: .file, content: content), at: path)
      }
    }
    return tree
  }

  @Test(arguments: seeds(50))
  func `applying the difference of two trees to the first gives the second`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<40 {
      let a = Self.randomTree(&generator, changing: Tree())
      let b = Self.randomTree(&generator, changing: generator.chance(3) ? Tree() : a)
      let change = TreeChange(from: a, to: b)
      #expect(change.applied(to: a) == b, "seed \(seed)")
      #expect(change.isEmpty == (a == b), "seed \(seed)")
      // Removals come before creations, so that a folder can take a file's place.
      let firstCreation = change.edits.firstIndex { if case .remove = $0 { false } else { true } }
      let lastRemoval = change.edits.lastIndex { if case .remove = $0 { true } else { false } }
      if let firstCreation, let lastRemoval { #expect(lastRemoval < firstCreation) }
    }
  }

  @Test func `a file takes the place of a folder and the reverse`() throws {
    let file = Tree.File(kind: .file, content: .zero)
    let folder = Tree().setting(file, at: "a/b")
    let flat = Tree().setting(file, at: "a")
    #expect(TreeChange(from: folder, to: flat).applied(to: folder) == flat)
    #expect(TreeChange(from: flat, to: folder).applied(to: flat) == folder)
  }

  @Test func `an edit that finds its work done changes nothing`() {
    let tree = Tree().setting(.init(kind: .file, content: .zero), at: "a/b")
    #expect(TreeChange([.remove("x/y"), .addFolder("a")]).applied(to: tree) == tree)
  }

  @Test func `items are listed folders first and in byte order`() {
    let file = Tree.File(kind: .file, content: .zero)
    let tree = Tree().setting(file, at: "b").setting(file, at: "a/z").setting(file, at: "a/c")
    #expect(tree.allItems.map(\.path) == ["a", "a/c", "a/z", "b"])
    #expect(tree.fileCount == 3)
    #expect(tree["a"]?.isFolder == true)
    #expect(tree["a"]?.parent == nil)
    #expect(tree["a/c"]?.parent == "a")
  }
}

@Suite struct RelativePathTests {
  @Test func `names that are not UTF-8 round-trip`() throws {
    let bytes: [UInt8] = [0x63, 0xE9, 0x2F, 0xFF, 0x2E, 0x6D, 0x64]
    let path = try #require(RelativePath(bytes))
    #expect(path.bytes == bytes)
    #expect(path.parent.appending(path.name) == path)
  }

  @Test(arguments: ["/a", "a/", "a//b", ".", "..", "a/../b", "a/./b", "a\0b"])
  func `what is no relative path is refused`(text: String) {
    #expect(RelativePath(text) == nil)
  }

  @Test func `a folder contains what lies below it and itself and no neighbour`() {
    let folder: RelativePath = "notes"
    #expect(folder.contains("notes/a"))
    #expect(folder.contains("notes"))
    #expect(!folder.contains("notes2/a"))
    #expect(RelativePath.root.contains("x"))
    #expect(("notes/a/b" as RelativePath).replacing(prefix: "notes", with: "old") == "old/a/b")
    #expect(("notes" as RelativePath).replacing(prefix: "notes", with: "old") == "old")
    #expect(("a/b" as RelativePath).replacing(prefix: .root, with: "old") == "old/a/b")
    #expect(("other" as RelativePath).replacing(prefix: "notes", with: "old") == nil)
  }

  @Test func `an id is its 40 digits and nothing else`() {
    let hex = "0123456789abcdef0123456789abcdef01234567"
    #expect(ObjectID(hex: hex)?.hex == hex)
    #expect(ObjectID(hex: String(hex.dropLast())) == nil)
    #expect(ObjectID(hex: "z" + hex.dropFirst()) == nil)
  }
}
