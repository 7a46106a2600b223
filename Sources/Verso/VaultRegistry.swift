import Glibc
package import VersoDisk
import VersoModel

/// The vaults of this user, as `verso init` has noted them: what `--all` goes through.
///
/// A plain file, `vaults` in the ``StateFolder``: a path a line, quoted as git quotes unusual ones. A
/// person may edit it; lines that are no absolute path stay as they are and mean nothing.
package struct VaultRegistry: Sendable {
  /// A vault of the list.
  package struct Entry: Hashable, Sendable {
    /// The root as it was noted, absolute; any bytes.
    package let root: [UInt8]
    /// What is there now.
    package let state: State
  }

  package enum State: Hashable, Sendable {
    /// A directory with a repository, by its path as text.
    case present(String)
    /// Nothing, or nothing that could be a vault; why.
    case missing(String)
  }

  private let place: StateFolder

  package init(environment: (String) -> String?, store: any FileStore = SystemFileStore()) {
    place = StateFolder(environment: environment, store: store)
  }

  /// The file's path; `nil` where this user has no place for it.
  package var file: String? { place.path.map { "\($0)/\(Self.name)" } }

  /// Whether there is a place for the list.
  package var canBeWritten: Bool { place.canBeMade }

  private static let name = "vaults"

  /// Every vault of the list, in the order in which they were noted. One that has moved or vanished is
  /// there too.
  ///
  /// - Throws: ``VersoError`` where the list cannot be read. One that is not there is empty.
  package func all() throws(VersoError) -> [Entry] {
    var seen = Set<[UInt8]>()
    return try lines().compactMap(Self.root).filter { seen.insert($0).inserted }.map {
      Entry(root: $0, state: Self.state(of: $0))
    }
  }

  /// Notes a vault; one that is there already is no error, and nothing is written.
  ///
  /// - Parameter root: Absolute, links resolved.
  package func add(_ root: String) throws(VersoError) {
    let root = Array(root.utf8)
    if try lines().contains(where: { Self.root($0) == root }) { return }
    try edit { lines in
      if lines.contains(where: { Self.root($0) == root }) { return }
      lines.append(QuotedPath.quote(root))
    }
  }

  /// Takes a vault out of the list.
  ///
  /// - Returns: Whether it was there.
  @discardableResult
  package func remove(_ root: [UInt8]) throws(VersoError) -> Bool {
    guard try lines().contains(where: { Self.root($0) == root }) else { return false }
    try edit { lines in lines.removeAll { Self.root($0) == root } }
    return true
  }

  // MARK: The file

  private func lines() throws(VersoError) -> [[UInt8]] {
    guard let folder = try place.opened() else { return [] }
    return try read(in: folder.number)
  }

  private func read(in folder: Int32) throws(VersoError) -> [[UInt8]] {
    do throws(DiskError) {
      let bytes = try place.store.readFile(Array(Self.name.utf8), in: folder) ?? []
      return bytes.split(separator: 0x0A).map(Array.init)
    } catch { throw VersoError(error) }
  }

  /// Writes the list anew, whole or not at all, while nobody else does.
  private func edit(_ change: (inout [[UInt8]]) -> Void) throws(VersoError) {
    try place.locked { (folder) throws(VersoError) in
      var lines = try read(in: folder)
      change(&lines)
      do throws(DiskError) {
        try place.store.writeFileAtomically(
          Array(lines.map { $0 + [0x0A] }.joined()), Array(Self.name.utf8), in: folder, sync: true)
      } catch { throw VersoError(error) }
    }
  }

  private static func root(_ line: [UInt8]) -> [UInt8]? {
    guard let root = QuotedPath.unquote(line), root.first == RelativePath.slash,
      !root.contains(0)
    else { return nil }
    return root
  }

  private static func state(of root: [UInt8]) -> State {
    guard let text = String(validating: root, as: UTF8.self) else {
      return .missing("its path is no UTF-8, which a vault's own must be")
    }
    var status = stat()
    guard stat(text, &status) == 0 else {
      return .missing(DiskError(code: errno, operation: "look at", path: root).reason)
    }
    guard status.st_mode & S_IFMT == S_IFDIR else { return .missing("no directory") }
    guard lstat(text + "/.git", &status) == 0 else { return .missing("no vault is there") }
    return .present(text)
  }
}
