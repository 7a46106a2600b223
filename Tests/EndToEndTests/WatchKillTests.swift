import Foundation
import Testing
import VersoTestSupport

/// A `verso watch` that is killed, and the next one goes on by itself.
@Suite(.serialized) struct WatchKillTests {
  /// `verso watch --json` at work, alone or below strace.
  private final class Watching {
    let process = Process()
    private let output: Scratch

    init(_ vault: String, tracing: [String] = [], settle: String = "200ms") throws {
      output = try Scratch("verso-output")
      process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      process.arguments =
        (tracing.isEmpty ? [] : ["strace", "-f", "-qq"] + tracing)
        + Notes.unblocked + [Verso.binary, "watch", "--json", "--settle", settle, vault]
      process.environment = hermeticEnvironment.merging(["XDG_RUNTIME_DIR": output.path]) { $1 }
      try output.write("", to: "out")
      let file = try FileHandle(forWritingTo: URL(fileURLWithPath: output.at("out")))
      process.standardInput = FileHandle.nullDevice
      process.standardOutput = file
      process.standardError = file
      try process.run()
    }

    deinit { end(SIGKILL) }

    var text: String { output.text(of: "out") ?? "" }
    var isRunning: Bool { process.isRunning }
    var hasStarted: Bool { text.contains("\"event\":\"started\"") }

    /// Waits for a condition, or for the end of the process.
    func wait(
      _ what: String, atMost seconds: Double = 60, mayEnd: Bool = false,
      _ isSo: () throws -> Bool
    ) throws {
      let end = Date().addingTimeInterval(seconds)
      while try !isSo() {
        if !process.isRunning {
          if mayEnd { return }
          throw Failure("watch ended before \(what): \(text)")
        }
        if Date() > end { throw Failure("waited \(seconds) s in vain for \(what): \(text)") }
        usleep(10_000)
      }
    }

    func kill() { end(SIGKILL) }

    /// Ends it as systemd would; the exit code.
    func finish() -> Int32 {
      end(SIGTERM)
      return process.terminationReason == .exit
        ? process.terminationStatus : -process.terminationStatus
    }

    /// What strace runs gets the signal: strace would hand it on, and end otherwise itself.
    private func end(_ signal: Int32) {
      guard process.isRunning else { return }
      let parent = process.processIdentifier
      let children =
        (try? String(
          contentsOfFile: "/proc/\(parent)/task/\(parent)/children", encoding: .utf8)) ?? ""
      let child = children.split(separator: " ").first.flatMap { Int32($0) }
      Foundation.kill(child ?? parent, signal)
      process.waitUntilExit()
    }
  }

  private struct Ground {
    let scratch: Scratch
    var random: SeededGenerator
    var root: String { scratch.at("vault") }
    /// What must never be lost.
    var kept: [String] = []
    private var counter = 0

    init(seed: UInt64) throws {
      scratch = try Scratch("verso-kill", inMemory: true)
      random = SeededGenerator(seed: seed)
      for number in 0..<6 {
        kept.append(try write("a/note-\(number).md"))
      }
      kept.append(try write("top.md"))
      let made = try Verso.run("init", "-q", root)
      guard made.status == 0 else { throw Failure("init: \(made.error)") }
    }

    init(copying other: Ground) throws {
      scratch = try Scratch("verso-kill", inMemory: true)
      random = other.random
      kept = other.kept
      counter = other.counter
      try run(["cp", "-a", other.root, root])
    }

    /// Gives a note a content that no other has, and returns that.
    @discardableResult
    mutating func write(_ name: String) throws -> String {
      counter += 1
      let content = "content \(counter) of \(name)."
      try scratch.write(content + "\n", to: "vault/\(name)")
      return content
    }

    /// Does one of the things that people do with notes.
    mutating func edit() throws {
      let name = "a/note-\(Int.random(in: 0..<6, using: &random)).md"
      let new = "b/new-\(Int.random(in: 0..<6, using: &random)).md"
      switch Int.random(in: 0..<10, using: &random) {
      case 0: unlink(scratch.at("vault/\(new)"))
      case 1:
        mkdir(scratch.at("vault/b"), 0o755)
        rename(scratch.at("vault/\(name)"), scratch.at("vault/\(new)"))
      case 2:
        try write("draft")
        rename(scratch.at("vault/draft"), scratch.at("vault/\(name)"))
      case 3: rename(scratch.at("vault/b"), scratch.at("vault/c"))
      case 4: rename(scratch.at("vault/c"), scratch.at("vault/b"))
      case 5, 6: try write(new)
      default: try write(name)
      }
    }

    var isSaved: Bool {
      get throws {
        try run(
          ["git", "-C", root, "status", "--porcelain", "--untracked-files=all"],
          environment: ["GIT_OPTIONAL_LOCKS": "0"]
        ).output.isEmpty
      }
    }

    /// Everything that the notes hold by now is never to be lost: it has been saved.
    mutating func keepAll() throws {
      let text = try run([
        "git", "-C", root, "grep", "-h", "-o", "-I", "content [0-9]* of .*", "HEAD", "--",
      ]).text
      kept = Array(Set(kept + text.split(separator: "\n").map(String.init)))
    }

    var head: String {
      get throws { try run(["git", "-C", root, "rev-parse", "HEAD"]).text }
    }

    func problems(since old: String) throws -> [String] {
      var problems = try scratch.problems(keeping: kept, below: "vault")
      let isKept = try run([
        "git", "-C", root, "merge-base", "--is-ancestor", String(old.dropLast()), "HEAD",
      ])
      if isKept.status != 0 { problems.append("\(old) is not in the history any more") }
      return problems
    }
  }

  @Test(arguments: isFullRun ? seeds(10) : [1])
  func `killed at any moment with edits going on, the next goes on by itself`(seed: UInt64) throws {
    var ground = try Ground(seed: seed)
    var watching = try Watching(ground.root)
    var killsBeforeStart = 0
    for round in 0..<(isFullRun ? 50 : 10) {
      let when = "seed \(seed), round \(round)"
      let end = Date() + Double.random(in: 0.02..<1.6, using: &ground.random)
      if ground.random.chance(3) {
        // What stands still is saved while it is watched, whatever happens to it after that.
        let content = try ground.write("still.md")
        try watching.wait("a note that stands still", atMost: 40) {
          try run(["git", "-C", ground.root, "show", "HEAD:still.md"]).text == content + "\n"
        }
        ground.kept.append(content)
      }
      let head = try ground.head
      while Date() < end {
        try ground.edit()
        usleep(
          UInt32.random(in: 0..<(ground.random.chance(8) ? 400_000 : 20_000), using: &ground.random)
        )
      }
      #expect(watching.isRunning, "\(when): \(watching.text)")
      watching.kill()
      for _ in 0..<Int.random(in: 0..<4, using: &ground.random) { try ground.edit() }
      if ground.random.chance(2) {
        // Now and then not even the start is completed.
        let hurried = try Watching(ground.root)
        usleep(UInt32.random(in: 0..<300_000, using: &ground.random))
        if !hurried.hasStarted { killsBeforeStart += 1 }
        hurried.kill()
      }
      watching = try Watching(ground.root)
      try watching.wait("the rest after \(when)") {
        try watching.hasStarted && ground.isSaved
      }
      try ground.keepAll()
      #expect(try ground.problems(since: head) == [], "\(when)")
    }
    #expect(watching.finish() == 0, "\(watching.text)")
    #expect(try ground.problems(since: ground.head) == [])
    print(
      "killed with seed \(seed): \(killsBeforeStart) before the start, \(ground.kept.count) contents kept"
    )
  }

  // MARK: At every step

  private static let calls = [
    "rename,renameat,renameat2", "link,linkat", "unlink,unlinkat", "fsync", "mkdir,mkdirat",
    "openat,openat2", "write,pwrite64",
  ]

  /// Edits that make two versions while it watches.
  private static func play(_ ground: inout Ground, _ watching: Watching, _ mayEnd: Bool) throws {
    try watching.wait("the start", mayEnd: mayEnd) { watching.hasStarted }
    for change in 0..<2 {
      if !watching.isRunning { break }
      try ground.write("a/note-1.md")
      if change == 0 {
        rename(ground.scratch.at("vault/a/note-2.md"), ground.scratch.at("vault/b.md"))
      }
      try ground.write("new/\(change).md")
      try watching.wait("change \(change)", mayEnd: mayEnd) { try ground.isSaved }
    }
  }

  /// How often the thread that saves makes such calls.
  private static func count(_ calls: String, _ template: Ground) throws -> Int {
    var ground = try Ground(copying: template)
    let trace = ground.scratch.at("trace")
    let watching = try Watching(ground.root, tracing: ["-o", trace, "-e", "trace=\(calls)"])
    try play(&ground, watching, false)
    #expect(watching.finish() == 0, "\(watching.text)")
    let lines = (ground.scratch.text(of: "trace") ?? "").split(separator: "\n")
    let main = lines.first?.prefix { $0 != " " } ?? ""
    return lines.filter { $0.hasPrefix(main + " ") }.count
  }

  @Test(arguments: calls)
  func `killed at any step, the next goes on by itself`(calls: String) throws {
    var template = try Ground(seed: 7)
    template.kept.append(try template.write("unsaved.md"))
    let count = try Self.count(calls, template)
    #expect(count > 0, "no \(calls) at all")
    let isFrequent = calls.hasPrefix("openat") || calls.hasPrefix("write")
    let wanted = isFullRun ? (isFrequent ? 100 : count) : 2
    var numbers = Array(1...max(1, count)).shuffled(using: &template.random)
    numbers = numbers.prefix(wanted).sorted()
    var kills = 0
    for number in numbers {
      var ground = try Ground(copying: template)
      let head = try ground.head
      let watching = try Watching(
        ground.root,
        tracing: [
          "-o", "/dev/null", "-e", "trace=\(calls)", "-e",
          "inject=\(calls):signal=KILL:when=\(number)",
        ])
      try Self.play(&ground, watching, true)
      // The last of them are made at the end.
      if watching.isRunning { _ = watching.finish() }
      if watching.process.terminationStatus != 0 { kills += 1 }
      let next = try Watching(ground.root)
      try next.wait("the rest after \(calls) \(number)") { try next.hasStarted && ground.isSaved }
      #expect(next.finish() == 0, "after \(calls) \(number): \(next.text)")
      try ground.keepAll()
      #expect(try ground.problems(since: head) == [], "after \(calls) \(number)")
    }
    #expect(kills > 0, "the kills did not reach it")
    print("killed at \(kills) of \(count) \(calls)")
  }

  // MARK: Told to end

  @Test func `told to end, it saves what has settled and leaves what is being written`() throws {
    var ground = try Ground(seed: 3)
    let watching = try Watching(ground.root, settle: "1h")
    try watching.wait("the start") { watching.hasStarted }
    let content = try ground.write("a/note-1.md")
    try ground.scratch.write("half\n", to: "vault/half.md")
    let writer = try FileHandle(
      forWritingTo: URL(fileURLWithPath: ground.scratch.at("vault/half.md")))
    // The note has been left alone long enough once this much time has passed since it was written.
    let written = Date()
    try watching.wait("the note to settle") { Date().timeIntervalSince(written) > 1 }
    try writer.write(contentsOf: Data("of it".utf8))
    #expect(watching.finish() == 0, "\(watching.text)")
    let files = try run(["git", "-C", ground.root, "ls-tree", "-r", "--name-only", "HEAD"]).text
    #expect(try run(["git", "-C", ground.root, "show", "HEAD:a/note-1.md"]).text == content + "\n")
    #expect(!files.contains("half.md"))
    try writer.close()
    let next = try Watching(ground.root)
    try next.wait("the rest") { try ground.isSaved }
    #expect(next.finish() == 0)
    #expect(try ground.problems(since: ground.head) == [])
  }
}
