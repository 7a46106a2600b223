import CLinux
import Glibc
import VersoDisk

/// How to stand by while a program talks to another machine.
///
/// Beyond what ``Subprocess/run(input:)`` does: what it says is seen while it runs, it is ended when it
/// says nothing for too long, and it ends when this process does.
package struct Attendance: Sendable {
  /// Seconds until it must have said anything at all; `nil` for no limit.
  package var silence: Double?
  /// Seconds that it may then be quiet; `nil` for no limit.
  package var stall: Double?
  /// Seconds for all of it; `nil` for no limit.
  package var total: Double?
  /// Whether it may ask on the terminal; then Ctrl-C and Ctrl-Z reach it.
  package var mayAsk: Bool
  /// Called with what it wrote to its standard error, as it comes.
  package var onText: (@Sendable ([UInt8]) -> Void)?
  /// Asked ten times a second; true ends the program.
  package var isCancelled: (@Sendable () -> Bool)?

  package init(
    silence: Double? = nil, stall: Double? = nil, total: Double? = nil, mayAsk: Bool = false,
    onText: (@Sendable ([UInt8]) -> Void)? = nil, isCancelled: (@Sendable () -> Bool)? = nil
  ) {
    self.silence = silence
    self.stall = stall
    self.total = total
    self.mayAsk = mayAsk
    self.onText = onText
    self.isCancelled = isCancelled
  }

  /// Why a program was ended.
  package enum Interference: Hashable, Sendable {
    /// It never said anything.
    case silent
    /// It said nothing more.
    case stalled
    /// All of its time was over.
    case late
    case cancelled
    /// It wrote more than anybody can want.
    case flooding
  }

  /// What came of it.
  package struct Result: Sendable {
    package let result: Subprocess.Result
    /// Why it was ended; `nil` where it ended by itself.
    package let interference: Interference?
  }

  /// Whether a terminal is there to ask on, with this process in its foreground.
  package static var canAsk: Bool { Terminal() != nil }
}

extension Subprocess {
  /// What a program may write before it is taken for a flood.
  private static let outputLimit = 256 << 20

  /// Runs the program with nothing to read, and watches over it.
  ///
  /// - Throws: ``SubprocessError``, where the program is not there or cannot be started.
  package func run(attended attendance: Attendance) throws(SubprocessError) -> Attendance.Result {
    let nothing = try memoryFile()
    let output = try memoryFile()
    let error = try memoryFile()
    let terminal = attendance.mayAsk ? Terminal() : nil
    let process = try start { file, arguments, environment, directory in
      verso_spawn_apart(
        file, arguments, environment, directory, [nothing.number, output.number, error.number],
        terminal?.number ?? -1)
    }
    defer { terminal?.take(for: getpgrp()) }
    var watch = ProgramWatch(attendance, start: MonotonicTime.now())
    var interference: Attendance.Interference?
    while verso_wait_for_child(process, 100) == 0 {
      let text = try error.content(from: watch.seenText, for: program)
      let size = try output.size(for: program)
      watch.look(text: text, outputSize: size)
      if let terminal, verso_has_stopped(process) == 1 {
        terminal.stop(for: process)
        watch.touch()
      }
      interference = watch.verdict(limit: Self.outputLimit)
      if interference != nil { break }
    }
    if interference != nil { end(process) }
    let ending = try reap(process)
    watch.look(
      text: try error.content(from: watch.seenText, for: program),
      outputSize: try output.size(for: program))
    return Attendance.Result(
      result: Result(
        ending: ending, output: try output.content(for: program),
        errorOutput: try error.content(for: program)),
      interference: interference)
  }

  /// Ends a process and its group: asked first, so that git removes its locks and unfinished packs.
  private func end(_ process: Int32) {
    kill(-process, SIGTERM)
    kill(-process, SIGCONT)
    _ = verso_wait_for_child(process, 2000)
    // Not reaped yet, so that the group's number is nobody else's.
    kill(-process, SIGKILL)
  }
}

/// What is known of a running program's words.
private struct ProgramWatch {
  private let attendance: Attendance
  private let start: Double
  private var lastSign: Double
  private var outputSize = 0
  private(set) var seenText = 0

  init(_ attendance: Attendance, start: Double) {
    self.attendance = attendance
    self.start = start
    lastSign = start
  }

  mutating func touch() { lastSign = MonotonicTime.now() }

  mutating func look(text: [UInt8], outputSize size: Int) {
    if !text.isEmpty || size != outputSize { touch() }
    seenText += text.count
    outputSize = size
    if !text.isEmpty { attendance.onText?(text) }
  }

  func verdict(limit: Int) -> Attendance.Interference? {
    let now = MonotonicTime.now()
    if attendance.isCancelled?() == true { return .cancelled }
    if seenText + outputSize > limit { return .flooding }
    if let total = attendance.total, now - start > total { return .late }
    if seenText + outputSize == 0 {
      if let silence = attendance.silence, now - lastSign > silence { return .silent }
    } else if let stall = attendance.stall, now - lastSign > stall {
      return .stalled
    }
    return nil
  }
}

/// This process's terminal, where the process is in its foreground.
private final class Terminal {
  let number: Int32

  init?() {
    number = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
    guard number >= 0 else { return nil }
    guard tcgetpgrp(number) == getpgrp() else { return nil }
  }

  deinit { if number >= 0 { close(number) } }

  /// Puts a process group into the foreground.
  func take(for group: Int32) {
    // A terminal that was hung up meanwhile has no foreground: nothing to be done, nothing lost.
    _ = verso_take_terminal(number, group)
  }

  /// Stops this process as its child was stopped, and goes on with it.
  func stop(for process: Int32) {
    take(for: getpgrp())
    kill(0, SIGTSTP)
    take(for: process)
    kill(-process, SIGCONT)
  }
}
