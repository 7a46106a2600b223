import Glibc
import Testing
import VersoDisk
import VersoHistory
import VersoModel
import VersoTestSupport

@testable import Verso

/// Files whose bytes on disk are not those in git, and a write that meets somebody's edit.
@Suite struct FilteredWriteTests {
  /// A vault with two versions of a note that is converted.
  private struct Desk {
    let scratch: Scratch
    static let turn = "tr a-zA-Z n-za-mN-ZA-M"

    init(attributes: String) throws {
      scratch = try Scratch()
      try scratch.git("init", "-q", "-b", "main")
      let settings = [
        ("user.name", "Ada"), ("user.email", "ada@example.invalid"),
        ("filter.turn.clean", Self.turn), ("filter.turn.smudge", Self.turn),
        ("filter.picky.clean", "grep -v REFUSED"), ("filter.picky.smudge", "cat"),
      ]
      for (key, value) in settings { try scratch.git("config", key, value) }
      try scratch.write(attributes + "\n", to: ".gitattributes")
      try scratch.write("first\r\n", to: "note.md")
      _ = try Initialiser(directory: scratch.path) { _ in nil }.run()
      try scratch.write("second\r\n", to: "note.md")
      try save()
    }

    func save() throws {
      var request = SaveRequest()
      request.settles = false
      _ = try Engine(root: scratch.path).save(request)
    }

    /// Brings the note as it was at a revision back, through a disk that `rule` disturbs.
    @discardableResult
    func restore(
      _ revision: String, rule: @escaping @Sendable (FailingFileStore.Event) -> Int32?
    ) throws -> RestoreOutcome {
      let engine = try Engine(root: scratch.path, store: FailingFileStore(rule: rule))
      var request = RestoreRequest(path: "note.md")
      let history = try engine.history()
      request.place = try history.place(of: "note.md", at: history.commit(named: revision))
      return try engine.restore(request)
    }

    /// What git holds of the note in each version, newest first.
    func versions() throws -> [String] {
      try scratch.git("log", "--format=%H").split(separator: "\n").map {
        try run(["git", "cat-file", "blob", "\($0):note.md"], in: scratch.path).text
      }
    }

    func checkSound() throws {
      #expect(try scratch.git("status", "--porcelain") == "")
      #expect(try scratch.git("fsck", "--strict", "--no-dangling") == "")
      let stage = try run(["ls", "-A", scratch.at(".git/verso/stage")])
      #expect(stage.text == "")
    }
  }

  /// Attributes, and what git then holds of a text.
  enum Conversion: CaseIterable {
    case crlf, auto, filter

    var attributes: String {
      switch self {
      case .crlf: "*.md text eol=crlf"
      case .auto: "* text=auto eol=crlf"
      case .filter: "*.md filter=turn"
      }
    }

    func stored(_ text: String) -> String {
      guard self == .filter else { return text.replacing("\r\n", with: "\n") }
      return String(
        String.UnicodeScalarView(
          text.unicodeScalars.map { scalar in
            switch scalar {
            case "a"..."m", "A"..."M": Unicode.Scalar(UInt8(scalar.value) + 13)
            case "n"..."z", "N"..."Z": Unicode.Scalar(UInt8(scalar.value) - 13)
            default: scalar
            }
          }))
    }
  }

  /// Does something once, just before the write exchanges the note.
  private static func beforeExchange(
    _ act: @escaping @Sendable () -> Int32?
  ) -> @Sendable (FailingFileStore.Event) -> Int32? {
    let done = Locked(false)
    return { event in
      guard event.call == .rename, event.flags == 2 else { return nil }
      let isFirst = done.withLock { done in
        defer { done = true }
        return !done
      }
      return isFirst ? act() : nil
    }
  }

  @Test(arguments: Conversion.allCases)
  func `an edit that comes between look and write is kept as git would keep it`(
    conversion: Conversion
  ) throws {
    let desk = try Desk(attributes: conversion.attributes)
    let path = desk.scratch.at("note.md")
    try desk.restore(
      "HEAD~1",
      rule: Self.beforeExchange {
        guard let file = fopen(path, "w") else { return EIO }
        fputs("caught\r\n", file)
        fclose(file)
        return nil
      })
    let first = conversion.stored("first\r\n")
    #expect(
      try desk.versions() == [
        first, conversion.stored("caught\r\n"), conversion.stored("second\r\n"), first,
      ])
    try desk.checkSound()
  }

  @Test(arguments: Conversion.allCases)
  func `what a program still writes into the replaced file is kept as git would keep it`(
    conversion: Conversion
  ) throws {
    let desk = try Desk(attributes: conversion.attributes)
    let held = open(desk.scratch.at("note.md"), O_WRONLY | O_APPEND | O_CLOEXEC)
    try #require(held >= 0)
    let isOut = Locked(false)
    let isDone = Locked(false)
    try desk.restore("HEAD~1") { event in
      // At the first call after the exchange the program writes the rest, and closes the file.
      if isOut.withLock({ $0 }),
        isDone.withLock({ done in
          defer { done = true }; return !done
        })
      {
        _ = write(held, "late\r\n", 6)
        close(held)
      }
      if event.call == .rename, event.flags == 2 { isOut.withLock { $0 = true } }
      return nil
    }
    let kept = try desk.versions()
    #expect(kept.contains(conversion.stored("second\r\nlate\r\n")), "\(kept)")
    try desk.checkSound()
  }

  @Test(arguments: Conversion.allCases)
  func `after a kill in the middle nothing is taken for an edit that is none`(
    conversion: Conversion
  ) throws {
    let desk = try Desk(attributes: conversion.attributes)
    let isCut = Locked(false)
    #expect(throws: VersoError.self) {
      try desk.restore("HEAD~1") { event in
        if event.call == .rename, event.flags == 2 {
          isCut.withLock { $0 = true }
          return nil
        }
        // From the exchange on nothing works any more, as for a process that is gone.
        return isCut.withLock { $0 } ? EIO : nil
      }
    }
    try desk.save()
    let first = conversion.stored("first\r\n")
    #expect(try desk.versions() == [first, conversion.stored("second\r\n"), first])
    try desk.checkSound()
  }

  @Test func `an edit that no filter can take comes back as a file of its own`() throws {
    let desk = try Desk(attributes: "*.md filter=picky")
    let (scratch, path) = (desk.scratch, desk.scratch.at("note.md"))
    let outcome = try desk.restore(
      "HEAD~1",
      rule: Self.beforeExchange {
        guard let file = fopen(path, "w") else { return EIO }
        fputs("REFUSED\n", file)
        fclose(file)
        return nil
      })
    #expect(outcome.left.map(\.path) == ["note.md"])
    #expect(outcome.left.first?.error.message.contains("recovered-") == true)
    #expect(scratch.text(of: "note.md") == "first\r\n")
    try desk.save()
    #expect(scratch.text(of: "recovered-0") == "REFUSED\n")
    #expect(try scratch.git("show", "HEAD:recovered-0") == "REFUSED")
    try desk.checkSound()
  }

  @Test func `a note saved before its attributes changed can be brought back`() throws {
    let desk = try Desk(attributes: "# none")
    let scratch = desk.scratch
    // Older than the index: neither git nor Verso looks at it again.
    try run(["touch", "-d", "1 hour ago", scratch.at("note.md")])
    try desk.save()
    try scratch.write("* text=auto eol=crlf ident\n", to: ".gitattributes")
    try desk.save()
    let outcome = try desk.restore("HEAD~2") { _ in nil }
    #expect(outcome.left.isEmpty, "\(outcome.left)")
    #expect(scratch.text(of: "note.md") == "first\r\n")
    try desk.checkSound()
  }

  @Test func `notes and attributes go back together, whatever the order of their names`() throws {
    let desk = try Desk(attributes: "* -text")
    let scratch = desk.scratch
    for name in ["-first.md", "a.md", "z/deep.md"] {
      try scratch.write("plain \(name)\r\n", to: name)
    }
    try desk.save()
    let before = try scratch.git("rev-parse", "HEAD")
    try scratch.write("* text eol=crlf\n", to: ".gitattributes")
    for name in ["-first.md", "a.md", "z/deep.md"] {
      try scratch.write("turned \(name)\r\n", to: name)
    }
    try desk.save()
    let after = try scratch.git("rev-parse", "HEAD^{tree}")

    let engine = try Engine(root: scratch.path)
    var request = RestoreRequest(path: .root)
    request.isExact = true
    request.place = try engine.history().place(
      of: .root, at: engine.history().commit(named: before))
    #expect(try engine.restore(request).left.isEmpty)
    #expect(
      try scratch.git("rev-parse", "HEAD^{tree}") == scratch.git("rev-parse", "\(before)^{tree}"))
    #expect(scratch.text(of: "z/deep.md") == "plain z/deep.md\r\n")
    try desk.checkSound()
    #expect(try engine.undo(redoing: false, isDryRun: false, wait: 10).left.isEmpty)
    #expect(try scratch.git("rev-parse", "HEAD^{tree}") == after)
    #expect(scratch.text(of: "-first.md") == "turned -first.md\r\n")
    try desk.checkSound()
  }
}
