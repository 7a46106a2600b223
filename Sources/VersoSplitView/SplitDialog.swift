/// A pane in a window of its own, in front of everything.
///
/// A split view is the root of a window, or stands in the secondary of another one; a dialog it
/// cannot be.
public struct SplitDialog {
  public let content: any Pane

  /// - Throws: ``SplitError/Code/splitInDialog`` for a split view, also in a navigation stack.
  public init(_ content: any Pane) throws(SplitError) {
    guard !Self.holdsSplit(content) else {
      throw SplitError(
        .splitInDialog,
        "a split view cannot be presented as a dialog; show it in the secondary column instead")
    }
    self.content = content
  }

  private static func holdsSplit(_ pane: any Pane) -> Bool {
    pane is SplitView || (pane as? NavigationStack)?.panes.contains(where: holdsSplit) ?? false
  }
}
