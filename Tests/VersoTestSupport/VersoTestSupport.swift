import Foundation
import Glibc

/// A new folder for one test, removed when the last reference goes.
///
/// It lies in `TMPDIR`, or `/tmp`; everything a test writes belongs below it.
public final class Scratch: Sendable {
  /// The absolute path, without links and without a trailing slash.
  public let path: String

  /// - Parameter inMemory: Whether to make it in memory where there is a place for that: for many
  ///   short runs that would wait for a disk's journal most of their time.
  public init(_ name: String = "verso", inMemory: Bool = false) throws {
    let memory = "/dev/shm"
    let base =
      inMemory && access(memory, W_OK) == 0
      ? memory : ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
    var template = Array("\(base)/\(name).XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil, let real = realpath(template, nil) else {
      throw Failure("mkdtemp: errno \(errno)")
    }
    defer { free(real) }
    path = String(cString: real)
  }

  deinit {
    // Folders that a test made unreadable are opened up first.
    _ = try? run(["chmod", "-R", "u+rwX", path])
    _ = try? run(["rm", "-rf", path])
  }

  /// `path` with more components.
  public func at(_ name: String) -> String { "\(path)/\(name)" }

  /// Writes a file, its folders made.
  @discardableResult
  public func write(_ text: String, to name: String) throws -> String {
    try write(Array(text.utf8), to: Array(name.utf8))
    return at(name)
  }

  /// Writes a file whose name need not be UTF-8, its folders made.
  public func write(_ bytes: [UInt8], to name: [UInt8]) throws {
    var full = Array(path.utf8)
    for (index, part) in name.split(separator: UInt8(ascii: "/")).enumerated() {
      if index > 0 { _ = full.withCString { mkdir($0, 0o755) } }
      full += [UInt8(ascii: "/")] + part
    }
    let descriptor = full.withCString { open($0, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644) }
    guard descriptor >= 0 else { throw Failure("open: errno \(errno)") }
    defer { close(descriptor) }
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 else { throw Failure("write: errno \(errno)") }
      rest = rest.dropFirst(count)
    }
  }

  /// The bytes of a file; `nil` where there is none.
  public func bytes(of name: String) -> [UInt8]? {
    FileManager.default.contents(atPath: at(name)).map(Array.init)
  }

  /// Whether anything is there.
  public func exists(_ name: String) -> Bool { access(at(name), F_OK) == 0 }

  /// The text of a file; `nil` where there is none.
  public func text(of name: String) -> String? {
    bytes(of: name).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Runs git here, in the hermetic environment, and returns its output without the last newline.
  @discardableResult
  public func git(_ arguments: String..., input: [UInt8]? = nil) throws -> String {
    let outcome = try run(["git"] + arguments, in: path, input: input)
    guard outcome.status == 0 else {
      throw Failure("git \(arguments.joined(separator: " ")): \(outcome.error)")
    }
    return outcome.text.hasSuffix("\n") ? String(outcome.text.dropLast()) : outcome.text
  }
}

extension [UInt8] {
  /// Calls `body` with the bytes as a C string.
  public func withCString<R>(_ body: (UnsafePointer<CChar>) throws -> R) rethrows -> R {
    try (map { CChar(bitPattern: $0) } + [0]).withUnsafeBufferPointer { buffer in
      guard let base = buffer.baseAddress else { preconditionFailure("a C string has a NUL") }
      return try body(base)
    }
  }
}

/// A failure of a test's own machinery.
public struct Failure: Error, CustomStringConvertible {
  public let description: String
  public init(_ description: String) { self.description = description }
}

/// How a program ended.
public struct Outcome: Sendable {
  /// The exit code, or the negated signal.
  public let status: Int32
  public let output: [UInt8]
  public let error: String
  public var text: String { String(decoding: output, as: UTF8.self) }
}

/// The environment that tests run programs in: nothing of the user's configuration is read, names
/// and times are fixed.
public let hermeticEnvironment: [String: String] = [
  "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin",
  "HOME": "/nonexistent", "LC_ALL": "C.UTF-8", "TZ": "UTC", "TERM": "dumb",
  "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_TERMINAL_PROMPT": "0",
  "GIT_AUTHOR_NAME": "Ada", "GIT_AUTHOR_EMAIL": "ada@example.invalid",
  "GIT_COMMITTER_NAME": "Ada", "GIT_COMMITTER_EMAIL": "ada@example.invalid",
]

/// Runs a program to its end.
///
/// - Parameters:
///   - arguments: The program, looked up in `PATH`, and its arguments.
///   - environment: Added to ``hermeticEnvironment``.
///   - deadline: Seconds after which the program is killed and an error thrown.
@discardableResult
public func run(
  _ arguments: [String], in folder: String? = nil, input: [UInt8]? = nil,
  environment: [String: String] = [:], deadline: Double = 120
) throws -> Outcome {
  let process = Process()
  process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
  process.arguments = arguments
  process.environment = hermeticEnvironment.merging(environment) { $1 }
  if let folder { process.currentDirectoryURL = URL(fileURLWithPath: folder) }
  // Files rather than pipes: a grandchild that keeps a pipe open cannot make the test hang.
  let (output, error) = (try temporaryFile(), try temporaryFile())
  let source = try temporaryFile()
  if let input { source.write(Data(input)) }
  try source.seek(toOffset: 0)
  process.standardInput = source
  process.standardOutput = output
  process.standardError = error
  try process.run()
  let identifier = process.processIdentifier
  let timer = DispatchSource.makeTimerSource()
  timer.schedule(deadline: .now() + deadline)
  timer.setEventHandler { kill(identifier, SIGKILL) }
  timer.resume()
  process.waitUntilExit()
  timer.cancel()
  let status = process.terminationStatus
  try output.seek(toOffset: 0)
  try error.seek(toOffset: 0)
  return Outcome(
    status: process.terminationReason == .exit ? status : -status,
    output: Array(try output.readToEnd() ?? Data()),
    error: String(decoding: try error.readToEnd() ?? Data(), as: UTF8.self))
}

private func temporaryFile() throws -> FileHandle {
  var template = Array("/tmp/verso-run.XXXXXX".utf8CString)
  let descriptor = mkstemp(&template)
  guard descriptor >= 0 else { throw Failure("mkstemp: errno \(errno)") }
  _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
  unlink(template)
  return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
}

/// Random numbers from a printed seed (SplitMix64), so that a failing walk can be walked again.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64
  public init(seed: UInt64) { state = seed }

  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// True once in `n` times.
  public mutating func chance(_ n: Int) -> Bool { Int.random(in: 0..<n, using: &self) == 0 }
}

/// The seeds to walk: those of `VERSO_SEEDS` (comma-separated), or the first `count` numbers.
public func seeds(_ count: Int) -> [UInt64] {
  if let given = ProcessInfo.processInfo.environment["VERSO_SEEDS"] {
    return given.split(separator: ",").compactMap { UInt64($0) }
  }
  return (1...UInt64(count)).map { $0 }
}

/// Whether the long form of the tests was asked for (`Tests/run --full`).
public let isFullRun = ProcessInfo.processInfo.environment["VERSO_FULL"] == "1"
