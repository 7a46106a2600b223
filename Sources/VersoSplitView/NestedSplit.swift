/// Three columns made of two split views: the inner one stands in the secondary of the root.
///
/// Folders, the files of a folder, and a file. While compact the root's primary stack holds what of
/// them there is; while regular it holds the folders alone, and the inner split view the rest. The
/// frames are those of the triple preset. A reference type, because both split views have identity.
public final class NestedSplit {
  /// The primary's share while it stands beside one other column.
  public static let largeFraction = 1.0 / 3
  /// The root's primary's share while the inner split view is there.
  public static let smallFraction = 0.25

  public let root: SplitView
  /// The root's primary; the folder list is always at its bottom.
  public let primaryStack: NavigationStack
  /// Makes an inner split view; its primary is to be a ``NavigationStack``.
  public var template: () -> SplitView?
  let folders: any Pane
  private let folderPlaceholder: () -> any Pane
  private let filePlaceholder: () -> any Pane

  /// - Parameters:
  ///   - folders: The list that is always there.
  ///   - folderPlaceholder: Makes what the secondary shows while no folder is selected.
  ///   - filePlaceholder: Makes what the secondary shows while no file is selected.
  public init(
    folders: any Pane, folderPlaceholder: @escaping () -> any Pane,
    filePlaceholder: @escaping () -> any Pane
  ) {
    self.folders = folders
    self.folderPlaceholder = folderPlaceholder
    self.filePlaceholder = filePlaceholder
    primaryStack = NavigationStack([folders])
    root = SplitView(
      columns: [primaryStack, folderPlaceholder()],
      configuration: SplitConfiguration(preset: .double, showsPrimaryInMedium: true))
    template = { Self.innerSplit(filePlaceholder()) }
  }

  /// The inner split view; `nil` while there is none.
  public var inner: SplitView? { root.nested }

  /// The inner split view's primary.
  public var innerStack: NavigationStack? { inner?.primary as? NavigationStack }

  /// Whether more than one column can be seen.
  public var isRegular: Bool { root.state.lastClass?.isRegular ?? false }

  /// The inner split view, made and shown in the root's secondary if there is none.
  ///
  /// - Returns: `nil`, and nothing changes, while not regular.
  public func installInnerSplit() -> SplitView? {
    guard isRegular else { return nil }
    if let inner { return inner }
    guard let split = template() else { return nil }
    split.delegate = root.delegate
    root.primaryFraction = Self.smallFraction
    root.perform(at: 0) { $0.setShowsPrimaryInMedium(false) }
    root.showDetail(split)
    return split
  }

  /// The split view in which details are shown now.
  ///
  /// While regular there must be an inner split view. That there is none is a programmer's mistake,
  /// which traps in a debug build; a release build falls back to the root.
  public func targetSplit() -> SplitView {
    guard isRegular else { return root }
    guard let inner = installInnerSplit() else {
      assertionFailure("a regular width needs an inner split view; the template made none")
      return root
    }
    return inner
  }

  /// Shows the files of a folder: in the place of other files, or pushed while compact.
  public func showFiles(_ files: any Pane) {
    guard isRegular else {
      primaryStack.pop(to: 1, animated: false)
      primaryStack.push(files, animated: true)
      return
    }
    let split = targetSplit()
    (split.primary as? NavigationStack)?.replace(with: [files])
    split.setDisplayMode(.oneBeside)
    split.primaryFraction = Self.largeFraction
    root.primaryFraction = Self.smallFraction
    split.showDetail(filePlaceholder())
  }

  /// Shows a file: in a navigation stack of its own, or pushed while compact.
  public func showFile(_ file: any Pane) {
    guard isRegular else {
      primaryStack.pop(to: 2, animated: false)
      primaryStack.push(file, animated: true)
      return
    }
    targetSplit().showDetail(NavigationStack([file]))
  }

  /// Shows that no file is selected, or no folder either. While compact lists take the place of
  /// placeholders.
  public func showNothing(keepsFolder: Bool) {
    guard isRegular else {
      primaryStack.pop(to: keepsFolder ? 2 : 1)
      return
    }
    if keepsFolder {
      targetSplit().showDetail(filePlaceholder())
    } else {
      removeInnerSplit()
    }
  }

  /// Gives the root other bounds, in cells; collapses to the primary stack, or expands it.
  public func resize(to size: CellSize) {
    let fits =
      size.width >= LayoutRequest.minimumWidth && size.height >= LayoutRequest.minimumHeight
    let next = WidthClass(width: size.width, breakpoints: root.state.configuration.breakpoints)
    let wasRegular = isRegular
    if fits, wasRegular, !next.isRegular { collapse() }
    root.resize(to: size)
    if fits, !wasRegular, next.isRegular { expand() }
  }

  private static func innerSplit(_ placeholder: any Pane) -> SplitView {
    var widths = SplitWidths()
    widths.primary = widths.supplementary
    return SplitView(
      columns: [NavigationStack(), placeholder],
      configuration: SplitConfiguration(preset: .double, widths: widths))
  }

  private func removeInnerSplit() {
    root.primaryFraction = Self.largeFraction
    root.perform(at: 0) { $0.setShowsPrimaryInMedium(true) }
    root.showDetail(folderPlaceholder())
    root.setDeepest(.primary)
  }

  /// Puts the folder list, the file list and a real file on the primary stack.
  private func collapse() {
    var stack: [any Pane] = [folders]
    if let inner, let innerStack {
      stack += innerStack.panes.prefix(1)
      let detail = inner.secondary
      if !detail.isPlaceholder { stack += (detail as? NavigationStack)?.panes ?? [detail] }
    }
    removeInnerSplit()
    primaryStack.replace(with: stack)
  }

  /// Gives the panes above the folder list to an inner split view.
  private func expand() {
    let stack = primaryStack.panes
    primaryStack.replace(with: [folders])
    guard stack.count > 1 else { return removeInnerSplit() }
    showFiles(stack[1])
    if stack.count > 2 { targetSplit().showDetail(NavigationStack(Array(stack.dropFirst(2)))) }
  }
}
