/// A folder or a file of a vault, as a value.
public struct Item: Hashable, Sendable {
  /// What an item is. Raw values are git's file modes.
  public enum Kind: UInt32, Sendable, CaseIterable {
    /// A folder (`040000`).
    case folder = 0o040000
    /// A plain file (`100644`).
    case file = 0o100644
    /// A file with an execute bit (`100755`).
    case executable = 0o100755
    /// A symbolic link, whose content is its target (`120000`).
    case link = 0o120000
    /// A nested repository (`160000`), which Verso leaves alone.
    case repository = 0o160000

    /// Whether items of this kind hold others.
    public var isFolder: Bool { self == .folder }
  }

  /// Where the item is.
  public let path: RelativePath
  /// What it is.
  public let kind: Kind
  /// The git id of its content; for a folder the id of its tree, where known.
  public let content: ObjectID?

  /// Makes an item.
  public init(path: RelativePath, kind: Kind, content: ObjectID?) {
    self.path = path
    self.kind = kind
    self.content = content
  }

  /// Whether this is a folder.
  public var isFolder: Bool { kind.isFolder }

  /// The folder that holds the item; `nil` where that is the vault's root, for folders and files
  /// alike: a top-level folder has no parent.
  public var parent: RelativePath? {
    let parent = path.parent
    return parent.isRoot ? nil : parent
  }
}
