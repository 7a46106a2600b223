import Glibc
import Synchronization
import VersoModel

/// One line on standard error that says how far long work has come; removed at the end.
///
/// It may be updated from any thread, as often as wanted: it is drawn at most ten times a second.
package final class Progress: Sendable {
  private struct State {
    var drawn: ContinuousClock.Instant?
    var isOnScreen = false
    var isFinished = false
  }

  private let title: String
  private let unit: String
  private let descriptor: Int32?
  private let columns: Int
  private let state = Mutex(State())

  /// Makes a progress line; nothing is drawn before the first update.
  ///
  /// - Parameters:
  ///   - title: What is being done: "Reading".
  ///   - unit: What is counted: "files".
  ///   - descriptor: The terminal; `nil` to draw nothing at all.
  ///   - columns: The terminal's width; the line is cut to it.
  package init(title: String, unit: String, descriptor: Int32?, columns: Int) {
    self.title = title
    self.unit = unit
    self.descriptor = descriptor
    self.columns = columns
  }

  /// Says how many are done, of how many where that is known.
  package func update(_ count: Int, of total: Int? = nil) {
    update(count, of: total, now: .now)
  }

  package func update(_ count: Int, of total: Int?, now: ContinuousClock.Instant) {
    guard let descriptor else { return }
    state.withLock { state in
      if state.isFinished { return }
      if let drawn = state.drawn, now - drawn < .milliseconds(100), total != count { return }
      state.drawn = now
      state.isOnScreen = true
      // To the line's start, the text, and clear to the line's end (console_codes(4)).
      Self.write("\r\(text(count, total))\u{1B}[K", to: descriptor)
    }
  }

  private func text(_ count: Int, _ total: Int?) -> String {
    let done = NumberText.grouped(count)
    let counted = total.map { "\(done) of \(NumberText.grouped($0))" } ?? done
    // A line that fills the last column would wrap on some terminals.
    return TextWidth.truncated("\(title) \(counted) \(unit)", to: columns - 1)
  }

  /// Takes the line off the screen; the next update draws it again.
  package func clear() { state.withLock { clear(&$0) } }

  /// Takes the line off the screen for good.
  package func finish() {
    state.withLock { state in
      clear(&state)
      state.isFinished = true
    }
  }

  private func clear(_ state: inout State) {
    guard let descriptor, state.isOnScreen else { return }
    state.isOnScreen = false
    state.drawn = nil
    Self.write("\r\u{1B}[K", to: descriptor)
  }

  private static func write(_ text: String, to descriptor: Int32) {
    // A progress line that cannot be drawn is no reason to stop the work.
    _ = Array(text.utf8).withUnsafeBytes { Terminal.writeAll($0, to: descriptor) }
  }
}
