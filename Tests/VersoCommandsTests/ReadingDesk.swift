import Foundation
import Glibc
import Testing
import VersoCommands
import VersoModel
import VersoTestSupport

/// A real repository, and the command line run on it within this process.
final class ReadingDesk {
  let scratch: Scratch

  init() throws {
    scratch = try Scratch("reading")
    try scratch.git("init", "-q", "-b", "main")
  }

  /// Commits everything at a moment.
  func commit(_ message: String, at time: Int64) throws {
    try scratch.git("add", "-A")
    let date = "\(time) +0000"
    let outcome = try run(
      ["git", "commit", "-q", "-m", message], in: scratch.path,
      environment: ["GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date])
    guard outcome.status == 0 else { throw Failure("git commit: \(outcome.error)") }
  }

  /// How a command ended.
  struct Result {
    let code: Int32
    let output: [UInt8]
    let errors: String
    var text: String { String(decoding: output, as: UTF8.self) }
    var lines: [String] { text.split(separator: "\n").map(String.init) }
    /// The objects of `--json`.
    func objects() throws -> [[String: Any]] {
      try lines.map {
        try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] ?? [:]
      }
    }
  }

  /// Runs `verso` with its output in files. Words that start with `@` are paths in the vault.
  func verso(_ words: String...) throws -> Result {
    let streams = try Scratch("streams")
    let flags = O_RDWR | O_CREAT | O_CLOEXEC
    let output = open(streams.at("out"), flags, 0o600)
    let error = open(streams.at("err"), flags, 0o600)
    defer { for stream in [output, error] { close(stream) } }
    let code = VersoMain.run(
      arguments: arguments(words), standardInput: -1, standardOutput: output,
      standardError: error, environment: { _ in nil })
    return Result(
      code: code, output: streams.bytes(of: "out") ?? [], errors: streams.text(of: "err") ?? "")
  }

  /// Runs `verso` on a terminal, without a pager; for output that is shorter than 4,000 bytes.
  func versoOnTerminal(_ words: String..., color: Bool = false) throws -> String {
    var (master, slave): (Int32, Int32) = (-1, -1)
    guard openpty(&master, &slave, nil, nil, nil) == 0 else { throw Failure("openpty: \(errno)") }
    for descriptor in [master, slave] { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    defer { close(master) }
    let variables = ["GIT_PAGER": "cat", "TERM": color ? "xterm" : "dumb"]
    _ = VersoMain.run(
      arguments: arguments(words), standardInput: -1, standardOutput: slave,
      standardError: slave, environment: { variables[$0] })
    close(slave)
    var text: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = read(master, &buffer, buffer.count)
      if count <= 0 { break }
      text += buffer[..<count]
    }
    return String(decoding: text, as: UTF8.self).replacing("\r\n", with: "\n")
  }

  private func arguments(_ words: [String]) -> [[UInt8]] {
    let all = words.map { $0.hasPrefix("@") ? scratch.at(String($0.dropFirst())) : $0 }
    return ([all[0], "-C", scratch.path] + all.dropFirst()).map { Array($0.utf8) }
  }

  /// What git prints, byte for byte.
  func git(_ words: String...) throws -> [UInt8] {
    let outcome = try run(["git"] + words, in: scratch.path)
    guard outcome.status == 0 else { throw Failure("git: \(outcome.error)") }
    return outcome.output
  }
}

/// 2026-06-01 12:00:00 in universal time.
let noon: Int64 = 1_780_315_200
