import Glibc
import Testing
import VersoGit
import VersoTestSupport

@Suite struct SubprocessTests {
  private func shell(
    _ script: String, input: [UInt8] = [], environment: [String: String?] = [:],
    directory: String? = nil, timeLimit: Double = 60
  ) throws -> Subprocess.Result {
    try Subprocess(
      "sh", ["-c", "\(script)"], environment: environment, directory: directory,
      timeLimit: timeLimit
    ).run(input: input)
  }

  private func text(_ result: Subprocess.Result) -> String {
    String(decoding: result.output, as: UTF8.self)
  }

  /// Whether a process still runs; one that is dead and not yet reaped does not.
  private func isRunning(_ process: String) -> Bool {
    guard let outcome = try? run(["ps", "-o", "stat=", "-p", process]) else { return true }
    return !(outcome.text.isEmpty || outcome.text.hasPrefix("Z"))
  }

  @Test func `output, error output and exit code come back`() throws {
    let result = try shell("echo out; echo error >&2; exit 3")
    #expect(result.ending == .exited(3))
    #expect(!result.succeeded)
    #expect(text(result) == "out\n")
    #expect(result.errorText == "error")
    #expect(try shell("kill -TERM $$").ending == .killed(signal: SIGTERM))
    #expect(try shell("exit 0").succeeded)
  }

  @Test func `five megabytes go in and come out on both sides`() throws {
    let input = (0..<5_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }
    let scratch = try Scratch()
    let result = try shell(
      "cat > copy; cat copy; cat copy >&2; rm copy", input: input, directory: scratch.path)
    #expect(result.succeeded)
    #expect(result.output == input)
    #expect(result.errorOutput == input)
  }

  @Test func `input that nobody reads hurts nobody`() throws {
    let result = try shell("exit 0", input: [UInt8](repeating: 65, count: 5_000_000))
    #expect(result.succeeded)
  }

  @Test func `the time limit kills the program and what it started`() throws {
    let clock = ContinuousClock()
    let start = clock.now
    let result = try shell("sleep 300 & echo $!; wait", timeLimit: 0.5)
    #expect(result.ending == .timedOut)
    #expect(clock.now - start < .seconds(30))
    let child = text(result).filter(\.isNumber)
    try #require(!child.isEmpty)
    let deadline = clock.now + .seconds(20)
    while isRunning(child), clock.now < deadline { sched_yield() }
    #expect(!isRunning(child))
  }

  @Test func `a daemon left behind does not hold up who waits`() throws {
    let clock = ContinuousClock()
    let start = clock.now
    let result = try shell("sleep 300 & echo $!")
    #expect(result.succeeded)
    #expect(clock.now - start < .seconds(30))
    let daemon = try #require(Int32(text(result).filter(\.isNumber)))
    kill(daemon, SIGKILL)
  }

  @Test func `a missing program is named`() throws {
    let error = #expect(throws: SubprocessError.self) {
      try Subprocess("verso-no-such-program", []).run()
    }
    #expect(error?.reason == .missing)
    #expect(error?.description.contains("verso-no-such-program") == true)
    let other = #expect(throws: SubprocessError.self) { try Subprocess("/etc/passwd", []).run() }
    #expect(other?.reason == .missing)
  }

  @Test(arguments: [nil, ""])
  func `git is found without a search path`(path: String?) throws {
    let result = try Subprocess("git", ["version"], environment: ["PATH": path]).run()
    #expect(text(result).hasPrefix("git version"))
    #expect(
      text(try shell("echo $PATH", environment: ["PATH": path])) == Subprocess.defaultPath + "\n")
  }

  @Test func `arguments reach the program byte for byte`() throws {
    let bytes: [UInt8] = [0x2A, 0xFF, 0x20, 0x24, 0x48, 0x0A, 0x27]
    let result = try Subprocess("printf", ["%s", .init(bytes)]).run()
    #expect(result.output == bytes)
  }

  @Test func `variables are set and removed`() throws {
    let result = try shell(
      "echo ${VERSO_A-none} ${HOME-none}", environment: ["VERSO_A": "a b", "HOME": nil])
    #expect(text(result) == "a b none\n")
  }

  @Test func `it runs in the directory it is given`() throws {
    let scratch = try Scratch()
    #expect(text(try shell("pwd -P", directory: scratch.path)) == scratch.path + "\n")
    let error = #expect(throws: SubprocessError.self) {
      try shell("pwd", directory: scratch.at("none"))
    }
    #expect(error?.reason == .refused(ENOENT))
  }

  @Test func `no descriptor is inherited`() throws {
    let descriptor = dup(0)
    defer { close(descriptor) }
    try #require(descriptor > 2)
    // The shell's own listing of its descriptors; the glob opens none that is still there after.
    let result = try shell(
      "for f in 0 1 2 \(descriptor); do test -e /proc/$$/fd/$f && echo $f; done")
    #expect(text(result) == "0\n1\n2\n")
  }

  @Test func `no signal is blocked in the program, and the caller's mask stays`() throws {
    var mask = sigset_t()
    var old = sigset_t()
    var after = sigset_t()
    sigemptyset(&mask)
    sigaddset(&mask, SIGUSR1)
    pthread_sigmask(SIG_BLOCK, &mask, &old)
    let result = try shell("grep -E 'Sig(Blk|Ign)' /proc/self/status")
    pthread_sigmask(SIG_SETMASK, &old, &after)
    let masks = text(result).split(separator: "\n").compactMap {
      UInt64($0.split(separator: "\t")[1], radix: 16)
    }
    // The C library keeps its two internal signals, 32 and 33, to itself.
    #expect(masks.map { $0 & ~0x1_8000_0000 } == [0, 0])
    #expect(sigismember(&after, SIGUSR1) == 1)
  }
}
