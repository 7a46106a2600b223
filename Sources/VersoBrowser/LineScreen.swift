import CLinux
import Glibc
import VersoModel

/// What there is to be read at a terminal that only takes lines.
package struct LineView: Hashable, Sendable {
  /// The pane that is to be seen; rows that can be chosen begin with their numbers.
  package var rows: [String] = []
  /// What the next line is asked for.
  package var question = "> "

  package init() {}
}

/// A terminal whose cursor cannot be placed (`TERM=dumb`): what happens is appended as lines, and a
/// person types lines.
///
/// What a line leads to is printed once nothing is left to do; what others do to the vault is told in
/// a sentence, and never interrupts with a list that nobody asked for.
package final class LineScreen: Screen {
  package let size: CellSize
  package let waker: ScreenWaker
  package var theme = Theme.dark
  package var tracksMouse = false
  package let isUTF8: Bool
  /// What there is to be read.
  package var view: () -> LineView = { LineView() }
  /// The sentences that were not printed yet.
  package var announcements: () -> [String] = { [] }
  /// Whether nothing is left to do.
  package var isIdle: () -> Bool = { true }

  /// What is put before each row, in columns.
  package static let numberWidth = 5

  private let input: Int32
  private let output: Int32
  private let pipe: WakePipe
  private var bytes: [UInt8] = []
  private var isAtEnd = false
  private var ending: ScreenEvent.Ending?
  /// Until when the answer to a line is waited for; `nil` where nothing is to be printed.
  private var answerEnd: Double? = 0
  private var hasQuestion = false

  /// How long nothing is printed while something is left to do, in seconds.
  private static let patience = 3.0

  /// - Parameter environment: Looks a variable up: `LC_ALL` and the like, `COLUMNS`, `LINES`.
  package init(
    input: Int32 = STDIN_FILENO, output: Int32 = STDOUT_FILENO, environment: (String) -> String?
  ) throws(ScreenError) {
    guard isatty(input) == 1, isatty(output) == 1 else { throw .notTerminal }
    (self.input, self.output) = (input, output)
    pipe = try WakePipe()
    waker = ScreenWaker { [pipe] in pipe.wake() }
    isUTF8 = CursesScreen.isUTF8(environment)
    let window = verso_window_size(output)
    let columns = Int(window >> 16 & 0xFFFF)
    let rows = Int(window & 0xFFFF)
    // A terminal that does not say is taken for one of a usual size.
    size = CellSize(
      width: (columns >= 25 ? min(columns, 400) : 80) - Self.numberWidth,
      height: rows >= 10 ? min(rows, 200) : 24)
    let caught = verso_catch_signals(pipe.writer)
    guard caught == 0 else { throw .system("catch signals", -caught) }
    answerEnd = BrowserClock.monotonic + Self.patience
  }

  package func present(_ frame: Frame) {}

  package func nextEvent(within timeout: Duration?) -> ScreenEvent? {
    if let ending { return .ended(ending) }
    if let event = nextInput() { return event }
    var milliseconds: Int32 = -1
    if let timeout {
      let (seconds, attoseconds) = timeout.components
      milliseconds = Int32(clamping: seconds * 1000 + attoseconds / 1_000_000_000_000_000)
      if milliseconds == 0, timeout > .zero { milliseconds = 1 }
    }
    if milliseconds != 0 {
      answer(&milliseconds)
      if let event = nextInput() { return event }
    }
    return wait(milliseconds)
  }

  /// What was typed and not taken: it is meant for what the line before it leads to.
  private func nextInput() -> ScreenEvent? {
    guard answerEnd == nil else { return nil }
    if let line = takeLine() { return .line(line) }
    if isAtEnd { ending = .closed }
    return ending.map { .ended($0) }
  }

  /// Prints what the last line led to, or what happened since.
  private func answer(_ milliseconds: inout Int32) {
    guard let end = answerEnd else { return announce() }
    guard isIdle() || BrowserClock.monotonic > end else {
      milliseconds = milliseconds < 0 ? 20 : min(milliseconds, 20)
      return
    }
    answerEnd = nil
    let view = view()
    var text = view.rows.map { $0 + "\n" }.joined()
    for sentence in announcements() { text += sentence + "\n" }
    send(text + view.question)
    hasQuestion = true
  }

  private func announce() {
    let news = announcements()
    if news.isEmpty { return }
    let start = hasQuestion ? "\n" : ""
    send(start + news.map { $0 + "\n" }.joined() + view().question)
  }

  private func wait(_ milliseconds: Int32) -> ScreenEvent? {
    // An input at its end would end every wait.
    var waits = [
      pollfd(fd: isAtEnd ? -1 : input, events: Int16(POLLIN), revents: 0),
      pollfd(fd: pipe.reader, events: Int16(POLLIN), revents: 0),
    ]
    guard poll(&waits, nfds_t(waits.count), milliseconds) > 0 else { return nil }
    if waits[1].revents != 0 {
      if let signal = pipe.drain().first(where: { $0 != 0 }) {
        ending = .signal(Int32(signal))
        return .ended(.signal(Int32(signal)))
      }
      return .woken
    }
    var room = [UInt8](repeating: 0, count: 4096)
    let count = read(input, &room, room.count)
    if count > 0 {
      bytes += room[..<count]
      return nil
    }
    if count < 0, errno == EINTR || errno == EAGAIN { return nil }
    isAtEnd = true
    // A last line has no end.
    if !bytes.isEmpty { bytes.append(0x0A) }
    return nil
  }

  private func takeLine() -> String? {
    guard let end = bytes.firstIndex(of: 0x0A) else { return nil }
    var line = bytes[..<end]
    if line.last == 0x0D { line.removeLast() }
    let text = String(decoding: line, as: UTF8.self)
    bytes.removeSubrange(...end)
    hasQuestion = false
    answerEnd = BrowserClock.monotonic + Self.patience
    return text
  }

  private func send(_ text: String) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(output, $0.baseAddress, $0.count) }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if errno == EAGAIN {
        // Someone made the stream non-blocking; terminals share that with other processes.
        var poller = pollfd(fd: output, events: Int16(POLLOUT), revents: 0)
        poll(&poller, 1, -1)
      } else if errno != EINTR {
        return ending = .closed
      }
    }
  }

  package func suspend<R>(while body: () throws -> R) rethrows -> R {
    defer { answerEnd = BrowserClock.monotonic + Self.patience }
    return try body()
  }

  package func stop() {
    raise(SIGSTOP)
    redraw()
  }

  package func redraw() { answerEnd = BrowserClock.monotonic + Self.patience }

  // A bell and a clipboard are sequences that such a terminal would print.
  package func bell() {}
  package func copy(_ bytes: [UInt8]) {}

  package func close() {
    if hasQuestion { send("\n") }
    hasQuestion = false
    if ending == nil { ending = .closed }
  }
}
