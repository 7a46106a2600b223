import Foundation
import VersoTestSupport

/// The built binary, run in a hermetic environment.
enum Verso {
  /// `VERSO_BINARY`, else the debug build beside the tests.
  static let binary: String =
    ProcessInfo.processInfo.environment["VERSO_BINARY"]
    ?? URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent(".build/debug/verso").path

  @discardableResult
  static func run(
    _ arguments: String..., in folder: String? = nil, environment: [String: String] = [:],
    deadline: Double = 60
  ) throws -> Outcome {
    try VersoTestSupport.run(
      [binary] + arguments, in: folder, environment: environment, deadline: deadline)
  }

  /// The same, killed in the middle: at the `number`th time that one of `calls` is made.
  ///
  /// - Returns: `nil` where the command ended before there were so many.
  static func runKilled(
    at number: Int, of calls: String, _ arguments: [String], in folder: String
  ) throws -> Outcome? {
    let outcome = try VersoTestSupport.run(
      [
        "strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=\(calls)", "-e",
        "inject=\(calls):signal=KILL:when=\(number)", binary,
      ] + arguments, in: folder, deadline: 60)
    // strace ends as its child did: by the signal, or with 128 + 9 from the `env` between.
    return outcome.status == -9 || outcome.status == 137 ? outcome : nil
  }
}

extension Scratch {
  /// Everything that a sound vault has to show after whatever happened to it.
  func problems(keeping contents: [String], below folder: String) throws -> [String] {
    var problems: [String] = []
    let vault = at(folder)
    func git(_ arguments: String...) throws -> Outcome {
      try run(["git", "-C", vault] + arguments)
    }
    let check = try git("fsck", "--strict", "--no-dangling", "--no-progress")
    if check.status != 0 { problems.append("fsck: \(check.error)\(check.text)") }
    let status = try git("status", "--porcelain")
    if !status.output.isEmpty { problems.append("status: \(status.text)\(status.error)") }
    let left = try run([
      "sh", "-c",
      "find \(vault)/.git -name '*.lock' -o -name 'tmp_*verso*'; ls -A \(vault)/.git/verso/stage 2>/dev/null; ls \(vault)/.git/verso/journal 2>/dev/null",
    ])
    if !left.output.isEmpty { problems.append("left over: \(left.text)") }
    let history = try git("log", "--all", "-p", "--text", "--no-renames").text
    let disk = try run(["sh", "-c", "cat \(vault)/*.md \(vault)/*/*.md 2>/dev/null"]).text
    for content in contents where !history.contains(content) && !disk.contains(content) {
      problems.append("lost: \(content)")
    }
    return problems
  }
}
