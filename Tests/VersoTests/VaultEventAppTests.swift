import Testing
import Verso
import VersoModel
import VersoTestSupport

/// Lists and a selection on a real vault, as the documentation builds them.
@Suite struct VaultEventAppTests {
  /// The example of the documentation's page on split views.
  private final class Lists: StateCoordinatorDelegate {
    let coordinator = StateCoordinator()
    let vault: Vault
    var folders: ItemDataSource
    var files: ItemDataSource?
    private(set) var gotos: [String] = []

    init(_ vault: Vault) {
      self.vault = vault
      folders = ItemDataSource(
        ItemList(.folders, of: .vault, in: Catalogue()), operations: vault,
        stateCoordinator: coordinator)
      coordinator.delegate = self
    }

    func goto(_ next: SelectionState, item: Item?) {
      gotos.append("\(next) \(item.map { "\($0.path)" } ?? "nothing")")
      guard let folder = coordinator.selectedFolder else { return files = nil }
      if files?.list.folder == folder { return }
      files = ItemDataSource(
        ItemList(.files, of: folder, in: coordinator.model.catalogue), operations: vault,
        stateCoordinator: coordinator)
    }

    func didUpdateList(_ folder: Item, edits: [ListEdit]) {
      for source in [folders, files] where source?.list.folder == folder {
        source?.update { $0.apply(edits) }
      }
    }
  }

  @Test(.timeLimit(.minutes(1)))
  func `A37: taps, operations and other programs change lists, disk and selection, headless`()
    async throws
  {
    let scratch = try Scratch()
    try scratch.write("one\n", to: "ideas/a.md")
    let lists = Lists(try await Vault.create(at: scratch.path))
    let events = await lists.vault.watch(settle: .milliseconds(60))
    var iterator = events.makeAsyncIterator()
    /// Takes events until something is so; the watcher has a deadline of its own.
    func follow(until isSo: () -> Bool) async {
      var rounds = 0
      while !isSo(), rounds < 200, let event = await iterator.next() {
        rounds += 1
        switch event {
        case .snapshot(let snapshot): lists.coordinator.handle(.rescanned(snapshot.items))
        case .changed(let changes): lists.coordinator.handle(.batch(DiskBatch(changes)))
        case .offline: lists.coordinator.handle(.rootVanished)
        default: break
        }
      }
      #expect(isSo())
    }
    await follow { lists.folders.list.row(of: "ideas") != nil }
    let row = try #require(lists.folders.list.row(of: "ideas"))
    lists.folders.activate(row)
    let made = try await lists.files?.create("b.md")
    #expect(made?.path == "ideas/b.md" && scratch.text(of: "ideas/b.md") == "")
    let note = try #require(lists.files?.list.row(of: "ideas/b.md"))
    lists.files?.activate(note)
    #expect(lists.gotos == ["folderSelected ideas", "fileSelected ideas/b.md"])
    // Another program takes the selected note away.
    try scratch.git("rm", "-q", "-f", "ideas/b.md")
    await follow { lists.coordinator.selection.selectedFile == nil }
    #expect(lists.gotos.last == "noSelection ideas")
    #expect(lists.files?.list.row(of: "ideas/b.md") == nil)
    await lists.vault.stopWatching()
  }

  @Test func `the documentation has this very example`() throws {
    let page = try repositoryText("Sources/Verso/Verso.docc/SplitView.md")
    let test = try repositoryText("Tests/VersoTests/VaultEventAppTests.swift")
    let example = page.split(separator: "\n").map { $0.drop { $0 == " " } }
    let start = try #require(example.firstIndex { $0.hasPrefix("final class Lists") })
    let end = try #require(example.firstIndex { $0.hasPrefix("let lists = ") })
    let lines = Set(test.split(separator: "\n").map { $0.drop { $0 == " " } })
    for line in example[(start + 1)..<end] { #expect(lines.contains(line), "\(line)") }
  }
}
