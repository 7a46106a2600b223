import Testing
import VersoModel

/// What the lists do with taps and deletions, and a batch with the selection: the rows of the table of
/// the sources.
@Suite struct DataSourceRowTests {
  private let desk = SelectionDesk()
  private let operations = RecordingOperations()

  private func source(of folder: String) -> ItemDataSource {
    ItemDataSource(
      ItemList(.files, of: item(folder), in: desk.model.catalogue), operations: operations,
      stateCoordinator: desk.coordinator)
  }

  /// The steps that `body` leads to.
  private func log(_ body: () async throws -> Void) async rethrows -> [StateCoordinator.Step] {
    var steps: [StateCoordinator.Step] = []
    desk.coordinator.log = { steps.append($0) }
    try await body()
    desk.coordinator.log = nil
    return steps
  }

  @Test func `A31: a tap goes from the row to the coordinator to the delegate`() async {
    let source = source(of: "F/")
    let steps = await log { source.activate(1) }
    let x = item("F/x.md")
    #expect(
      steps.prefix(4) == [.rowActivated, .didSelect, .stateChanged, .goto(.fileSelected, x)])
    #expect(desk.take() == ["goto fileSelected F/x.md"])
    #expect(source.list.cursor == 1)
  }

  @Test func `A32: without a coordinator a tap and a deletion change no selection`() async throws {
    let source = ItemDataSource(
      ItemList(.files, of: item("F/"), in: desk.model.catalogue), operations: operations)
    source.activate(1)
    #expect(desk.state == "noSelection(nil)")
    try await source.delete(1)
    #expect(source.object(at: 1) == item("F/y.md"))
  }

  @Test func `A33: an object is the item of its row, and nothing out of range`() {
    let source = source(of: "F/")
    #expect(source.rowCount == 3)
    let items = (0..<3).map(source.object)
    #expect(items == source.list.items)
    for row in [-1, 3, Int.max, Int.min] { #expect(source.object(at: row) == nil) }
    source.activate(3)
    #expect(desk.take() == [])
  }

  @Test func `A34: a deletion reads the parent, deletes, then reports`() async throws {
    desk.select("F/x.md")
    _ = desk.take()
    let source = source(of: "F/")
    let steps = try await log { try await source.delete(1) }
    #expect(
      steps == [
        .parentRead, .deleted, .didDelete, .stateChanged, .goto(.noSelection, item("F/")),
        .keyStored,
      ])
    #expect(desk.take() == ["list F -x.md", "goto noSelection F"])
    #expect(operations.log == ["delete F/x.md true"])
    #expect(source.object(at: 1) == item("F/y.md"))
  }

  @Test func `A34: a deletion that does not touch the selection is not reported as one`()
    async throws
  {
    desk.select("F/x.md")
    _ = desk.take()
    try await source(of: "F/").delete(2)
    #expect(desk.take() == ["list F -y.md"])
    #expect(desk.state == "fileSelected(F/x.md)")
    // A folder above the selection is the selection.
    desk.select("F/D/deep.md")
    _ = desk.take()
    try await source(of: "F/").delete(0)
    #expect(desk.take() == ["list F -D", "goto noSelection F"])
  }

  @Test func `A35: a deletion that fails reports nothing`() async {
    desk.select("F/x.md")
    _ = desk.take()
    let source = ItemDataSource(
      ItemList(.files, of: item("F/"), in: desk.model.catalogue),
      operations: RecordingOperations(failing: true), stateCoordinator: desk.coordinator)
    let steps = await log {
      await #expect(throws: RecordingOperations.Refusal.self) { try await source.delete(1) }
    }
    #expect(steps == [.parentRead])
    #expect(desk.take() == [])
    #expect(desk.state == "fileSelected(F/x.md)")
    #expect(source.object(at: 1) == item("F/x.md"))
  }

  @Test func `A36: a folder that holds something is deleted by force alone`() async throws {
    let disk = FolderOperations()
    let scratch = try disk.make(SelectionDesk.paths)
    defer { disk.remove(scratch) }
    await #expect(throws: ItemError.notEmpty("F")) {
      try await disk.delete(item("F/"), force: false)
    }
    #expect(disk.exists("F/x.md"))
    try await disk.delete(item("F/"), force: true)
    #expect(!disk.exists("F"))
  }

  @Test func `A37 and A38: create, rename and delete go to the disk and into the list, headless`()
    async throws
  {
    let disk = FolderOperations()
    let scratch = try disk.make(SelectionDesk.paths)
    defer { disk.remove(scratch) }
    let source = ItemDataSource(
      ItemList(.files, of: item("F/"), in: desk.model.catalogue), operations: disk,
      stateCoordinator: desk.coordinator)
    desk.select("F/")

    let made = try await source.create()
    #expect(made == item("F/Untitled.md"))
    #expect(disk.exists("F/Untitled.md"))
    #expect(try await source.create() == item("F/Untitled 2.md"))
    #expect(try await source.create("Sub/") == item("F/Sub/"))
    #expect(disk.exists("F/Sub"))

    let row = try #require(source.list.row(of: made.path))
    try await source.rename(row, to: "plan.md")
    #expect(disk.exists("F/plan.md") && !disk.exists("F/Untitled.md"))
    let renamed = try #require(source.list.row(of: "F/plan.md"))
    #expect(desk.model.catalogue["F/plan.md"] != nil)
    await #expect(throws: ItemError.exists("F/x.md")) {
      try await source.rename(renamed, to: "x.md")
    }
    await #expect(throws: ItemError.badName(.invalid)) {
      try await source.rename(renamed, to: "a/b")
    }

    source.activate(renamed)
    try await source.delete(renamed)
    #expect(!disk.exists("F/plan.md"))
    #expect(source.list.row(of: "F/plan.md") == nil)
    #expect(desk.state == "noSelection(F)")
    await #expect(throws: ItemError.noItem) { try await source.delete(99) }
  }

  @Test func `C15: the selected item's key is kept, and there is none at launch`() {
    #expect(desk.coordinator.selectedID == nil)
    desk.select("F/x.md")
    let key = desk.coordinator.selectedID
    #expect(key != nil)
    _ = desk.told(.batch(DiskBatch(renamed: [.init("F/x.md", "G/w.md")])))
    #expect(desk.coordinator.selectedID == key)
    _ = desk.told(.select(nil))
    #expect(desk.coordinator.selectedID == nil)
  }

  @Test func `C16 and C24: the mark of a lost selection is down at each batch's start and end`() {
    #expect(!desk.coordinator.selectionLost)
    desk.select("F/x.md")
    let before = desk.lostFlags.count
    _ = desk.told(.batch(DiskBatch(removed: ["F/x.md"])))
    #expect(desk.lostFlags[before...] == [true, true])
    #expect(!desk.coordinator.selectionLost)
    #expect(desk.told(.batch(DiskBatch(removed: ["F/y.md"]))) == ["list F -y.md"])
    #expect(desk.lostFlags.last == false)
  }

  @Test func `C19: the delegate has the item before the key is stored`() async {
    let steps = await log { desk.coordinator.didSelectFile(item("F/x.md")) }
    #expect(
      steps == [.didSelect, .stateChanged, .goto(.fileSelected, item("F/x.md")), .keyStored])
  }

  @Test(arguments: [true, false])
  func `C20: the mark goes up only for the selected item or a folder above it`(isCollapsed: Bool) {
    for (path, isLost) in [
      ("F/x.md", true), ("F", true), ("F/y.md", false), ("G", false), ("F/x", false),
    ] as [(RelativePath, Bool)] {
      let desk = SelectionDesk()
      desk.select("F/x.md")
      var model = desk.model
      _ = model.reduce(.collapsed(isCollapsed))
      #expect(model.selection.isLost(byDeleting: path) == isLost)
      #expect(model.reduce(.batch(DiskBatch(removed: [path]))).selectionLost == isLost)
      let stacks = PaneStacks(model.selection, isCollapsed: isCollapsed)
      if isCollapsed { #expect(stacks.primary.count == (isLost ? path == "F" ? 1 : 2 : 3)) }
    }
  }

  @Test func `C21: a file of the same times and content is another file`() throws {
    // Times and contents are no part of an identity: the key is not made from them.
    let same = ObjectID.zero
    let desk = SelectionDesk()
    _ = desk.told(.select(Item(path: "F/x.md", kind: .file, content: same)))
    let key = desk.coordinator.selectedID
    _ = desk.told(.batch(DiskBatch(removed: ["F/y.md"])))
    #expect(desk.coordinator.selectedID == key)
    #expect(desk.state == "fileSelected(F/x.md)")
  }

  @Test func `C22: after a removal the cursor is on the next row, else the one before`() {
    var list = ItemList(.files, of: item("F/"), in: desk.model.catalogue)
    list.moveCursor(to: 1)
    list.apply([.removed(item("F/x.md"))])
    #expect(list.cursor.flatMap(list.object) == item("F/y.md"))
    list.apply([.removed(item("F/y.md"))])
    #expect(list.cursor.flatMap(list.object) == item("F/D/"))
    list.apply([.removed(item("F/D/"))])
    #expect(list.cursor == nil)
    list.apply([.added(item("F/new.md"))])
    #expect(list.cursor == 0)
  }

  @Test func `C23: after all edits of lists the detail is told once that it holds nothing`() {
    desk.select("F/x.md")
    let told = desk.told(
      .batch(
        DiskBatch(
          removed: ["F/x.md", "F/y.md", "G/z.md"], added: [item("root 2.md"), item("F/new.md")],
          renamed: [.init("root.md", "top.md")])))
    #expect(told.dropLast().allSatisfy { $0.hasPrefix("list") })
    #expect(told.count == 4)
    #expect(told.last == "goto noSelection F")
  }

  @Test func `C27: a tap in an empty list changes nothing`() {
    _ = desk.told(.batch(DiskBatch(removed: ["G/z.md"])))
    let source = source(of: "G/")
    source.activate(0)
    #expect(desk.take() == [])
    #expect(desk.stacks == PaneStacks())
  }
}
