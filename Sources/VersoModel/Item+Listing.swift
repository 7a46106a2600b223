extension Item {
  /// The vault itself, which is a folder: the first row of the list of folders. It holds the notes of
  /// the root, and can neither be renamed nor deleted.
  public static let vault = Item(path: .root, kind: .folder, content: nil)

  /// Whether this is the vault itself.
  public var isVault: Bool { path.isRoot }

  /// The folder at `path`; the vault for the root.
  public static func folder(at path: RelativePath) -> Item {
    Item(path: path, kind: .folder, content: nil)
  }

  /// The folder in whose list a selection of this item leaves one who goes back.
  ///
  /// For a note of the root that is the vault, as it is a row like other folders; a folder at the top
  /// has none, nor has the vault.
  public var containingFolder: Item? {
    if let parent { return .folder(at: parent) }
    return isFolder ? nil : .vault
  }

  /// The name as text, invalid UTF-8 repaired: to be shown, never to find the item again. Empty for
  /// the vault.
  public var name: String { String(decoding: path.name, as: UTF8.self) }

  /// What stands above the item's pane: its name, and for the vault `vaultName`; `Untitled` where that
  /// is missing or empty.
  public func title(vaultName: String? = nil) -> String {
    let title = isVault ? vaultName ?? "" : name
    return title.isEmpty ? ItemName.untitled : title
  }

  /// Whether the name starts with a dot.
  public var isHidden: Bool { path.name.first == UInt8(ascii: ".") }
}
