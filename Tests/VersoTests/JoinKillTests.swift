import Foundation
import Glibc
import Testing
import VersoDisk
import VersoModel
import VersoTestSupport

@testable import Verso

/// A join that is cut off at any call, or in which a person goes on working, loses nothing.
@Suite struct JoinKillTests {
  /// Two devices: `here` has saved edits of its own, and is about to join all kinds of changes.
  private static func template() throws -> Fleet {
    let fleet = try Fleet(["here", "there"])
    let (here, there) = (fleet["here"], fleet["there"])
    for number in 0..<4 {
      here.write("# note \(number)\none\ntwo\nthree\n", "a/note-\(number).md")
    }
    here.write("gone\n", "gone.md")
    here.write("moved\nby there\n", "old/moved.md")
    here.write("a file\n", "becomes-folder")
    here.write("in a folder\n", "becomes-file/in.md")
    here.write(.init(kind: .link, bytes: Array("a/note-0.md".utf8)), "link")
    here.write("#!/bin/sh\n", "script")
    here.write("both\nedit\nthis\n", "both.md")
    try here.sync()
    try there.sync()
    there.write("# note 0\none\ntwo there\nthree\n", "a/note-0.md")
    there.write("# note 1\none\ntwo\nthree\nfour there\n", "a/note-1.md")
    there.remove("gone.md")
    there.move("old/moved.md", "new/moved.md")
    there.remove("becomes-folder")
    there.write("now below\n", "becomes-folder/below.md")
    there.remove("becomes-file/in.md")
    there.write("now a file\n", "becomes-file")
    there.write(.init(kind: .link, bytes: Array("a/note-1.md".utf8)), "link")
    there.write(.init(kind: .executable, bytes: Array("#!/bin/sh\n".utf8)), "script")
    there.write("both\nedited there\nthis\n", "both.md")
    there.write("fresh there\n", "b/c/fresh.md")
    there.clock = 1_800_000_000
    try there.sync()
    here.write("# note 1\none here\ntwo\nthree\n", "a/note-1.md")
    here.write("both\nedited here\nthis\n", "both.md")
    here.clock = 1_800_000_100
    try here.save()
    return fleet
  }

  private static func changes(_ event: FailingFileStore.Event) -> Bool {
    FleetWalk.changesDisk(event)
  }

  /// What everybody has where nothing goes wrong.
  private static func expectation(_ template: Fleet) throws -> [String: Device.File] {
    let fleet = try Fleet(copying: template)
    #expect(try fleet.settle() == [])
    return fleet.devices[0].files()
  }

  @Test func `a join that is killed at any call goes on at the next start`() throws {
    let template = try Self.template()
    let wanted = try Self.expectation(template)
    var number = 1
    var kills = 0
    while true {
      let fleet = try Fleet(copying: template)
      let counter = Locked(0)
      let at = number
      let store = FailingFileStore { event in
        counter.withLock { count in
          if Self.changes(event) || count >= at { count += 1 }
          return count >= at ? EIO : nil
        }
      }
      do { try fleet["here"].sync(store) } catch is VersoError { kills += 1 }
      if counter.withLock({ $0 }) < at { break }
      #expect(try fleet.settle() == [], "killed at \(at)")
      #expect(fleet["here"].files() == wanted, "killed at \(at)")
      number += isFullRun ? 1 : 9
    }
    #expect(kills > 15, "the kills did not reach the join")
    print("join killed at \(kills) of \(number) calls")
  }

  @Test func `an edit after a join that was killed at any call is an edit of what was there`()
    throws
  {
    let template = try Self.template()
    var number = 1
    while true {
      let fleet = try Fleet(copying: template)
      let here = fleet["here"]
      let counter = Locked(0)
      let at = number
      let store = FailingFileStore { event in
        counter.withLock { count in
          if Self.changes(event) || count >= at { count += 1 }
          return count >= at ? EIO : nil
        }
      }
      do { try here.sync(store) } catch is VersoError {}
      if counter.withLock({ $0 }) < at { break }
      // As an editor does that has loaded the note now.
      for name in ["a/note-0.md", "a/note-1.md"] {
        if let text = here.text(name) { here.write(text + "later here\n", name) }
      }
      #expect(try fleet.settle() == [], "killed at \(at)")
      #expect(
        here.text("a/note-0.md") == "# note 0\none\ntwo there\nthree\nlater here\n",
        "killed at \(at)")
      let second = here.text("a/note-1.md") ?? ""
      for line in ["one here", "four there", "later here", "two", "three"] {
        #expect(second.contains(line + "\n"), "killed at \(at): \(second)")
      }
      #expect(second.split(separator: "\n").count == 6, "killed at \(at): \(second)")
      #expect(
        here.files().keys.filter { $0.contains("conflict") }.count == 1,
        "killed at \(at): \(here.files().keys.sorted())")
      number += isFullRun ? 1 : 23
    }
  }

  // MARK: A person at work

  enum Deed: CaseIterable {
    case append, replace, remove, rename, folderInTheWay, fileInTheWay, linkInTheWay, appendToGone
    case changeMode, commit

    /// - Returns: Whether there was a way to do it.
    func `do`(_ device: Device) throws -> Bool {
      switch self {
      case .append: device.append("typed here\n", "a/note-0.md")
      case .replace:
        device.write((device.text("a/note-1.md") ?? "") + "typed here\n", "a/note-1.md")
      case .remove: device.remove("a/note-0.md")
      case .rename: device.move("a/note-0.md", "a/renamed.md")
      case .folderInTheWay where device.file("b/c/fresh.md") == nil:
        device.write("typed here\n", "b/c/fresh.md/in.md")
      case .fileInTheWay where mkdir(device.full("b"), 0o755) == 0:
        rmdir(device.full("b"))
        device.write("typed here\n", "b")
      case .linkInTheWay where device.file("b/c/fresh.md") == nil:
        device.write(.init(kind: .link, bytes: Array("typed here\n".utf8)), "b/c/fresh.md")
      case .appendToGone where device.file("gone.md") != nil:
        device.append("typed here\n", "gone.md")
      case .changeMode: chmod(device.full("a/note-0.md"), 0o755)
      case .commit:
        // What is in the middle of being joined, as somebody's own version.
        let words = ["git", "-C", device.root, "commit", "-q", "-a", "-m", "typed here"]
        if try run(words).status != 0 { unlink(device.full(".git/COMMIT_EDITMSG")) }
      default: return false
      }
      return true
    }
  }

  @Test(arguments: Deed.allCases)
  func `what a person does at any call of a join is kept and joined`(deed: Deed) throws {
    let template = try Self.template()
    var number = 1 + (Deed.allCases.firstIndex(of: deed) ?? 0)
    while true {
      let fleet = try Fleet(copying: template)
      let here = fleet["here"]
      let counter = Locked(0)
      let isOn = Locked(false)
      let at = number
      let result = Locked<Bool?>(nil)
      let store = FailingFileStore { event in
        guard isOn.withLock({ $0 }) else { return nil }
        counter.withLock { count in
          count += 1
          guard count == at else { return }
          do {
            let isDone = try deed.do(here)
            result.withLock { $0 = isDone }
          } catch { Issue.record("\(deed): \(error)") }
        }
        return nil
      }
      do {
        try here.sync(store) { request in
          request.joining = { begins in isOn.withLock { $0 = begins } }
        }
      } catch let error as VersoError where deed == .commit {
        #expect(error.code == .locked || error.code == .failed, "\(error)")
      }
      guard let isDone = result.withLock({ $0 }) else { break }
      let place = "\(deed) at \(at)"
      #expect(try fleet.settle() == [], "\(place)")
      let files = here.files()
      let all = files.values.map(\.text).joined(separator: "\n")
      if isDone, ![.remove, .rename, .changeMode, .commit].contains(deed) {
        #expect(
          all.contains("typed here") || deed == .append && files["a/note-0.md"] == nil,
          "\(place): \(files)")
      }
      for line in ["one here", "four there", "fresh there", "now a file", "now below"] {
        #expect(all.contains(line), "\(place): \(line) is lost: \(files)")
      }
      if deed != .remove { #expect(all.contains("two there"), "\(place): \(files)") }
      if deed == .changeMode {
        #expect(
          files["a/note-0.md"]?.kind == .executable,
          "\(place): \(String(describing: files["a/note-0.md"]))"
        )
      }
      number += isFullRun ? 3 : 97
    }
  }
}
