import CLinux
import Glibc
package import VersoDisk
package import VersoGit
import VersoHistory
package import VersoModel

/// A vault, opened: the synchronous machinery behind ``Vault`` and the command line.
///
/// Not `Sendable`: one thread at a time. It holds descriptors of the root, the git directory and
/// Verso's own folder, so that a root that is renamed or mounted over is noticed, not followed.
package final class Engine {
  /// The root, absolute, links resolved.
  package let root: String
  package let repository: Repository
  let settings: Settings
  let store: any FileStore
  let rootFolder: Descriptor
  let gitFolder: Descriptor
  let objectsFolder: Descriptor
  /// Where references are: another folder than the git directory for a linked work tree only.
  let commonFolder: Descriptor
  /// The history index, once it was needed.
  var indexer: HistoryIndexer?
  /// The inode of its file.
  var indexerFile: UInt64?
  /// What the last save of this engine found, and what it left.
  var stateBeforeSave: GitState?
  var stateAfterSave: GitState?
  /// The real time; tests may set it.
  var now: @Sendable () -> Timestamp = { Timestamp.now() }
  /// What versions are stamped with; tests may set it.
  var stampTime: @Sendable (Identity.Role) -> ZonedTime = { Identity.time($0) }
  /// How long files that were taken out are kept at least; tests may set it.
  var grace = SafeReplace.Limits().grace

  /// Opens the repository whose work tree is `root`; it need not be a vault yet.
  ///
  /// - Throws: ``VersoError`` in plain words: no repository, a foreign owner, a format that
  ///   libgit2 cannot read.
  package init(root: String, store: any FileStore = SystemFileStore()) throws(VersoError) {
    self.root = root
    self.store = store
    do throws(GitError) {
      repository = try Repository(at: root)
      settings = try Settings(of: repository)
    } catch {
      throw Preflight.explain(error, opening: root)
    }
    guard repository.workTree != nil else {
      throw VersoError(
        .refused, "\(root) is a bare repository: it has no files to keep",
        hint: "clone it and run verso init in the clone")
    }
    do throws(DiskError) {
      let flags = O_RDONLY | O_DIRECTORY
      rootFolder = try store.opening(Array(root.utf8), in: AT_FDCWD, flags: flags)
      gitFolder = try store.opening(
        Array(repository.gitDirectory.utf8), in: AT_FDCWD, flags: flags)
      commonFolder = try store.opening(
        Array(repository.commonDirectory.utf8), in: AT_FDCWD, flags: flags)
      objectsFolder = try store.opening(
        Array((repository.commonDirectory + "/objects").utf8), in: AT_FDCWD, flags: flags)
    } catch {
      throw VersoError(error)
    }
  }

  /// Opens the vault at or above a path.
  ///
  /// - Parameter mayBeUnfinished: Whether a clone that was cut off is opened too.
  /// - Throws: ``VersoError/Code/noVault`` where there is no repository, or one that is no vault;
  ///   ``VersoError/Code/refused`` for an unfinished clone: what is saved there would go nowhere.
  package static func open(
    above path: String, mayBeUnfinished: Bool = false
  ) throws(VersoError) -> Engine {
    guard let location = VaultLocation(above: path) else {
      throw VersoError(
        .noVault, "\(path) is not in a vault", hint: "run: verso init DIR")
    }
    let engine = try Engine(root: location.root)
    guard engine.settings.isVault else {
      throw VersoError(
        .noVault, "\(location.root) is a git repository, but not a vault",
        hint: "run: verso init \(location.root)")
    }
    if let address = engine.settings.unfinishedClone, !mayBeUnfinished {
      throw VersoError(
        .refused, "the clone of \(address) into \(location.root) was cut off",
        hint: "run it again: verso clone \(address) \(location.root)")
    }
    return engine
  }

  /// The path below the root that a command-line operand means.
  ///
  /// - Parameters:
  ///   - operand: Bytes as typed; relative to `directory` unless absolute.
  ///   - directory: An absolute path, which need not be UTF-8.
  /// - Throws: ``VersoError/Code/usage`` where it lies outside the vault.
  package func path(
    of operand: [UInt8], from directory: [UInt8]
  ) throws(VersoError) -> RelativePath {
    let slash = UInt8(ascii: "/")
    var parts: [ArraySlice<UInt8>] = []
    let full = operand.first == slash ? operand : directory + [slash] + operand
    for part in full.split(separator: slash) {
      if part.elementsEqual(".".utf8) { continue }
      if part.elementsEqual("..".utf8) { _ = parts.popLast() } else { parts.append(part) }
    }
    for start in [parts, Self.resolvingParent(parts), Self.resolving(parts) ?? []] {
      let base = Array(root.utf8).split(separator: slash)
      if start.starts(with: base, by: { $0.elementsEqual($1) }) {
        let rest = Array(start.dropFirst(base.count).joined(separator: [slash]))
        if let path = RelativePath(rest) { return path }
      }
    }
    throw VersoError(
      .usage, "\(String(decoding: operand, as: UTF8.self)) is outside the vault \(root)")
  }

  /// The same path with the links in its existing parents resolved: the user may have come in
  /// through a link.
  private static func resolvingParent(_ parts: [ArraySlice<UInt8>]) -> [ArraySlice<UInt8>] {
    for keep in stride(from: parts.count, through: 0, by: -1) {
      // The last component itself may be a link that is meant as a link.
      if keep == parts.count, keep > 0 { continue }
      if let real = resolving(parts[..<keep]) { return real + parts[keep...] }
    }
    return parts
  }

  /// An existing path with all links resolved, such as one from elsewhere into the vault.
  private static func resolving(
    _ parts: some Sequence<ArraySlice<UInt8>>
  ) -> [ArraySlice<UInt8>]? {
    let slash = UInt8(ascii: "/")
    return RelativePath.withCString([slash] + Array(parts.joined(separator: [slash]))) { name in
      guard let real = realpath(name, nil) else { return nil }
      defer { free(real) }
      return Array(UnsafeRawBufferPointer(start: real, count: strlen(real))).split(separator: slash)
    }
  }
}

extension VersoError {
  init(_ error: DiskError) {
    let hint: String? =
      switch error.code {
      case ENOSPC, EDQUOT: "free some space, then run the command again; nothing was lost"
      case EACCES, EPERM: "check the owner and the permissions"
      case EMFILE, ENFILE: "close other programs or raise the limit of open files"
      case EROFS: "the file system is mounted read-only"
      case EIO: "the disk or the network is failing: look at the system's log, then try again"
      case ENAMETOOLONG: "give it a shorter name, or put it into a folder nearer to the root"
      default: nil
      }
    self.init(.failed, error.description, hint: hint)
  }

  init(_ error: GitError, _ attempt: String) {
    // libgit2 ends what it says with the C library's words.
    let cause = [ENOSPC, EDQUOT, EACCES, EROFS, EIO, EMFILE].lazy
      .map { DiskError(code: $0, operation: attempt, path: [UInt8]()) }
      .first { error.message.contains($0.reason) }
    self.init(
      .failed, "cannot \(attempt): \(error.message)", hint: cause.flatMap { VersoError($0).hint })
  }
}
