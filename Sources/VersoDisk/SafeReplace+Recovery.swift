import Glibc
package import VersoModel

/// A file that an earlier process left in the staging folder.
package struct Leftover: Sendable {
  package enum Role: Hashable, Sendable {
    /// A copy of ours that was never at its path: may be dropped.
    case staged
    /// It was at a path of the work tree and may hold what is saved nowhere: must not be lost.
    case displaced
    /// Not one of our names; left alone.
    case foreign
  }

  /// Its name in the staging folder.
  package let name: [UInt8]
  package let role: Role
  /// The operation in whose journal ``number`` says which path this was; empty where foreign.
  package let operation: [UInt8]
  package let number: Int
  package let status: FileStatus
}

extension SafeReplace {
  /// What is in the staging folder, of whatever operation; to be asked at the start, under the lock.
  ///
  /// For each that is displaced: give ``displaced(_:path:known:)`` to ``settle(_:)``, or
  /// to ``putBack(_:)``. For each that is staged: ``drop(_:)``.
  package func leftovers() throws(DiskError) -> [Leftover] {
    let here = [UInt8(ascii: ".")]
    let folder = try store.opening(here, in: staging, flags: O_RDONLY | O_DIRECTORY)
    var found: [Leftover] = []
    for name in try store.names(in: folder.number, path: here) {
      guard let status = try store.status(of: name, in: staging) else { continue }
      found.append(Self.leftover(name, status))
    }
    return found.sorted { $0.name.lexicographicallyPrecedes($1.name) }
  }

  private static func leftover(_ name: [UInt8], _ status: FileStatus) -> Leftover {
    guard let parsed = StagedName(name) else {
      return Leftover(name: name, role: .foreign, operation: [], number: 0, status: status)
    }
    let role: Leftover.Role =
      switch parsed.role {
      case .part: .staged
      case .new(let mark): mark == StagedName.Mark(status) ? .staged : .displaced
      case .old: .displaced
      }
    return Leftover(
      name: name, role: role, operation: parsed.operation, number: parsed.number, status: status)
  }

  /// A displaced leftover in the form that ``settle(_:)`` takes.
  ///
  /// `path` is where it was, as the journal says, and `known` what is saved of it; `nil` makes
  /// everything in it an edit.
  package func displaced(
    _ leftover: Leftover, path: RelativePath, known: KnownContent?
  ) -> Displaced {
    Displaced(
      path: path, name: leftover.name, known: known, isRemoval: false, looksEdited: true,
      isNoFile: leftover.status.kind == .folder || leftover.status.kind == .special,
      since: MonotonicTime.now())
  }

  /// Puts a displaced file or folder back where nothing has taken its place.
  ///
  /// - Throws: ``ReplaceRefusal/Reason/changed`` where something has; it then stays here.
  package func putBack(_ displaced: Displaced) throws(ReplaceRefusal) {
    try giveBack(displaced, to: target(displaced.path, number: 0))
  }

  /// Removes a staged copy; does nothing with any other leftover.
  package func drop(_ leftover: Leftover) throws(DiskError) {
    guard leftover.role == .staged else { return }
    try store.unlinking(leftover.name, in: staging)
  }
}
