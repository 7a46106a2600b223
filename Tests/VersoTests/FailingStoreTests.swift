import Glibc
import Testing
import VersoDisk
import VersoModel
import VersoTestSupport

@testable import Verso

/// Every call to the disk failing once, in every operation: a clear error or none, and nothing lost.
@Suite struct FailingStoreTests {
  /// A way for a disk to fail.
  enum Trouble: CaseIterable, CustomStringConvertible {
    /// One call fails, the next works again.
    case noSpace, inputOutput, noAccess, tooManyFiles, nameTooLong
    /// From one call on, everything that needs room fails.
    case full

    var code: Int32 {
      switch self {
      case .noSpace, .full: ENOSPC
      case .inputOutput: EIO
      case .noAccess: EACCES
      case .tooManyFiles: EMFILE
      case .nameTooLong: ENAMETOOLONG
      }
    }

    var description: String { self == .full ? "disk full" : "errno \(code) once" }

    /// Whether a call may fail in this way.
    func concerns(_ event: FailingFileStore.Event) -> Bool {
      guard self == .full else { return true }
      switch event.call {
      case .write, .pwrite, .fsync, .makeFolder, .symlink, .link, .linkDescriptor, .setAttribute:
        return true
      case .open, .openBeneath: return event.flags & O_CREAT != 0
      default: return false
      }
    }
  }

  /// The numbers of the calls to fail: all of a full run, else some for each trouble, different
  /// ones for each.
  private func numbers(_ trouble: Trouble, every stride: Int) -> any Sequence<Int> {
    if isFullRun { return sequence(first: 1) { $0 + 1 } }
    let offset = (Trouble.allCases.firstIndex(of: trouble) ?? 0) * stride / Trouble.allCases.count
    return sequence(first: 1 + offset) { $0 + stride }
  }

  // MARK: Operations

  @Test func `a large file on a bad sector is named, and all else is saved`() throws {
    let ward = try Ward()
    try ward.edit(1)
    try ward.writeUnbooked(String(repeating: "0123456789abcdef", count: 600_000), to: "large.bin")
    let store = FailingFileStore { event in
      event.call == .read && event.path.contains("large.bin") ? EIO : nil
    }
    var request = SaveRequest()
    request.settles = false
    let outcome = try Engine(root: ward.root, store: store).save(request)
    #expect(
      outcome.newlySkipped.map(\.path) == [try #require(RelativePath(Array("large.bin".utf8)))])
    #expect(outcome.changes.count == 4)
    try ward.recover("a bad sector")
    try ward.finish()
  }

  @Test(arguments: Trouble.allCases)
  func `a save on a failing disk loses nothing, and the next save works`(trouble: Trouble) throws {
    let ward = try Ward()
    for number in numbers(trouble, every: 60) {
      try ward.edit(number)
      let store = ward.store(trouble, at: number)
      let place = "a save, \(trouble), call \(number)"
      ward.attempt(place) { try ward.save(store) }
      try ward.recover(place)
      if !store.hasFailed { break }
    }
    try ward.finish()
  }

  @Test(arguments: Trouble.allCases)
  func `a save of hundreds of files on a failing disk loses nothing`(trouble: Trouble) throws {
    let ward = try Ward()
    for number in numbers(trouble, every: 180) {
      try ward.editMany(number)
      let store = ward.store(trouble, at: number)
      let place = "a big save, \(trouble), call \(number)"
      ward.attempt(place) { try ward.save(store) }
      try ward.recover(place)
      if !store.hasFailed { break }
    }
    try ward.finish()
  }

  @Test(arguments: Trouble.allCases)
  func `a restore of a folder on a failing disk loses nothing`(trouble: Trouble) throws {
    let ward = try Ward()
    for number in numbers(trouble, every: 320) {
      let old = try ward.head()
      try ward.edit(number)
      try ward.save()
      // With an edit that is not saved yet: it costs the time to see that it has settled.
      if number % (isFullRun ? 4 : 8) == 0 {
        try ward.write("unsaved \(number)\n", to: "a/note-3.md")
      }
      let store = ward.store(trouble, at: number)
      let place = "a restore, \(trouble), call \(number)"
      ward.attempt(place) {
        let engine = try Engine(root: ward.root, store: store.files)
        let path = try #require(RelativePath(Array("a".utf8)))
        var request = RestoreRequest(path: path)
        request.place = try engine.place(of: path, at: old)
        _ = try engine.restore(request)
      }
      try ward.recover(place)
      if !store.hasFailed { break }
    }
    try ward.finish()
  }

  @Test(arguments: Trouble.allCases)
  func `an undo on a failing disk loses nothing`(trouble: Trouble) throws {
    let ward = try Ward()
    for number in numbers(trouble, every: 320) {
      let old = try ward.head()
      try ward.edit(number)
      try ward.save()
      try ward.restore("a", from: old)
      if number % (isFullRun ? 4 : 8) == 0 { try ward.write("unsaved \(number)\n", to: "top.md") }
      let store = ward.store(trouble, at: number)
      let place = "an undo, \(trouble), call \(number)"
      ward.attempt(place) {
        _ = try Engine(root: ward.root, store: store.files)
          .undo(redoing: false, isDryRun: false, wait: 0)
      }
      try ward.recover(place)
      if !store.hasFailed { break }
    }
    try ward.finish()
  }

  @Test(arguments: Trouble.allCases, [6, 520])
  func `a first import on a failing disk loses nothing, and init can be run again`(
    trouble: Trouble, count: Int
  ) throws {
    for number in numbers(trouble, every: 420) {
      let ward = try Ward(isVault: false)
      for note in 0..<count { try ward.write("imported \(note)\n", to: "a/note-\(note).md") }
      let store = ward.store(trouble, at: number)
      let place = "an import of \(count), \(trouble), call \(number)"
      ward.attempt(place) { try ward.makeVault(store) }
      do { try ward.makeVault() } catch { Issue.record("\(place): \(error)") }
      try ward.recover(place)
      try ward.finish()
      if !store.hasFailed { break }
    }
  }
}
