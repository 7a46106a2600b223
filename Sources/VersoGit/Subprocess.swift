import CLinux
import Glibc

/// A program to run to its end, without a shell.
///
/// Input and output go through memory files and not through pipes: neither side can block the other,
/// nothing can die of a closed pipe, and a daemon that the program leaves behind cannot hold up
/// whoever waits. The program leads a process group of its own, so that it is not reached by the
/// terminal's Ctrl-C, and inherits no descriptor. The caller's signal handling stays as it is.
package struct Subprocess: Sendable {
  /// One argument, as bytes, since a path need not be UTF-8.
  package struct Argument: Hashable, Sendable, ExpressibleByStringInterpolation {
    package let bytes: [UInt8]
    package init(_ bytes: [UInt8]) { self.bytes = bytes }
    package init(stringLiteral text: String) { bytes = Array(text.utf8) }
  }

  /// How a program ended.
  package enum Ending: Hashable, Sendable {
    case exited(Int32)
    case killed(signal: Int32)
    /// The time limit passed, and the whole process group was killed.
    case timedOut
  }

  /// What a program left behind.
  package struct Result: Hashable, Sendable {
    package let ending: Ending
    package let output: [UInt8]
    /// What it wrote to its standard error.
    package let errorOutput: [UInt8]

    package var succeeded: Bool { ending == .exited(0) }
    /// What it wrote to its standard error, invalid UTF-8 repaired, without the last line end.
    package var errorText: String {
      let text = errorOutput.last == UInt8(ascii: "\n") ? errorOutput.dropLast() : errorOutput[...]
      return String(decoding: text, as: UTF8.self)
    }
  }

  /// A name, looked up in `PATH`, or a path with a slash.
  package var program: String
  package var arguments: [Argument]
  /// Set in addition to what this process has; `nil` removes a variable.
  package var environment: [String: String?]
  /// Where it runs; `nil` for the directory of this process.
  package var directory: String?
  /// Seconds until it is killed.
  package var timeLimit: Double

  /// Where programs are looked for if `PATH` is empty or missing, as under systemd or cron.
  package static let defaultPath = "/usr/bin:/usr/local/bin:/bin"

  package init(
    _ program: String, _ arguments: [Argument], environment: [String: String?] = [:],
    directory: String? = nil, timeLimit: Double = 60
  ) {
    self.program = program
    self.arguments = arguments
    self.environment = environment
    self.directory = directory
    self.timeLimit = timeLimit
  }

  /// Runs the program and waits for it.
  ///
  /// - Parameter input: What it reads from its standard input.
  /// - Returns: How it ended and what it wrote; an exit code other than zero is no error here.
  /// - Throws: ``SubprocessError``, where the program is not there or cannot be started.
  package func run(input: [UInt8] = []) throws(SubprocessError) -> Result {
    let source = try memoryFile()
    let output = try memoryFile()
    let error = try memoryFile()
    try source.fill(input, for: program)
    let process = try start { file, arguments, environment, directory in
      verso_spawn(
        file, arguments, environment, directory, [source.number, output.number, error.number])
    }
    let ending = try wait(for: process)
    withExtendedLifetime(source) {}
    return Result(
      ending: ending, output: try output.content(for: program),
      errorOutput: try error.content(for: program))
  }

  /// The `PATH` to search; put into `environment` where this process has none.
  private func searchPath(_ environment: inout [String: String?]) -> String {
    let given: String?
    if let change = environment["PATH"] {
      given = change
    } else {
      given = getenv("PATH").map { String(cString: $0) }
    }
    if let given, !given.isEmpty { return given }
    environment["PATH"] = Self.defaultPath
    return Self.defaultPath
  }

  private func locate(in path: String) throws(SubprocessError) -> String {
    // An empty component would mean the working directory, where anybody may have put a program.
    let candidates =
      program.contains("/")
      ? [program] : path.split(separator: ":").map { "\($0)/\(program)" }
    for candidate in candidates {
      var status = stat()
      if stat(candidate, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
        access(candidate, X_OK) == 0
      {
        return candidate
      }
    }
    throw SubprocessError(
      reason: .missing, program: program,
      detail: program.contains("/") ? "no such program" : "not found in \(path)")
  }

  func memoryFile() throws(SubprocessError) -> MemoryFile {
    let number = verso_memfd(program)
    guard number >= 0 else { throw SubprocessError(errno: -number, program: program) }
    return MemoryFile(number: number)
  }

  typealias Strings = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>

  /// Calls `body` with the program's file, arguments, environment and directory, as C takes them.
  ///
  /// - Returns: What `body` does: the id of the process, or a negated errno.
  func start(
    _ body: (UnsafePointer<CChar>, Strings, Strings, UnsafePointer<CChar>?) -> Int32
  ) throws(SubprocessError) -> Int32 {
    var environment = self.environment
    let path = searchPath(&environment)
    let file = try locate(in: path)
    let arguments = CStringList()
    arguments.append(Array(program.utf8))
    for argument in self.arguments { arguments.append(argument.bytes) }
    let variables = CStringList()
    var entry = verso_environment()
    while let variable = entry?.pointee {
      let bytes = UnsafeRawBufferPointer(start: variable, count: strlen(variable))
      let name = String(decoding: bytes.prefix { $0 != UInt8(ascii: "=") }, as: UTF8.self)
      if !environment.keys.contains(name) { variables.append(Array(bytes)) }
      entry = entry?.successor()
    }
    for case (let name, let value?) in environment {
      variables.append(Array("\(name)=\(value)".utf8))
    }
    let result = arguments.withPointers { arguments in
      variables.withPointers { variables in
        if let directory { return body(file, arguments, variables, directory) }
        return body(file, arguments, variables, nil)
      }
    }
    guard result > 0 else { throw SubprocessError(errno: -result, program: program) }
    return result
  }

  private func wait(for process: Int32) throws(SubprocessError) -> Ending {
    let limit = Int32(min(max(timeLimit, 0) * 1000, Double(Int32.max)))
    let hasEnded = verso_wait_for_child(process, limit) != 0
    if !hasEnded { kill(-process, SIGKILL) }
    let ending = try reap(process)
    return hasEnded ? ending : .timedOut
  }

  /// Takes the status of a process that has ended, or soon will have.
  func reap(_ process: Int32) throws(SubprocessError) -> Ending {
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0 {
      // ECHILD: whoever started this process made it ignore SIGCHLD, and no status is kept.
      if errno != EINTR { throw SubprocessError(errno: errno, program: program) }
    }
    let signal = status & 0x7F
    return signal == 0 ? .exited(status >> 8 & 0xFF) : .killed(signal: signal)
  }
}

/// A program that could not be run.
package struct SubprocessError: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Reason: Hashable, Sendable {
    /// There is no such program.
    case missing
    /// The system refused, by its `errno`.
    case refused(Int32)
  }

  package let reason: Reason
  package let program: String
  package let detail: String

  init(reason: Reason, program: String, detail: String) {
    self.reason = reason
    self.program = program
    self.detail = detail
  }

  init(errno code: Int32, program: String) {
    self.init(reason: .refused(code), program: program, detail: String(cString: strerror(code)))
  }

  package var description: String { "cannot run \(program): \(detail)" }
}

/// The one owner of an anonymous file in memory.
struct MemoryFile: ~Copyable {
  let number: Int32
  init(number: Int32) { self.number = number }
  deinit { close(number) }

  func fill(_ bytes: [UInt8], for program: String) throws(SubprocessError) {
    var done = 0
    while done < bytes.count {
      let count = bytes.withUnsafeBytes { buffer in
        write(number, buffer.baseAddress.map { $0 + done }, buffer.count - done)
      }
      if count < 0, errno != EINTR { throw SubprocessError(errno: errno, program: program) }
      done += max(0, count)
    }
    lseek(number, 0, SEEK_SET)
  }

  /// How much was written so far.
  func size(for program: String) throws(SubprocessError) -> Int {
    var status = stat()
    guard fstat(number, &status) == 0 else {
      throw SubprocessError(errno: errno, program: program)
    }
    return Int(status.st_size)
  }

  /// What was written so far, from an offset on.
  func content(from start: Int = 0, for program: String) throws(SubprocessError) -> [UInt8] {
    let size = try size(for: program)
    var failure: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: max(0, size - start)) { buffer, done in
      while done < buffer.count {
        let count = pread(
          number, buffer.baseAddress.map { $0 + done }, buffer.count - done, off_t(start + done))
        if count < 0, errno != EINTR { failure = errno }
        if count == 0 || failure != 0 { break }
        done += max(0, count)
      }
    }
    if failure != 0 { throw SubprocessError(errno: failure, program: program) }
    return bytes
  }
}

/// Strings as execve(2) takes them.
private final class CStringList {
  private var pointers: [UnsafeMutablePointer<CChar>?] = [nil]

  func append(_ bytes: [UInt8]) {
    let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count + 1)
    for (index, byte) in bytes.enumerated() { copy[index] = CChar(bitPattern: byte) }
    copy[bytes.count] = 0
    pointers.insert(copy, at: pointers.count - 1)
  }

  func withPointers<R>(_ body: (Subprocess.Strings) -> R) -> R {
    pointers.withUnsafeMutableBufferPointer { buffer in
      guard let base = buffer.baseAddress else { preconditionFailure("the list ends with NULL") }
      return body(base)
    }
  }

  deinit { for pointer in pointers { pointer?.deallocate() } }
}
