/// A screen that nobody looks at: it keeps its frames, and its events are given in advance.
package final class RecordingScreen: Screen {
  package private(set) var size: CellSize
  package let waker = ScreenWaker {}
  package var theme = Theme.dark
  package var tracksMouse = true
  /// The frames that differ from the one before, in order.
  package private(set) var frames: [Frame] = []
  /// Everything else that was asked of the screen, in order: `bell`, `copy` and so on.
  package private(set) var calls: [String] = []
  package private(set) var isClosed = false
  private var events: [ScreenEvent]
  private var next = 0

  /// - Parameter events: What ``nextEvent(within:)`` returns one by one; afterwards the screen's time
  ///   limit is over at once, or, without one, it is at its end.
  package init(_ size: CellSize, events: [ScreenEvent] = []) {
    (self.size, self.events) = (size, events)
  }

  /// Adds events behind those that are waiting.
  package func add(_ events: [ScreenEvent]) { self.events += events }

  /// Whether all events were taken.
  package var isIdle: Bool { next == events.count }

  /// What is to be seen now; `nil` before the first frame.
  package var frame: Frame? { frames.last }
  /// The last frame as text.
  package var text: String { frames.last.map { FrameText.plain($0) } ?? "" }

  package func present(_ frame: Frame) {
    if frame != frames.last { frames.append(frame) }
  }

  package func nextEvent(within timeout: Duration?) -> ScreenEvent? {
    guard next < events.count else { return timeout == nil ? .ended(.closed) : nil }
    defer { next += 1 }
    if case .resized(let size) = events[next] { self.size = size }
    return events[next]
  }

  package func suspend<R>(while body: () throws -> R) rethrows -> R {
    calls.append("suspend")
    defer { calls.append("resume") }
    return try body()
  }

  package func stop() { calls.append("stop") }
  package func redraw() { calls.append("redraw") }
  package func bell() { calls.append("bell") }
  package func copy(_ bytes: [UInt8]) {
    calls.append("copy \(String(decoding: bytes, as: UTF8.self))")
  }
  package func close() { isClosed = true }
}
