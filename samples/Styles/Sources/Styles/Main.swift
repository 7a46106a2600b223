import VersoSplitView

/// The three styles of a sidebar, side by side with what makes them different: a wide window, a
/// narrower one, and showing and hiding.
///
///     swift run Styles
///
/// Every picture is text: P and U are the two lists, S is the detail, and dots are a detail that is
/// dimmed. Small letters take no clicks yet.
@main
struct Main {
  static func main() {
    for style in SplitStyle.allCases { tour(style) }
  }

  private static func tour(_ style: SplitStyle) {
    print("\(name(of: style))\n")
    var state = SplitState(SplitConfiguration(style: style))
    _ = state.setDeepest(.secondary)
    _ = state.resize(to: CellSize(width: 90, height: 3))
    draw("at first, 90 cells", state.layout)

    let transition = state.toggleSidebar()
    let animation = transition.animation(at: 0)
    draw("the other way, after 0.1 seconds", animation.layout(at: 0.1))
    draw("after 0.3 seconds", animation.layout(at: 0.3))

    for width in [70, 50, 90] {
      _ = state.resize(to: CellSize(width: width, height: 3))
      draw("\(width) cells", state.layout)
    }
  }

  private static func name(of style: SplitStyle) -> String {
    switch style {
    case .normal: "Normal"
    case .sticky: "Sticky"
    case .drawer: "Drawer"
    }
  }

  private static func draw(_ title: String, _ layout: Layout) {
    print("  \(title): \(layout.mode.rawValue)")
    for row in layout.drawn() { print("    \(row)") }
    print()
  }
}
