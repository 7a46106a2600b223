import CLinux
import Glibc
import Testing
import VersoDisk
import VersoModel
import VersoTestSupport
import VersoWatch

@testable import Verso

/// Files and folders that get other names, on a real disk and the real clock.
@Suite struct WatcherRenameTests {
  @Test(arguments: [
    "mv a.md b.md", "mv a.md x; mv x y; mv y b.md", "mv a.md \"$OUT/\"; mv \"$OUT/a.md\" b.md",
  ])
  func `a rename is a rename, however many steps it takes`(script: String) async throws {
    try await Scene(["a.md": "one\n"], settle: 1).play(
      script, [SavedVersion("Rename a.md to b.md", ["b.md": "one\n"])])
  }

  @Test func `a second link of which the first goes is a rename`() async throws {
    let scene = try await Scene(["a.md": "one\n"])
    #expect(link("\(scene.root)/a.md", "\(scene.root)/b.md") == 0)
    #expect(unlink("\(scene.root)/a.md") == 0)
    try await scene.play(
      "", [SavedVersion("Rename a.md to b.md", ["b.md": "one\n"])],
      changes: [.renamed(from: "a.md", to: "b.md")])
  }

  @Test func `a second link that stays is a note of its own until the first goes`() async throws {
    // Long enough for a busy machine to get from the one to the other before anything is saved.
    let scene = try await Scene(["a.md": "one\n"], settle: 10)
    #expect(link("\(scene.root)/a.md", "\(scene.root)/b.md") == 0)
    try await scene.vault.wait("the link") { $0.changes.contains(.added("b.md", .file)) }
    #expect(unlink("\(scene.root)/a.md") == 0)
    try await scene.play("", [SavedVersion("Rename a.md to b.md", ["b.md": "one\n"])])
    #expect(
      scene.vault.distinctChanges.subtracting([.modified("a.md"), .modified("b.md")]) == [
        .added("b.md", .file), .removed("a.md"),
      ])
  }

  @Test func `a rename of which only the case differs is one`() async throws {
    try await Scene(["Note.md": "one\n"]).play(
      "mv Note.md note.md",
      [SavedVersion("Rename Note.md to note.md", ["note.md": "one\n"])],
      changes: [.renamed(from: "Note.md", to: "note.md")])
  }

  @Test func `a rename with an edit is one version that says so`() async throws {
    let scene = try await Scene(["a.md": "one\n"], settle: 1)
    try await scene.play(
      "mv a.md b.md; echo entirely different > b.md",
      [SavedVersion("Rename a.md to b.md", ["b.md": "entirely different\n"])])
    #expect(scene.vault.distinctChanges.contains(.renamed(from: "a.md", to: "b.md")))
    #expect(!scene.vault.distinctChanges.contains(.removed("a.md")))
    let message = try scene.vault.git("log", "-1", "--format=%B", "HEAD~1").text
    #expect(message.contains("Verso-Renamed: a.md -> b.md"))
  }

  @Test func `names that are swapped in three steps are two renames and two edits`() async throws {
    let scene = try await Scene(["a.md": "one\n", "b.md": "two\n"], settle: 1)
    for (old, new) in [("a.md", "t"), ("b.md", "a.md"), ("t", "b.md")] {
      #expect(rename("\(scene.root)/\(old)", "\(scene.root)/\(new)") == 0)
    }
    try await scene.play(
      "",
      [SavedVersion("Edit 2 notes", ["a.md": "two\n", "b.md": "one\n"])],
      changes: [.renamed(from: "a.md", to: "b.md"), .renamed(from: "b.md", to: "a.md")])
  }

  @Test func `files and folders that are exchanged at once are two renames each`() async throws {
    let scene = try await Scene([
      "a.md": "one\n", "b.md": "two\n", "c/x.md": "three\n", "d/y.md": "four\n",
    ])
    for (a, b) in [("a.md", "b.md"), ("c", "d")] {
      let (old, new) = ("\(scene.root)/\(a)", "\(scene.root)/\(b)")
      #expect(verso_renameat2(AT_FDCWD, old, AT_FDCWD, new, 2) == 0)
    }
    try await scene.vault.wait("a version") { !$0.subjects.isEmpty }
    try scene.vault.scratch.write("more\n", to: "c/y.md")
    try await scene.vault.wait("the edit") { $0.isSaved("Edit c/y.md") }
    try await scene.vault.waitForLast()
    scene.vault.finish()
    let files = ["a.md": "two\n", "b.md": "one\n", "d/x.md": "three\n", "last.md": "last\n"]
    #expect(
      try scene.vault.files(in: "HEAD") == files.merging(["c/y.md": "more\n"]) { $1 })
    #expect(
      try scene.vault.files(in: "HEAD~2")
        == files.merging(["c/y.md": "four\n", "last.md": ""]) { $1 }.filter { $0.value != "" })
    #expect(
      scene.vault.distinctChanges.subtracting([.modified("c/y.md")]) == [
        .renamed(from: "a.md", to: "b.md"), .renamed(from: "b.md", to: "a.md"),
        .renamed(from: "c", to: "d"), .renamed(from: "d", to: "c"),
      ])
  }

  @Test func `a note that is moved over another takes its place`() async throws {
    try await Scene(["a.md": "one\n", "b.md": "two\n"]).play(
      "mv -f a.md b.md", [SavedVersion("Edit 1 note, delete 1", ["b.md": "one\n"])])
  }

  @Test func `another note in the same inode is no rename`() async throws {
    let text = (0..<50).map { "line \($0)\n" }.joined()
    let scene = try await Scene(["a.md": text], settle: 1)
    try await scene.play(
      "rm a.md; echo other > b.md",
      [SavedVersion("Add 1 note, delete 1", ["b.md": "other\n"])],
      changes: [.removed("a.md"), .added("b.md", .file)])
  }

  @Test func `a folder's move is one step, and edits below it are seen at the new path`()
    async throws
  {
    var tree: [String: String] = [:]
    for number in 0..<300 { tree["a/sub/deep/n\(number).md"] = "note \(number)\n" }
    let scene = try await Scene(tree, settle: 1)
    let moved = Dictionary(
      uniqueKeysWithValues: tree.map { ("b" + $0.key.dropFirst(1), $0.value) })
    try await scene.run("mv a b")
    try await scene.vault.wait("the rename") { $0.isSaved("Rename 300 notes") }
    let edited = moved.merging(["b/sub/deep/n7.md": "edited\n"]) { $1 }
    try await scene.play(
      "echo edited > b/sub/deep/n7.md",
      [
        SavedVersion("Rename 300 notes", moved),
        SavedVersion("Edit b/sub/deep/n7.md", edited),
      ], changes: [.renamed(from: "a", to: "b"), .modified("b/sub/deep/n7.md")])
  }

  @Test func `a folder that leaves is deleted, and what goes on in it is no news`() async throws {
    let scene = try await Scene(["a/x.md": "one\n", "b.md": "two\n", "c.md": "three\n"])
    try await scene.run("mv a \"$OUT/\"")
    try await scene.vault.wait("the deletion") { $0.isSaved("Delete a/x.md") }
    try await scene.run("echo more > \"$OUT/a/x.md\"; echo new > \"$OUT/a/new.md\"")
    try await scene.vault.expect([
      SavedVersion("Delete a/x.md", ["b.md": "two\n", "c.md": "three\n"])
    ])
    #expect(scene.vault.distinctChanges == [.removed("a")])
    #expect(scene.vault.counters.rescans == 0)
  }

  @Test func `a full folder that comes in is added whole, also one made step by step`()
    async throws
  {
    let scene = try await Scene(settle: 1)
    try await scene.play(
      """
      mkdir -p "$OUT/in/sub"; echo 1 > "$OUT/in/1.md"; echo 2 > "$OUT/in/sub/2.md"
      mv "$OUT/in" in
      for n in 1 2 3 4 5 6 7 8; do
        mkdir -p d$n/e/f; echo $n > d$n/x.md; echo $n > d$n/e/y.md; echo $n > d$n/e/f/z.md
      done
      """,
      [
        SavedVersion(
          "Add 26 notes",
          (1...8).reduce(into: ["note.md": "one\n", "in/1.md": "1\n", "in/sub/2.md": "2\n"]) {
            for name in ["x.md", "e/y.md", "e/f/z.md"] { $0["d\($1)/\(name)"] = "\($1)\n" }
          })
      ])
  }

  @Test func `a folder that is removed and made again is watched again`() async throws {
    let scene = try await Scene(["a/x.md": "one\n", "note.md": "note\n", "b.md": "two\n"])
    try await scene.run("rm -r a")
    try await scene.vault.wait("the deletion") { $0.isSaved("Delete a/x.md") }
    try await scene.run("mkdir a")
    try await scene.vault.wait("the folder") { $0.changes.contains(.addedFolder("a")) }
    let kept = ["note.md": "note\n", "b.md": "two\n"]
    try await scene.play(
      "echo new > a/y.md",
      [
        SavedVersion("Delete a/x.md", kept),
        SavedVersion("Add a/y.md", kept.merging(["a/y.md": "new\n"]) { $1 }),
      ])
  }
}
