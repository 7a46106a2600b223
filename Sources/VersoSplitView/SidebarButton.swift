/// The button that calls up a hidden primary.
///
/// One object for the life of its split view: an app may keep it in a toolbar.
public final class SidebarButton {
  private weak var split: SplitView?
  private var ownTitle: String?
  /// Whether pressing does something: from the moment the primary is hidden until it is shown.
  public internal(set) var isValid = false
  /// What the button's other form, a toggle, would do.
  public internal(set) var toggle = SidebarToggle.hide

  init(of split: SplitView) { self.split = split }

  /// The primary's short title, unless another was set.
  public var title: String {
    get { ownTitle ?? split?.primary.shortTitle ?? "" }
    set { ownTitle = newValue }
  }

  /// The button as it is drawn.
  public var label: String { "[= \(title)]" }

  /// The toggle's title: what it would do.
  public var toggleTitle: String {
    let words = split?.words ?? SplitWords()
    return toggle == .show ? words.show : words.hide
  }

  /// The title of a button that hides a presented primary.
  public var closeTitle: String { (split?.words ?? SplitWords()).close }

  /// Presents the primary; without effect while the button is not valid.
  ///
  /// - Parameter time: The time now, in seconds of the clock that the split view is told.
  public func press(animated: Bool = true, at time: Double) {
    guard isValid else { return }
    split?.present(animated: animated, at: time)
  }
}
