import CLinux
import Glibc
import VersoModel

/// The screen of the terminal that this process runs in.
///
/// It takes the whole terminal: raw mode, the alternate screen, mouse, focus and paste reports. All is
/// put back by ``close()``, when this object goes, before the process stops, and by a signal of a
/// programming error.
package final class CursesScreen: Screen {
  package private(set) var size: CellSize
  package let waker: ScreenWaker
  package var theme: Theme { didSet { remakeEncoder() } }
  package var tracksMouse: Bool { didSet { if tracksMouse != oldValue { writeModes() } } }
  /// How many colours are used.
  package let depth: ColorDepth
  /// Whether the terminal takes UTF-8; without, an ellipsis is `~`.
  package let isUTF8: Bool

  private let kind: TerminalKind
  private let input: Int32
  private let output: Int32
  private let pipe: WakePipe
  private var decoder: InputDecoder
  private var difference: FrameDifference
  private var queue = EventQueue()
  /// What the terminal shows; `nil` where that is not known.
  private var shown: CellGrid?
  private var cursor: CellPoint?
  private var isHeld = false
  private var ending: ScreenEvent.Ending?

  /// What a screen is made with.
  package struct Options: Sendable {
    package var theme: Theme
    /// `--color`: always, never, or `nil` to decide by environment and terminal.
    package var color: Bool?
    package var tracksMouse: Bool

    package init(theme: Theme = .dark, color: Bool? = nil, tracksMouse: Bool = true) {
      (self.theme, self.color, self.tracksMouse) = (theme, color, tracksMouse)
    }
  }

  /// Takes the terminal.
  ///
  /// - Parameters:
  ///   - input: Where keys come from.
  ///   - output: The same terminal, to be drawn on.
  ///   - environment: Looks a variable up: `TERM`, `COLORTERM`, `NO_COLOR`, `LC_ALL` and the like.
  package init(
    _ options: Options = .init(), input: Int32 = STDIN_FILENO, output: Int32 = STDOUT_FILENO,
    environment: (String) -> String?
  ) throws(ScreenError) {
    guard isatty(input) == 1, isatty(output) == 1 else { throw .notTerminal }
    let name = environment("TERM") ?? ""
    do throws(TerminalKind.Problem) {
      kind = try TerminalKind(name: name, descriptor: output)
    } catch .dumb {
      throw .dumbTerminal(name)
    } catch {
      throw .unknownTerminal(name)
    }
    (self.input, self.output) = (input, output)
    pipe = try WakePipe()
    depth = ColorDepth(allowed: options.color, terminal: kind.colors, environment: environment)
    isUTF8 = Self.isUTF8(environment)
    (theme, tracksMouse) = (options.theme, options.tracksMouse)
    waker = ScreenWaker { [pipe] in pipe.wake() }
    decoder = InputDecoder(known: kind.keys)
    difference = FrameDifference(
      kind: kind, encoder: LookEncoder(theme: options.theme, depth: depth, marks: kind.marks),
      isUTF8: isUTF8)
    size = Self.size(of: output, kind)
    try hold()
  }

  deinit { close() }

  package func close() {
    if isHeld { verso_terminal_release() }
    isHeld = false
    if ending == nil { ending = .closed }
  }

  // MARK: The terminal's state

  private func hold() throws(ScreenError) {
    let leave = TerminalModes.leave(kind)
    let result = verso_terminal_hold(input, output, leave, leave.count, pipe.writer)
    guard result == 0 else {
      throw result == -EBUSY ? .taken : .system("take the terminal", -result)
    }
    isHeld = true
    shown = nil
    cursor = nil
    send(TerminalModes.enter(kind, mouse: tracksMouse))
  }

  private func writeModes() {
    if isHeld { send(TerminalModes.mouse(tracksMouse)) }
  }

  private func remakeEncoder() {
    difference.encoder = LookEncoder(theme: theme, depth: depth, marks: kind.marks)
    shown = nil
  }

  package func suspend<R>(while body: () throws -> R) rethrows -> R {
    guard isHeld else { return try body() }
    verso_terminal_release()
    isHeld = false
    defer { resume() }
    return try body()
  }

  private func resume() {
    do {
      try hold()
      // Half a sequence from before has no other half any more.
      decoder = InputDecoder(known: kind.keys)
      noteSize()
    } catch {
      ending = .closed
    }
  }

  package func stop() {
    suspend { _ = verso_terminal_stop() }
    // The signal that let this process go on was caught by nobody.
    queue.append(.continued)
  }

  package func redraw() { shown = nil }
  package func bell() { send(kind["bel"].isEmpty ? [0x07] : kind["bel"]) }

  package func copy(_ bytes: [UInt8]) {
    send(Array("\u{1B}]52;c;".utf8) + Base64.encode(bytes) + [0x07])
  }

  /// Writes all, or finds that the terminal is gone.
  private func send(_ bytes: [UInt8]) {
    guard ending == nil, !bytes.isEmpty else { return }
    var done = 0
    while done < bytes.count {
      let count = bytes.withUnsafeBytes {
        write(output, $0.baseAddress.map { $0 + done }, $0.count - done)
      }
      if count >= 0 {
        done += count
      } else if errno == EAGAIN {
        // Someone made the stream non-blocking; terminals share that with other processes.
        var poller = pollfd(fd: output, events: Int16(POLLOUT), revents: 0)
        poll(&poller, 1, -1)
      } else if errno != EINTR {
        ending = .closed
        return
      }
    }
  }

  // MARK: Drawing

  package func present(_ frame: Frame) {
    guard isHeld else { return }
    var grid = frame.grid
    if grid.size != size {
      grid = CellGrid(size)
      grid.place(frame.grid, x: 0, y: 0)
    }
    let place = frame.cursor.flatMap { CellRect(size).contains($0) ? $0 : nil }
    guard grid != shown || place != cursor else { return }
    // The cursor would be seen to run about.
    var bytes = grid != shown && cursor != nil || shown == nil ? kind["civis"] : []
    if shown == nil { bytes += kind["sgr0"] + kind["clear"] }
    bytes += difference.bytes(from: shown ?? CellGrid(size), to: grid)
    if let place {
      kind.appendPlace(x: place.x, y: place.y, to: &bytes)
      bytes += kind["cnorm"]
    } else if cursor != nil {
      bytes += kind["civis"]
    }
    (shown, cursor) = (grid, place)
    send(bytes)
  }

  // MARK: Events

  package func nextEvent(within timeout: Duration?) -> ScreenEvent? {
    let end = timeout.map { Self.now + $0 }
    while true {
      if let event = queue.popFirst() { return event }
      if let ending { return .ended(ending) }
      let deadline = [end, decoder.deadline].compactMap { $0 }.min()
      waitForInput(until: deadline)
      queue.append(contentsOf: decoder.events(at: Self.now))
      if queue.isEmpty, ending == nil, let end, Self.now >= end { return nil }
    }
  }

  private func waitForInput(until deadline: Duration?) {
    var pollers = [
      pollfd(fd: input, events: Int16(POLLIN), revents: 0),
      pollfd(fd: pipe.reader, events: Int16(POLLIN), revents: 0),
    ]
    let ready = poll(&pollers, 2, Self.milliseconds(until: deadline))
    guard ready > 0 else { return }
    if pollers[1].revents != 0 { takeSignals() }
    if pollers[0].revents != 0 { takeInput() }
  }

  private func takeInput() {
    var bytes = [UInt8](repeating: 0, count: 65536)
    let count = read(input, &bytes, bytes.count)
    if count > 0 {
      queue.append(contentsOf: decoder.events(of: Array(bytes[..<count]), at: Self.now))
    } else if count == 0 || errno != EINTR && errno != EAGAIN {
      // End of file, or EIO: the other end of the terminal was closed.
      ending = ending ?? .closed
    }
  }

  private func takeSignals() {
    let signals = pipe.drain()
    func came(_ signal: Int32) -> Bool { signals.contains(UInt8(signal)) }
    for signal in [SIGTERM, SIGHUP, SIGINT] where came(signal) && ending == nil {
      ending = .signal(signal)
    }
    if came(SIGTSTP) { queue.append(.stopRequested) }
    if came(SIGCONT) {
      // Whoever had the terminal meanwhile may have changed its settings.
      suspend {}
      queue.append(.continued)
    } else if came(SIGWINCH) {
      noteSize()
    }
    if signals.contains(0) { queue.append(.woken) }
  }

  private func noteSize() {
    let now = Self.size(of: output, kind)
    guard now != size else { return }
    size = now
    shown = nil
    queue.append(.resized(now))
  }

  // MARK: Values

  private static var now: Duration {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }

  private static func milliseconds(until deadline: Duration?) -> Int32 {
    guard let deadline else { return -1 }
    let left = max(.zero, deadline - now)
    // Rounded up, or the last part of a millisecond would be waited for in a busy loop.
    let milliseconds = left / .milliseconds(1)
    return Int32(min(milliseconds.rounded(.up), 86_400_000))
  }

  private static func size(of output: Int32, _ kind: TerminalKind) -> CellSize {
    let found = verso_window_size(output)
    let size = CellSize(width: Int(found >> 16), height: Int(found & 0xFFFF))
    // Serial lines do not know theirs.
    if size.width > 0, size.height > 0 { return size }
    let entry = kind.size
    return CellSize(
      width: entry.width > 0 ? entry.width : 80, height: entry.height > 0 ? entry.height : 24)
  }

  /// Whether the locale's encoding is UTF-8; where no locale is set, nothing says otherwise.
  static func isUTF8(_ environment: (String) -> String?) -> Bool {
    let names = ["LC_ALL", "LC_CTYPE", "LANG"]
    guard let locale = names.compactMap({ environment($0) }).first(where: { $0 != "" }) else {
      return true
    }
    let encoding = locale.lowercased()
    return encoding.contains("utf-8") || encoding.contains("utf8")
  }
}
