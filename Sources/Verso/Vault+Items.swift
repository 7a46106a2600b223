public import VersoModel

/// What an ``ItemDataSource`` needs of a vault: creating, renaming and deleting, each one version.
extension Vault: ItemOperations {
  /// Makes an empty file or folder.
  ///
  /// An empty folder is no version, and stays on this device until it holds a note.
  ///
  /// - Throws: ``VersoError`` where something of that name is there, or where it cannot be written.
  public func create(_ item: Item) async throws {
    try carryOut(item.isFolder ? .makeFolder(item.path) : .create(item.path, []))
  }

  /// Gives an item another path, which must be free.
  ///
  /// - Throws: ``ItemError/isVault`` for the vault itself; ``VersoError`` where it cannot be done.
  public func rename(_ item: Item, to path: RelativePath) async throws {
    if item.isVault { throw ItemError.isVault }
    try carryOut(.move([.init(item.path, path)]))
  }

  /// Deletes an item; its versions stay.
  ///
  /// - Parameters:
  ///   - item: A file or a folder.
  ///   - force: Whether a folder goes with what it holds.
  /// - Throws: ``ItemError/notEmpty(_:)`` for a folder that holds something, hidden and ignored files
  ///   included, unless `force`; ``ItemError/isVault`` for the vault itself; ``VersoError`` where it
  ///   cannot be done.
  public func delete(_ item: Item, force: Bool) async throws {
    if item.isVault { throw ItemError.isVault }
    // What cannot be listed may hold anything.
    if item.isFolder, !force, !canList(item.path) || !entries(of: item.path).isEmpty {
      throw ItemError.notEmpty(item.path)
    }
    try carryOut(.delete([item.path]))
  }

  private func carryOut(_ operation: VaultOperation) throws {
    let outcome = try perform(operation)
    if let left = outcome.left.first { throw left.error }
  }
}
