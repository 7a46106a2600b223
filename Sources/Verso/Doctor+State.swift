import Glibc
import VersoDisk
import VersoGit
import VersoModel

/// What stands in the way of a save: open operations, HEAD, locks, what a kill left.
extension Doctor {
  mutating func checkVault(_ engine: Engine) {
    if engine.settings.isVault { return note(.good, "vault", "\(root) is a vault") }
    note(
      .look, "vault", "\(root) is a git repository, but no vault", path: Array(root.utf8),
      hint: "run: verso init \(root)")
  }

  mutating func checkRoot(_ engine: Engine) {
    do throws(VersoError) {
      try engine.checkRoot(records: false)
      note(.good, "root", "\(root) is the directory that the history belongs to")
    } catch { note(.bad, "root", error.message, path: Array(root.utf8), hint: error.hint) }
  }

  // MARK: The user's own git

  mutating func checkOperation(_ engine: Engine) {
    var isOpen = false
    if let operation = engine.repository.operationInProgress {
      isOpen = true
      note(
        .look, "operation", "a \(operation) is open in \(root), so nothing is saved",
        hint: Self.advice(on: operation, root: root))
    }
    if engine.isCommitMessageOpen {
      isOpen = true
      note(
        .look, "operation", "a commit message is being written in \(root), so nothing is saved",
        hint: "finish or abort that git commit; an abandoned one counts for ten minutes at most")
    }
    if !isOpen { note(.good, "operation", "no merge, rebase, bisect or commit is open") }
  }

  private static func advice(on operation: String, root: String) -> String {
    let git = "git -C \(root)"
    switch operation {
    case "bisect": return "end it: \(git) bisect reset"
    case "merge": return "finish it: \(git) commit; or give it up: \(git) merge --abort"
    default:
      return "finish it: \(git) \(operation) --continue; or give it up: "
        + "\(git) \(operation) --abort"
    }
  }

  mutating func checkHead(_ engine: Engine) {
    let head: Repository.Head
    do throws(GitError) { head = try engine.repository.head() } catch {
      return note(
        .bad, "head", "HEAD of \(root) cannot be read: \(error.message)",
        path: Array("\(engine.repository.gitDirectory)/HEAD".utf8), hint: rescue(engine))
    }
    switch head {
    case .detached(let id):
      note(
        .look, "head", "HEAD is detached at \(id.short), so nothing is saved",
        hint: "run: git -C \(root) switch BRANCH, or: git -C \(root) switch -c NAME")
      checkCommit(engine, id)
    case .branch(let name, nil):
      note(.good, "head", "\(Engine.shortName(ofBranch: name)) has no version yet")
    case .branch(let name, let id?):
      if checkCommit(engine, id) {
        note(.good, "head", "\(Engine.shortName(ofBranch: name)) is at \(id.short)")
      }
    }
  }

  @discardableResult
  private mutating func checkCommit(_ engine: Engine, _ id: ObjectID) -> Bool {
    do throws(GitError) {
      let commit = try engine.repository.commit(id)
      let ahead = commit.time - engine.now().seconds
      if ahead > 600 {
        note(
          .look, "clock", "the last version is \(ahead / 60) minutes in the future",
          hint: "set the clock of this machine, or of the one that made \(id.short)")
      } else {
        note(.good, "clock", "the last version is not in the future")
      }
      return true
    } catch {
      note(
        .bad, "head", "the last version \(id.short) is missing or damaged: \(error.message)",
        hint: rescue(engine))
      return false
    }
  }

  /// What to do where the tip is gone: the newest commit of HEAD's log that is whole.
  private func rescue(_ engine: Engine) -> String {
    let fallback = "fetch it from another clone or a backup; the files on disk are untouched"
    do throws(DiskError) {
      let log = try engine.store.readFile(Array("logs/HEAD".utf8), in: engine.gitFolder.number)
      for line in (log ?? []).split(separator: 0x0A).reversed() {
        guard let id = ObjectID(hex: line.dropFirst(41).prefix(40)), isWhole(id, engine) else {
          continue
        }
        return "\(fallback). The newest version in git's log that can be read is \(id.hex)"
      }
    } catch { return fallback }
    return fallback
  }

  private func isWhole(_ id: ObjectID, _ engine: Engine) -> Bool {
    do throws(GitError) {
      _ = try engine.repository.tree(engine.repository.commit(id).tree)
      return true
    } catch { return false }
  }

  // MARK: Locks

  mutating func checkLocks(_ engine: Engine) {
    do throws(DiskError) {
      let git = engine.gitFolder.number
      var found: [(path: String, folder: Int32)] = []
      for name in ["index.lock", "HEAD.lock", "config.lock", "shallow.lock"]
      where try engine.store.status(of: Array(name.utf8), in: git) != nil {
        found.append((name, git))
      }
      let common = engine.commonFolder.number
      let packed = "packed-refs.lock"
      if try engine.store.status(of: Array(packed.utf8), in: common) != nil {
        found.append((packed, common))
      }
      for name in try engine.files(below: "refs", in: common) where name.hasSuffix(".lock") {
        found.append((name, common))
      }
      if found.isEmpty { return note(.good, "locks", "git's files are not locked") }
      for (path, folder) in found { try judgeLock(path, in: folder, engine) }
    } catch { note(.bad, "locks", error.description) }
  }

  private mutating func judgeLock(
    _ path: String, in folder: Int32, _ engine: Engine
  ) throws(DiskError) {
    let bytes = Array(path.utf8)
    guard let status = try engine.store.status(of: bytes, in: folder) else { return }
    let full = "\(engine.repository.gitDirectory)/\(path)"
    let age = max(0, engine.now().timeInterval(since: status.modified))
    if try isOurs(status, bytes, in: folder, engine) {
      if !isMending, isVersoAtWork(engine) {
        return note(.good, "locks", "\(full) is held by a verso that is at work")
      }
      note(
        .look, "locks", "\(full) was left by a verso that was killed", path: Array(full.utf8),
        remedy: Remedy(plan: "remove it", deed: "removed") {
          try engine.recoverLocks()
          if let left = try engine.store.status(of: bytes, in: folder),
            left.inode == status.inode
          {
            throw DiskError(code: EBUSY, operation: "remove", path: bytes)
          }
        })
    } else if age < 10 {
      note(.good, "locks", "\(full) is held by a git program right now")
    } else {
      note(
        .look, "locks", "\(full) has been held for \(Self.duration(age)), not by Verso",
        path: Array(full.utf8), hint: "if no git program is running: rm \(full)")
    }
  }

  /// Whether a lock file is a second name, or a copy, of a file in Verso's own folder.
  private func isOurs(
    _ status: FileStatus, _ path: [UInt8], in folder: Int32, _ engine: Engine
  ) throws(DiskError) -> Bool {
    for name in ["token", "ref.new"] {
      let own = Array("\(OwnFile.folder)/\(name)".utf8)
      guard let ours = try engine.store.status(of: own, in: engine.gitFolder.number) else {
        continue
      }
      if ours.inode == status.inode, ours.device == status.device { return true }
      if ours.size == status.size, status.size > 0, status.size < 100, status.kind == .file,
        try engine.store.readFile(own, in: engine.gitFolder.number)
          == engine.store.readFile(path, in: folder)
      {
        return true
      }
    }
    return false
  }

  /// Whether some process holds the vault's lock.
  private func isVersoAtWork(_ engine: Engine) -> Bool {
    do throws(DiskError) {
      let file = try engine.store.opening(
        Array("\(OwnFile.folder)/\(OwnFile.lock)".utf8), in: engine.gitFolder.number,
        flags: O_RDONLY | O_NOFOLLOW)
      return engine.store.tryLock(file.number) == -EAGAIN
    } catch { return false }  // Without a lock file nobody has locked it.
  }

  static func duration(_ seconds: Double) -> String {
    switch seconds {
    case ..<120: "\(Int(seconds)) s"
    case ..<7200: "\(Int(seconds / 60)) min"
    case ..<172_800: "\(Int(seconds / 3600)) h"
    default: "\(Int(min(seconds / 86400, 1e6))) days"
    }
  }

  // MARK: What a kill left

  mutating func checkLeftovers(_ engine: Engine) {
    if engine.readOwn(OwnFile.journal) != nil, !isMending {
      note(
        .look, "journal", "an earlier command was killed in the middle of its work",
        hint: "the next verso command finishes it")
    }
    do throws(DiskError) {
      let ours = try temporaries(engine) { $0.contains("verso") }
      if !ours.isEmpty, isMending || !isVersoAtWork(engine) {
        note(
          .look, "temporaries", "\(ours.count) temporary files of a verso that was killed",
          remedy: Remedy(plan: "remove them", deed: "removed") {
            try engine.recoverLocks()
            for path in ours {
              try engine.store.unlinking(Array(path.utf8), in: engine.commonFolder.number)
            }
          })
      }
      try checkDeadPacks(engine)
    } catch { note(.bad, "temporaries", error.description) }
  }

  /// The temporary files of the object store whose names pass a test, as paths in the common folder,
  /// and Verso's own besides.
  private func temporaries(
    _ engine: Engine, _ isWanted: (String) -> Bool
  ) throws(DiskError) -> [String] {
    var found: [String] = []
    for folder in ["objects", "objects/pack", OwnFile.folder] {
      for name in try engine.names(of: folder, in: engine.commonFolder.number) {
        let isTemporary =
          folder == OwnFile.folder
          ? name.hasSuffix(".tmp") || name == OwnFile.index || name == "config.new"
          : name.hasPrefix("tmp_") || name.hasPrefix(".tmp-")
        let path = "\(folder)/\(name)"
        if isTemporary, isWanted(path) { found.append(path) }
      }
    }
    return found
  }

  /// Packs that a killed gc left can fill a disk; git removes them when they are two weeks old.
  private mutating func checkDeadPacks(_ engine: Engine) throws(DiskError) {
    var bytes: UInt64 = 0
    var count = 0
    for path in try temporaries(engine, { !$0.contains("verso") }) {
      let status = try engine.store.status(of: Array(path.utf8), in: engine.commonFolder.number)
      guard let status, engine.now().timeInterval(since: status.modified) > 3600 else { continue }
      bytes += status.size
      count += 1
    }
    if count == 0 { return }
    note(
      .look, "temporaries", "\(count) files of git runs that were killed take \(Self.size(bytes))",
      hint: "if no git program is running: git -C \(root) prune --expire=2.weeks.ago")
  }
}
