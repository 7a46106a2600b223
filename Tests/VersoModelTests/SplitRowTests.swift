import Testing
import VersoModel

/// What the nested split of folders, files and editor does: the rows of the table of the sources.
@Suite struct SplitRowTests {
  private let desk = SelectionDesk()

  private func stacks(_ selection: Selection, isCollapsed: Bool = false) -> PaneStacks {
    PaneStacks(selection, isCollapsed: isCollapsed)
  }

  private static let selections: [Selection] = [
    .nothing, .selected(item("F/")), .nothing(in: item("F/")), .selected(item("F/x.md")),
    .selected(.vault), .selected(item("root.md")), .selected(item("F/D/")),
    .selected(item("F/D/deep.md")),
  ]

  @Test(arguments: selections, [true, false])
  func `A11: the list of folders is at the bottom of the primary stack`(
    selection: Selection, isCollapsed: Bool
  ) {
    let bottom = stacks(selection, isCollapsed: isCollapsed).primary.first
    let isFolders = if case .folders = bottom { true } else { false }
    #expect(isFolders)
  }

  @Test func `A12: the list of files is pushed when collapsed, else the inner stack's root`() {
    let collapsed = stacks(.selected(item("F/")), isCollapsed: true)
    #expect(collapsed.primary == [.folders(.vault), .files(item("F/"))])
    #expect(collapsed.inner == nil)
    let regular = stacks(.selected(item("F/")))
    #expect(regular.primary.count == 1)
    #expect(regular.inner == [.files(item("F/"))])
  }

  @Test func `A13: folder after folder leaves one list in the inner stack`() {
    for path in ["F/", "G/", "F/D/"] {
      desk.select(path)
      #expect(desk.stacks.inner == [.files(item(path))])
    }
  }

  @Test func `A16: selecting a folder shows the placeholder for files`() {
    desk.select("F/x.md")
    desk.select("G/")
    #expect(desk.stacks.secondary == .filePlaceholder)
  }

  @Test func `A17: collapsed, selecting a folder pushes its list`() {
    var stacks = PaneStacks(isCollapsed: true)
    #expect(stacks.primary.count == 1)
    stacks.goto(.folderSelected, item("F/"))
    #expect(stacks.primary.count == 2)
  }

  @Test func `A18: each transition calls goto once with the state and the item`() {
    for path in ["F/", "F/x.md", "G/z.md", "/"] { #expect(desk.select(path).count == 1) }
    #expect(desk.told(.select(nil)) == ["goto noSelection nil"])
  }

  @Test func `A19: nothing selected takes the inner split away and widens the folders`() {
    desk.select("F/x.md")
    #expect(desk.stacks.primaryFraction == 0.25)
    _ = desk.told(.select(nil))
    #expect(desk.stacks.inner == nil)
    #expect(desk.stacks.secondary == .folderPlaceholder)
    #expect(desk.stacks.primaryFraction == 1.0 / 3)
  }

  @Test func `A20: a file that went away leaves its list and the placeholder for files`() {
    desk.select("F/x.md")
    let list = desk.model.folderID
    _ = desk.told(.batch(DiskBatch(removed: ["F/x.md"])))
    #expect(desk.stacks.inner == [.files(item("F/"))])
    #expect(desk.stacks.secondary == .filePlaceholder)
    #expect(desk.model.folderID == list)
  }

  @Test func `A21: after a deletion the argument is a file's folder and nothing for a folder`()
    async throws
  {
    for (path, told) in [("F/x.md", "goto noSelection F"), ("G/", "goto noSelection nil")] {
      desk.select(path)
      _ = desk.take()
      let isFolder = item(path).isFolder
      let source = ItemDataSource(
        ItemList(
          isFolder ? .folders : .files, of: isFolder ? .vault : item("F/"),
          in: desk.model.catalogue),
        operations: RecordingOperations(), stateCoordinator: desk.coordinator)
      try await source.delete(try #require(source.list.row(of: item(path).path)))
      #expect(desk.take().last == told)
    }
  }

  @Test func `A22: a folder at the top has no parent`() {
    #expect(item("F/").parent == nil)
    #expect(item("F/").containingFolder == nil)
    #expect(Item.vault.parent == nil)
    #expect(Item.vault.containingFolder == nil)
    #expect(item("F/D/").containingFolder == item("F/"))
    #expect(item("F/x.md").containingFolder == item("F/"))
    #expect(item("root.md").containingFolder == .vault)
  }

  @Test(arguments: [true, false])
  func `A23: going to a folder ignores a file`(isCollapsed: Bool) {
    var stacks = stacks(.selected(item("G/")), isCollapsed: isCollapsed)
    let before = stacks
    stacks.goto(.folderSelected, item("F/x.md"))
    #expect(stacks == before)
  }

  @Test func `A24: the list of files is bound to the selected folder`() {
    let list = ItemList(.files, of: item("F/"), in: desk.model.catalogue)
    #expect(list.folder == item("F/"))
    #expect(list.items == [item("F/D/"), item("F/x.md"), item("F/y.md")])
  }

  @Test func `A25: a title is the name, and Untitled where there is none`() {
    #expect(item("F/").title() == "F")
    #expect(Item.vault.title(vaultName: "Notes") == "Notes")
    #expect(Item.vault.title() == "Untitled")
    #expect(Item.vault.title(vaultName: "") == "Untitled")
  }

  @Test(arguments: [true, false])
  func `A26: going to a file ignores a folder`(isCollapsed: Bool) {
    var stacks = stacks(.selected(item("G/")), isCollapsed: isCollapsed)
    let before = stacks
    stacks.goto(.fileSelected, item("F/"))
    #expect(stacks == before)
  }

  @Test func `A27: another file has another editor, the same file keeps it`() {
    desk.select("F/x.md")
    let editor = desk.model.fileID
    desk.select("F/x.md")
    #expect(desk.model.fileID == editor)
    desk.select("F/y.md")
    #expect(desk.model.fileID != editor)
    let second = desk.model.fileID
    desk.select("F/x.md")
    #expect(desk.model.fileID != editor && desk.model.fileID != second)
  }

  @Test func `A28: the editor is the detail side, and the third view when collapsed`() {
    #expect(stacks(.selected(item("F/x.md"))).secondary == .editor(item("F/x.md")))
    let collapsed = stacks(.selected(item("F/x.md")), isCollapsed: true)
    #expect(collapsed.primary.count == 3)
    #expect(collapsed.top == .editor(item("F/x.md")))
  }

  @Test(arguments: SelectionState.allCases, [nil, "F/", "F/x.md"])
  func `A30: of nine pairs of state and item the ones that say something act`(
    state: SelectionState, path: String?
  ) {
    var stacks = stacks(.selected(item("G/z.md")))
    let before = stacks
    stacks.goto(state, path.map { item($0) })
    switch (state, path) {
    case (.folderSelected, "F/"), (.noSelection, "F/"), (.noSelection, "F/x.md"):
      #expect(stacks == self.stacks(.selected(item("F/"))))
    case (.fileSelected, "F/x.md"): #expect(stacks == self.stacks(.selected(item("F/x.md"))))
    case (.noSelection, nil): #expect(stacks == PaneStacks())
    default: #expect(stacks == before)
    }
  }

  @Test func `A40: an empty vault has an empty list, nothing selected and only its own row`() {
    let desk = SelectionDesk([])
    #expect(desk.state == "noSelection(nil)")
    #expect(ItemList(.folders, of: .vault, in: desk.model.catalogue).items == [.vault])
    #expect(ItemList(.files, of: .vault, in: desk.model.catalogue).count == 0)
  }

  @Test(arguments: selections) func `A42: collapsed, no placeholder is pushed`(selection: Selection)
  {
    let stacks = stacks(selection, isCollapsed: true)
    #expect(stacks.primary.filter(\.isPlaceholder).isEmpty)
    #expect(stacks.secondary == nil && stacks.inner == nil)
    #expect(self.stacks(selection).collapsed() == stacks)
  }

  @Test func `A43: the open folder is the item, or the folder that holds it`() {
    #expect(Selection.nothing.selectedFolder == nil)
    #expect(Selection.selected(item("F/")).selectedFolder == item("F/"))
    #expect(Selection.selected(item("F/x.md")).selectedFolder == item("F/"))
    #expect(Selection.selected(item("root.md")).selectedFolder == .vault)
    #expect(Selection.selected(item("F/")).state == .folderSelected)
    #expect(Selection.selected(item("F/x.md")).state == .fileSelected)
  }

  @Test func `A44: after a deletion the parent is open and the state is no selection`() {
    desk.select("G/z.md")
    desk.coordinator.didDeleteFile(parentFolder: item("F/"))
    #expect(desk.state == "noSelection(F)")
    #expect(desk.coordinator.selectedFolder == item("F/"))
  }

  @Test func `A45: collapsing stacks folders, files and the editor, if there is one`() {
    let depths = Self.selections.map { stacks($0).collapsed().primary.count }
    #expect(depths == [1, 2, 2, 3, 2, 3, 2, 3])
    #expect(depths == Self.selections.map(\.depth))
    let regular = stacks(.selected(item("F/x.md")))
    #expect(regular.collapsed(top: .files(item("F/"))).top == .files(item("F/")))
    #expect(regular.collapsed(top: .files(item("G/"))).top == .editor(item("F/x.md")))
  }

  @Test func `A46: expanding takes the stack apart by its depth`() {
    var stacks = PaneStacks(isCollapsed: true)
    #expect(stacks.expanded().secondary == .folderPlaceholder)
    #expect(stacks.expanded().primaryFraction == 1.0 / 3)
    stacks.goto(.folderSelected, item("F/"))
    #expect(stacks.expanded().inner == [.files(item("F/"))])
    #expect(stacks.expanded().secondary == .filePlaceholder)
    #expect(stacks.expanded().primaryFraction == 0.25)
    stacks.goto(.fileSelected, item("F/x.md"))
    #expect(stacks.expanded().primary == [.folders(.vault)])
    #expect(stacks.expanded().secondary == .editor(item("F/x.md")))
  }

  @Test func `A47: deselecting with several panes shows the placeholder for folders`() {
    desk.select("F/")
    _ = desk.told(.select(nil))
    #expect(desk.stacks.secondary == .folderPlaceholder)
  }

  @Test func `2.5: an editor survives collapsing and expanding with its identity`() {
    desk.select("F/x.md")
    let (folder, file) = (desk.model.folderID, desk.model.fileID)
    for isCollapsed in [true, false, true, false] {
      #expect(desk.told(.collapsed(isCollapsed)) == [])
    }
    #expect((desk.model.folderID, desk.model.fileID) == (folder, file))
    _ = desk.told(.collapsed(true))
    _ = desk.told(.back)
    _ = desk.told(.collapsed(false))
    let stacks = stacks(desk.model.selection)
    #expect(stacks.inner == [.files(item("F/"))])
    #expect(stacks.secondary == .filePlaceholder)
    #expect(desk.model.folderID == folder)
  }

  @Test(arguments: [("F/x.md", 2), ("F", 1)])
  func `2.5: what is deleted under a collapsed editor pops to what is left, in one step`(
    path: RelativePath, depth: Int
  ) {
    var stacks = stacks(.selected(item("F/x.md")), isCollapsed: true)
    desk.select("F/x.md")
    _ = desk.told(.collapsed(true))
    let gotos = desk.gotos(.batch(DiskBatch(removed: [path])))
    #expect(gotos.count == 1)
    stacks.goto(desk.model.selection.state, desk.model.selection.item)
    #expect(stacks.primary.count == depth)
  }

  @Test func `2.6: the vault is the first folder, holds the root's notes, and cannot be changed`()
    async throws
  {
    let folders = ItemList(.folders, of: .vault, in: desk.model.catalogue)
    #expect(folders.items == [.vault, item("F/"), item("G/")])
    #expect(
      ItemList(.files, of: .vault, in: desk.model.catalogue).items == [item("root.md")])
    let source = ItemDataSource(folders, operations: RecordingOperations())
    await #expect(throws: ItemError.isVault) { try await source.delete(0) }
    await #expect(throws: ItemError.isVault) { try await source.rename(0, to: "x") }
    desk.select("root.md")
    #expect(desk.gotos(.batch(DiskBatch(removed: ["root.md"]))) == ["goto noSelection vault"])
    #expect(desk.stacks.inner == [.files(.vault)])
  }

  @Test func `C11 and C12: without a file every action of the detail answers so`() {
    for selection in [Selection.nothing, .selected(item("F/")), .nothing(in: item("F/"))] {
      for action in DetailAction.allCases {
        #expect(selection.answer(to: action) == .nothingSelected)
        #expect(!selection.isEnabled(action))
      }
    }
    desk.select("F/x.md")
    #expect(desk.coordinator.selection.answer(to: .save) == .act(on: item("F/x.md")))
    _ = desk.told(.batch(DiskBatch(removed: ["F/x.md"])))
    #expect(desk.coordinator.selection.answer(to: .save) == .nothingSelected)
  }

  @Test func `C14: each action of the detail is enabled by a selected file alone`() {
    for action in DetailAction.allCases {
      #expect(!Selection.nothing.isEnabled(action))
      #expect(Selection.selected(item("F/x.md")).isEnabled(action))
    }
  }
}
