import Testing
import VersoSplitView

/// Titles, and what leads back and forth.
@Suite struct TitleRowTests {
  @Test func `C3 the size that suits the master gives its width`() {
    let master = BasicPane("m", preferredSize: CellSize(width: 40, height: 38))
    let split = SplitView(columns: [master, BasicPane("d")])
    split.resize(to: CellSize(width: 100, height: 38))
    #expect(split.layout.visibleWidths == [40, 59])
    var widths = SplitWidths()
    widths.primary.cells = 20
    let own = SplitView(
      columns: [master, BasicPane("d")],
      configuration: SplitConfiguration(preset: .double, widths: widths))
    own.resize(to: CellSize(width: 100, height: 38))
    #expect(own.layout.visibleWidths == [20, 79])
  }

  @Test func `C6 one short title names the sidebar's button and the one back`() {
    let scene = NestedScene(70)
    let list = BasicPane("Recipes of 2026", shortTitle: "Recipes")
    scene.select(folder: list, file: BasicPane("x"))
    #expect(scene.nested.root.leadingButtons == ["[= Folders]"])
    scene.resize(59)
    #expect(scene.nested.root.leadingButtons == ["[< Recipes]"])
  }

  @Test func `C7 a short title set once is read while regular and while compact`() {
    let desk = Desk(70)
    desk.master.shortTitle = "All"
    #expect(desk.split.leadingButtons == ["[= All]"])
    desk.resize(59)
    #expect(desk.split.leadingButtons == ["[< All]"])
  }

  @Test func `C8 the short title is independent, and the title where there is none`() {
    let pane = BasicPane("Data list", shortTitle: "List")
    #expect(pane.title == "Data list" && pane.shortTitle == "List")
    pane.title = "Everything"
    #expect(pane.shortTitle == "List")
    #expect(BasicPane("Data list").shortTitle == "Data list")
    #expect(TitledPane().shortTitle == "only a title")
  }

  @Test func `C10 every pane reaches the detail`() {
    let desk = Desk(100)
    #expect(desk.master.split?.secondary === desk.detail)
    let inStack = BasicPane("in a stack")
    let triple = SplitView(
      columns: [NavigationStack([inStack]), BasicPane("U"), desk.detail],
      configuration: SplitConfiguration())
    #expect(inStack.split === triple && inStack.split?.secondary === desk.detail)
    let later = BasicPane("later")
    triple.secondary = later
    #expect(inStack.split?.secondary === later && later.split === triple)
    #expect(desk.detail.split == nil)
  }

  @Test func `C17 the sidebar's button and the one back can both be there`() {
    let split = SplitView(
      columns: [
        BasicPane("Folders"), BasicPane("Files"),
        NavigationStack([BasicPane("Letter"), BasicPane("Version")]),
      ], configuration: SplitConfiguration())
    split.setDeepest(.secondary)
    split.resize(to: CellSize(width: 70, height: 38))
    #expect(split.leadingButtons == ["[= Folders]", "[< Letter]"])
    split.resize(to: CellSize(width: 100, height: 38))
    #expect(split.leadingButtons == ["[< Letter]"])
    (split.secondary as? NavigationStack)?.pop(to: 1)
    split.resize(to: CellSize(width: 59, height: 38))
    #expect(split.leadingButtons == ["[< Files]"])
  }
}

/// A pane that says nothing but what it must.
private final class TitledPane: Pane {
  var title: String { "only a title" }
  weak var split: SplitView?
}
