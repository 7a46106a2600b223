import Testing
import VersoSplitView

/// Split views in split views: folders, files and a file.
@Suite struct NestedRowTests {
  @Test func `A1 a split nested in the secondary gives the frames of the triple preset`() {
    for width in 80...400 {
      let triple = scene(width)
      let nested = NestedScene(width)
      nested.select(folder: BasicPane("F"), file: BasicPane("x"))
      let frames = Column.allCases.compactMap { triple.layout[$0]?.frame }
      #expect(nested.nested.root.placedPanes().map(\.frame) == frames, "\(width)")
      #expect(nested.visibleTitles == ["Folders", "F", "x"])
    }
  }

  @Test func `A1 a folder level of two columns is that of the triple preset too`() {
    for width in 60...400 {
      let frames = scene(width, deepest: .primary).layout
      let nested = NestedScene(width)
      #expect(
        nested.nested.root.placedPanes().map(\.frame)
          == [frames[.primary]?.frame, frames[.secondary]?.frame], "\(width)")
    }
  }

  @Test func `A2 regular means medium or wide, from 60 cells on`() {
    #expect(WidthClass(width: 59) == .compact && !WidthClass(width: 59).isRegular)
    #expect(WidthClass(width: 60) == .medium && WidthClass(width: 60).isRegular)
    #expect(WidthClass(width: 80) == .wide && WidthClass(width: 80).isRegular)
    let own = Breakpoints(medium: 100, wide: 140)
    #expect(
      [99, 100, 139, 140].map { WidthClass(width: $0, breakpoints: own) }
        == [.compact, .medium, .medium, .wide])
    #expect(scene(100, configure: { $0.breakpoints = own }).layout.mode == .oneBeside)
    #expect(scene(99, configure: { $0.breakpoints = own }).layout.isCollapsed)
  }

  @Test func `A3 while compact no inner split is installed, and nothing changes`() {
    let scene = NestedScene(59)
    let (before, secondary) = (scene.nested.root.state, scene.nested.root.secondary)
    scene.forget()
    #expect(scene.nested.installInnerSplit() == nil)
    #expect(scene.nested.root.state == before && scene.nested.root.secondary === secondary)
    #expect(scene.events.isEmpty)
  }

  @Test func `A4 the inner split that is there is returned again`() {
    let scene = NestedScene(100)
    let first = scene.nested.installInnerSplit()
    #expect(first != nil && scene.nested.installInnerSplit() === first)
    #expect(scene.nested.root.secondary === first)
    #expect(scene.nested.root.placedPanes().count == 3)
  }

  @Test func `A5 a new inner split has a style, the root's delegate and one navigation stack`() {
    let scene = NestedScene(100)
    let delegate = Recorder()
    scene.nested.root.delegate = delegate
    let inner = scene.nested.installInnerSplit()
    #expect(inner?.delegate === delegate)
    #expect(inner?.style == .normal)
    #expect(inner?.primary is NavigationStack && inner?.primary === scene.nested.innerStack)
  }

  @Test func `A6 installing makes the root's primary share small`() {
    let scene = NestedScene(100)
    #expect(scene.nested.root.primaryFraction == 1.0 / 3)
    _ = scene.nested.installInnerSplit()
    #expect(scene.nested.root.primaryFraction == 0.25)
  }

  @Test func `A7 installing shows the inner split as a detail, once`() {
    let scene = NestedScene(100)
    scene.forget()
    _ = scene.nested.installInnerSplit()
    _ = scene.nested.installInnerSplit()
    #expect(scene.events.count { $0 == .showDetail } == 1)
  }

  @Test func `A8 the target is the inner split while regular, else the root`() {
    let wide = NestedScene(100)
    let target = wide.nested.targetSplit()
    #expect(target !== wide.nested.root && target === wide.nested.inner)
    let compact = NestedScene(59)
    #expect(compact.nested.targetSplit() === compact.nested.root)
  }

  #if DEBUG
    @Test func `A9 a regular width without an inner split is a programmer's mistake`() async {
      await #expect(processExitsWith: .failure) {
        let scene = NestedScene(100)
        scene.nested.template = { nil }
        _ = scene.nested.targetSplit()
      }
    }
  #endif

  @Test func `A10 there is a target of the tree at every width`() {
    let scene = NestedScene()
    for width in 20...400 {
      scene.resize(width)
      let target = scene.nested.targetSplit()
      #expect(scene.owns(target), "\(width)")
      #expect((target === scene.nested.root) == (width < 60), "\(width)")
    }
  }

  @Test(arguments: [59, 70, 100])
  func `A11 the folder list is at the bottom of the root's primary stack`(width: Int) {
    let scene = NestedScene(width)
    let (folder, file) = (BasicPane("F"), BasicPane("x"))
    let steps: [() -> Void] = [
      {}, { scene.select(folder: folder) }, { scene.select(folder: folder, file: file) },
      { scene.nested.showNothing(keepsFolder: true) }, { scene.select() },
    ]
    for step in steps {
      step()
      #expect(scene.nested.primaryStack.panes.first === scene.folders)
      for other in [100, 59, 19, width] {
        scene.resize(other)
        #expect(scene.nested.primaryStack.panes.first === scene.folders)
        #expect(scene.nested.root.primary === scene.nested.primaryStack)
      }
    }
  }

  @Test func `A12 the file list is pushed while compact, and the inner root while regular`() {
    let compact = NestedScene(59)
    compact.select(folder: BasicPane("F"))
    #expect(compact.stackTitles == ["Folders", "F"])
    let regular = NestedScene(100)
    regular.select(folder: BasicPane("F"))
    #expect(regular.stackTitles == ["Folders"])
    #expect(regular.nested.innerStack?.panes.map(\.title) == ["F"])
  }

  @Test func `A13 another folder's files take the place of the first one's`() {
    let scene = NestedScene(100)
    for name in ["G1", "G2", "G3"] { scene.select(folder: BasicPane(name)) }
    #expect(scene.nested.innerStack?.panes.map(\.title) == ["G3"])
    let compact = NestedScene(59)
    for name in ["G1", "G2", "G3"] { compact.select(folder: BasicPane(name)) }
    #expect(compact.stackTitles == ["Folders", "G3"])
  }

  @Test(arguments: [60, 70, 100])
  func `A14 the inner split asks for both of its panes to be visible`(width: Int) {
    let scene = NestedScene(width)
    scene.select(folder: BasicPane("F"))
    #expect(scene.nested.inner?.state.request.preferredMode == .oneBeside)
    #expect(scene.nested.inner?.layout.mode == .oneBeside)
  }

  @Test func `A15 the screen is divided into a quarter, a quarter and a half`() {
    for (width, widths) in [(80, [20, 20, 38]), (100, [25, 25, 48]), (160, [40, 40, 78])] {
      let scene = NestedScene(width)
      scene.select(folder: BasicPane("F"), file: BasicPane("x"))
      #expect(scene.nested.root.primaryFraction == 0.25)
      #expect(scene.nested.inner?.primaryFraction == 1.0 / 3)
      #expect(scene.nested.root.placedPanes().map(\.frame.width) == widths)
    }
  }

  @Test func `A16 a folder comes with the placeholder for its files`() {
    let scene = NestedScene(100)
    scene.select(folder: BasicPane("F"), file: BasicPane("x"))
    scene.select(folder: BasicPane("G"))
    #expect(scene.detailTitle == "choose a file")
  }

  @Test func `A17 while compact a file list is pushed with a transition of 0,3 seconds`() {
    let scene = NestedScene(59)
    scene.forget()
    scene.select(folder: BasicPane("F"))
    #expect(scene.transitions.map(\.kind) == [.push])
    #expect(scene.transitions.map(\.duration) == [0.3])
    var state = SplitState()
    _ = state.resize(to: CellSize(width: 59, height: 38))
    let transition = state.setDeepest(.supplementary)
    #expect(transition.events == [.push(.supplementary, duration: 0.3), .completed])
    let middle = transition.animation(at: 0).layout(at: 0.15)
    #expect(middle[.supplementary]?.frame.x == 15 && middle[.primary]?.frame.x == -44)
    #expect(state.setDeepest(.primary).events == [.pop(.supplementary, duration: 0.3), .completed])
  }

  @Test func `A19 no folder left means no inner split, and the placeholder for folders`() {
    let scene = NestedScene(100)
    scene.select(folder: BasicPane("F"), file: BasicPane("x"))
    scene.nested.showNothing(keepsFolder: false)
    #expect(scene.nested.inner == nil)
    #expect(scene.detailTitle == "choose a folder")
    #expect(scene.nested.root.primaryFraction == 1.0 / 3)
    #expect(scene.nested.root.placedPanes().map(\.frame.width) == [33, 66])
  }

  @Test func `A19 the folder list that is left alone is seen when medium too`() {
    let scene = NestedScene(70)
    scene.select(folder: BasicPane("F"))
    #expect(scene.visibleTitles == ["F", "choose a file"])
    scene.nested.showNothing(keepsFolder: false)
    #expect(scene.visibleTitles == ["Folders", "choose a folder"])
  }

  @Test func `A14 the root's primary takes no room that the inner split's panes need`() {
    let scene = NestedScene(70)
    scene.select(folder: BasicPane("F"), file: BasicPane("x"))
    scene.nested.root.show(animated: false, at: 0)
    #expect(scene.visibleTitles == ["Folders", "F", "x"])
    #expect(scene.nested.root.layout.mode == .oneOver)
    scene.resize(79)
    scene.nested.root.show(animated: false, at: 0)
    #expect(scene.nested.inner?.layout.mode == .oneBeside)
  }

  @Test func `A20 a file that went leaves its list and the placeholder for files`() {
    let scene = NestedScene(100)
    let list = BasicPane("F")
    scene.select(folder: list, file: BasicPane("x"))
    scene.nested.showNothing(keepsFolder: true)
    #expect(scene.nested.innerStack?.top === list)
    #expect(scene.detailTitle == "choose a file")
  }

  @Test func `A28 a file stands in a navigation stack of its own, or is the third while compact`() {
    let regular = NestedScene(100)
    let file = BasicPane("x")
    regular.select(folder: BasicPane("F"), file: file)
    let stack = regular.nested.inner?.secondary as? NavigationStack
    #expect(stack?.panes.count == 1 && stack?.top === file)
    let compact = NestedScene(59)
    compact.select(folder: BasicPane("F"), file: file)
    #expect(compact.stackTitles == ["Folders", "F", "x"])
  }

  @Test func `A39 at 59 cells one pane is visible in every state, and it fills the bounds`() {
    let scene = NestedScene(59)
    let folder = BasicPane("F")
    let steps: [(String, () -> Void)] = [
      ("Folders", {}), ("F", { scene.select(folder: folder) }),
      ("x", { scene.nested.showFile(BasicPane("x")) }),
      ("F", { scene.nested.showNothing(keepsFolder: true) }), ("Folders", { scene.select() }),
    ]
    for (title, step) in steps {
      step()
      let visible = scene.nested.root.placedPanes().filter(\.isVisible)
      #expect(visible.map(\.pane.title) == [title])
      #expect(visible.map(\.frame) == [CellFrame(x: 0, y: 0, width: 59, height: 38)])
    }
  }
}
