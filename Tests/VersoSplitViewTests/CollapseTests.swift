import Testing
import VersoSplitView

/// Columns that become a navigation stack, and columns again.
@Suite struct CollapseTests {
  @Test func `A42 no placeholder is seen or pushed while compact`() {
    let scene = NestedScene(59)
    let steps: [() -> Void] = [
      { scene.select() }, { scene.select(folder: BasicPane("F")) },
      { scene.nested.showNothing(keepsFolder: true) }, { scene.resize(100) }, { scene.resize(59) },
      { scene.nested.showNothing(keepsFolder: false) }, { scene.resize(100) },
      { scene.resize(59) },
    ]
    for step in steps {
      step()
      #expect(scene.nested.primaryStack.panes.allSatisfy { !$0.isPlaceholder })
      if !scene.nested.isRegular {
        let visible = scene.nested.root.placedPanes().filter(\.isVisible)
        #expect(visible.map(\.pane.isPlaceholder) == [false])
      }
    }
  }

  @Test func `A45 a collapse stacks the folder list, the file list and a real file`() {
    let scene = NestedScene(100)
    scene.resize(59)
    #expect(scene.stackTitles == ["Folders"])
    scene.resize(100)
    scene.select(folder: BasicPane("F"))
    scene.resize(59)
    #expect(scene.stackTitles == ["Folders", "F"])
    scene.resize(100)
    scene.nested.showFile(BasicPane("x"))
    scene.resize(59)
    #expect(scene.stackTitles == ["Folders", "F", "x"])
    #expect(scene.visibleTitles == ["x"])
  }

  @Test func `A46 an expansion gives each pane of the stack its column`() {
    let scene = NestedScene(59)
    scene.resize(100)
    #expect(scene.detailTitle == "choose a folder" && scene.nested.inner == nil)
    #expect(scene.nested.root.primaryFraction == 1.0 / 3)
    scene.resize(59)
    let (list, file) = (BasicPane("F"), BasicPane("x"))
    scene.select(folder: list)
    scene.resize(100)
    #expect(scene.stackTitles == ["Folders"] && scene.nested.innerStack?.top === list)
    #expect(scene.detailTitle == "choose a file")
    #expect(scene.nested.root.primaryFraction == 0.25)
    scene.resize(59)
    scene.nested.showFile(file)
    scene.resize(100)
    #expect(scene.stackTitles == ["Folders"] && scene.nested.innerStack?.top === list)
    #expect((scene.nested.inner?.secondary as? NavigationStack)?.top === file)
  }

  @Test func `A47 going back to the folder list while regular shows its placeholder`() {
    let scene = NestedScene(100)
    scene.select(folder: BasicPane("F"))
    scene.select()
    #expect(scene.visibleTitles == ["Folders", "choose a folder"])
  }

  @Test func `the same file comes back after a collapse and an expansion`() {
    let scene = NestedScene(100)
    let (list, file) = (BasicPane("F"), BasicPane("x"))
    scene.select(folder: list, file: file)
    for width in [59, 100, 70, 19, 20, 160] { scene.resize(width) }
    #expect(scene.nested.innerStack?.top === list)
    #expect((scene.nested.inner?.secondary as? NavigationStack)?.panes.first === file)
  }

  @Test func `a file that goes while collapsed pops to its list, a folder to the folders`() {
    let scene = NestedScene(59)
    scene.select(folder: BasicPane("F"), file: BasicPane("x"))
    scene.nested.showNothing(keepsFolder: true)
    #expect(scene.stackTitles == ["Folders", "F"])
    scene.nested.showFile(BasicPane("y"))
    scene.forget()
    scene.nested.showNothing(keepsFolder: false)
    #expect(scene.stackTitles == ["Folders"] && scene.transitions.map(\.kind) == [.pop])
    scene.resize(100)
    #expect(scene.detailTitle == "choose a folder")
  }

  @Test func `bounds that are too small keep everything`() {
    for style in SplitStyle.allCases {
      var state = scene(100, style: style)
      _ = style == .drawer ? state.show() : state.hide()
      let before = state
      for (width, height) in [(19, 38), (100, 2), (0, 0), (10, 1)] {
        _ = state.resize(to: CellSize(width: width, height: height))
        #expect(state.mode == .tooSmall && state.layout.columns.isEmpty && state.focus == nil)
      }
      _ = state.resize(to: before.request.size)
      #expect(state == before)
    }
    let nested = NestedScene(100)
    let file = BasicPane("x")
    nested.select(folder: BasicPane("F"), file: file)
    let inner = nested.nested.inner
    nested.resize(19)
    nested.resize(100)
    #expect(nested.nested.inner === inner && nested.visibleTitles == ["Folders", "F", "x"])
  }

  @Test func `many sizes end in the layout of the last one`() {
    var (state, direct) = (scene(100), scene(100))
    for width in [70, 59, 81, 20, 64, 200, 59, 72] { state.resize(width) }
    direct.resize(72)
    #expect(state.layout == direct.layout)
  }

  @Test func `a delegate's top column is used if it is in the stack`() {
    for (column, deepest, top) in [
      (Column.supplementary, Column.secondary, Column.supplementary),
      (.primary, .secondary, .primary), (.secondary, .supplementary, .supplementary),
    ] {
      let recorder = Recorder()
      recorder.topColumn = column
      let split = SplitView(
        columns: [BasicPane("P"), BasicPane("U"), BasicPane("S")],
        configuration: SplitConfiguration())
      split.delegate = recorder
      split.setDeepest(deepest)
      split.resize(to: CellSize(width: 100, height: 38))
      split.resize(to: CellSize(width: 59, height: 38))
      #expect(split.layout.top == top)
      #expect(recorder.heard.contains("willCollapse \(top)"))
      split.resize(to: CellSize(width: 100, height: 38))
      #expect(split.layout.mode == .twoBeside && recorder.heard.last == "willExpand")
    }
  }

  @Test func `a sidebar that was hidden before a collapse is told of once`() {
    let desk = Desk(100)
    desk.resize(59)
    #expect(!desk.recorder.heard.contains { $0.hasPrefix("willHide") })
    desk.resize(70)
    #expect(desk.recorder.heard.filter { $0.hasPrefix("willHide") }.count == 1)
    #expect(desk.split.button.isValid)
    desk.resize(59)
    #expect(!desk.split.button.isValid)
    desk.resize(70)
    #expect(desk.split.button.isValid)
    #expect(desk.recorder.heard.filter { $0.hasPrefix("willHide") }.count == 1)
  }
}
