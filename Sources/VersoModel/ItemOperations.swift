/// What changes folders and files for the lists: an engine, or in tests a fake.
///
/// Each operation is one version; it has happened on disk when it returns.
public protocol ItemOperations: Sendable {
  /// Makes an empty file or folder.
  func create(_ item: Item) async throws
  /// Gives an item another path.
  func rename(_ item: Item, to path: RelativePath) async throws
  /// Deletes an item.
  ///
  /// - Parameters:
  ///   - item: A file or a folder.
  ///   - force: Whether a folder goes with what it holds; without, such a folder fails with
  ///     ``ItemError/notEmpty(_:)``.
  func delete(_ item: Item, force: Bool) async throws
}

/// Why a list did not do what it was asked.
public enum ItemError: Error, Hashable, Sendable {
  /// There is no such row any more.
  case noItem
  /// The name is none.
  case badName(ItemName.Problem)
  /// Something of that name is there.
  case exists(RelativePath)
  /// The folder holds something, and was to be deleted only if it does not.
  case notEmpty(RelativePath)
  /// The vault itself can neither be renamed nor deleted.
  case isVault
}

extension ItemError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .noItem: "nothing selected"
    case .badName(.empty): "a name is needed"
    case .badName(.invalid): "a name cannot be . or .. or hold a slash"
    case .badName(.tooLong): "the name is too long: 255 bytes is the limit"
    case .badName(.reserved): ".git belongs to git: choose another name"
    case .exists(let path): "\(path) exists: choose another name"
    case .notEmpty(let path): "\(path) is not empty"
    case .isVault: "the vault itself cannot be renamed or deleted"
    }
  }
}
