import Foundation
import Testing
import VersoTestSupport

/// A user who edits and works with git, beside saves that know nothing of it.
@Suite struct ForeignGitTests {
  private static let seconds: Double = isFullRun ? 300 : 10

  /// It deletes what nothing refers to, which is what a save is made of until its branch moves.
  @Test func `a gc that prunes at once, again and again, takes nothing from a save`() throws {
    let user = try GitUser(seed: 1)
    let loop =
      "until test -e '\(user.scratch.at("stop"))'; do git gc -q --prune=now; sleep 0.05; done"
    let collector = try Running(["/bin/sh", "-c", loop], in: user.vault)
    let end = Date() + (isFullRun ? 60 : 5)
    var saves = 0
    while Date() < end {
      try user.edit()
      let save = try Verso.run("save", "-q", in: user.vault)
      // 4: the time that a save waits may be over while one gc follows another.
      #expect([0, 4].contains(save.status), "\(save.status) \(save.error)")
      saves += save.status == 0 ? 1 : 0
    }
    try user.scratch.write("", to: "stop")
    _ = try collector.wait()
    #expect(saves > 2, "hardly a save was done")
    #expect(try Verso.run("save", "-q", in: user.vault).status == 0)
    #expect(try user.problems() == [])
  }

  @Test func `only a gc that prunes at once is waited for, and only while it lives`() throws {
    let scratch = try Scratch()
    try scratch.write("one\n", to: "v/note.md")
    let vault = scratch.at("v")
    #expect(try Verso.run("init", "-q", vault).status == 0)
    let host = try run(["hostname"]).text.trimmingCharacters(in: .whitespacesAndNewlines)
    for (number, word) in ["--prune=now", "--prune=2.weeks.ago"].enumerated() {
      let collector = try Running(
        ["/bin/sh", "-c", "kill -STOP $$", "git", "gc", word], in: vault)
      let record = "\(collector.process) \(host)"
      try scratch.write(record, to: "v/.git/gc.pid")
      try scratch.write("two \(number)\n", to: "v/note.md")
      let save = try Verso.run("save", "--wait", "0", in: vault)
      #expect(save.status == (number == 0 ? 4 : 0), "\(word): \(save.error)")
      #expect(number == 1 || save.error.contains("\(vault)/.git/gc.pid"), "\(save.error)")
      #expect(scratch.text(of: "v/.git/gc.pid") == record)
      kill(collector.process, SIGKILL)
      _ = try collector.wait()
      #expect(try Verso.run("save", "--wait", "0", in: vault).status == 0)
    }
    #expect(try scratch.problems(keeping: ["one", "two 0", "two 1"], below: "v") == [])
  }

  @Test(arguments: seeds(1))
  func `git and verso work in one vault at once, and neither loses anything`(seed: UInt64) throws {
    print("seed \(seed)")
    let user = try GitUser(seed: seed)
    let saver = Saver(user.vault)
    let end = Date() + Self.seconds
    // A machine with much else to do gets more time.
    while Date() < end || saver.count(of: 0) < 4 && Date() < end + 60 { try user.act() }
    let codes = try saver.stop()
    try user.settle()
    let last = try Verso.run("save", "-q", in: user.vault)
    #expect(last.status == 0, "\(last.error)")
    print("saves by exit code: \(codes), git commands: \(user.commands)")
    #expect(codes[0] ?? 0 > 3, "hardly a save was done: \(codes)")
    #expect(user.commands > 10, "git hardly ran")
    let problems = try user.problems()
    #expect(problems == [], "seed \(seed)")
    for (code, count) in codes where ![0, 3, 4, 5].contains(code) {
      Issue.record("seed \(seed): \(count) saves ended with \(code): \(saver.words(of: code))")
    }
  }
}

/// Saves in a loop on a thread of its own.
private final class Saver: Sendable {
  private struct State {
    var isStopped = false
    var codes: [Int32: Int] = [:]
    var words: [Int32: String] = [:]
    var failure: (any Error)?
  }

  private let state = Locked(State())
  private let end = DispatchSemaphore(value: 0)

  init(_ vault: String) {
    Thread.detachNewThread { [self] in
      defer { end.signal() }
      while !state.withLock({ $0.isStopped }) {
        do {
          let outcome = try Verso.run("save", "-q", "--wait", "2", in: vault)
          state.withLock { state in
            state.codes[outcome.status, default: 0] += 1
            state.words[outcome.status] = outcome.error
          }
        } catch {
          state.withLock { $0.failure = error }
          return
        }
      }
    }
  }

  /// How often each exit code came.
  func stop() throws -> [Int32: Int] {
    state.withLock { $0.isStopped = true }
    guard end.wait(timeout: .now() + 120) == .success else { throw Failure("a save hangs") }
    let (codes, failure) = state.withLock { ($0.codes, $0.failure) }
    if let failure { throw failure }
    return codes
  }

  func count(of code: Int32) -> Int { state.withLock { $0.codes[code] ?? 0 } }
  func words(of code: Int32) -> String { state.withLock { $0.words[code] ?? "" } }
}

/// Edits notes and calls git, one thing at a time: what git itself would lose of an edit during its
/// own checkout is not what is looked at here.
private final class GitUser {
  let scratch: Scratch
  private(set) var commands = 0
  private var generator: SeededGenerator
  private var lines: [String] = []
  private var log: [String] = []
  private var nextSlowCommit = Date()

  init(seed: UInt64) throws {
    generator = SeededGenerator(seed: seed)
    scratch = try Scratch("verso-git")
    for number in 0..<6 { try scratch.write("start \(number)\n", to: "v/a/note-\(number).md") }
    try scratch.write("scrap\n", to: "v/scrap.md")
    #expect(try Verso.run("init", "-q", vault).status == 0)
    let seconds = isFullRun ? 20 : 3
    // An editor in which the user writes on in other notes before the message is done.
    try scratch.write(
      """
      #!/bin/sh
      echo "written while the message waits $$" >>'\(vault)/a/note-0.md'
      sleep \(seconds); echo "by hand" >"$1"
      """, to: "editor")
    try run(["chmod", "+x", scratch.at("editor")])
  }

  var vault: String { scratch.at("v") }

  func act() throws {
    // A user's pace, if a fast one: saves wait for notes to settle.
    usleep(UInt32.random(in: 0...500_000, using: &generator))
    try edit()
    switch Int.random(in: 0..<16, using: &generator) {
    case 0, 1: try git("add", "-A")
    case 2: try git("add", "a/note-1.md")
    case 3, 4: try git("commit", "-q", "-m", "by hand", "--allow-empty")
    case 5: try git("commit", "-q", "-a", "-m", "all by hand")
    case 6 where Date() > nextSlowCommit: try slowCommit()
    case 7: try branch()
    case 8: try git("checkout", "-q", "-")
    case 9:
      try scratch.write("scrap \(lines.count)\n", to: "v/scrap.md")
      try git("checkout", "-q", "HEAD", "--", "scrap.md")
    case 10: try rebase()
    case 11: try stash()
    case 12: try git("gc", "--quiet", "--prune=now")
    case 13: try git("status", "--porcelain")
    default: break
    }
  }

  func edit() throws {
    for _ in 0..<Int.random(in: 1...3, using: &generator) {
      let line = "line \(lines.count) of the user."
      let name = "v/a/note-\(Int.random(in: 0..<8, using: &generator)).md"
      let text = (scratch.text(of: name) ?? "") + line + "\n"
      try scratch.write(text, to: "v/.edit.tmp")
      try run(["mv", scratch.at("v/.edit.tmp"), scratch.at(name)])
      lines.append(line)
    }
  }

  /// Runs git as a user would, who reads what it says and does the next thing.
  @discardableResult
  func git(_ arguments: String..., editor: String = "true") throws -> Bool {
    let outcome = try run(
      ["git", "-C", vault] + arguments,
      environment: ["GIT_EDITOR": editor, "GIT_SEQUENCE_EDITOR": "true"])
    commands += 1
    if arguments.contains("commit"), outcome.status != 0 {
      // Its message would hold saves back for ten minutes, as it looks like one being written.
      try run(["rm", "-f", "\(vault)/.git/COMMIT_EDITMSG"])
    }
    log.append("\(arguments.joined(separator: " ")): \(outcome.status) \(outcome.error)")
    return outcome.status == 0
  }

  private func slowCommit() throws {
    nextSlowCommit = Date() + (isFullRun ? 60 : 8)
    try git("add", "-A")
    try git("commit", "-q", "--allow-empty", editor: scratch.at("editor"))
  }

  private func branch() throws {
    let name = "topic-\(commands)"
    if try git("checkout", "-q", "-b", name) { try git("commit", "-q", "-am", "on \(name)") }
  }

  private func rebase() throws {
    let branches = try run(
      ["git", "-C", vault, "for-each-ref", "--format=%(refname:short)", "refs/heads"]
    ).text.split(separator: "\n")
    guard let other = branches.randomElement(using: &generator) else { return }
    if try git("rebase", "-q", "--autostash", String(other)) { return }
    try git("rebase", "--abort")
  }

  private func stash() throws {
    if try git("stash", "push", "-q", "-u") { try git("stash", "pop", "-q") }
  }

  /// Leaves nothing open, as a user does at the end of the day.
  func settle() throws {
    if try run(["test", "-d", "\(vault)/.git/rebase-merge"]).status == 0 {
      try git("rebase", "--abort")
    }
    // Unmerged paths of a stash that did not apply; the stash itself stays.
    try git("add", "-A")
    try git("commit", "-q", "--allow-empty", "-m", "the end of the day")
  }

  func problems() throws -> [String] {
    var problems: [String] = []
    func git(_ arguments: String...) throws -> Outcome {
      try run(["git", "-C", vault] + arguments)
    }
    let check = try git("fsck", "--strict", "--no-dangling", "--no-progress")
    if check.status != 0 { problems.append("fsck: \(check.error)\(check.text)") }
    let status = try git("status", "--porcelain")
    if !status.output.isEmpty { problems.append("status: \(status.text)\(status.error)") }
    let left = try run(["find", "\(vault)/.git", "-name", "*.lock", "-o", "-name", "gc.pid"])
    if !left.output.isEmpty { problems.append("left over: \(left.text)") }
    let history = try git("log", "--all", "--reflog", "-m", "-p", "--text", "--no-renames").text
    let disk = try run(["sh", "-c", "cat '\(vault)'/a/*.md"]).text
    let held = Set((history + disk).split(separator: "\n").map { $0.drop { "+- ".contains($0) } })
    for line in lines where !held.contains(Substring(line)) { problems.append("lost: \(line)") }
    if !problems.isEmpty { problems.append("git: \(log.suffix(40).joined(separator: "\n"))") }
    return problems
  }
}
