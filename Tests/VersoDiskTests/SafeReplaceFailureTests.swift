import Foundation
import Glibc
import Testing
import VersoDisk
import VersoModel
import VersoTestSupport

@Suite struct `Safe replace on a failing disk` {
  @Test(
    arguments: [ENOSPC, EIO, EACCES, EMFILE, ENAMETOOLONG, EINVAL, ENOSYS, EOPNOTSUPP],
    Step.allCases)
  func `leaves the old or the new content, whichever call fails`(code: Int32, step: Step) throws {
    let desk = try Desk()
    var number = 1
    while try attempt(desk, step, code, at: number, onwards: false) { number += 1 }
    #expect(number > 5)
  }

  /// Every call failing from one on is what a kill looks like from the disk.
  @Test(arguments: Step.allCases, Lack.allCases)
  func `loses nothing where it ends at any call`(step: Step, lack: Lack) throws {
    let desk = try Desk()
    var number = 1
    while try attempt(desk, step, EIO, at: number, onwards: true, lack) { number += 1 }
    #expect(number > 5)
  }

  /// Returns whether the run had so many calls.
  private func attempt(
    _ desk: Desk, _ step: Step, _ code: Int32, at number: Int, onwards: Bool,
    _ lack: Lack = .nothing
  ) throws -> Bool {
    try desk.clear()
    mkdir(desk.at("a"), 0o755)
    if step != .make { try desk.write("old", to: "a/note.md") }
    let store = FailingFileStore { event in
      let hits = onwards ? event.number >= number : event.number == number
      return hits ? code : lack.code(event)
    }
    var refused: ReplaceRefusal?
    do throws(ReplaceRefusal) { _ = try step.perform(desk.replacer(store: store)) } catch {
      refused = error
    }
    let outcome = refused.map { "\($0.reason)" } ?? "done"
    let place = Comment("\(step) \(code) at call \(number), onwards \(onwards) \(lack): \(outcome)")
    // In the work tree: the old, the new, or, set aside and not yet replaced, nothing.
    let seen = try text(desk)
    #expect(try desk.list().allSatisfy { $0 == "a" || $0 == "a/note.md" }, place)
    if refused == nil {
      #expect(seen == step.result, place)
    } else if refused?.displaced.isEmpty == true, !onwards {
      #expect(seen == step.start || seen == step.result, place)
    }
    try recover(desk, step, isDone: refused == nil, place)
    return store.callCount >= number
  }

  /// What the next start does, with a disk that works again.
  private func recover(_ desk: Desk, _ step: Step, isDone: Bool, _ place: Comment) throws {
    let safe = desk.replacer()
    let leftovers = try safe.leftovers()
    if step.start != nil, try text(desk) != step.start {
      // Nobody was told of it yet, or it was just said: either way it is still there.
      #expect(leftovers.contains { $0.role == .displaced }, place)
    }
    for leftover in leftovers {
      switch leftover.role {
      case .staged: try safe.drop(leftover)
      case .foreign: Issue.record("\(leftover.name)")
      case .displaced:
        let known = isDone ? KnownContent("old") : nil
        let displaced = safe.displaced(leftover, path: "a/note.md", known: known)
        if isDone {
          #expect(safe.settle([displaced])[0].isDropped, place)
        } else if try text(desk) == nil {
          try safe.putBack(displaced)
        } else {
          // Exchanged, and the process did not live to see it: the old content is here, whole.
          let settled = safe.settle([displaced])[0]
          #expect(settled.edit == "old", place)
          #expect(safe.release(settled).isDropped, place)
        }
      }
    }
    let seen = try text(desk)
    #expect(seen == step.start || seen == step.result, place)
    #expect(try desk.list("stage") == [], place)
  }

  private func text(_ desk: Desk) throws -> String? {
    guard try desk.status(of: "a/note.md") != nil else { return nil }
    return String(decoding: try desk.content(of: "a/note.md"), as: UTF8.self)
  }

  @Test func `keeps what came out of an exchange that was done and reported as failed`() throws {
    let desk = try Desk()
    try desk.write("old", to: "note.md")
    let (root, staging) = (desk.root, desk.staging)
    let scratch = desk.scratch
    let store = FailingFileStore { event in
      guard event.call == .rename, event.flags == 2 else { return nil }
      do {
        let names = try FileManager.default.contentsOfDirectory(atPath: scratch.at("stage"))
        let name = Array(try #require(names.first).utf8)
        try SystemFileStore().renaming(
          name, in: staging, to: Array("note.md".utf8), in: root, flags: 2)
      } catch { Issue.record("\(error)") }
      return EIO
    }
    _ = try refusal {
      _ = try desk.replacer(store: store).replace(
        "note.md", number: 1, with: NewContent("new"), expecting: .known(KnownContent("old")))
    }
    #expect(desk.text(of: "note.md") == "new")
    let leftover = try #require(try desk.replacer().leftovers().first)
    #expect(leftover.role == .displaced)
    let displaced = desk.replacer().displaced(leftover, path: "note.md", known: nil)
    #expect(desk.replacer().settle([displaced])[0].edit == "old")
  }

  @Test func `settling loses nothing whichever call fails`() throws {
    for code in [EIO, EACCES, EMFILE] {
      for number in 1... {
        let desk = try Desk()
        try desk.write("old", to: "note.md")
        let done = try desk.replacer().replace(
          "note.md", number: 1, with: NewContent("new"), expecting: .known(KnownContent("old")))
        let displaced = try #require(done.displaced)
        // What is in it now is saved nowhere.
        try desk.scratch.write(
          "edited", to: "stage/\(String(decoding: displaced.name, as: UTF8.self))")
        let store = FailingFileStore(failing: number, with: code)
        let settled = desk.replacer(store: store).settle([displaced])[0]
        #expect(!settled.isDropped)
        #expect(try desk.list("stage").count == 1)
        if store.callCount < number { break }
      }
    }
  }

  @Test func `recovery leaves alone what it does not know`() throws {
    let desk = try Desk()
    for name in ["notes.txt", "op1-1.bak", "op1-+1.old", "op1-01.old", "op1--1.old", "-1.old"] {
      try desk.scratch.write("x", to: "stage/\(name)")
    }
    let safe = desk.replacer()
    let leftovers = try safe.leftovers()
    #expect(leftovers.count == 6)
    #expect(leftovers.allSatisfy { $0.role == .foreign })
    for leftover in leftovers { try safe.drop(leftover) }
    #expect(try desk.list("stage").count == 6)
  }

  @Test func `a copied staged file counts as displaced, to be on the safe side`() throws {
    let desk = try Desk()
    try desk.scratch.write("x", to: "stage/op1-7-123-456.new")
    let leftover = try #require(try desk.replacer().leftovers().first)
    #expect(leftover.role == .displaced)
    #expect(leftover.number == 7)
  }
}

extension Step {
  /// What is at the path before; `nil` for nothing.
  var start: String? { self == .make ? nil : "old" }
  /// What is at the path when all went well.
  var result: String? { self == .remove ? nil : "new" }
}
