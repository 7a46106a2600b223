import Testing
import VersoModel

/// The table of transitions, row by row.
@Suite struct TransitionTests {
  private let desk = SelectionDesk()

  private static let froms = ["nil", "F/", "lost F/", "F/x.md", "G/z.md", "/", "root.md", "F/D/"]

  /// Brings a new desk into a situation; `lost F/` is an open folder whose file went away.
  private func desk(in situation: String) -> SelectionDesk {
    let desk = SelectionDesk()
    switch situation {
    case "nil": break
    case "lost F/":
      desk.select("F/y.md")
      _ = desk.told(.batch(DiskBatch(removed: ["F/y.md"])))
    default: desk.select(situation)
    }
    _ = desk.take()
    return desk
  }

  @Test(arguments: froms)
  func `1: selecting a folder goes to it from anywhere`(from: String) {
    let desk = desk(in: from)
    #expect(desk.select("G/") == ["goto folderSelected G"])
    #expect(desk.state == "folderSelected(G)")
    #expect(desk.stacks == PaneStacks(desk.model.selection, isCollapsed: false))
  }

  @Test func `2: selecting the folder again tells the same and keeps its list`() {
    desk.select("F/")
    let id = desk.model.folderID
    #expect(desk.select("F/") == ["goto folderSelected F"])
    #expect(desk.model.folderID == id)
    desk.select("F/x.md")
    desk.select("F/")
    #expect(desk.model.folderID == id)
    desk.select("G/")
    #expect(desk.model.folderID != id)
  }

  @Test(arguments: froms)
  func `3: selecting a file goes to it from anywhere`(from: String) {
    let desk = desk(in: from)
    #expect(desk.select("F/x.md") == ["goto fileSelected F/x.md"])
    #expect(desk.state == "fileSelected(F/x.md)")
    #expect(desk.coordinator.selectedFolder == item("F/"))
    #expect(desk.stacks == PaneStacks(desk.model.selection, isCollapsed: false))
  }

  @Test func `4: selecting the file again tells the same and keeps its editor`() {
    desk.select("F/x.md")
    let id = desk.model.fileID
    #expect(desk.select("F/x.md") == ["goto fileSelected F/x.md"])
    #expect(desk.model.fileID == id)
    desk.select("F/y.md")
    #expect(desk.model.fileID != id)
  }

  @Test(arguments: froms)
  func `5: deselecting goes to nothing from anywhere`(from: String) {
    let desk = desk(in: from)
    #expect(desk.told(.select(nil)) == ["goto noSelection nil"])
    #expect(desk.state == "noSelection(nil)")
  }

  @Test func `6: deleting the selected file here leaves its folder open`() {
    desk.select("F/x.md")
    let list = desk.model.folderID
    #expect(desk.told(.removed(item("F/x.md"))) == ["list F -x.md"])
    #expect(desk.told(.deleted(parentFolder: item("F/"))) == ["goto noSelection F"])
    #expect(desk.state == "noSelection(F)")
    #expect(desk.model.folderID == list)
    // The disk tells it once more, which changes nothing.
    #expect(desk.told(.batch(DiskBatch(removed: ["F/x.md"]))) == [])
  }

  @Test(arguments: froms.filter { $0 != "lost F/" })
  func `7: deleting a file that is not selected is an edit of its list only`(from: String) {
    let desk = desk(in: from)
    let before = desk.state
    #expect(desk.told(.removed(item("F/y.md"))) == ["list F -y.md"])
    #expect(desk.state == before)
  }

  @Test(arguments: ["F/", "lost F/", "F/x.md"])
  func `8: deleting the open folder here goes to nothing`(from: String) {
    let desk = desk(in: from)
    #expect(desk.told(.removed(item("F/"))) == ["list . -F"])
    #expect(desk.told(.deleted(parentFolder: nil)) == ["goto noSelection nil"])
    #expect(desk.state == "noSelection(nil)")
    #expect(desk.model.folderID == nil)
  }

  @Test(arguments: froms.filter { $0 != "G/z.md" })
  func `9: deleting a folder that is not selected is an edit of its list only`(from: String) {
    let desk = desk(in: from)
    let before = desk.state
    #expect(desk.told(.batch(DiskBatch(removed: ["G"]))) == ["list . -G"])
    #expect(desk.state == before)
  }

  @Test(arguments: froms) func `10: a deletion that fails changes nothing`(from: String) async {
    let desk = desk(in: from)
    let before = desk.state
    let operations = RecordingOperations(failing: true)
    let source = ItemDataSource(
      ItemList(.files, of: item("G/"), in: desk.model.catalogue), operations: operations,
      stateCoordinator: desk.coordinator)
    await #expect(throws: RecordingOperations.Refusal.self) { try await source.delete(0) }
    #expect(desk.state == before)
    #expect(desk.take() == [])
    #expect(source.object(at: 0) == item("G/z.md"))
  }

  @Test(arguments: froms)
  func `11: creating changes no selection and puts the cursor on the new row`(
    from: String
  ) async throws {
    let desk = desk(in: from)
    let before = desk.state
    let source = ItemDataSource(
      ItemList(.files, of: item("G/"), in: desk.model.catalogue),
      operations: RecordingOperations(), stateCoordinator: desk.coordinator)
    try await source.create("zz.md")
    #expect(desk.take() == ["list G +zz.md"])
    #expect(desk.state == before)
    #expect(source.list.cursor.flatMap(source.object) == item("G/zz.md"))
    // The disk tells it once more: the row is there, its content may differ.
    #expect(desk.gotos(.batch(DiskBatch(added: [item("G/zz.md")]))) == [])
    try await source.create("sub/")
    #expect(desk.take() == ["list G +sub"])
    #expect(source.object(at: 0) == item("G/sub/"))
  }

  @Test func `12: renaming the selection here keeps its identity`() async throws {
    desk.select("F/x.md")
    let (folder, file) = (desk.model.folderID, desk.model.fileID)
    let source = ItemDataSource(
      ItemList(.files, of: item("F/"), in: desk.model.catalogue),
      operations: RecordingOperations(), stateCoordinator: desk.coordinator)
    _ = desk.take()
    try await source.rename(try #require(source.list.row(of: "F/x.md")), to: "w.md")
    #expect(desk.take() == ["list F x.md>w.md", "rename F/x.md F/w.md"])
    #expect(desk.state == "fileSelected(F/w.md)")
    #expect(desk.told(.batch(DiskBatch(renamed: [.init("F/x.md", "F/w.md")]))) == [])
    #expect(
      desk.told(.batch(DiskBatch(renamed: [.init("F", "H")]))) == ["list . F>H", "rename F H"])
    #expect(desk.state == "fileSelected(H/w.md)")
    #expect((desk.model.folderID, desk.model.fileID) == (folder, file))
  }

  @Test func `13: the selected file deleted outside leaves its folder open`() {
    desk.select("F/x.md")
    #expect(
      desk.told(.batch(DiskBatch(removed: ["F/x.md"]))) == ["list F -x.md", "goto noSelection F"])
    desk.select("root.md")
    #expect(desk.gotos(.batch(DiskBatch(removed: ["root.md"]))) == ["goto noSelection vault"])
  }

  @Test(arguments: ["F/", "lost F/", "F/x.md"])
  func `14: the open folder deleted outside goes to nothing, once`(from: String) {
    let desk = desk(in: from)
    #expect(
      desk.told(.batch(DiskBatch(removed: ["F"]))) == ["list . -F", "goto noSelection nil"])
    #expect(desk.state == "noSelection(nil)")
  }

  @Test(arguments: froms.filter { $0 != "G/z.md" })
  func `15: another item deleted outside changes no selection`(from: String) {
    let desk = desk(in: from)
    let before = desk.state
    #expect(desk.told(.batch(DiskBatch(removed: ["G/z.md"]))) == ["list G -z.md"])
    #expect(desk.state == before)
  }

  @Test func `16: the selected file renamed outside stays selected without a goto`() {
    desk.select("F/x.md")
    let file = desk.model.fileID
    #expect(
      desk.told(.batch(DiskBatch(renamed: [.init("F/x.md", "F/w.md")])))
        == ["list F x.md>w.md", "rename F/x.md F/w.md"])
    #expect(desk.state == "fileSelected(F/w.md)")
    #expect(desk.model.fileID == file)
  }

  @Test func `17: the selected file moved to another folder takes the list there`() {
    desk.select("F/x.md")
    let (folder, file) = (desk.model.folderID, desk.model.fileID)
    #expect(
      desk.told(.batch(DiskBatch(renamed: [.init("F/x.md", "G/x.md")])))
        == ["list F -x.md", "list G +x.md", "move G/x.md F G"])
    #expect(desk.state == "fileSelected(G/x.md)")
    #expect(desk.model.fileID == file)
    #expect(desk.model.folderID != folder)
    #expect(
      PaneStacks(desk.model.selection, isCollapsed: false).inner == [.files(item("G/"))])
    // A move and a rename at once are told as both.
    #expect(
      desk.gotos(.batch(DiskBatch(renamed: [.init("G/x.md", "top.md")])))
        == ["move top.md G .", "rename G/x.md top.md"])
    #expect(desk.coordinator.selectedFolder == .vault)
  }

  @Test func `18: the selected file moved out of the vault is gone`() {
    desk.select("F/x.md")
    #expect(desk.gotos(.batch(DiskBatch(removed: ["F/x.md"]))) == ["goto noSelection F"])
  }

  @Test(arguments: ["F/", "lost F/", "F/x.md", "F/D/"])
  func `19: the open folder renamed outside keeps all identities`(from: String) {
    let desk = desk(in: from)
    let ids = [desk.model.folderID, desk.model.fileID]
    #expect(
      desk.told(.batch(DiskBatch(renamed: [.init("F", "H")]))) == ["list . F>H", "rename F H"])
    #expect(desk.state.contains("(H"))
    #expect([desk.model.folderID, desk.model.fileID] == ids)
  }

  @Test(arguments: [20, 21]) func `20 and 21: the selected file written outside is told`(row: Int) {
    desk.select("F/x.md")
    let batch = DiskBatch(modified: [item("F/x.md")])
    #expect(desk.told(.batch(batch)) == ["list F ~x.md", "modify F/x.md"])
    #expect(desk.state == "fileSelected(F/x.md)")
    // What follows depends on the buffer alone.
    let rules = UnsavedText()
    #expect(
      rules.steps(row == 20 ? .clean : .dirty, .written(.other))
        == (row == 20 ? [.reload] : [.showConflict]))
  }

  @Test func `22: a touch without another content tells nothing`() throws {
    let id = try #require(ObjectID(hex: String(repeating: "a", count: 40)))
    let other = try #require(ObjectID(hex: String(repeating: "b", count: 40)))
    let file = { Item(path: "F/x.md", kind: .file, content: $0) }
    desk.select("F/x.md")
    #expect(desk.gotos(.batch(DiskBatch(modified: [file(id)]))) == ["modify F/x.md"])
    #expect(desk.gotos(.batch(DiskBatch(modified: [file(id)]))) == [])
    #expect(desk.gotos(.batch(DiskBatch(modified: [file(other)]))) == ["modify F/x.md"])
    #expect(desk.told(.batch(DiskBatch())) == [])
  }

  @Test(arguments: froms)
  func `23: an item created outside leaves selection, cursor and scroll`(from: String) {
    let desk = desk(in: from)
    let before = desk.state
    var list = ItemList(.files, of: item("F/"), in: desk.model.catalogue)
    list.moveCursor(to: 1)
    list.scroll(to: 1)
    let (cursor, top) = (list.object(at: 1), list.object(at: 1))
    #expect(desk.told(.batch(DiskBatch(added: [item("F/A/")]))) == ["list F +A"])
    list.apply([.added(item("F/A/"))])
    #expect(list.cursor.flatMap(list.object) == cursor)
    #expect(list.object(at: list.top) == top)
    #expect(list.cursor == 2)
    #expect(desk.state == before)
  }

  @Test func `24: an atomic save keeps the selection and tells of the content`() {
    desk.select("F/x.md")
    let file = desk.model.fileID
    #expect(desk.gotos(.batch(DiskBatch(added: [item("F/x.md")]))) == ["modify F/x.md"])
    // The temporary file was seen before.
    _ = desk.told(.batch(DiskBatch(added: [item("F/x.tmp")])))
    #expect(
      desk.gotos(.batch(DiskBatch(renamed: [.init("F/x.tmp", "F/x.md")]))) == ["modify F/x.md"])
    #expect(desk.state == "fileSelected(F/x.md)")
    #expect(desk.model.fileID == file)
  }

  @Test func `25: a folder in the selected file's place ends the selection`() {
    desk.select("F/x.md")
    #expect(
      desk.told(.batch(DiskBatch(removed: ["F/x.md"], added: [item("F/x.md/")])))
        == ["list F -x.md,+x.md", "goto noSelection F"])
    #expect(desk.model.catalogue["F/x.md"]?.isFolder == true)
  }

  @Test(arguments: ["F/", "lost F/", "F/x.md"])
  func `26: a file in the open folder's place goes to nothing`(from: String) {
    let desk = desk(in: from)
    #expect(
      desk.told(.batch(DiskBatch(removed: ["F"], added: [item("F")])))
        == ["list . -F,+F", "goto noSelection nil"])
  }

  @Test func `27: a selected file that cannot be read stays selected`() {
    desk.select("F/x.md")
    #expect(desk.told(.batch(DiskBatch(unreadable: ["F/x.md"]))) == ["modify F/x.md"])
    #expect(desk.state == "fileSelected(F/x.md)")
    #expect(desk.told(.batch(DiskBatch(readable: ["F/x.md"]))) == ["modify F/x.md"])
  }

  @Test(arguments: ["F/", "lost F/"])
  func `28: an open folder that cannot be read stays open and its list says so`(from: String) {
    let desk = desk(in: from)
    let before = desk.state
    #expect(desk.told(.batch(DiskBatch(unreadable: ["F"]))) == ["list F unreadable"])
    #expect(desk.state == before)
    var list = ItemList(.files, of: item("F/"), in: desk.model.catalogue)
    #expect(!list.isReadable)
    list.apply([.readable])
    #expect(list.isReadable)
  }

  @Test(arguments: froms) func `29: without its directory nothing is selected`(from: String) {
    let desk = desk(in: from)
    #expect(desk.told(.rootVanished) == (from == "nil" ? [] : ["goto noSelection nil"]))
    #expect(desk.model.isRootMissing)
    #expect(desk.told(.rootVanished) == [])
    #expect(desk.select("F/x.md") == [])
    let items = SelectionDesk.paths.map { item($0) }
    #expect(desk.gotos(.rootReturned(items)) == [])
    #expect(desk.select("F/x.md") == ["goto fileSelected F/x.md"])
  }

  @Test func `30: back from a file goes to its folder with the same list`() {
    _ = desk.told(.collapsed(true))
    desk.select("F/")
    desk.select("F/x.md")
    let list = desk.model.folderID
    #expect(desk.told(.back) == ["goto folderSelected F"])
    #expect(desk.model.folderID == list)
  }

  @Test(arguments: ["F/", "lost F/", "/"])
  func `31: back from a folder goes to nothing`(from: String) {
    let desk = desk(in: from)
    _ = desk.told(.collapsed(true))
    #expect(desk.told(.back) == ["goto noSelection nil"])
  }

  @Test func `32: back from nothing does nothing`() {
    _ = desk.told(.collapsed(true))
    #expect(desk.told(.back) == [])
    #expect(desk.state == "noSelection(nil)")
  }

  @Test(arguments: froms) func `33: back with several panes changes no state`(from: String) {
    let desk = desk(in: from)
    let before = desk.state
    #expect(desk.told(.back) == [])
    #expect(desk.state == before)
  }

  @Test(arguments: froms) func `34: another width class changes no state`(from: String) {
    let desk = desk(in: from)
    let before = (desk.state, desk.model.folderID, desk.model.fileID)
    #expect(desk.told(.collapsed(true)) == [])
    #expect(desk.told(.collapsed(false)) == [])
    #expect((desk.state, desk.model.folderID, desk.model.fileID) == before)
  }

  @Test(arguments: [true, false]) func `35: undoing the deletion selects the file again`(here: Bool)
  {
    let back = DiskBatch(added: [item("F/x.md")])
    let delete = { (desk: SelectionDesk) in
      desk.select("F/x.md")
      if here {
        _ = desk.told(.removed(item("F/x.md")))
        _ = desk.told(.deleted(parentFolder: item("F/")))
      } else {
        _ = desk.told(.batch(DiskBatch(removed: ["F/x.md"])))
      }
    }
    delete(desk)
    #expect(desk.told(.undone(back)) == ["list F +x.md", "goto fileSelected F/x.md"])
    // Selecting anything meanwhile makes it a row like others.
    delete(desk)
    desk.select("F/")
    #expect(desk.told(.undone(back)) == ["list F +x.md"])
    #expect(desk.state == "folderSelected(F)")
    // The batch may come before the word of the undo.
    delete(desk)
    _ = desk.told(.batch(back))
    #expect(desk.gotos(.undone(back)) == ["goto fileSelected F/x.md"])
    // The folder may have been renamed meanwhile.
    delete(desk)
    _ = desk.told(.batch(DiskBatch(renamed: [.init("F", "H")])))
    #expect(
      desk.gotos(.undone(DiskBatch(added: [item("H/x.md")]))) == ["goto fileSelected H/x.md"])
  }

  @Test func `36: undoing the creation of the selected file leaves its folder open`() {
    _ = desk.told(.batch(DiskBatch(added: [item("F/new.md")])))
    desk.select("F/new.md")
    #expect(
      desk.told(.undone(DiskBatch(removed: ["F/new.md"])))
        == ["list F -new.md", "goto noSelection F"])
  }

  @Test(arguments: ["nil", "F/", "lost F/", "F/x.md"])
  func `37: a batch that deletes file and folder calls once`(from: String) {
    let desk = desk(in: from)
    let batch = DiskBatch(removed: ["F/x.md", "F"])
    #expect(desk.gotos(.batch(batch)) == (from == "nil" ? [] : ["goto noSelection nil"]))
    #expect(desk.state == "noSelection(nil)")
  }

  @Test func `38: deleting and making the file again in one batch keeps it`() {
    desk.select("F/x.md")
    let file = desk.model.fileID
    let batch = DiskBatch(removed: ["F/x.md"], added: [item("F/x.md")])
    #expect(desk.told(.batch(batch)) == ["list F ~x.md", "modify F/x.md"])
    #expect(desk.model.fileID == file)
    // The same with the folder.
    let both = DiskBatch(removed: ["F"], added: [item("F/"), item("F/x.md")])
    #expect(desk.gotos(.batch(both)) == ["modify F/x.md"])
    #expect(desk.state == "fileSelected(F/x.md)")
  }

  @Test func `39: deleting and making it again in two batches ends the selection`() {
    desk.select("F/x.md")
    #expect(desk.gotos(.batch(DiskBatch(removed: ["F/x.md"]))) == ["goto noSelection F"])
    #expect(desk.told(.batch(DiskBatch(added: [item("F/x.md")]))) == ["list F +x.md"])
    #expect(desk.state == "noSelection(F)")
  }

  @Test func `40: after an overflow a rescan says what the events would have said`() {
    let all = SelectionDesk.paths.map { item($0) }
    let without = { (prefix: RelativePath) in all.filter { !prefix.contains($0.path) } }
    desk.select("F/x.md")
    #expect(desk.told(.rescanned(all)) == ["list F ~x.md", "modify F/x.md"])
    #expect(
      desk.told(.rescanned(without("G"))) == ["list . -G", "list F ~x.md", "modify F/x.md"])
    #expect(desk.state == "fileSelected(F/x.md)")
    #expect(
      desk.told(.rescanned(without("F/x.md"))) == [
        "list . +G", "list F -x.md", "goto noSelection F",
      ])
    #expect(desk.gotos(.rescanned(without("F"))) == ["goto noSelection nil"])
    #expect(desk.model.catalogue == Catalogue(without("F")))
  }

  @Test(arguments: froms) func `41: a restored draft is selected`(from: String) {
    let desk = desk(in: from)
    #expect(
      desk.told(.draftRestored(item("F/kept.md")))
        == ["list F +kept.md", "goto fileSelected F/kept.md"])
    #expect(desk.state == "fileSelected(F/kept.md)")
  }

  @Test func `42: a hidden new name stays in view until it is deselected`() {
    desk.select("F/x.md")
    var list = ItemList(.files, of: item("F/"), in: desk.model.catalogue)
    list.pin(item("F/x.md"))
    #expect(
      desk.told(.batch(DiskBatch(renamed: [.init("F/x.md", "F/.x.md")])))
        == ["list F x.md>.x.md", "rename F/x.md F/.x.md"])
    list.apply([.renamed(from: item("F/x.md"), to: item("F/.x.md"))])
    #expect(list.row(of: "F/.x.md") != nil)
    list.pin(nil)
    #expect(list.row(of: "F/.x.md") == nil)
    list.showHidden(true)
    #expect(list.row(of: "F/.x.md") != nil)
  }

  @Test func `43: selecting a folder in a folder shifts the columns, and back shifts them again`() {
    desk.select("F/x.md")
    #expect(desk.select("F/D/") == ["goto folderSelected F/D"])
    #expect(desk.stacks.primary == [.folders(item("F/"))])
    #expect(desk.stacks.inner == [.files(item("F/D/"))])
    _ = desk.told(.collapsed(true))
    #expect(desk.told(.back) == ["goto folderSelected F"])
    #expect(desk.stacks.primary == [.folders(.vault)])
    // A nested folder that goes away leaves the one above it open.
    desk.select("F/D/deep.md")
    #expect(desk.gotos(.batch(DiskBatch(removed: ["F/D"]))) == ["goto noSelection F"])
  }
}
