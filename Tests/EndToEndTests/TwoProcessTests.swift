import Foundation
import Testing
import VersoTestSupport

/// Several processes in one vault at once.
@Suite(.serialized) struct TwoProcessTests {
  private func vault() throws -> Scratch {
    let scratch = try Scratch()
    for number in 0..<4 { try scratch.write("first \(number)\n", to: "v/a/note-\(number).md") }
    #expect(try Verso.run("init", "-q", scratch.at("v")).status == 0)
    return scratch
  }

  /// A save that holds the vault until the file `go` is there.
  private func slowSave(_ scratch: Scratch) throws -> Running {
    try scratch.write("*.slow filter=slow\n", to: "v/.gitattributes")
    try scratch.write("slow\n", to: "v/one.slow")
    let filter = """
      echo $$ >'\(scratch.path)/filter'; while ! test -e '\(scratch.path)/go'; do sleep 0.05; done; cat
      """
    try run(["git", "-C", scratch.at("v"), "config", "filter.slow.clean", filter])
    let save = try Running([Verso.binary, "save", "-q"], in: scratch.at("v"))
    try scratch.wait(for: "filter")
    return save
  }

  @Test func `a save waits for the one before it, and both are done`() throws {
    let scratch = try vault()
    let first = try slowSave(scratch)
    try scratch.write("second\n", to: "v/a/note-1.md")
    let second = try Running([Verso.binary, "save", "-q"], in: scratch.at("v"))
    let third = try Running(
      [Verso.binary, "restore", "-q", "a/note-0.md", "--at", "HEAD"], in: scratch.at("v"))
    try scratch.write("", to: "go")
    #expect(try first.wait() == 0, "\(first.error)")
    #expect(try second.wait() == 0, "\(second.error)")
    #expect(try third.wait() == 0, "\(third.error)")
    #expect(try scratch.problems(keeping: ["first 1", "second", "slow"], below: "v") == [])
  }

  @Test func `who does not want to wait is told who works there, with exit code 4`() throws {
    let scratch = try vault()
    let first = try slowSave(scratch)
    for arguments in [["save"], ["restore", "a", "--at", "HEAD"], ["undo"]] {
      let refused = try run([Verso.binary] + arguments + ["--wait", "0"], in: scratch.at("v"))
      #expect(refused.status == 4)
      #expect(
        refused.error.contains("verso save (process \(first.process))"), "\(refused.error)")
    }
    let start = Date()
    #expect(try Verso.run("save", "--wait", "1", in: scratch.at("v")).status == 4)
    #expect(Date().timeIntervalSince(start) >= 1)
    try scratch.write("", to: "go")
    #expect(try first.wait() == 0, "\(first.error)")
    #expect(try Verso.run("save", "--wait", "0", in: scratch.at("v")).status == 0)
  }

  @Test func `the lock of a killed process is free at once`() throws {
    let scratch = try vault()
    let first = try slowSave(scratch)
    // The filter lives on, and must not hold what its parent held.
    kill(first.process, SIGKILL)
    _ = try first.wait()
    try run(["git", "-C", scratch.at("v"), "config", "filter.slow.clean", "cat"])
    let next = try Verso.run("save", "-q", "--wait", "0", in: scratch.at("v"))
    #expect(next.status == 0, "\(next.error)")
    try scratch.write("", to: "go")
    #expect(try scratch.problems(keeping: ["slow", "first 3"], below: "v") == [])
  }

  @Test(arguments: ["index", "refs/heads/main", "config"])
  func `a lock of git's that does not go away is named, with exit code 4`(name: String) throws {
    let scratch = try vault()
    try scratch.write("second\n", to: "v/a/note-1.md")
    let branch = try run(["git", "-C", scratch.at("v"), "symbolic-ref", "HEAD"]).text
    let lock = name.replacingOccurrences(
      of: "refs/heads/main", with: branch.trimmingCharacters(in: .newlines))
    try scratch.write("", to: "v/.git/\(lock).lock")
    let arguments = name == "config" ? ["init", "--device", "other"] : ["save"]
    for wait in [0, 1] {
      let start = Date()
      let refused = try run(
        [Verso.binary] + arguments + ["--wait", "\(wait)"], in: scratch.at("v"))
      #expect(Date().timeIntervalSince(start) >= Double(wait))
      #expect(refused.status == 4, "\(refused.status) \(refused.error)")
      #expect(refused.error.contains("\(scratch.at("v"))/.git/\(lock).lock"), "\(refused.error)")
      #expect(refused.error.contains("remove that file"), "\(refused.error)")
      #expect(scratch.text(of: "v/a/note-1.md") == "second\n")
    }
    try run(["rm", scratch.at("v/.git/\(lock).lock")])
    #expect(try Verso.run("save", "-q", "--wait", "0", in: scratch.at("v")).status == 0)
    #expect(try scratch.problems(keeping: ["first 1", "second"], below: "v") == [])
  }

  @Test func `saves, restores and undos at once end with 0 or 4, and nothing is lost`() throws {
    let scratch = try vault()
    var contents: [String] = []
    var codes = Set<Int32>()
    for round in 0..<(isFullRun ? 200 : 6) {
      for number in 0..<3 {
        contents.append("round \(round) of \(number).")
        try scratch.write("round \(round) of \(number).\n", to: "v/a/note-\(number).md")
      }
      var running: [Running] = []
      for arguments in [
        ["save"], ["save", "--wait", "0"], ["restore", "a/note-3.md", "--at", "HEAD"],
        ["restore", "a/note-1.md", "--at", "HEAD"], ["undo"],
      ] {
        running.append(try Running([Verso.binary, "-q"] + arguments, in: scratch.at("v")))
      }
      for (number, process) in running.enumerated() {
        let code = try process.wait()
        codes.insert(code)
        // An undo may find nothing to take back, or a path that has changed since.
        let expected: Set<Int32> = number == 4 ? [0, 2, 4, 5] : [0, 4]
        #expect(expected.contains(code), "\(number): \(code) \(process.error)")
      }
      let last = try Verso.run("save", "-q", in: scratch.at("v"))
      #expect(last.status == 0, "\(last.error)")
    }
    #expect(codes.contains(0))
    #expect(try scratch.problems(keeping: contents, below: "v") == [])
  }
}

/// A program at work.
final class Running {
  private let scratch: Scratch
  private let program = Process()

  init(_ arguments: [String], in folder: String, environment: [String: String] = [:]) throws {
    scratch = try Scratch("verso-running")
    program.executableURL = URL(fileURLWithPath: arguments[0])
    program.arguments = Array(arguments.dropFirst())
    program.environment = hermeticEnvironment.merging(environment) { $1 }
    program.currentDirectoryURL = URL(fileURLWithPath: folder)
    program.standardInput = FileHandle.nullDevice
    program.standardOutput = FileHandle.nullDevice
    try scratch.write("", to: "error")
    program.standardError = try FileHandle(forWritingTo: URL(fileURLWithPath: scratch.at("error")))
    try program.run()
  }

  deinit { if program.isRunning { kill(program.processIdentifier, SIGKILL) } }

  var process: Int32 { program.processIdentifier }
  var error: String { scratch.text(of: "error") ?? "" }

  /// Waits for the end; the exit code, or the negated signal.
  func wait() throws -> Int32 {
    program.waitUntilExit()
    return program.terminationReason == .exit
      ? program.terminationStatus : -program.terminationStatus
  }
}

extension Scratch {
  /// Waits until a file is there, and not empty.
  func wait(for name: String) throws {
    let end = Date() + 30
    while (bytes(of: name) ?? []).isEmpty {
      if Date() > end { throw Failure("\(name) never came") }
      usleep(5000)
    }
  }
}
