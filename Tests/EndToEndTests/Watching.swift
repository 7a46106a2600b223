import Foundation
import Testing
import VersoTestSupport

/// `verso watch --json` at work, with what it printed so far.
final class Watching {
  let scratch: Scratch
  let process = Process()
  let output: Scratch

  init(
    _ scratch: Scratch, limits: String = "", options: String = "--json --settle 500ms",
    environment: [String: String] = [:]
  ) throws {
    self.scratch = scratch
    output = try Scratch("verso-output")
    #expect(try Verso.run("init", "-q", scratch.path).status == 0)
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    let watch = "exec '\(Verso.binary)' watch \(options) '\(scratch.path)'"
    let script = "\(limits) \(watch) > '\(output.path)/out' 2>&1"
    process.arguments = (limits.isEmpty ? [] : ["unshare", "-Ur"]) + ["sh", "-euc", script]
    process.environment = hermeticEnvironment.merging(
      environment.merging(["XDG_RUNTIME_DIR": output.path]) { $1 }
    ) { $1 }
    try process.run()
  }

  deinit {
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
  }

  /// Runs another command beside it.
  func verso(_ arguments: String...) throws -> Outcome {
    try run(
      [Verso.binary] + arguments, in: scratch.path,
      environment: ["XDG_RUNTIME_DIR": output.path])
  }

  var lines: [String] {
    (output.text(of: "out") ?? "").split(separator: "\n").map(String.init)
  }
  func events(_ name: String) -> [String] {
    lines.filter { $0.contains("\"event\":\"\(name)\"") }
  }
  func subjects() throws -> [String] {
    try scratch.git("log", "--format=%s").split(separator: "\n").map(String.init)
  }

  func wait(_ what: String, atMost seconds: Double = 60, _ condition: () throws -> Bool)
    async throws
  {
    let end = Date().addingTimeInterval(seconds)
    while try !condition() {
      guard Date() < end, process.isRunning else {
        throw Failure("waited \(seconds) s in vain for \(what): \(lines.suffix(20))")
      }
      try await Task.sleep(for: .milliseconds(50))
    }
  }

  /// Ends it as systemd would, and says whether all is saved.
  func finish() async throws {
    process.terminate()
    let end = Date().addingTimeInterval(30)
    while process.isRunning {
      guard Date() < end else { throw Failure("it does not end: \(lines.suffix(20))") }
      try await Task.sleep(for: .milliseconds(20))
    }
    #expect(process.terminationStatus == 0, "\(lines.suffix(5))")
    #expect(try scratch.git("status", "--porcelain") == "")
    try scratch.git("fsck", "--strict")
  }
}
