import Foundation
import Testing
import VersoTestSupport

/// A vault with notes in it, for one test.
struct Notes {
  let scratch: Scratch
  var path: String { scratch.path }

  /// Makes one of these files, or of `count` numbered ones, with `verso init`.
  init(_ files: [String: String] = ["note.md": "one\n"], numbered count: Int = 0) throws {
    scratch = try Scratch()
    for (name, text) in files { try scratch.write(text, to: name) }
    for number in 0..<count { try scratch.write("text \(number)\n", to: Self.name(number)) }
    let made = try Verso.run("init", "-q", scratch.path)
    guard made.status == 0 else { throw Failure("init: \(made.status) \(made.error)") }
  }

  /// An adopted repository: `prepare` runs in it between `git init` and `verso init`.
  init(adopting prepare: (Scratch) throws -> Void) throws {
    let scratch = try Scratch()
    try scratch.git("init", "-q", "-b", "main")
    try prepare(scratch)
    try self.init(in: scratch)
  }

  /// Adopts a repository that is there.
  init(in scratch: Scratch) throws {
    self.scratch = scratch
    let made = try Verso.run("init", "-q", scratch.path)
    guard [0, 3].contains(made.status) else { throw Failure("init: \(made.status) \(made.error)") }
  }

  static func name(_ number: Int) -> String { "n/\(number).md" }

  @discardableResult
  func verso(_ arguments: String...) throws -> Outcome {
    try run([Verso.binary] + arguments, in: path)
  }

  @discardableResult
  func git(_ arguments: String...) throws -> String {
    let outcome = try run(["git"] + arguments, in: path)
    guard outcome.status == 0 else {
      throw Failure("git \(arguments.joined(separator: " ")): \(outcome.error)\(outcome.text)")
    }
    return outcome.text.hasSuffix("\n") ? String(outcome.text.dropLast()) : outcome.text
  }

  /// Starts a program with no signal blocked or ignored: the threads of a test block most, and
  /// children inherit that.
  static let unblocked = [
    "perl", "-MPOSIX", "-e",
    "sigprocmask(SIG_SETMASK, POSIX::SigSet->new()); $SIG{$_} = 'DEFAULT' for qw(INT TERM HUP);"
      + "exec @ARGV",
  ]

  @discardableResult
  func shell(_ script: String) throws -> Outcome {
    try run(Self.unblocked + ["sh", "-c", script], in: path)
  }

  /// What the last version has at a path: mode, kind and id; empty for nothing.
  func entry(_ name: String) throws -> String { try git("ls-tree", "HEAD", "--", name) }

  /// The ids of all versions, newest first.
  func versions() throws -> [String] {
    try git("log", "--format=%H").split(separator: "\n").map(String.init)
  }

  /// One JSON object for each line.
  static func objects(_ text: String) throws -> [[String: Any]] {
    try text.split(separator: "\n").map { line in
      let parsed = try JSONSerialization.jsonObject(with: Data(line.utf8))
      return try #require(parsed as? [String: Any])
    }
  }

  /// Waits until something is so, for ten seconds at most.
  static func wait(until isSo: () throws -> Bool) throws {
    let end = Date().addingTimeInterval(10)
    while try !isSo() {
      guard Date() < end else { throw Failure("waited in vain") }
      usleep(5_000)
    }
  }
}
