/// The model side of a list: its rows, what a tap on one does, and the operations on them.
///
/// It belongs to the thread or actor of its coordinator, without which it works, and selects nothing.
public final class ItemDataSource {
  /// The rows.
  public private(set) var list: ItemList
  /// Who is told of taps and deletions.
  public weak var stateCoordinator: StateCoordinator?
  private let operations: any ItemOperations

  /// A source of one list.
  public init(
    _ list: ItemList, operations: any ItemOperations, stateCoordinator: StateCoordinator? = nil
  ) {
    self.list = list
    self.operations = operations
    self.stateCoordinator = stateCoordinator
  }

  /// The number of rows.
  public var rowCount: Int { list.count }

  /// The item that a row draws; `nil` out of range.
  public func object(at row: Int) -> Item? { list.object(at: row) }

  /// Changes the list itself: its cursor, its order, an edit that the coordinator tells.
  public func update(_ change: (inout ItemList) -> Void) { change(&list) }

  /// A tap on a row; on a row that is not there nothing happens.
  public func activate(_ row: Int) {
    guard let item = object(at: row) else { return }
    list.moveCursor(to: row)
    stateCoordinator?.log?(.rowActivated)
    stateCoordinator?.didSelectFile(item)
  }

  /// Makes a file, or a folder where a slash ends the name, and puts the cursor on its row.
  ///
  /// `typed` is the name; `nil` takes a free one.
  ///
  /// - Returns: What was made.
  /// - Throws: ``ItemError``, or what the operation throws; nothing has changed then.
  @discardableResult
  public func create(
    _ typed: String? = nil, isolation: isolated (any Actor)? = #isolation
  ) async throws -> Item {
    let name = typed ?? ItemName.free(suffix: list.role == .files ? ".md" : "/", besides: siblings)
    let new = try Self.checked { () throws(ItemName.Problem) in try ItemName.New(name) }
    let item = Item(path: list.folder.path.appending(new.name), kind: new.kind, content: nil)
    try expectFree(item.path)
    try await operations.create(item)
    report(DiskBatch(added: [item]), edits: [.added(item)])
    if let row = list.row(of: item.path) { list.moveCursor(to: row) }
    return item
  }

  /// Gives the item of a row another name; the cursor stays on it.
  @discardableResult
  public func rename(
    _ row: Int, to name: String, isolation: isolated (any Actor)? = #isolation
  ) async throws -> Item {
    let item = try changeable(row)
    let bytes = try Self.checked { () throws(ItemName.Problem) in try ItemName.bytes(name) }
    let path = item.path.parent.appending(bytes)
    if path == item.path { return item }
    try expectFree(path)
    try await operations.rename(item, to: path)
    let renamed = Item(path: path, kind: item.kind, content: item.content)
    report(
      DiskBatch(renamed: [.init(item.path, path)]), edits: [.renamed(from: item, to: renamed)])
    return renamed
  }

  /// Deletes the item of a row.
  ///
  /// The parent is read before the deletion, while there is one to read. The coordinator is told of a
  /// deletion only where that takes the selected item, or a folder above it, away.
  ///
  /// - Throws: ``ItemError``, or what the operation throws; nothing is told then, and the selection
  ///   stays.
  public func delete(
    _ row: Int, force: Bool = true, isolation: isolated (any Actor)? = #isolation
  ) async throws {
    let item = try changeable(row)
    let parent = item.containingFolder
    stateCoordinator?.log?(.parentRead)
    try await operations.delete(item, force: force)
    stateCoordinator?.log?(.deleted)
    // Asked now: while the disk worked, the selection may have changed.
    let isLost = stateCoordinator?.selection.isLost(byDeleting: item.path) ?? false
    stateCoordinator?.handle(.removed(item))
    list.apply([.removed(item)])
    if isLost { stateCoordinator?.didDeleteFile(parentFolder: parent) }
  }

  private var siblings: [Item] {
    stateCoordinator?.model.catalogue.items(in: list.folder.path) ?? list.items
  }

  private func changeable(_ row: Int) throws(ItemError) -> Item {
    guard let item = object(at: row) else { throw .noItem }
    if item.isVault { throw .isVault }
    return item
  }

  private func expectFree(_ path: RelativePath) throws(ItemError) {
    if list.row(of: path) != nil || siblings.contains(where: { $0.path == path }) {
      throw .exists(path)
    }
  }

  private static func checked<R>(
    _ make: () throws(ItemName.Problem) -> R
  ) throws(ItemError) -> R {
    do { return try make() } catch { throw .badName(error) }
  }

  /// Edits are idempotent, so a delegate may have made them here already.
  private func report(_ batch: DiskBatch, edits: [ListEdit]) {
    stateCoordinator?.handle(.batch(batch))
    list.apply(edits)
  }
}
