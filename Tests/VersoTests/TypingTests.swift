import Foundation
import Glibc
import Testing
import VersoDisk
import VersoModel
import VersoTestSupport

@testable import Verso

/// A person who types into a note while another device's edits of it arrive.
@Suite struct TypingTests {
  /// How a program saves what is typed.
  enum Way: CaseIterable {
    /// A descriptor is held open, and every 50 ms something is added.
    case held
    /// Opened, added to and closed every 50 ms.
    case reopening
    /// The whole text is written to another file, which takes the note's name.
    case replacing
  }

  @Test(arguments: Way.allCases)
  func `two hundred edits that arrive while a person types lose no byte of either`(way: Way) throws
  {
    let fleet = try Fleet(["here", "there"])
    let (here, there) = (fleet["here"], fleet["there"])
    here.write("# Log\n\n## There\n\n## Here\n", "note.md")
    try here.sync()
    try there.sync()
    let remoteEdits = isFullRun ? 200 : 30
    let isOver = Locked(false)
    let typed = Locked(0)
    let thread = Thread {
      var held: Int32 = -1
      var buffer = "# Log\n\n## There\n\n## Here\n"
      if way == .held { held = open(here.full("note.md"), O_WRONLY | O_APPEND | O_CLOEXEC) }
      while !isOver.withLock({ $0 }) {
        let line = "typed \(typed.withLock { $0 })\n"
        switch way {
        case .held:
          _ = Array(line.utf8).withUnsafeBytes { Glibc.write(held, $0.baseAddress, $0.count) }
        case .reopening: here.append(line, "note.md")
        case .replacing:
          buffer += line
          here.write(buffer, "note.md")
        }
        typed.withLock { $0 += 1 }
        usleep(50_000)
      }
      if held >= 0 { close(held) }
      typed.withLock { $0 += 1_000_000 }
    }
    thread.start()
    for number in 0..<remoteEdits {
      var lines = (there.text("note.md") ?? "").split(
        separator: "\n", omittingEmptySubsequences: false)
      let place = try #require(lines.firstIndex(of: "## There"))
      lines.insert("arrived \(number)", at: place + 1)
      there.write(lines.joined(separator: "\n"), "note.md")
      try there.sync()
      try here.sync(SystemFileStore()) { request in
        // As a watcher says that sees the note being replaced over and over.
        if way == .replacing { request.restless = { ["note.md"] } }
      }
    }
    isOver.withLock { $0 = true }
    let end = MonotonicTime.now() + 30
    while typed.withLock({ $0 }) < 1_000_000 {
      try #require(MonotonicTime.now() < end, "the person does not stop typing")
      usleep(1_000)
    }
    #expect(try fleet.settle() == [])
    let lines = (here.text("note.md") ?? "").split(separator: "\n").map(String.init)
    let count = typed.withLock { $0 } - 1_000_000
    #expect(lines.filter { $0.hasPrefix("typed ") } == (0..<count).map { "typed \($0)" })
    #expect(
      lines.filter { $0.hasPrefix("arrived ") }
        == (0..<remoteEdits).reversed().map { "arrived \($0)" })
    #expect(lines.count == count + remoteEdits + 3)
    #expect(here.files().keys.sorted() == ["note.md"])
    print("\(way): \(count) lines typed while \(remoteEdits) edits arrived")
  }
}
