import Glibc
import Testing
import VersoGit
import VersoTestSupport

@Suite struct AttendanceTests {
  private func shell(
    _ script: String, _ attendance: Attendance
  ) throws -> Attendance.Result {
    try Subprocess("sh", ["-c", "\(script)"]).run(attended: attendance)
  }

  private func isRunning(_ process: String) throws -> Bool {
    let outcome = try run(["ps", "-o", "stat=", "-p", process])
    return !(outcome.text.isEmpty || outcome.text.hasPrefix("Z"))
  }

  @Test func `what it says is seen while it runs`() throws {
    let scratch = try Scratch()
    let go = scratch.at("go")
    let seen = Locked<[UInt8]>([])
    // The program waits for the file that only its own first words bring about.
    let result = try shell(
      "echo first >&2; while ! test -e \(go); do sleep 0.01; done; echo last >&2",
      Attendance(
        total: 60,
        onText: { bytes in
          let all = seen.withLock {
            $0 += bytes
            return $0
          }
          if all.starts(with: "first".utf8) { close(open(go, O_CREAT | O_WRONLY, 0o600)) }
        }))
    #expect(result.interference == nil)
    #expect(result.result.succeeded)
    #expect(seen.withLock { String(decoding: $0, as: UTF8.self) } == "first\nlast\n")
    #expect(result.result.errorText == "first\nlast")
  }

  @Test func `silence, a stall, the whole time and a cancel are told apart`() throws {
    #expect(try shell("sleep 300", Attendance(silence: 0.3)).interference == .silent)
    #expect(
      try shell("echo x >&2; sleep 300", Attendance(silence: 60, stall: 0.3)).interference
        == .stalled)
    #expect(
      try shell("echo x; sleep 300", Attendance(silence: 60, stall: 0.3)).interference == .stalled)
    #expect(
      try shell("while :; do echo x >&2; sleep 0.01; done", Attendance(stall: 60, total: 0.5))
        .interference == .late)
    #expect(try shell("sleep 300", Attendance(isCancelled: { true })).interference == .cancelled)
  }

  @Test func `steady words are no stall`() throws {
    let result = try shell(
      "for i in 1 2 3 4 5 6 7 8; do echo $i >&2; sleep 0.1; done", Attendance(stall: 5))
    #expect(result.interference == nil)
    #expect(result.result.succeeded)
  }

  @Test func `it is asked to end first, and what does not is killed with all it started`() throws {
    let polite = try shell(
      "trap 'echo bye; exit' TERM; echo up; sleep 300 & wait", Attendance(stall: 0.3))
    #expect(String(decoding: polite.result.output, as: UTF8.self) == "up\nbye\n")
    let stubborn = try shell(
      "trap '' TERM; (trap '' TERM; echo $BASHPID; exec sleep 300) & echo $!; wait",
      Attendance(stall: 0.3))
    #expect(stubborn.interference == .stalled)
    #expect(stubborn.result.ending == .killed(signal: SIGKILL))
    let child = String(decoding: stubborn.result.output, as: UTF8.self).split(separator: "\n")
    let process = try #require(child.first { Int32($0) != nil })
    let end = ContinuousClock().now + .seconds(20)
    while try isRunning(String(process)), ContinuousClock().now < end { usleep(5000) }
    #expect(try !isRunning(String(process)))
  }

  @Test func `it has a session of its own and so no terminal`() throws {
    let result = try shell("ps -o sid= -p $$; echo $$; (: < /dev/tty) 2>&1", Attendance())
    let lines = String(decoding: result.result.output, as: UTF8.self).split(separator: "\n")
    #expect(lines[0].filter(\.isNumber) == lines[1])
    #expect(lines.count > 2)
  }

  @Test func `a program that is not there is that`() throws {
    #expect(throws: SubprocessError.self) {
      try Subprocess("/nonexistent/x", []).run(attended: Attendance())
    }
    let scratch = try Scratch()
    let nowhere = Subprocess("true", [], directory: scratch.at("nowhere"))
    #expect(throws: SubprocessError.self) { try nowhere.run(attended: Attendance()) }
  }
}
