import CLinux
import Glibc

/// A program that ran to its end.
struct Child {
  /// From before it was started until it had ended.
  let seconds: Double
  /// The most memory it had resident. Not less than this process had when it started the other:
  /// the kernel counts both (getrusage(2) says nothing of it).
  let peakBytes: Int

  /// Runs a program with its output thrown away.
  ///
  /// - Parameters:
  ///   - words: The program, looked for in `PATH` where it has no slash, and its arguments.
  ///   - directory: Where it runs.
  ///   - environment: The whole environment.
  ///   - allowed: Exit codes that are no failure.
  @discardableResult
  static func run(
    _ words: [String], in directory: String, environment: [String], allowing allowed: [Int32] = [0]
  ) throws(BenchError) -> Child {
    guard let program = words.first.flatMap(located) else {
      throw BenchError("\(words.first ?? "the program") is not installed")
    }
    let sink = Glibc.open("/dev/null", O_RDWR | O_CLOEXEC)
    defer { close(sink) }
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    var variables: [UnsafeMutablePointer<CChar>?] = environment.map { strdup($0) } + [nil]
    defer { for pointer in arguments + variables { free(pointer) } }
    let start = now()
    let process = verso_spawn(program, &arguments, &variables, directory, [sink, sink, 2])
    guard process > 0 else { throw BenchError("cannot run \(program): error \(-process)") }
    var status: Int32 = 0
    var usage = rusage()
    while wait4(process, &status, 0, &usage) < 0, errno == EINTR {}
    let seconds = now() - start
    // WIFEXITED and WEXITSTATUS, which are macros.
    guard status & 0x7F == 0, allowed.contains(status >> 8 & 0xFF) else {
      throw BenchError("\(words.joined(separator: " ")) failed (status \(status)) in \(directory)")
    }
    return Child(seconds: seconds, peakBytes: Int(usage.ru_maxrss) << 10)
  }

  private static func located(_ program: String) -> String? {
    if program.contains("/") { return program }
    let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
    return path.split(separator: ":").map { "\($0)/\(program)" }
      .first { access($0, X_OK) == 0 }
  }
}

/// Seconds of a clock that nobody sets.
func now() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

func pause(_ seconds: Double) { usleep(UInt32(seconds * 1e6)) }
