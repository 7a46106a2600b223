import Glibc
import VersoModel

/// The one owner of standard output and standard error.
///
/// Standard output is buffered; standard error is not. What a command was asked to print goes through
/// `print` and `write`; what it has to say about its work through `say`, `note`, `warn` and
/// ``report(_:)``, which know about `--quiet`, `--verbose` and `--json`. When the reader of standard
/// output has gone, the rest is dropped without a word; ``isClosed`` tells a long listing to stop.
package final class Output {
  /// What the command line says about output.
  package struct Settings: Sendable {
    package var isQuiet = false
    package var isVerbose = false
    package var wantsJSON = false
    package var color = ColorChoice.auto

    package init(
      isQuiet: Bool = false, isVerbose: Bool = false, wantsJSON: Bool = false,
      color: ColorChoice = .auto
    ) {
      self.isQuiet = isQuiet
      self.isVerbose = isVerbose
      self.wantsJSON = wantsJSON
      self.color = color
    }

    /// The settings that an invocation asks for.
    package init(_ invocation: Invocation) {
      self.init(
        isQuiet: invocation.isQuiet, isVerbose: invocation.isVerbose,
        wantsJSON: invocation.wantsJSON, color: invocation.color)
    }
  }

  package let settings: Settings
  /// Whether standard output is a terminal, or a pager on one.
  package let isTerminal: Bool
  /// Whether standard error is a terminal.
  package let isErrorTerminal: Bool
  package let palette: Palette
  package let errorPalette: Palette
  let standardOutput: Int32
  let standardError: Int32
  private let environment: (String) -> String?
  private var buffer: [UInt8] = []
  /// The `errno` with which writing to standard output failed.
  private var failure: Int32?
  private var waitingPager: String?
  private var pager: Pager?
  private var progress: Progress?

  private static let capacity = 1 << 16

  /// Takes the two streams over.
  ///
  /// - Parameters:
  ///   - standardOutput: A descriptor that stays open.
  ///   - standardError: A descriptor that stays open.
  ///   - settings: What the command line says.
  ///   - environment: Looks a variable up.
  package init(
    standardOutput: Int32 = 1, standardError: Int32 = 2, settings: Settings,
    environment: @escaping (String) -> String?
  ) {
    self.standardOutput = standardOutput
    self.standardError = standardError
    self.settings = settings
    self.environment = environment
    isTerminal = isatty(standardOutput) == 1
    isErrorTerminal = isatty(standardError) == 1
    let color = settings.color
    palette = Palette(
      isColored: color.allowsColor(isTerminal: isTerminal, environment: environment))
    errorPalette = Palette(
      isColored: color.allowsColor(isTerminal: isErrorTerminal, environment: environment))
  }

  /// Columns of the terminal that standard output is; `nil` where it is none.
  package var columns: Int? { isTerminal ? Terminal.columns(standardOutput, environment) : nil }

  // MARK: What was asked for

  /// Prints a line, whatever `--quiet` says: it is what the command was asked for.
  package func print(_ line: Line) {
    write(line.rendered(palette, quotesPaths: !isTerminal) + "\n")
  }

  /// Writes text that is safe already, such as help.
  package func write(_ text: String) { write(Array(text.utf8)) }

  /// Writes exact bytes, on a terminal too.
  package func write(_ bytes: [UInt8]) {
    bytes.withUnsafeBufferPointer { write($0) }
  }

  /// Writes exact bytes, on a terminal too.
  package func write(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard !isClosed else { return }
    buffer.append(contentsOf: bytes)
    if buffer.count >= Self.capacity { flush() }
  }

  /// Writes the content of a note: exact bytes to a file or pipe, made safe on a terminal.
  ///
  /// - Parameter bytes: Whole lines, or all there is: half a character would show as invalid bytes.
  package func writeContent(_ bytes: [UInt8]) {
    write(isTerminal ? SafeText.safe(bytes, keeping: .text) : bytes)
  }

  /// Writes a name with a NUL after it, as it is: `-0`.
  package func writeNUL(_ name: [UInt8]) { write(name + [0]) }

  /// Prints an object on a line of its own, at once.
  package func print(_ object: JSONObject) {
    write(object.line)
    flush()
  }

  // MARK: What there is to say

  /// Prints a line on standard output, unless `--quiet` or `--json`.
  package func say(_ line: Line) {
    if !settings.isQuiet && !settings.wantsJSON { print(line) }
  }

  /// Prints a line on standard error, if `--verbose`.
  package func note(_ line: Line) {
    if settings.isVerbose && !settings.wantsJSON { writeError(line) }
  }

  /// Prints a line on standard error, unless `--quiet` or `--json`.
  package func warn(_ line: Line, hint: Line? = nil) {
    if settings.isQuiet || settings.wantsJSON { return }
    writeError("\("warning:", .warning) \(line)")
    if let hint { writeError("\("hint:", .hint) \(hint)") }
  }

  /// Prints a line on standard error, unless `--json`: what `--quiet` must not hide.
  package func alarm(_ line: Line, hint: Line) {
    if settings.wantsJSON { return }
    writeError("\("warning:", .warning) \(line)")
    writeError("\("hint:", .hint) \(hint)")
  }

  /// Prints a failure on standard error, always; with `--json` as an object.
  package func report(_ failure: CommandFailure) {
    if settings.wantsJSON {
      writeError(failure.object.line)
      return
    }
    writeError("\("verso:", .error) \(failure.message)")
    if let hint = failure.hint { writeError("\("hint:", .hint) \(hint)") }
  }

  /// Prints a question on standard error, and no line feed.
  func prompt(_ line: Line) {
    writeError(Array(line.rendered(errorPalette, quotesPaths: false).utf8))
  }

  /// Prints a line on standard error.
  private func writeError(_ line: Line) {
    writeError(Array((line.rendered(errorPalette, quotesPaths: false) + "\n").utf8))
  }

  private func writeError(_ bytes: [UInt8]) {
    progress?.clear()
    // Nothing is left to report a failing standard error to.
    _ = bytes.withUnsafeBytes { Terminal.writeAll($0, to: standardError) }
  }

  // MARK: Progress

  /// Starts a progress line, which shows only where someone sees it: on a terminal, and without
  /// `--quiet` and `--json`.
  ///
  /// - Parameters:
  ///   - title: What is being done: "Reading".
  ///   - unit: What is counted: "files".
  /// - Returns: The line, to be updated, and taken away with its `finish()`.
  package func startProgress(_ title: String, unit: String) -> Progress {
    let isShown = isErrorTerminal && !settings.isQuiet && !settings.wantsJSON && pager == nil
    let progress = Progress(
      title: title, unit: unit, descriptor: isShown ? standardError : nil,
      columns: Terminal.columns(standardError, environment))
    self.progress = progress
    return progress
  }

  // MARK: The pager

  /// Sends what is printed from here on through the pager that git would use, if standard output is a
  /// terminal, without `--quiet` and `--json`.
  ///
  /// It starts with the first output, so that an error before it is shown plainly.
  ///
  /// - Parameter configured: Looks `core.pager` up; called only where it matters.
  package func usePager(configured: () -> String?) {
    guard isTerminal, !settings.isQuiet, !settings.wantsJSON else { return }
    waitingPager = Pager.command(environment: environment, configured: configured)
  }

  private func startPager() {
    guard let command = waitingPager else { return }
    waitingPager = nil
    progress?.clear()
    do {
      pager = try Pager(
        command, output: standardOutput, error: isErrorTerminal ? standardError : nil,
        environment: environment)
    } catch {
      warn("cannot start the pager \(command): \(error.description)")
    }
  }

  // MARK: The end

  /// Whether standard output takes nothing more: its reader has gone, or it has failed.
  package var isClosed: Bool { failure != nil }

  /// Writes out what is buffered.
  package func flush() {
    guard !buffer.isEmpty, !isClosed else { return }
    startPager()
    if isTerminal { progress?.clear() }
    failure = buffer.withUnsafeBytes { Terminal.writeAll($0, to: standardOutput) }
    buffer.removeAll(keepingCapacity: true)
  }

  /// Writes everything out, waits for the pager, and checks that all has arrived.
  ///
  /// - Parameter code: The code that the command ended with.
  /// - Returns: That code; 1 where standard output failed and nothing worse had happened. A reader
  ///   that went away is no failure.
  package func finish(_ code: ExitCode) -> ExitCode {
    flush()
    if let pager, !pager.finish() {
      warn("the pager \(pager.command) could not be run", hint: "set PAGER to one, or to cat")
    }
    pager = nil
    progress?.finish()
    // Some file systems tell of a full disk only when a file is closed.
    let copy = dup(standardOutput)
    if copy >= 0, close(copy) != 0, failure == nil { failure = errno }
    guard let failure, failure != EPIPE else { return code }
    report(
      CommandFailure(
        .failed, "cannot write to standard output: \(SystemError(failure).description)"))
    return ExitCode.combined([code, .failed])
  }
}
