package import VersoModel

/// What `.gitattributes` say about merging files (gitattributes(5), "Performing a three-way merge").
///
/// Only files of a tree count: what this machine has in `info/attributes` or its user's configuration
/// must not decide what a merge makes.
package struct MergeAttributes {
  /// How a file is to be merged.
  package enum Style: Hashable, Sendable {
    /// Line by line.
    case lines
    /// Line by line, keeping the lines of both sides (`merge=union`).
    case union
    /// Not at all: `binary`, `-merge`, `merge=binary`, and drivers that are not git's own.
    case whole
  }

  private let files: [AttributeFile]

  /// Reads attribute files, from the root's down.
  package init(_ files: [(folder: RelativePath, content: [UInt8])]) {
    self.files =
      [.builtIn]
      + files.map {
        AttributeFile(
          $0.content, base: $0.folder, definesMacros: $0.folder.isRoot, ignoringCase: false)
      }
  }

  /// How to merge the file at a path.
  package func style(of path: RelativePath) -> Style {
    switch AttributeReader.values(of: path, by: files)["merge"] {
    case nil, .unspecified, .isTrue, .string("text"): .lines
    case .string("union"): .union
    case .isFalse, .string: .whole
    }
  }
}
