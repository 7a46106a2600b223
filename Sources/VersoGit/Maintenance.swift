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
  static let byteLimit: UInt64 = 20_000_000

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

  /// Packs loose objects where enough have come since the last time.
  ///
  /// What nothing refers to stays loose for two weeks; so that it does not call for a pack at every
  /// save, what is left behind is noted and not counted again.
  package func runIfNeeded() -> Outcome {
    let left = leftLastTime()
    guard isNeeded(beyond: left) else { return .notNeeded }
    // Who has switched git's own tidying off is not overruled.
    if text(of: git(["config", "--get", "gc.auto"]).output) == "0" { return .notNeeded }
    // At 1, gc finds almost always that it has something to do. libgit2 1.5 reads commit graphs of
    // generation version 1 only.
    var outcome = git([
      "-c", "gc.autoDetach=false", "-c", "gc.auto=1", "-c", "gc.pruneExpire=2.weeks.ago",
      "-c", "commitGraph.generationVersion=1", "gc", "--auto", "--quiet",
    ])
    if outcome.succeeded, isNeeded(beyond: left) {
      // It looked into the one folder by which it judges, and that was empty (git-gc(1)). This packs
      // what is in use and deletes nothing else.
      outcome = git(["repack", "-d", "-l", "-q"])
    }
    guard outcome.succeeded else { return .failed(outcome.reason) }
    remember(count())
    return .packed
  }

  private func git(_ arguments: [String]) -> ProgramOutcome {
    runner.run(
      ProgramRequest(
        arguments: ["git", "--git-dir=\(gitDirectory)"] + arguments, environment: .quietGit,
        limit: 600))
  }

  private func text(of output: [UInt8]) -> String {
    String(decoding: output.filter { $0 > 0x20 }, as: UTF8.self)
  }

  // MARK: Counting

  private struct Load {
    var objects = 0
    var bytes: UInt64 = 0
  }

  /// Everything is counted: a few large objects, such as the trees of a folder of many notes, are in
  /// no sample. It costs some milliseconds at most, as counting stops where the answer is known.
  private func isNeeded(beyond left: Load) -> Bool {
    let limit = Load(
      objects: left.objects + Self.objectLimit, bytes: left.bytes + Self.byteLimit)
    let load = count(upTo: limit)
    return load.objects >= limit.objects || load.bytes >= limit.bytes
  }

  private func count(upTo limit: Load = Load(objects: .max, bytes: .max)) -> Load {
    var load = Load()
    for number in 0..<256 where load.objects < limit.objects && load.bytes < limit.bytes {
      let digits = String(number + 256, radix: 16).utf8.dropFirst()
      do throws(DiskError) {
        let folder = try store.opening(
          Array(digits), in: objects, flags: O_RDONLY | O_DIRECTORY)
        for name in try store.names(in: folder.number, path: Array(digits))
        where name.count == 38 {
          load.objects += 1
          load.bytes += try store.status(of: name, in: folder.number)?.size ?? 0
        }
      } catch { continue }  // Not there: no objects in it.
    }
    return load
  }

  // MARK: What is left

  private var record: [UInt8] { Array("\(gitDirectory)/verso/left-loose".utf8) }

  private func leftLastTime() -> Load {
    do throws(DiskError) {
      let words = try store.readFile(record, in: AT_FDCWD)?.split(separator: 0x20) ?? []
      let numbers = words.compactMap { UInt64(String(decoding: $0, as: UTF8.self)) }
      if numbers.count == 2, numbers.allSatisfy({ $0 < 1 << 50 }) {
        return Load(objects: Int(numbers[0]), bytes: numbers[1])
      }
    } catch {}  // Without it, git is asked once too often.
    return Load()
  }

  private func remember(_ load: Load) {
    do throws(DiskError) {
      let text = Array("\(load.objects) \(load.bytes)".utf8)
      try store.writeFresh(text, to: record, in: AT_FDCWD, mode: 0o600)
    } catch {}  // As above.
  }

  /// Removes what killed processes of ours were writing.
  ///
  /// - Precondition: The vault lock is held, so that none of ours is alive.
  package static func removeDeadTemporaries(
    objects: Int32, store: any FileStore
  ) throws(DiskError) {
    for (folder, prefixes) in [(".", ["tmp_obj_verso_"]), ("pack", ["tmp_pack_verso_"])] {
      do throws(DiskError) {
        let open = try store.opening(
          Array(folder.utf8), in: objects, flags: O_RDONLY | O_DIRECTORY)
        for name in try store.names(in: open.number, path: Array(folder.utf8))
        where prefixes.contains(where: { name.starts(with: $0.utf8) }) {
          try store.unlinking(name, in: open.number)
        }
      } catch {
        if !error.isAbsence { throw error }
      }
    }
  }
}
