public import VersoModel

/// What one save did to one path.
public struct PathChange: Hashable, Sendable {
  /// The kinds of change, with git's letters.
  public enum Kind: String, Sendable {
    case added = "A"
    case modified = "M"
    case deleted = "D"
    case renamed = "R"
  }

  /// What happened.
  public let kind: Kind
  /// Where; for a rename the new path.
  public let path: RelativePath
  /// The path before a rename; `nil` for every other kind.
  public let oldPath: RelativePath?

  /// Makes a change.
  public init(_ kind: Kind, _ path: RelativePath, from oldPath: RelativePath? = nil) {
    self.kind = kind
    self.path = path
    self.oldPath = oldPath
  }
}

extension PathChange: Comparable {
  /// By path, then by kind.
  public static func < (a: PathChange, b: PathChange) -> Bool {
    a.path == b.path ? a.kind.rawValue < b.kind.rawValue : a.path < b.path
  }
}
