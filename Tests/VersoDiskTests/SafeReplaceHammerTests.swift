import Foundation
import Glibc
import Testing
import VersoDisk
import VersoModel
import VersoTestSupport

/// A program that writes lines of its own to `note.md` all the time.
enum Hammer: CaseIterable {
  /// Holds a descriptor for a while and appends through it.
  case appender
  /// Reads all, truncates, writes all and a line more, in two pieces.
  case truncater
  /// Reads all, writes a new file with a line more, renames it into place.
  case renamer
  /// Opens, appends one line, closes; as fast as it can.
  case opener
  /// A shell with `>>`, in a process of its own.
  case shell
}

/// Runs a hammer until it is stopped, and knows the lines that were written without an error.
final class HammerRun: Sendable {
  private let stopping = Locked(false)
  private let lines = Locked<[String]>([])
  private let done = DispatchSemaphore(value: 0)
  private let path: String
  private let scratch: Scratch

  init(_ hammer: Hammer, _ desk: Desk, seed: UInt64) {
    path = desk.at("note.md")
    scratch = desk.scratch
    Thread.detachNewThread { [self] in
      var generator = SeededGenerator(seed: seed)
      var number = 0
      if hammer == .shell { shell() }
      while hammer != .shell, !stopping.withLock({ $0 }) {
        number += 1
        step(hammer, &number, &generator)
      }
      done.signal()
    }
  }

  func stop() -> [String] {
    stopping.withLock { $0 = true }
    done.wait()
    return lines.withLock { $0 }
  }

  private func step(_ hammer: Hammer, _ number: inout Int, _ generator: inout SeededGenerator) {
    switch hammer {
    case .appender:
      let file = open(path, O_WRONLY | O_APPEND | O_CLOEXEC)
      // Now and then for longer than a displaced file is kept without a reason.
      for _ in 0..<(generator.chance(8) ? 200 : Int.random(in: 1...20, using: &generator)) {
        number += 1
        append(line(number), to: file)
        usleep(.random(in: 0...6000, using: &generator))
      }
      close(file)
    case .opener:
      let file = open(path, O_WRONLY | O_APPEND | O_CLOEXEC)
      append(line(number), to: file)
      close(file)
      usleep(.random(in: 0...3000, using: &generator))
    case .truncater:
      let old = content()
      let file = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC)
      let isWhole = put(old, file)
      usleep(.random(in: 0...500, using: &generator))
      if isWhole { append(line(number), to: file) }
      close(file)
      usleep(.random(in: 0...2000, using: &generator))
    case .renamer:
      let temporary = scratch.at("save")
      let file = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
      let text = line(number)
      let isWhole = put(content() + Array(text.utf8), file)
      close(file)
      if isWhole, rename(temporary, path) == 0 { note(text) }
      usleep(.random(in: 0...2000, using: &generator))
    case .shell: break
    }
  }

  private func line(_ number: Int) -> String { "line \(number)\n" }
  private func note(_ text: String) { lines.withLock { $0.append(String(text.dropLast())) } }

  private func append(_ text: String, to file: Int32) {
    if put(Array(text.utf8), file) { note(text) }
  }

  private func put(_ bytes: [UInt8], _ file: Int32) -> Bool {
    write(file, bytes, bytes.count) == bytes.count
  }

  /// What the program would have in its buffer.
  ///
  /// Where the file system has no exchange, the path is
  /// empty for a moment; a program that took this for an empty note would delete its own lines.
  private func content() -> [UInt8] {
    while true {
      if let bytes = scratch.bytes(of: "vault/note.md") { return bytes }
    }
  }

  private func shell() {
    let script =
      "i=0; while [ ! -e stop ]; do i=$((i+1)); echo line $i >> vault/note.md"
      + " && echo line $i >> written; j=0; while [ $j -lt 1500 ]; do j=$((j+1)); done; done"
    let stopper = Thread { [self] in
      while !stopping.withLock({ $0 }) { usleep(1000) }
      close(open(scratch.at("stop"), O_WRONLY | O_CREAT | O_CLOEXEC, 0o644))
    }
    stopper.start()
    do { try run(["sh", "-c", script], in: scratch.path) } catch { note("the shell: \(error)\n") }
    let written = scratch.text(of: "written") ?? ""
    lines.withLock { $0 += written.split(separator: "\n").map(String.init) }
  }
}

@Suite(.serialized) struct `Safe replace under writers` {
  @Test(arguments: Hammer.allCases, [Lack.nothing, .exchange])
  func `loses no line that any program wrote`(hammer: Hammer, lack: Lack) throws {
    for seed in seeds(1) { try walk(hammer, lack, count: isFullRun ? 1500 : 300, seed: seed) }
  }

  private func walk(_ hammer: Hammer, _ lack: Lack, count: Int, seed: UInt64) throws {
    let desk = try Desk()
    try desk.write("start\n", to: "note.md")
    var limits = SafeReplace.Limits()
    (limits.patience, limits.writers) = (0, 60)
    // The disk need not be safe from power cuts here, and is faster without.
    let store = FailingFileStore { lack.code($0) }
    var replacer = Replacer(safe: desk.replacer(limits, store: store), reader: desk.reader())
    let run = HammerRun(hammer, desk, seed: seed)
    for number in 0..<count {
      try replacer.replace(number)
      if number % 100 == 99 { try replacer.settle() }
    }
    let written = run.stop()
    try replacer.settle()
    let final = Set(try #require(desk.text(of: "note.md")).split(separator: "\n").map(String.init))
    let lost = written.filter { !final.contains($0) && !replacer.saved.contains($0) }
    print("\(hammer) \(lack) seed \(seed): \(written.count) lines, \(replacer.edits) edits caught")
    #expect(lost.isEmpty, "seed \(seed): \(lost.count) of \(written.count), as \(lost.first ?? "")")
    #expect(written.count > 20)
    #expect(Set(written).count == written.count)
    #expect(try desk.list("stage") == [])
    #expect(try desk.list() == ["note.md"])
  }

  /// Verso's side: saves what it finds, then writes a content of its own.
  private struct Replacer {
    let safe: SafeReplace
    let reader: ConsistentRead
    /// Every line of every content that was read and would be in the history.
    var saved: Set<String> = []
    /// Lines that came to light, for the next content.
    var pending: [String] = []
    var displaced: [Displaced] = []
    var edits = 0

    var last: [UInt8] = []

    /// Only what differs from the content before: the time that this takes is time for the writer to
    /// make the next attempt fail.
    private mutating func save(_ bytes: [UInt8]) {
      var same = 0
      let step = 256
      while same + step <= min(bytes.count, last.count),
        bytes[same..<same + step].withUnsafeBytes({ new in
          last[same..<same + step].withUnsafeBytes { old in
            guard let new = new.baseAddress, let old = old.baseAddress else { return false }
            return memcmp(new, old, step) == 0
          }
        })
      { same += step }
      while same > 0, bytes[same - 1] != 10 { same -= 1 }
      for line in bytes[same...].split(separator: 10) {
        saved.insert(String(decoding: line, as: UTF8.self))
      }
      last = bytes
    }

    mutating func replace(_ number: Int) throws {
      // Each attempt has a number of its own, as a journal would give it.
      let deadline = MonotonicTime.now() + 60
      for attempt in 0..<1_000_000 where MonotonicTime.now() < deadline {
        guard let base = try look() else { continue }
        save(base)
        var new = base
        for line in pending { new += Array("\(line)\n".utf8) }
        new += Array("remote \(number)\n".utf8)
        do throws(ReplaceRefusal) {
          let done = try safe.replace(
            "note.md", number: number * 1_000_000 + attempt,
            with: NewContent(kind: .file, bytes: new),
            expecting: .known(KnownContent(kind: .file, bytes: base)))
          save(new)
          pending = []
          if let out = done.displaced { displaced.append(out) }
          return
        } catch {
          displaced += error.displaced
          guard error.reason == .changed || error.reason == .vanished else { throw error }
        }
      }
      throw Failure("never came to write")
    }

    private func look() throws -> [UInt8]? {
      do throws(ReadRefusal) {
        return try reader.content(of: "note.md", writers: .ignore).bytes
      } catch {
        guard error.reason == .changed || error.reason == .vanished else { throw error }
        return nil
      }
    }

    mutating func settle() throws {
      var waiting = safe.settle(displaced)
      displaced = []
      while let settlement = waiting.popLast() {
        switch settlement.result {
        case .dropped: break
        case .edited(let found):
          edits += 1
          save(found.bytes)
          let text = String(decoding: found.bytes, as: UTF8.self)
          pending += text.split(separator: "\n").map(String.init).suffix(5)
          waiting.append(safe.release(settlement))
        case .putBack, .inUse, .kept: throw Failure("\(settlement)")
        }
      }
    }
  }
}
