import VersoSplitView

/// A master and a detail, as the split view of 2010 had them: beside each other in a wide window,
/// and in a tall one the master behind a button.
///
///     swift run MasterDetail
///
/// Every picture is text: P is the master, S the detail, and dots are a detail that is dimmed.
@main
struct Main {
  static func main() {
    let master = BasicPane("All the notes", shortTitle: "Notes")
    let detail = BasicPane("A letter")
    let split = SplitView(columns: [master, detail], configuration: .classic2010)
    let owner = ToolbarOwner()
    split.delegate = owner

    print("A wide window")
    split.resize(to: CellSize(width: 96, height: 5))
    draw(split, at: 0)

    print("Turned: the master is hidden, the detail gets a toolbar")
    split.resize(to: CellSize(width: 64, height: 7))
    draw(split, at: 0)

    print("The button is pressed; 0.3 seconds follow")
    owner.toolbar?.buttons[0].press(at: 1)
    for time in [1.1, 1.2, 1.3] {
      split.advance(to: time)
      draw(split, at: time)
    }

    print("A tap beside the master")
    split.dismissOverlay(at: 2)
    split.advance(to: 2.3)
    draw(split, at: 2.3)

    print("Turned back: the toolbar is gone, and its button does nothing any more")
    let button = owner.toolbar?.buttons[0]
    split.resize(to: CellSize(width: 96, height: 5))
    button?.press(at: 3)
    draw(split, at: 3)
  }

  private static func draw(_ split: SplitView, at time: Double) {
    let layout = split.layout(at: time)
    var rows = layout.drawn(titles: [
      .primary: split.primary.title, .secondary: split.secondary.title,
    ])
    if let toolbar = split.toolbar, split.isPrimaryHidden {
      rows[0] = toolbar.drawn(width: layout.size.width)
    }
    print(rows.map { "  " + $0 }.joined(separator: "\n"), terminator: "\n\n")
  }
}

/// Owns the toolbar: neither the master nor the detail knows of it.
final class ToolbarOwner: SplitViewDelegate {
  private(set) var toolbar: SplitToolbar?

  func splitView(
    _ split: SplitView, willHide pane: any Pane, button: SidebarButton, presenter: SplitPresenter
  ) {
    if toolbar == nil {
      button.title = "Show Master"
      toolbar = SplitToolbar([button])
    }
    split.toolbar = toolbar
  }

  func splitView(_ split: SplitView, willShow pane: any Pane, invalidating button: SidebarButton) {
    split.toolbar = nil
  }
}
