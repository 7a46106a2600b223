/// What is to be seen: cells, and where the terminal's own cursor stands.
package struct Frame: Hashable, Sendable {
  package var grid: CellGrid
  /// Hidden where `nil`; screen readers follow it.
  package var cursor: CellPoint?

  package init(_ grid: CellGrid, cursor: CellPoint? = nil) {
    (self.grid, self.cursor) = (grid, cursor)
  }
}

/// Something that happened at the terminal.
package enum ScreenEvent: Hashable, Sendable {
  case key(KeyEvent)
  case mouse(MouseEvent)
  /// A line that was typed at a terminal that takes nothing else.
  case line(String)
  /// Text that was pasted, in one piece, with line feeds as line ends; not made safe.
  case paste(String)
  /// The screen has another size now.
  case resized(CellSize)
  /// The terminal's window got the focus, or lost it.
  case focused(Bool)
  /// Somebody called ``ScreenWaker/wake()``.
  case woken
  /// This process was asked to stop for a while (SIGTSTP): ``Screen/stop()``.
  case stopRequested
  /// This process goes on after a stop that it knew nothing of; the screen draws itself anew.
  case continued
  /// Nothing will come any more.
  case ended(Ending)

  package enum Ending: Hashable, Sendable {
    /// The terminal is gone.
    case closed
    /// SIGTERM, SIGHUP or SIGINT came.
    case signal(Int32)
  }
}

/// Wakes a screen that waits, from any thread.
package struct ScreenWaker: Sendable {
  private let action: @Sendable () -> Void

  package init(_ action: @escaping @Sendable () -> Void) { self.action = action }

  /// Makes ``Screen/nextEvent(within:)`` return ``ScreenEvent/woken``; several calls may become one.
  package func wake() { action() }
}

/// A rectangle of cells that somebody looks at, with keys and perhaps a mouse.
///
/// A screen belongs to one thread; only its waker is for others.
package protocol Screen: AnyObject {
  var size: CellSize { get }
  var waker: ScreenWaker { get }
  /// How styles look from the next frame on.
  var theme: Theme { get set }
  /// Whether programs at the terminal may be told of the mouse.
  var tracksMouse: Bool { get set }

  /// Shows a frame; only what differs from the last one is drawn.
  ///
  /// A frame of another size than the screen's, as it may be while a window is resized, is cut or
  /// filled up with blanks.
  func present(_ frame: Frame)
  /// Waits for what happens next.
  ///
  /// - Parameter timeout: How long to wait; `nil` for ever, zero not at all.
  /// - Returns: `nil` when the time is over.
  func nextEvent(within timeout: Duration?) -> ScreenEvent?
  /// Lets another program have the terminal, and draws all anew afterwards.
  func suspend<R>(while body: () throws -> R) rethrows -> R
  /// Stops this process as Ctrl-Z does, with the terminal given back meanwhile; returns when it goes
  /// on.
  func stop()
  /// Makes the next frame be drawn as a whole: something else may have written to the terminal.
  func redraw()
  func bell()
  /// Gives bytes to the terminal's clipboard (OSC 52), where it allows that.
  func copy(_ bytes: [UInt8])
  /// Leaves the terminal as it was found; further calls do nothing.
  func close()
}
