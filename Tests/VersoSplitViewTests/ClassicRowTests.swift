import Testing
import VersoSplitView
import VersoTestSupport

/// The split view of 2010: a master, a detail, and a button that calls the master up.
@Suite struct ClassicRowTests {
  @Test func `B26 the samples need this module alone`() throws {
    for name in ["MasterDetail", "Styles"] {
      let manifest = try repositoryText("samples/\(name)/Package.swift")
      let products = manifest.split(separator: "\n").filter { $0.contains(".product(name:") }
      #expect(products.count == 1 && products.allSatisfy { $0.contains("VersoSplitView") })
      let sources = try repositoryTexts("samples/\(name)/Sources")
      let imports = sources.flatMap { $0.split(separator: "\n") }
        .filter { $0.hasPrefix("import ") }
      #expect(
        !imports.isEmpty && Set(imports).isSubset(of: ["import VersoSplitView", "import Glibc"]))
    }
  }

  @Test func `D7 one import brings it, and no class of another name can be meant`() throws {
    for text in try repositoryTexts("Sources/VersoSplitView") {
      // A class that others may inherit from would be the base class that the seed warns of.
      #expect(!text.contains("open class"))
      for line in text.split(separator: "\n") where line.hasPrefix("public class") {
        Issue.record("\(line) could be inherited from inside")
      }
      let imports = text.split(separator: "\n").filter {
        $0.contains("import ") && !$0.contains("//")
      }
      #expect(imports.allSatisfy { !$0.contains("Verso") && !$0.contains("urses") }, "\(imports)")
      #expect(imports.isEmpty)
    }
  }

  @Test func `B1 a double split has exactly two columns`() async {
    await #expect(processExitsWith: .failure) { _ = SplitView(columns: []) }
    await #expect(processExitsWith: .failure) { _ = SplitView(columns: [BasicPane("a")]) }
    await #expect(processExitsWith: .failure) {
      _ = SplitView(columns: [BasicPane("a"), BasicPane("b"), BasicPane("c")])
    }
    await #expect(processExitsWith: .success) {
      _ = SplitView(columns: [BasicPane("a"), BasicPane("b")])
    }
  }

  @Test func `B2 the master is 320 of 1024 points, the detail takes the rest`() {
    let split = Desk(128, configuration: .classic2010).split
    #expect(split.layout.visibleWidths == [40, 87])
    #expect(split.layout.mode == .oneBeside)
  }

  @Test
  func `B3 in a tall window the detail has all, and a button brings the master`() {
    let desk = Desk(70)
    #expect(desk.split.layout.mode == .secondaryOnly)
    #expect(desk.split.layout[.secondary]?.frame.width == 70)
    desk.split.button.press(at: 0)
    #expect(desk.split.layout.mode == .oneOver)
    #expect(desk.split.layout[.primary]?.frame == CellFrame(x: 0, y: 0, width: 23, height: 22))
    #expect(desk.split.layout[.secondary]?.dim == 0.4)
  }

  @Test func `B4 the detail has the focus at first, and 36 cells at least`() {
    for width in 60...300 {
      for style in SplitStyle.allCases {
        for preset in ColumnPreset.allCases {
          let state = scene(width, preset: preset, style: style)
          #expect(state.focus == .secondary)
          for mode in DisplayMode.allCases {
            var asked = state
            _ = asked.setDisplayMode(mode)
            #expect(asked.layout[.secondary].map { $0.frame.width >= 36 } ?? false)
          }
        }
      }
    }
  }

  @Test func `B5 the first column is the master, the second the detail`() {
    let (master, detail) = (BasicPane("m"), BasicPane("d"))
    let split = SplitView(columns: [master, detail])
    #expect(split.primary === master && split.secondary === detail)
    #expect(split.supplementary == nil)
  }

  @Test func `B7 a split keeps its panes`() {
    weak var pane: BasicPane?
    var split: SplitView?
    do {
      let master = BasicPane("m")
      pane = master
      split = SplitView(columns: [master, BasicPane("d")])
    }
    #expect(pane != nil && split?.primary === pane)
    split = nil
    #expect(pane == nil)
  }

  @Test func `B8 any object may be the delegate, and is not kept`() {
    let split = SplitView(columns: [BasicPane("m"), BasicPane("d")])
    do {
      let recorder = Recorder()
      split.delegate = recorder
      #expect(split.delegate === recorder)
    }
    #expect(split.delegate == nil)
    split.resize(to: CellSize(width: 70, height: 22))
    #expect(split.isPrimaryHidden)
  }

  @Test(arguments: seeds(3))
  func `B9 a pane that needs more forces a smaller mode and is never cut`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<3000 {
      var request = LayoutRequest.random(using: &generator)
      for column in Column.allCases {
        request.minimums[column] = Int.random(in: 0...70, using: &generator)
      }
      let layout = Layout(request)
      guard layout.isRegular else { continue }
      for column in [Column.primary, .supplementary] where layout.shows(column) {
        let width = layout[column]?.frame.width ?? 0
        #expect(width >= request.minimums[column] ?? 0, "\(request)")
      }
      if layout.mode.sidebarCount > 0 {
        #expect(
          layout[.secondary].map { $0.frame.width >= request.minimums[.secondary] ?? 0 } ?? false
            || layout.mode.isOverlay, "\(request)")
      }
    }
    let desk = Desk(100)
    desk.master.minimumWidth = 64
    desk.resize(101)
    #expect(desk.split.layout.mode == .oneBeside && desk.split.layout.visibleWidths == [64, 36])
    desk.resize(100)
    #expect(desk.split.layout.mode == .secondaryOnly)
  }

  @Test func `B10 the delegate hears once of each real change and of no repetition`() {
    let desk = Desk(100)
    desk.split.hide(animated: false, at: 0)
    desk.split.hide(animated: false, at: 1)
    desk.split.show(animated: false, at: 2)
    desk.split.show(animated: false, at: 3)
    #expect(
      desk.recorder.heard == [
        "willHide Notes of mine", "didHide Notes of mine", "willShow Notes of mine",
        "didShow Notes of mine",
      ])
  }

  @Test func `B11 a third object may own the toolbar and hold the detail`() {
    /// Neither pane: it alone knows of the button.
    final class Owner: SplitViewDelegate {
      let toolbar = SplitToolbar([])
      let detail: any Pane
      init(_ detail: any Pane) { self.detail = detail }
      func splitView(
        _ split: SplitView, willHide pane: any Pane, button: SidebarButton,
        presenter: SplitPresenter
      ) {
        toolbar.buttons = [button]
        split.toolbar = toolbar
      }
      func splitView(
        _ split: SplitView, willShow pane: any Pane, invalidating button: SidebarButton
      ) {
        toolbar.buttons = []
        split.toolbar = nil
      }
    }
    let (master, detail) = (BasicPane("m"), BasicPane("d"))
    let split = SplitView(columns: [master, detail])
    let owner = Owner(detail)
    split.delegate = owner
    split.resize(to: CellSize(width: 100, height: 22))
    #expect(split.toolbar == nil)
    split.resize(to: CellSize(width: 70, height: 22))
    #expect(split.toolbar === owner.toolbar && owner.detail === split.secondary)
    owner.toolbar.buttons.first?.press(animated: false, at: 0)
    #expect(split.layout.mode == .oneOver)
    split.resize(to: CellSize(width: 100, height: 22))
    #expect(split.toolbar == nil && owner.toolbar.buttons.isEmpty)
    // What panes hold is words, sizes and their split view: no button and no delegate.
    let names = Set(Mirror(reflecting: master).children.compactMap(\.label))
    #expect(names.allSatisfy { !$0.lowercased().contains("button") && $0 != "delegate" })
  }

  @Test func `B12 the delegate is given the pane, a button and a presenter that work`() {
    let desk = Desk(100)
    desk.resize(70)
    #expect(desk.recorder.heard.contains("willHide Notes of mine"))
    #expect(desk.recorder.buttons.map(\.isValid) == [true])
    desk.recorder.presenters.first?.present(at: 0)
    #expect(desk.split.layout.mode == .oneOver)
    #expect(desk.recorder.presenters.first?.isPresented == true)
    desk.recorder.presenters.first?.dismiss(at: 1)
    #expect(desk.split.layout.mode == .secondaryOnly)
  }

  @Test func `B13 the button has the master's short title, or one of its own`() {
    let desk = Desk(70)
    #expect(desk.split.button.label == "[= Notes]")
    desk.split.button.title = "Show Master"
    #expect(desk.split.button.label == "[= Show Master]")
  }

  @Test func `B14 the toolbar is made once, on the first hide`() {
    let desk = Desk(100)
    var made: [SplitToolbar] = []
    desk.recorder.onHide = { [unowned desk] button in
      if made.isEmpty { made.append(SplitToolbar([button])) }
      desk.split.toolbar = made[0]
    }
    desk.recorder.onShow = { [unowned desk] _ in desk.split.toolbar = nil }
    for width in [70, 100, 70] { desk.resize(width) }
    #expect(made.count == 1 && desk.split.toolbar === made[0])
    #expect(desk.recorder.buttons.count == 2)
    #expect(desk.recorder.buttons.allSatisfy { $0 === made[0].buttons[0] })
  }

  @Test func `B15 the toolbar takes one row of the detail, in full width`() {
    let desk = Desk(70)
    desk.split.toolbar = SplitToolbar([desk.split.button])
    #expect(
      desk.split.contentFrame(of: .secondary) == CellFrame(x: 0, y: 1, width: 70, height: 21))
    #expect(
      desk.split.toolbar?.drawn(width: 70)
        == "[= Notes]" + String(repeating: " ", count: 61))
  }

  @Test func `B16 when the master is shown again the row comes back and the button is dead`() {
    let desk = Desk(70)
    desk.split.toolbar = SplitToolbar([desk.split.button])
    desk.recorder.onShow = { [unowned desk] _ in desk.split.toolbar = nil }
    let stale = desk.split.button
    desk.resize(100)
    #expect(desk.split.contentFrame(of: .secondary)?.height == 22)
    #expect(!stale.isValid)
    let before = desk.split.state
    desk.forget()
    stale.press(at: 1)
    #expect(desk.split.state == before && desk.events.isEmpty)
  }

  @Test func `B17 the delegate hears of a presentation once, before any frame changes`() {
    let desk = Desk(70)
    desk.split.button.press(at: 0)
    #expect(
      desk.recorder.heard.filter { $0.hasPrefix("willPresent") }
        == ["willPresent Notes of mine, primary hidden"])
    #expect(desk.events.first == .willPresent(.primary))
    desk.split.present(at: 1)
    #expect(desk.recorder.heard.filter { $0.hasPrefix("willPresent") }.count == 1)
  }

  @Test func `B18 pressing the button needs no delegate`() {
    let split = SplitView(columns: [BasicPane("m"), BasicPane("d")])
    split.resize(to: CellSize(width: 70, height: 22))
    split.button.press(at: 0)
    #expect(split.layout.mode == .oneOver)
  }

  @Test func `B20 a split cannot be a dialog, but stand in a secondary`() throws {
    let split = SplitView(columns: [BasicPane("m"), BasicPane("d")])
    for pane in [split, NavigationStack([BasicPane("a"), split])] as [any Pane] {
      let error = #expect(throws: SplitError.self) { _ = try SplitDialog(pane) }
      #expect(error?.code == .splitInDialog && error?.description.contains("secondary") == true)
    }
    let dialog = try SplitDialog(NavigationStack([BasicPane("a")]))
    #expect(dialog.content is NavigationStack)
    let outer = SplitView(columns: [BasicPane("m"), split])
    #expect(outer.nested === split)
  }

  @Test func `B21 a layout says which mode was asked, which is used, and what stood in the way`() {
    var request = LayoutRequest(
      size: CellSize(width: 71, height: 22), deepest: .secondary, preferredMode: .twoBeside)
    #expect(
      ModeChoice(request).description == """
        asked twoBeside, used oneBeside
        twoBeside needs 72 cells (primary 16, supplementary 18, secondary 36), there are 71
        """)
    request.size.width = 72
    #expect(Layout.explained(request).choice.description == "asked twoBeside, used twoBeside")
    request.preferredMode = .automatic
    request.size.width = 100
    request.minimums = [.primary: 90]
    #expect(ModeChoice(request).obstacles.map(\.needed) == [146])
    #expect(ModeChoice(request).obstacles.first?.minimums[.primary] == 90)
  }

  @Test func `B22 the master can be kept when medium`() {
    #expect(scene(70, preset: .double).isPrimaryHidden)
    #expect(!scene(70, preset: .double, style: .sticky).isPrimaryHidden)
    let kept = scene(70, preset: .double) { $0.showsPrimaryInMedium = true }
    #expect(kept.mode == .oneBeside && kept.widths == [23, 46])
  }

  @Test func `B23 the delegate hears of other bounds before the first new picture`() {
    let desk = Desk(100)
    var seen: [ActualMode] = []
    desk.split.observer = { [unowned desk] event in
      if case .willResize = event { seen.append(desk.split.layout(at: 5).mode) }
    }
    desk.split.resize(to: CellSize(width: 70, height: 22), animated: true, at: 5)
    #expect(desk.recorder.heard.first == "willResize 100 70 0.3")
    #expect(seen == [.oneBeside])
    desk.resize(60)
    #expect(desk.recorder.heard.last == "willResize 70 60 0.0")
  }

  @Test func `B24 keeping the master when medium changes nothing when wide`() {
    for width in 20...200 {
      let plain = scene(width, preset: .double)
      let kept = scene(width, preset: .double) { $0.showsPrimaryInMedium = true }
      #expect((plain.layout == kept.layout) == !(60..<80).contains(width), "\(width)")
    }
  }

  @Test func `B25 a kept master and the detail fill the window and no more`() {
    let state = scene(70, preset: .double, style: .sticky)
    #expect(state.widths == [23, 46])
    #expect(
      state.layout.drawn()[0] == String(repeating: "P", count: 23) + "|"
        + String(repeating: "S", count: 46))
    #expect(scene(768, 1024, preset: .double, style: .sticky).widths.reduce(1, +) == 768)
  }
}
