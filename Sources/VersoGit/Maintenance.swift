import Glibc
package import VersoDisk
import VersoModel

/// Keeps the object store small: loose objects are packed by git's own `gc` when there are many.
///
/// Never `--prune=now`: it has destroyed a repository with a writer at work. Objects that nothing
/// refers to stay for two weeks.
package struct Maintenance {
  /// What came of it.
  package enum Outcome: Hashable, Sendable {
    case notNeeded
    case packed
    /// There is no git program, or it failed; why. Nothing is lost, only larger than need be.
    case failed(String)
  }

  /// So many loose objects, or so many bytes of them, are worth a pack.
  static let objectLimit = 1000
  static let byteLimit: UInt64 = 20 << 20

  private let gitDirectory: String
  private let objects: Int32
  private let store: any FileStore
  private let runner: any ProgramRunner

  /// Prepares a look.
  ///
  /// - Precondition: Neither the vault's lock nor `index.lock` is held by this process.
  /// - Parameter objects: The folder `objects`, open.
  package init(
    gitDirectory: String, objects: Int32, store: any FileStore, runner: any ProgramRunner
  ) {
    self.gitDirectory = gitDirectory
    self.objects = objects
    self.store = store
    self.runner = runner
  }

  /// Packs loose objects where there are too many.
  package func runIfNeeded() -> Outcome {
    guard isNeeded else { return .notNeeded }
    let outcome = runner.run(
      ProgramRequest(
        arguments: [
          "git", "--git-dir=\(gitDirectory)", "-c", "gc.autoDetach=false", "-c", "gc.auto=1",
          "-c", "gc.pruneExpire=2.weeks.ago", "gc", "--auto", "--quiet",
        ], environment: .quietGit, limit: 600))
    return outcome.succeeded ? .packed : .failed(outcome.reason)
  }

  /// Four of the 256 folders stand for all, as git's own estimate takes one.
  private var isNeeded: Bool {
    var count = 0
    var bytes: UInt64 = 0
    for name in ["17", "5c", "a3", "e8"] {
      do throws(DiskError) {
        let folder = try store.opening(
          Array(name.utf8), in: objects, flags: O_RDONLY | O_DIRECTORY)
        var names: [[UInt8]] = []
        try store.forEachName(in: folder.number, path: Array(name.utf8)) { names.append(Array($0)) }
        for name in names where name.count == 38 {
          count += 1
          bytes += try store.status(of: name, in: folder.number)?.size ?? 0
        }
      } catch { continue }  // Not there: no objects in it.
    }
    return count * 64 >= Self.objectLimit || bytes * 64 >= Self.byteLimit
  }

  /// Removes what killed processes of ours were writing.
  ///
  /// - Precondition: The vault lock is held, so that none of ours is alive.
  package static func removeDeadTemporaries(
    objects: Int32, store: any FileStore
  ) throws(DiskError) {
    for (folder, prefixes) in [(".", ["tmp_obj_verso_"]), ("pack", ["tmp_pack_verso_", "tmp_idx_verso_"])] {
      do throws(DiskError) {
        let open = try store.opening(
          Array(folder.utf8), in: objects, flags: O_RDONLY | O_DIRECTORY)
        var dead: [[UInt8]] = []
        try store.forEachName(in: open.number, path: Array(folder.utf8)) { name in
          if prefixes.contains(where: { name.starts(with: $0.utf8) }) { dead.append(Array(name)) }
        }
        for name in dead { try store.unlinking(name, in: open.number) }
      } catch {
        if !error.isAbsence { throw error }
      }
    }
  }
}
