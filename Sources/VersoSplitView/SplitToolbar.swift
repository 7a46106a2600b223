/// A row of buttons above the secondary.
///
/// A reference type, so that an app makes it once and sets it again whenever the primary is hidden.
public final class SplitToolbar {
  /// How high it is, in cells.
  public static let height = 1

  public var buttons: [SidebarButton]

  public init(_ buttons: [SidebarButton]) { self.buttons = buttons }

  /// The row as it is drawn, cut or filled to a width in cells.
  ///
  /// Titles are taken as one cell for each character.
  public func drawn(width: Int) -> String {
    let text = buttons.map(\.label).joined(separator: " ").prefix(max(width, 0))
    return text + String(repeating: " ", count: max(width - text.count, 0))
  }
}
