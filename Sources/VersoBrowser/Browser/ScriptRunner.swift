import Glibc
import Verso
import VersoModel

/// Plays a script of keys and of changes on the disk to a browser that nobody looks at.
package final class ScriptRunner {
  /// Why a script ended early.
  package struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
    package let line: Int
    package let problem: String
    package var description: String { "line \(line): \(problem)" }
  }

  /// Other programs' edits are versions after so long.
  private static let settle = Duration.milliseconds(60)
  /// So long is waited for the browser to be idle, in seconds.
  private static let patience = 60.0
  /// So long is waited until everything on the disk is told and saved, in seconds.
  private static let restlessLimit = 6.0

  package let screen: RecordingScreen
  private let app: BrowserApp
  private let root: String
  private let saves: Bool
  private let isColored: Bool
  private let print: (String) -> Void
  private var logged = 0

  /// - Parameters:
  ///   - saves: Whether other programs' edits become versions.
  ///   - isColored: Whether frames are printed as a terminal shows them.
  ///   - print: Takes what the script asks to be printed.
  package init(
    root: String, size: CellSize, options: BrowserModel.Options, saves: Bool = true,
    isColored: Bool = false,
    environment: @escaping (String) -> String?, print: @escaping (String) -> Void
  ) {
    (self.root, self.saves, self.isColored) = (root, saves, isColored)
    self.print = print
    screen = RecordingScreen(size)
    app = BrowserApp(
      root: root, screen: screen, options: options, settle: saves ? Self.settle : nil,
      environment: environment)
    app.start()
  }

  /// The browser as it is now.
  package var model: BrowserModel { app.model }

  /// Plays all steps; whatever comes of it, call ``finish()``.
  package func play(_ script: Script) throws(Failure) {
    for entry in script.entries {
      do throws(Problem) { try play(entry.step) } catch {
        throw Failure(line: entry.line, problem: error.text)
      }
    }
  }

  /// Takes what has come until now.
  package func step() { app.step(within: .zero) }

  /// Ends the browser.
  package func finish() { app.finish() }

  private struct Problem: Error {
    let text: String
  }

  private func play(_ step: Script.Step) throws(Problem) {
    switch step {
    case .size(let size): send([.resized(size)])
    case .keys(let keys): for key in keys { send([.key(key)]) }
    case .type(let text): for character in text { send([.key(KeyEvent(.character(character)))]) }
    case .paste(let text): send([.paste(text)])
    case .click(let point, let button):
      send([.mouse(MouseEvent(.pressed(button), at: point))])
      send([.mouse(MouseEvent(.released(button), at: point))])
    case .drag(let start, let end):
      send([.mouse(MouseEvent(.pressed(.left), at: start))])
      send([.mouse(MouseEvent(.dragged(.left), at: end))])
      send([.mouse(MouseEvent(.released(.left), at: end))])
    case .wheel(let kind, let point): send([.mouse(MouseEvent(kind, at: point))])
    case .waitUntilIdle: try waitUntilIdle()
    case .wait(let time): wait(time)
    case .frame(let name): printFrame(name)
    case .log: printLog()
    case .expect(let text, let isThere): try expect(text, isThere)
    case .suspend: send([.stopRequested])
    case .end: send([.ended(.closed)])
    default: try change(step)
    }
  }

  private func send(_ events: [ScreenEvent]) {
    screen.add(events)
    app.step(within: .zero)
  }

  // MARK: Waiting

  /// Waits until nothing is left to do, what the watcher will see of the disk included.
  package func settle() -> Bool {
    let start = BrowserClock.monotonic
    let end = start + Self.patience
    while true {
      // What is never quiet, as somebody goes on writing or saving is held, is not waited for.
      let isOld = !saves || BrowserClock.monotonic > start + Self.restlessLimit
      let barrier = app.passBarrier()
      if app.model.hasSnapshot, barrier == .quiet || barrier == .restless && isOld { break }
      app.step(within: .zero)
      usleep(5_000)
      if BrowserClock.monotonic > end { return false }
    }
    while true {
      app.step(within: .zero)
      if app.isIdle, app.model.operations == 0 { break }
      usleep(500)
      if BrowserClock.monotonic > end { return false }
    }
    return true
  }

  private func waitUntilIdle() throws(Problem) {
    guard settle() else { throw Problem(text: "the browser was not idle within a minute") }
  }

  private func wait(_ time: Duration) {
    let (seconds, attoseconds) = time.components
    let end = BrowserClock.monotonic + Double(seconds) + Double(attoseconds) / 1e18
    while BrowserClock.monotonic < end {
      app.step(within: .zero)
      usleep(1_000)
    }
  }

  // MARK: Looking

  private func printFrame(_ name: String) {
    let width = screen.size.width
    let title = name.isEmpty ? "" : " \(name) "
    print("--\(title)" + String(repeating: "-", count: max(0, width - title.count - 2)) + "\n")
    print(text)
  }

  /// The last frame, as it is printed.
  var text: String {
    guard isColored, let frame = screen.frame else { return screen.text }
    return FrameText.colored(frame, theme: screen.theme, depth: .full)
  }

  private func printLog() {
    for line in app.model.gotoLog.dropFirst(logged) { print("goto \(line)\n") }
    logged = app.model.gotoLog.count
  }

  private func expect(_ text: String, _ isThere: Bool) throws(Problem) {
    let rows = screen.frame.map { FrameText.rows(of: $0.grid) } ?? []
    guard rows.contains(where: { $0.contains(text) }) != isThere else { return }
    printFrame("as it was")
    throw Problem(text: isThere ? "no row has “\(text)”" : "a row has “\(text)”")
  }

  // MARK: The disk, as another program changes it

  private func change(_ step: Script.Step) throws(Problem) {
    let problem: String? =
      switch step {
      case .write(let path, let text):
        shell("mkdir -p \"$(dirname \"$1\")\" && printf %s \(Self.quoted(text)) > \"$1\"", path)
      case .append(let path, let text): shell("printf %s \(Self.quoted(text)) >> \"$1\"", path)
      case .makeFolder(let path): shell("mkdir -p \"$1\"", path)
      case .touch(let path): shell("touch \"$1\"", path)
      case .remove(let path): shell("rm -r \"$1\"", path)
      case .move(let old, let new): shell("mv \"$1\" \(Self.quoted(new))", old)
      default: nil
      }
    if let problem { throw Problem(text: problem) }
  }

  private func shell(_ command: String, _ path: String) -> String? {
    Program.run(command, argument: Array(path.utf8), in: root)
  }

  private static func quoted(_ text: String) -> String {
    "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
      + "'"
  }
}
