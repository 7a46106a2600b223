import Foundation
import Glibc
import Testing
import VersoDisk
import VersoModel
import VersoTestSupport

@testable import Verso

/// What a join cannot write at once stays as it is, is not taken for an edit, and comes in later.
@Suite struct PendingTests {
  /// Two devices with a note, and one edit of it that waits in the remote.
  private static func pair(
    _ files: [String: String] = ["note.md": "one\ntwo\nthree\n"]
  ) throws -> (fleet: Fleet, here: Device, there: Device) {
    let fleet = try Fleet(["here", "there"])
    let (here, there) = (fleet["here"], fleet["there"])
    for (path, text) in files { here.write(text, path) }
    try here.sync()
    try there.sync()
    return (fleet, here, there)
  }

  private static func pending(_ device: Device) throws -> [String] {
    try device.engine().readPending().keys.map { "\($0)" }.sorted()
  }

  /// A note that another program has open for writing while others' edit of it arrives.
  private static func held() throws -> (fleet: Fleet, here: Device, there: Device, file: Int32) {
    let (fleet, here, there) = try pair()
    there.write("one there\ntwo\nthree\n", "note.md")
    try there.sync()
    let file = open(here.full("note.md"), O_WRONLY | O_APPEND | O_CLOEXEC)
    try here.sync()
    #expect(try pending(here) == ["note.md"])
    #expect(here.text("note.md") == "one\ntwo\nthree\n")
    return (fleet, here, there, file)
  }

  @Test func `a note that is open in a program is joined when it is closed`() throws {
    let (fleet, here, _, file) = try Self.held()
    // Neither another sync nor a save takes the old text for an edit.
    let head = try here.head
    try here.sync()
    try here.save()
    #expect(try here.head == head)
    _ = Array("four here\n".utf8).withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
    try closeForGood(file, here.full("note.md"))
    #expect(try fleet.settle() == [])
    #expect(here.text("note.md") == "one there\ntwo\nthree\nfour here\n")
  }

  @Test func `a note that waits and is deleted stays, as others have edited it`() throws {
    let (fleet, here, _, file) = try Self.held()
    try closeForGood(file, here.full("note.md"))
    here.remove("note.md")
    #expect(try fleet.settle() == [])
    #expect(here.text("note.md") == "one there\ntwo\nthree\n")
  }

  @Test func `a note that waits and is renamed loses neither text`() throws {
    let (fleet, here, _, file) = try Self.held()
    try closeForGood(file, here.full("note.md"))
    here.move("note.md", "renamed.md")
    #expect(try fleet.settle() == [])
    let all = here.files().values.map(\.text).joined()
    for line in ["one there", "two", "three"] { #expect(all.contains(line), "\(here.files())") }
  }

  @Test func `a note that waits and is changed by others again is joined with both`() throws {
    let (fleet, here, there, file) = try Self.held()
    there.write("one there\ntwo\nthree\nfour there\n", "note.md")
    try there.sync()
    try here.sync()
    #expect(try Self.pending(here) == ["note.md"])
    try closeForGood(file, here.full("note.md"))
    here.write("one\ntwo here\nthree\n", "note.md")
    #expect(try fleet.settle() == [])
    #expect(here.text("note.md") == "one there\ntwo here\nthree\nfour there\n")
  }

  @Test func `a note that waits and is deleted by others goes when it is closed`() throws {
    let (fleet, here, there, file) = try Self.held()
    there.remove("note.md")
    there.write("other\n", "other.md")
    try there.sync()
    try here.sync()
    #expect(here.text("note.md") == "one\ntwo\nthree\n")
    try closeForGood(file, here.full("note.md"))
    #expect(try fleet.settle() == [])
    #expect(here.files().keys.sorted() == ["other.md"])
  }

  @Test func `a note that waits becomes a folder, and all is kept`() throws {
    let (fleet, here, _, file) = try Self.held()
    try closeForGood(file, here.full("note.md"))
    here.remove("note.md")
    here.write("below\n", "note.md/in.md")
    #expect(try fleet.settle() == [])
    let all = here.files().values.map(\.text).joined()
    for line in ["one there", "three", "below"] { #expect(all.contains(line), "\(here.files())") }
  }

  @Test func `a note that waits since a push was lost is known although the join is made anew`()
    throws
  {
    let (fleet, here, there) = try Self.pair(["note.md": "one\ntwo\nthree\n", "b.md": "b\n"])
    there.write("b there\n", "b.md")
    try there.sync()
    here.write("a here\n", "a.md")
    try here.git("config", "remote.origin.pushurl", "/nonexistent/verso.git")
    #expect(throws: VersoError.self) { try here.sync() }
    try here.git("config", "--unset", "remote.origin.pushurl")
    // On top of a join that nobody else has.
    there.write("one there\ntwo\nthree\n", "note.md")
    try there.sync()
    let file = open(here.full("note.md"), O_WRONLY | O_APPEND | O_CLOEXEC)
    try here.sync()
    #expect(try Self.pending(here) == ["note.md"])
    try here.git("reflog", "expire", "--expire=now", "--all")
    try here.git("gc", "-q", "--prune=now")
    _ = Array("four here\n".utf8).withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
    try closeForGood(file, here.full("note.md"))
    #expect(try fleet.settle() == [])
    #expect(here.text("note.md") == "one there\ntwo\nthree\nfour here\n")
  }

  // MARK: In the way

  @Test func `an ignored file in the way stays until it is moved away`() throws {
    let (fleet, here, there) = try Self.pair()
    try here.git("config", "core.excludesFile", here.full(".git/ignored"))
    try fleet.scratch.write("private.md\n", to: "here/.git/ignored")
    here.write("mine alone\n", "private.md")
    there.write("shared\n", "private.md")
    try there.sync()
    let outcome = try here.sync()
    #expect(outcome.pending.map(\.path) == ["private.md"])
    let head = try here.head
    try here.sync()
    #expect(try here.head == head)
    #expect(here.text("private.md") == "mine alone\n")
    here.move("private.md", ".git/private.md")
    #expect(try fleet.settle() == [])
    #expect(here.text("private.md") == "shared\n")
  }

  @Test func `a note that cannot be replaced waits, and edits of it are joined`() throws {
    let (fleet, here, there) = try Self.pair()
    there.write("one there\ntwo\nthree\n", "note.md")
    there.write("new\n", "new.md")
    try there.sync()
    let store = FailingFileStore { event in
      [.rename, .link, .linkDescriptor].contains(event.call) && event.path.hasSuffix("note.md")
        ? EACCES : nil
    }
    let outcome = try here.sync(store)
    #expect(outcome.pending.map(\.path) == ["note.md"])
    #expect(here.text("new.md") == "new\n")
    here.write("one\ntwo\nthree\nfour here\n", "note.md")
    #expect(try fleet.settle() == [])
    #expect(here.text("note.md") == "one there\ntwo\nthree\nfour here\n")
  }

  @Test func `a note whose filter is missing waits for it`() throws {
    let (fleet, here, there) = try Self.pair(["note.x": "one\n", ".gitattributes": ""])
    for device in [here, there] {
      try device.git("config", "filter.turn.clean", "cat")
      try device.git("config", "filter.turn.smudge", "cat")
      try device.git("config", "filter.turn.required", "true")
    }
    there.write("*.x filter=turn\n", ".gitattributes")
    there.write("one\ntwo there\n", "note.x")
    try there.sync()
    try here.git("config", "filter.turn.smudge", "false")
    let outcome = try here.sync()
    #expect(outcome.pending.map(\.path) == ["note.x"])
    #expect(here.text("note.x") == "one\n")
    try here.git("config", "filter.turn.smudge", "cat")
    #expect(try fleet.settle() == [])
    #expect(here.text("note.x") == "one\ntwo there\n")
  }

  // MARK: Many deletions

  private static let many = Dictionary(
    uniqueKeysWithValues: (0..<20).map { ("n/\($0).md", "note \($0)\n") })

  @Test func `a deletion that is held here is not undone by a join`() throws {
    let (fleet, here, there) = try Self.pair(Self.many)
    for number in 0..<12 { here.remove("n/\(number).md") }
    there.write("note 3\nedited there\n", "n/3.md")
    there.write("note 19\nedited there\n", "n/19.md")
    try there.sync()
    try here.sync(SystemFileStore()) { $0.allowsMassDeletion = false }
    #expect(here.text("n/19.md") == "note 19\nedited there\n")
    #expect(here.text("n/2.md") == nil)
    // What others have edited meanwhile comes back.
    #expect(here.text("n/3.md") == "note 3\nedited there\n")
    #expect(try fleet.settle() == [])
    #expect(there.text("n/2.md") == nil)
    #expect(there.files().count == 9)
  }

  @Test func `many deletions of others wait for a person, also after a kill`() throws {
    let (template, _, source) = try Self.pair(Self.many)
    for number in 0..<12 { source.remove("n/\(number).md") }
    source.write("new\n", "new.md")
    try source.git("add", "-A")
    // Without a person's word.
    try source.git("commit", "-q", "-m", "Delete")
    try source.git("push", "-q", "origin", "main")
    for at in stride(from: 0, to: 60, by: 6) {
      let fleet = try Fleet(copying: template)
      let here = fleet["here"]
      let counter = Locked(0)
      let store = FailingFileStore { event in
        guard at > 0 else { return nil }
        return counter.withLock { count in
          if FleetWalk.changesDisk(event) || count >= at { count += 1 }
          return count >= at ? EIO : nil
        }
      }
      do {
        try here.sync(store) { $0.allowsMassDeletion = false }
      } catch is VersoError {}
      try here.sync(SystemFileStore()) { $0.allowsMassDeletion = false }
      #expect(here.files().count == 21, "killed at \(at)")
      #expect(try here.engine().readKept().count == 12, "killed at \(at)")
      // An edit of one that waits keeps it.
      here.append("edited here\n", "n/5.md")
      #expect(try fleet.settle() == [], "killed at \(at)")
      #expect(here.files().count == 10, "killed at \(at)")
      #expect(fleet["there"].text("n/5.md") == "note 5\nedited here\n")
    }
  }

  // MARK: Beginnings

  @Test func `devices and a remote without a version have nothing to join`() throws {
    let fleet = try Fleet(["here", "there"])
    #expect(try fleet["here"].sync().joins.isEmpty)
    #expect(try fleet["there"].sync().pushed == nil)
    fleet["there"].write("one\n", "note.md")
    #expect(try fleet.settle() == [])
    #expect(fleet["here"].text("note.md") == "one\n")
  }

  @Test func `empty folders that are kept do not conflict`() throws {
    let (fleet, here, there) = try Self.pair()
    for device in [here, there] {
      try device.git("config", "verso.keepEmptyFolders", "true")
      mkdir(device.full("empty"), 0o755)
    }
    there.write("there\n", "empty/there.md")
    #expect(try fleet.settle() == [])
    #expect(here.text("empty/there.md") == "there\n")
  }
}
