package import VersoModel

/// What must be written, and what removed, to bring back an old state of a file or folder.
///
/// A plan is pure: it reads and writes nothing. Paths are those of today.
package struct RestorePlan: Hashable, Sendable {
  /// A file of a tree.
  package struct File: Hashable, Sendable {
    package let path: RelativePath
    /// git's mode, as in ``Item/Kind``.
    package let mode: UInt32
    package let content: ObjectID

    package init(path: RelativePath, mode: UInt32, content: ObjectID) {
      self.path = path
      self.mode = mode
      self.content = content
    }
  }

  /// The files to write, sorted by path; those that are as they should be are left out.
  package let writes: [File]
  /// Newer files to remove: those that the old state has not, if it is to be exact.
  package let removals: [RelativePath]
  /// Newer files that stand where a folder must be, or in a folder that stands where a file must
  /// be, and that the plan does not remove: while there are any, it cannot be carried out.
  package let obstacles: [RelativePath]

  /// Plans to bring back `old`.
  ///
  /// - Parameters:
  ///   - old: The files of the old state. Nested repositories are left alone, then and now.
  ///   - today: The files that are there now, at or below the place.
  ///   - exact: Whether newer files go, so that exactly the old state is there.
  ///   - moves: The old name of the place and today's, where they differ.
  package init(
    old: [File], today: [File], exact: Bool = false,
    moving moves: (from: RelativePath, to: RelativePath)? = nil
  ) {
    let wanted = old.compactMap { file -> File? in
      guard file.mode != Item.Kind.repository.rawValue else { return nil }
      guard let moves else { return file }
      return file.path.replacing(prefix: moves.from, with: moves.to).map { path in
        File(path: path, mode: file.mode, content: file.content)
      }
    }
    let present = Dictionary(today.map { ($0.path, $0) }) { a, _ in a }
    let names = Set(wanted.map(\.path))
    let folders = Set(wanted.flatMap(\.path.ancestors))
    writes = wanted.filter { present[$0.path] != $0 }.sorted { $0.path < $1.path }
    let newer = today.filter { !names.contains($0.path) }.map(\.path).sorted()
    let kept = Set(
      today.filter { $0.mode == Item.Kind.repository.rawValue }.map(\.path))
    removals = exact ? newer.filter { !kept.contains($0) } : []
    let removed = Set(removals)
    obstacles = newer.filter { path in
      !removed.contains(path)
        && (folders.contains(path) || path.ancestors.contains { names.contains($0) })
    }
  }

  /// Whether everything is as it should be.
  package var isEmpty: Bool { writes.isEmpty && removals.isEmpty && obstacles.isEmpty }
}
