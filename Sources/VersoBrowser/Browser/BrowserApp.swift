import Glibc
import Verso
package import VersoModel

/// The browser: a loop on one thread that owns the screen, and a worker beside it.
package final class BrowserApp {
  private let screen: any Screen
  private let worker: BrowserWorker
  private let mailbox: BrowserMailbox
  private let root: String
  package private(set) var model: BrowserModel
  private let environment: (String) -> String?
  private var isEnded = false

  /// Makes a browser of the vault at `root`.
  ///
  /// - Parameters:
  ///   - settle: How long nothing may happen to a note before other programs' edits become a version;
  ///     `nil` where none is to be made of them.
  ///   - environment: Looks a variable up: `VISUAL`, `EDITOR`.
  package init(
    root: String, screen: any Screen, options: BrowserModel.Options,
    settle: Duration? = .seconds(2), environment: @escaping (String) -> String?
  ) {
    self.screen = screen
    self.root = root
    self.environment = environment
    model = BrowserModel(screen.size, options: options)
    mailbox = BrowserMailbox(screen.waker)
    worker = BrowserWorker(root: root, mailbox: mailbox, settle: settle)
  }

  /// Shows the vault until somebody quits or the terminal is gone.
  ///
  /// - Returns: The notes whose unsaved text could be neither saved nor kept; empty where all is well.
  package func run() -> [RelativePath] {
    start()
    while !isEnded { step(within: nil) }
    finish()
    return model.lostTexts
  }

  /// Draws the first frame.
  func start() {
    screen.theme = model.options.theme
    screen.present(model.frame)
    carryOut(model.start())
    screen.present(model.frame)
  }

  /// Waits for something to happen, and takes it and everything behind it.
  ///
  /// - Parameter limit: How long to wait; `nil` for as long as it takes.
  func step(within limit: Duration?) {
    var timeout = limit
    if let pause = model.pause(at: BrowserClock.monotonic) {
      timeout = min(limit ?? .seconds(3600), .seconds(pause))
    }
    let event = screen.nextEvent(within: timeout)
    if let event { take(event) } else { tell(.tick) }
    // One frame for all that has come: keys are not drawn one by one when they come fast.
    while !isEnded, let event = screen.nextEvent(within: .zero) { take(event) }
    for message in mailbox.drain() { tell(message) }
    if !isEnded { screen.present(model.frame) }
  }

  private func take(_ event: ScreenEvent) {
    switch event {
    case .woken: break
    default: tell(.screen(event))
    }
    if case .ended = event { endNow() }
  }

  /// Gives the model a message, and does what it wants.
  func tell(_ message: BrowserMessage) {
    carryOut(model.update(message, at: BrowserClock.monotonic))
  }

  /// Whether nothing is left to do.
  var isIdle: Bool { worker.isIdle && model.isAtRest(at: BrowserClock.monotonic) }

  /// Has the watcher see what was done on the disk; for scripts.
  func passBarrier() -> Vault.Barrier {
    Blocking.wait { [worker] in await worker.passBarrier() } ?? .unanswered
  }

  // MARK: Effects

  private func carryOut(_ effects: [BrowserEffect]) {
    for effect in effects {
      switch effect {
      case .bell: screen.bell()
      case .copy(let bytes): screen.copy(bytes)
      case .redraw: screen.redraw()
      case .suspend: screen.stop()
      case .theme(let theme): screen.theme = theme
      case .edit(let path): edit(path)
      case .open(let path): open(path)
      case .quit: isEnded = true
      default: worker.begin(effect)
      }
    }
  }

  private func edit(_ path: RelativePath) {
    let editor = ["VISUAL", "EDITOR"].compactMap(environment).first { !$0.isEmpty } ?? "vi"
    let problem = screen.suspend {
      Program.run("\(editor) \"$1\"", argument: path.bytes, in: root)
    }
    tell(.returned(problem))
  }

  private func open(_ path: RelativePath) {
    let problem = Program.run(
      "xdg-open \"$1\" >/dev/null 2>&1 </dev/null &", argument: path.bytes, in: root)
    if let problem { tell(.returned(problem)) }
  }

  // MARK: Ending

  /// Somebody else may hold the vault for ten seconds while the text is saved, and again while it is kept
  /// as a draft because of that.
  private static let longestEnding = 25.0

  /// The terminal is gone, or a signal came: what was edited is saved, or kept as a draft.
  private func endNow() {
    let end = BrowserClock.monotonic + Self.longestEnding
    while !model.hasQuit, BrowserClock.monotonic < end {
      for message in mailbox.drain() { tell(message) }
      if model.hasQuit { break }
      usleep(2_000)
      if (model.pause(at: BrowserClock.monotonic) ?? 1) <= 0 { tell(.tick) }
    }
    isEnded = true
  }

  func finish() {
    screen.close()
    _ = Blocking.wait { [worker] in await worker.end() }
    // What ended last counts too; nothing that it would lead to is begun.
    for message in mailbox.drain() { _ = model.update(message, at: BrowserClock.monotonic) }
  }
}
