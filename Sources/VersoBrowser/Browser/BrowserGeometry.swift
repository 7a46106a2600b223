import VersoModel
import VersoSplitView

/// Where the parts of the browser's screen are, in cells of the whole screen.
struct BrowserGeometry {
  /// Panes of at least so many rows have their titles on a row of their own.
  static let roomForTitles = 10

  let size: CellSize
  let layout: Layout
  private let sayingRows: Int
  private let isAccessible: Bool
  private let hasBanner: Bool
  private let hasHistory: Bool
  private let showsVersion: Bool

  init(_ model: BrowserModel, layout: Layout? = nil) {
    size = model.size
    sayingRows = model.sayingRows
    isAccessible = model.options.isAccessible
    self.layout = layout ?? model.layout
    hasBanner = model.note?.isConflicted ?? false
    hasHistory = model.history != nil
    showsVersion = model.history?.showsVersion ?? false
  }

  /// All rows but those of title, status and what is told.
  var body: CellRect {
    CellRect(x: 0, y: 1, width: size.width, height: size.height - 2 - sayingRows)
  }

  /// The rows that tell what happened, above the status; empty unless they are asked for.
  var sayings: CellRect {
    CellRect(x: 0, y: body.y + body.height, width: size.width, height: sayingRows)
  }

  var hasTitleRows: Bool { body.height >= Self.roomForTitles }

  /// Whether the detail has a row with the button that shows the sidebar.
  var hasToolbar: Bool { layout.showsSidebarButton && layout.isRegular }

  /// All of a pane; empty where it does not exist.
  func pane(_ column: Column) -> CellRect {
    guard let frame = layout[column]?.frame else {
      return CellRect(x: 0, y: 0, width: 0, height: 0)
    }
    return CellRect(x: frame.x, y: frame.y + 1, width: frame.width, height: frame.height)
  }

  /// A pane's row of buttons; empty where there is none.
  func toolbar(_ column: Column) -> CellRect {
    let pane = pane(column)
    let rows = column == .secondary && hasToolbar ? 1 : 0
    return CellRect(x: pane.x, y: pane.y, width: pane.width, height: rows)
  }

  /// A pane's title; empty where it has no row of its own.
  func title(_ column: Column) -> CellRect {
    let pane = pane(column)
    let above = toolbar(column).height
    return CellRect(x: pane.x, y: pane.y + above, width: pane.width, height: hasTitleRows ? 1 : 0)
  }

  /// The banner of a conflict, above the note.
  func banner(_ column: Column) -> CellRect {
    let title = title(column)
    let rows = column == .secondary && hasBanner && !hasHistory ? 1 : 0
    return CellRect(x: title.x, y: title.y + title.height, width: title.width, height: rows)
  }

  /// What is left of a pane for its content, with a margin beside text.
  func content(_ column: Column) -> CellRect {
    let pane = pane(column)
    let banner = banner(column)
    let top = banner.y + banner.height
    let margin = column == .secondary && pane.width > 4 ? 1 : 0
    return CellRect(
      x: pane.x + margin, y: top, width: pane.width - 2 * margin,
      height: pane.y + pane.height - top)
  }

  // MARK: History

  /// Whether timeline and version take turns in one pane.
  private var isShared: Bool { layout.isCollapsed }

  private var hostOfTimeline: Column {
    if let top = layout.top { return top }
    return layout.shows(.supplementary) ? .supplementary : .secondary
  }

  /// The rows of the timeline; empty while the version has its place.
  var timeline: CellRect {
    var rect = content(hostOfTimeline)
    guard hasHistory else { return rect }
    if isShared { return showsVersion ? Self.empty(rect) : rect }
    if hostOfTimeline == .secondary { rect.height = max(1, rect.height / 3) }
    return rect
  }

  /// The rows of the version that is looked at.
  var version: CellRect {
    var rect = content(layout.top ?? .secondary)
    if isShared { return showsVersion ? rect : Self.empty(rect) }
    if hostOfTimeline == .secondary {
      let above = timeline.height + 1
      rect.y += above
      rect.height = max(0, rect.height - above)
    }
    return rect
  }

  private static func empty(_ rect: CellRect) -> CellRect {
    CellRect(x: rect.x, y: rect.y, width: rect.width, height: 0)
  }

  // MARK: Overlays

  /// Two texts beside each other: all of the body but the row of their titles.
  var comparison: CellRect {
    CellRect(x: body.x, y: body.y + 1, width: body.width, height: max(0, body.height - 1))
  }

  /// A box in the middle, for help and for lists to choose from.
  var overlay: CellRect {
    // One thing at a time, where it is read line by line.
    if isAccessible { return body }
    let width = min(size.width, max(40, size.width * 4 / 5), 100)
    let height = max(3, min(size.height - 2, max(10, size.height * 4 / 5)))
    return CellRect(
      x: (size.width - width) / 2, y: max(0, (size.height - height) / 2), width: width,
      height: height)
  }

  /// Rows of a list to choose from: all of the box but its frame, its title and its line.
  var pickerRows: Int { max(0, overlay.height - 4) }
}
