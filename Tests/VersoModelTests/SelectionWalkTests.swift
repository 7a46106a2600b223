import Testing
import VersoModel
import VersoTestSupport

/// Random disks and users: whatever happens, the model is legal, and knows what the disk holds.
@Suite struct SelectionWalkTests {
  /// What one walk has met, so that a walk that meets nothing is noticed.
  private struct Coverage {
    var lost = 0
    var followed = 0
    var edits = 0
  }

  @Test(arguments: seeds(isFullRun ? 400 : 30))
  func `a walk never reaches an illegal pair and a batch goes nowhere twice`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var vault = FakeVault()
    var model = SelectionModel()
    var coverage = Coverage()
    for step in 0..<250 {
      let comment: Comment = "seed \(seed), step \(step)"
      if generator.chance(2) {
        let event = Self.userEvent(vault, &generator)
        let outcome = model.reduce(event)
        #expect(Self.gotos(outcome).count <= 1, comment)
      } else {
        let old = vault
        vault.edit(&generator)
        let batch = vault.batch(since: old, &generator)
        Self.check(&model, batch, old, vault, comment, &coverage)
      }
      Self.expectLegal(model, vault, comment)
    }
    let hasSeen = coverage.lost > 0 && coverage.followed > 0 && coverage.edits > 50
    #expect(hasSeen, "seed \(seed): \(coverage)")
  }

  private static func gotos(_ outcome: SelectionModel.Outcome) -> [SelectionModel.Notice] {
    outcome.notices.filter { if case .goto = $0 { true } else { false } }
  }

  private static func userEvent(
    _ vault: FakeVault, _ generator: inout SeededGenerator
  ) -> SelectionModel.Event {
    switch Int.random(in: 0...9, using: &generator) {
    case 0: .select(nil)
    case 1: .back
    case 2: .collapsed(generator.chance(2))
    case 3: .select(.vault)
    case 4: .select(Item(path: "gone/away", kind: .file, content: nil))
    default:
      .select(
        vault.items.sorted { $0.path < $1.path }.randomElement(using: &generator) ?? .vault)
    }
  }

  private static func expectLegal(
    _ model: SelectionModel, _ vault: FakeVault, _ comment: Comment
  ) {
    let selection = model.selection
    switch selection.state {
    case .noSelection: #expect(selection.item?.isFolder ?? true, comment)
    case .folderSelected: #expect(selection.item?.isFolder == true, comment)
    case .fileSelected: #expect(selection.item?.isFolder == false, comment)
    }
    if let item = selection.item, !item.isVault {
      #expect(vault.nodes[item.path]?.isFolder == item.isFolder, comment)
    }
    #expect((model.folderID == nil) == (selection.selectedFolder == nil), comment)
    #expect((model.fileID == nil) == (selection.selectedFile == nil), comment)
    let isKnown = model.catalogue == Catalogue(vault.items)
    #expect(isKnown, comment)
    for isCollapsed in [true, false] {
      let stacks = PaneStacks(selection, isCollapsed: isCollapsed)
      #expect(stacks.primary.first.map { if case .folders = $0 { true } else { false } } == true)
      #expect(
        PaneStacks(selection, isCollapsed: !isCollapsed)
          == (isCollapsed ? stacks.expanded() : stacks.collapsed()), comment)
    }
  }

  private static func check(
    _ model: inout SelectionModel, _ batch: DiskBatch, _ old: FakeVault, _ new: FakeVault,
    _ comment: Comment, _ coverage: inout Coverage
  ) {
    let before = model
    let outcome = model.reduce(.batch(batch))
    expectOrder(outcome, comment)
    expectFollowed(before, model, outcome, old, new, comment)
    expectLists(before, batch, outcome, old, new, comment, &coverage)
    if outcome.selectionLost { coverage.lost += 1 }
    let paths = [before, model].map { $0.selection.item?.path }
    if !outcome.selectionLost, paths[0] != paths[1] { coverage.followed += 1 }
    // As if no event had been seen.
    var rescanned = before
    _ = rescanned.reduce(.batch(batch))
    let quiet = rescanned.reduce(.rescanned(new.items))
    #expect(gotos(quiet).isEmpty, comment)
    #expect(rescanned.selection.item?.path == model.selection.item?.path, comment)
    // The same batch again, as the echo of one's own work, tells of no other selection.
    if batch.renamed.isEmpty, batch.removed.isEmpty {
      var again = model
      #expect(gotos(again.reduce(.batch(batch))).isEmpty, comment)
    }
  }

  private static func expectOrder(_ outcome: SelectionModel.Outcome, _ comment: Comment) {
    let stages = outcome.notices.map { notice in
      switch notice {
      case .updateList: 0
      case .rename, .move: 1
      case .modify: 2
      case .goto: 3
      }
    }
    #expect(stages == stages.sorted(), comment)
    #expect(stages.filter { $0 == 3 }.count == (outcome.selectionLost ? 1 : 0), comment)
  }

  /// The selection is where the reference says, with the identities that it has to keep.
  private static func expectFollowed(
    _ before: SelectionModel, _ after: SelectionModel, _ outcome: SelectionModel.Outcome,
    _ old: FakeVault, _ new: FakeVault, _ comment: Comment
  ) {
    guard let item = before.selection.item else {
      #expect(after.selection == .nothing, comment)
      return
    }
    if let path = new.successor(of: item.path, since: old) {
      #expect(!outcome.selectionLost, comment)
      #expect(after.selection.item?.path == path, comment)
      #expect(after.selection.state == before.selection.state, comment)
      #expect(after.fileID == before.fileID, comment)
      return
    }
    var folder = item.containingFolder
    while let candidate = folder, new.successor(of: candidate.path, since: old) == nil {
      folder = candidate.containingFolder
    }
    #expect(outcome.selectionLost, comment)
    let rest = folder.flatMap { new.successor(of: $0.path, since: old) }
    #expect(after.selection == .nothing(in: rest.map { .folder(at: $0) }), comment)
  }

  /// A list that is kept by edits alone equals one that is made anew.
  private static func expectLists(
    _ before: SelectionModel, _ batch: DiskBatch, _ outcome: SelectionModel.Outcome,
    _ old: FakeVault,
    _ new: FakeVault, _ comment: Comment, _ coverage: inout Coverage
  ) {
    var lists: [RelativePath: ItemList] = [:]
    for path in old.folders {
      lists[path] = ItemList(.files, of: .folder(at: path), in: before.catalogue)
    }
    for case .updateList(let folder, let edits) in outcome.notices {
      coverage.edits += edits.count
      lists[folder.path]?.apply(edits)
    }
    let catalogue = Catalogue(new.items)
    for (path, var list) in lists {
      guard let now = new.successor(of: path, since: old) else { continue }
      list.follow(.folder(at: now))
      let fresh = ItemList(.files, of: .folder(at: now), in: catalogue)
      #expect(list.items == fresh.items, "\(comment) \(path) \(batch) \(outcome.notices)")
      #expect((list.cursor == nil) == (list.count == 0), comment)
      #expect(list.cursor.map { $0 < list.count } ?? true, comment)
    }
  }
}
