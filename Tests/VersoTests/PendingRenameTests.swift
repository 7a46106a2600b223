import Glibc
import Testing
import VersoDisk
import VersoModel
import VersoTestSupport

@testable import Verso

/// A note that waits for what others made of it, and that its user renames meanwhile.
@Suite struct PendingRenameTests {
  /// Two devices with a note that `here` cannot write while others' edit of it arrives.
  private static func waiting(
    _ path: String = "note.md", becoming text: String = "one there\ntwo\nthree\n"
  ) throws -> (fleet: Fleet, here: Device, there: Device) {
    let fleet = try Fleet(["here", "there"])
    let (here, there) = (fleet["here"], fleet["there"])
    here.write("one\ntwo\nthree\n", path)
    here.write("other\n", "other.md")
    try here.sync()
    try there.sync()
    there.write(text, path)
    try there.sync()
    let name = path.split(separator: "/").last ?? ""
    try here.sync(
      FailingFileStore { event in
        [.rename, .link, .linkDescriptor].contains(event.call) && event.path.hasSuffix(name)
          ? EACCES : nil
      })
    #expect(try here.engine().readPending().count == 1)
    #expect(here.text(path) == "one\ntwo\nthree\n")
    return (fleet, here, there)
  }

  private static func subjects(_ device: Device) throws -> [String] {
    try device.git("log", "--format=%s").split(separator: "\n").map(String.init)
  }

  @Test func `a note that waits is joined under the name that it was given`() throws {
    let (fleet, here, there) = try Self.waiting()
    here.move("note.md", "renamed.md")
    #expect(try fleet.settle() == [])
    #expect(here.files().keys.sorted() == ["other.md", "renamed.md"])
    #expect(there.text("renamed.md") == "one there\ntwo\nthree\n")
    #expect(try Self.subjects(here).contains("Rename note.md to renamed.md"))
  }

  @Test func `a note that waits is edited and renamed, and nothing of either is lost`() throws {
    let (fleet, here, there) = try Self.waiting()
    here.append("four here\n", "note.md")
    here.move("note.md", "renamed.md")
    here.write("more\n", "more.md")
    #expect(try fleet.settle() == [])
    #expect(here.files().keys.sorted() == ["more.md", "other.md", "renamed.md"])
    #expect(there.text("renamed.md") == "one there\ntwo\nthree\nfour here\n")
  }

  @Test func `a note that waits is moved by git itself`() throws {
    let (fleet, here, there) = try Self.waiting()
    mkdir(here.full("sub"), 0o755)
    try here.git("mv", "note.md", "sub/note.md")
    #expect(try fleet.settle() == [])
    #expect(here.files().keys.sorted() == ["other.md", "sub/note.md"])
    #expect(there.text("sub/note.md") == "one there\ntwo\nthree\n")
  }

  @Test func `a note that waits moves with its folder`() throws {
    let (fleet, here, there) = try Self.waiting("a/b/note.md")
    here.move("a", "c")
    #expect(try fleet.settle() == [])
    #expect(here.files().keys.sorted() == ["c/b/note.md", "other.md"])
    #expect(there.text("c/b/note.md") == "one there\ntwo\nthree\n")
  }

  @Test func `no deletion reaches others before the folder that moves while versions are joined`()
    throws
  {
    // What `here` has as `a/x` is elsewhere by now, so that its deletion would follow it there.
    let template = try Fleet(["there", "third", "here"])
    template["there"].write(.init(kind: .link, bytes: Array("of there".utf8)), "a/x")
    try template["there"].sync()
    try template["here"].sync()
    template["third"].write("of third\n", "a/x")
    try template["third"].sync()
    var (at, hits) = (1, 0)
    while true {
      let last = at
      let fleet = try Fleet(copying: template)
      let (here, there) = (fleet["here"], fleet["there"])
      let counter = Locked(-1)
      try here.sync(
        FailingFileStore { event in
          let count = counter.withLock { count in
            if count >= 0, FleetWalk.changesDisk(event) { count += 1 }
            return count
          }
          if count == last, access(here.full("b"), F_OK) != 0 { here.move("a", "b/c") }
          return nil
        }
      ) { request in request.joining = { begins in counter.withLock { $0 = begins ? 0 : -1 } } }
      guard access(here.full("b"), F_OK) == 0 else { break }
      hits += 1
      try there.sync()
      let texts = there.files().values.map(\.text)
      #expect(
        texts.contains("of there") && texts.contains("of third\n"), "at \(at): \(there.files())")
      #expect(try fleet.settle() == [], "at \(at)")
      #expect(here.files().values.map(\.text).contains("of there"), "at \(at)")
      at += isFullRun ? 1 : 6
    }
    #expect(hits > 2)
  }

  @Test func `a note that waits is removed by git, and stays as others have edited it`() throws {
    let (fleet, here, _) = try Self.waiting()
    try here.git("rm", "-q", "-f", "note.md")
    #expect(try fleet.settle() == [])
    #expect(here.text("note.md") == "one there\ntwo\nthree\n")
  }

  @Test func `a note that waits and that others have renamed too ends under one name`() throws {
    let (fleet, here, there) = try Self.waiting()
    there.move("note.md", "theirs.md")
    try there.sync()
    here.move("note.md", "mine.md")
    #expect(try fleet.settle() == [])
    #expect(here.files().count == 2, "\(here.files())")
    #expect(here.files().values.map(\.text).contains("one there\ntwo\nthree\n"))
  }

  @Test func `what a save would do with a renamed note that waits is said beforehand`() throws {
    let (fleet, here, _) = try Self.waiting()
    here.move("note.md", "renamed.md")
    var request = SaveRequest()
    request.isDryRun = true
    let outcome = try here.engine().save(request)
    #expect(outcome.changes == [PathChange(.renamed, "renamed.md", from: "note.md")])
    #expect(try here.engine().readPending().count == 1)
    #expect(try fleet.settle() == [])
  }

  @Test func `a rename that a watcher sees is followed whatever was written since`() async throws {
    let (fleet, here, there) = try Self.waiting()
    let head = try here.git("rev-parse", "HEAD")
    // The start of the watcher would write it: it is kept open until the rename.
    let file = open(here.full("note.md"), O_WRONLY | O_APPEND | O_CLOEXEC)
    let vault = try await WatchedVault(fleet.scratch, at: "here")
    #expect(try here.git("rev-parse", "HEAD") == head)
    here.move("note.md", "renamed.md")
    let new = Array("all\nof it\nis new\n".utf8)
    #expect(ftruncate(file, 0) == 0)
    #expect(new.withUnsafeBytes { write(file, $0.baseAddress, $0.count) } == new.count)
    close(file)
    try await vault.wait("the rename") { _ in
      try !here.git("ls-tree", "--name-only", "HEAD", "renamed.md").isEmpty
    }
    vault.finish()
    #expect(try fleet.settle() == [])
    #expect(there.text("note.md") == nil, "\(there.files())")
    #expect(there.text("renamed.md") != nil)
    let all = there.files().values.map(\.text).joined()
    for line in ["one there", "all", "of it", "is new"] { #expect(all.contains(line)) }
  }

  @Test func `what an earlier process left is tried again while it is watched`() async throws {
    let fleet = try Fleet(["here", "there"])
    let (here, there) = (fleet["here"], fleet["there"])
    here.write("one\n", "note.x")
    here.write("", ".gitattributes")
    try here.sync()
    try there.sync()
    for device in [here, there] {
      try device.git("config", "filter.turn.clean", "cat")
      try device.git("config", "filter.turn.smudge", "cat")
      try device.git("config", "filter.turn.required", "true")
    }
    there.write("*.x filter=turn\n", ".gitattributes")
    there.write("one\ntwo there\n", "note.x")
    try there.sync()
    // Two tries of the sync, two at the start of the watcher, and the first one after that.
    let runs = here.full(".git/runs")
    try here.git(
      "config", "filter.turn.smudge", "echo >> '\(runs)'; test $(wc -l < '\(runs)') -gt 5 && cat")
    #expect(try here.sync().pending.map(\.path) == ["note.x"])
    let vault = try await WatchedVault(fleet.scratch, at: "here")
    try await vault.wait("the other's line") { _ in here.text("note.x") == "one\ntwo there\n" }
    vault.finish()
    #expect(try fleet.settle() == [])
  }
}
