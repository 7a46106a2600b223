import Glibc
import VersoDisk
package import VersoGit
import VersoModel

/// Looks a vault over, and mends what is provably safe to mend.
///
/// It never dies of what it finds: where the vault cannot be opened, it says why and goes on with
/// what can be looked at without it.
package struct Doctor {
  /// What to do besides looking.
  package struct Options {
    /// Whether to mend.
    package var fixes = false
    /// Whether only to say what would be mended.
    package var isDryRun = false
    /// Seconds to wait for the vault's lock and for git's.
    package var wait: Double = 10
    /// Seconds that git may take to go through the history.
    package var historyLimit: Double = 120
    /// Seconds that the remote may be silent.
    package var remoteLimit: Double = 15
    /// Looks a variable up, for what belongs to the user and not to the vault: schedules and the list
    /// of vaults. Neither is looked at without one.
    package var environment: ((String) -> String?)?
    /// Runs `systemctl` and `crontab`.
    package var runner: any ProgramRunner = Programs()

    package init(fixes: Bool = false, isDryRun: Bool = false) {
      self.fixes = fixes
      self.isDryRun = isDryRun
    }
  }

  /// One thing that was looked at.
  package struct Finding: Sendable {
    package enum Level: Int, Sendable {
      /// All is well, or a fact that is good to know.
      case good
      /// A person should look.
      case look
      /// Something is broken.
      case bad
    }
    /// What became of it.
    package enum Deed: Sendable { case none, planned, done }

    package let level: Level
    /// One word for scripts.
    package let topic: String
    /// What and where, in words.
    package let message: String
    /// The path by itself, where there is one.
    package let path: [UInt8]?
    /// What to do, or what would be done.
    package let hint: String?
    package let deed: Deed

    /// Whether it was mended just now.
    package var isFixed: Bool { deed == .done }
  }

  /// A way to mend something.
  struct Remedy {
    /// What it does, as an order: "remove it".
    let plan: String
    /// What it has done: "removed".
    let deed: String
    let apply: () throws -> Void
  }

  package internal(set) var findings: [Finding] = []
  /// Why nothing was mended although that was asked for: somebody holds the vault's lock, or the
  /// vault is not ours to write in.
  package internal(set) var refusal: VersoError?

  let root: String
  let options: Options
  /// Whether the vault's lock is held, so that remedies may be applied.
  var isMending = false
  /// What runs by itself for this vault.
  var schedules: [Scheduler.Entry] = []

  /// Examines the vault whose root is `root`.
  package init(root: String, options: Options = Options()) {
    self.root = root
    self.options = options
    checkProgram()
    do throws(VersoError) {
      let engine = try Engine(root: root)
      note(.good, "repository", "\(engine.repository.gitDirectory) can be read")
      if options.fixes, !options.isDryRun { mend(engine) } else { examine(engine) }
      // A remote may take its time, and nobody should wait for the vault's lock meanwhile.
      checkRemote(engine)
    } catch { examineUnopened(error) }
  }

  // MARK: The course

  private mutating func examine(_ engine: Engine) {
    readSchedules()
    checkVault(engine)
    checkOwner(engine)
    checkPermissions(engine)
    checkExcludes(engine)
    checkIdentity(engine)
    checkSpace(engine)
    checkOperation(engine)
    checkRoot(engine)
    checkLocks(engine)
    checkLeftovers(engine)
    checkLooseObjects(engine)
    checkHead(engine)
    let index = checkIndex(engine)
    if let index {
      checkContent(engine, index)
      checkTracked(engine, index)
      checkDisk(engine, index)
    }
    checkHistory(engine, usesIndex: index != nil)
    checkSurroundings(engine)
    checkInstances()
    checkSchedules()
    checkRegistry(engine)
  }

  /// The same with the vault's lock, so that what is found can be mended on the spot.
  private mutating func mend(_ engine: Engine) {
    let lock: HeldVault
    do throws(VersoError) {
      try Preflight.checkOwner(of: engine.rootFolder.number, path: root, store: engine.store)
      lock = try engine.lockVault(wait: options.wait)
    } catch {
      refusal = error
      return examine(engine)
    }
    isMending = true
    examine(engine)
    finishJournal(engine, lock)
    isMending = false
    _ = consume lock
  }

  private mutating func finishJournal(_ engine: Engine, _ lock: borrowing HeldVault) {
    let wasThere = engine.readOwn(OwnFile.journal) != nil
    do throws(VersoError) {
      // Where there is none, this brings back what a kill left staged.
      try engine.finishJournal(lock)
      if wasThere, engine.readOwn(OwnFile.journal) == nil {
        note(.good, "journal", "finished what an earlier command was killed in", deed: .done)
      }
    } catch {
      note(
        .bad, "journal", "an earlier command cannot be finished: \(error.message)",
        hint: error.hint)
    }
  }

  // MARK: Notes

  mutating func note(
    _ level: Finding.Level, _ topic: String, _ message: String, path: [UInt8]? = nil,
    hint: String? = nil, deed: Finding.Deed = .none
  ) {
    findings.append(
      Finding(level: level, topic: topic, message: message, path: path, hint: hint, deed: deed))
  }

  /// Notes something that can be mended, and mends it where that was asked for.
  ///
  /// - Returns: Whether it was mended.
  @discardableResult
  mutating func note(
    _ level: Finding.Level, _ topic: String, _ message: String, path: [UInt8]? = nil,
    hint: String? = nil, remedy: Remedy
  ) -> Bool {
    if isMending {
      do {
        try remedy.apply()
        note(.good, topic, "\(message): \(remedy.deed)", path: path, deed: .done)
        return true
      } catch {
        let error = VersoError(storing: error)
        note(
          .bad, topic, "\(message), and cannot be mended: \(error.message)", path: path,
          hint: error.hint ?? hint)
        return false
      }
    }
    let plans = options.fixes && options.isDryRun
    note(
      level, topic, message, path: path,
      hint: plans ? "would \(remedy.plan)" : hint ?? "run: verso doctor --fix \(root)",
      deed: plans ? .planned : .none)
    return false
  }

  /// The first few of many, for a line of text.
  static func list(_ paths: some Collection<RelativePath>, limit: Int = 3) -> String {
    let names = paths.prefix(limit).map(\.description).joined(separator: ", ")
    return paths.count > limit ? "\(names) and \(paths.count - limit) more" : names
  }
}

extension Engine {
  /// The names in a folder, sorted; none where it is not there.
  func names(of path: String, in folder: Int32) throws(DiskError) -> [String] {
    do throws(DiskError) {
      let bytes = Array(path.utf8)
      let open = try store.opening(bytes, in: folder, flags: O_RDONLY | O_DIRECTORY)
      // A name that is no UTF-8 is none that git or Verso has made.
      return try store.names(in: open.number, path: bytes).compactMap {
        String(validating: $0, as: UTF8.self)
      }.sorted()
    } catch {
      if error.isAbsence { return [] }
      throw error
    }
  }

  /// The files below a folder, as paths that begin with `path`, sorted; links are not followed.
  func files(below path: String, in folder: Int32) throws(DiskError) -> [String] {
    var found: [String] = []
    for name in try names(of: path, in: folder) {
      let below = "\(path)/\(name)"
      if try store.status(of: Array(below.utf8), in: folder)?.kind == .folder {
        found += try files(below: below, in: folder)
      } else {
        found.append(below)
      }
    }
    return found
  }

  /// Moves a file of the git directory into Verso's folder, under a name that is free.
  ///
  /// - Returns: The path it has now, relative to the git directory.
  @discardableResult
  func setAside(
    _ path: [UInt8], in folder: Int32, as name: String, copying: Bool = false
  ) throws -> String {
    let own = try ownFolder()
    for number in 0..<1000 {
      let free = number == 0 ? name : "\(name).\(number)"
      do throws(DiskError) {
        if copying {
          try store.linking(path, in: folder, to: Array(free.utf8), in: own.number)
        } else {
          try store.renaming(
            path, in: folder, to: Array(free.utf8), in: own.number, flags: 1)
        }
        return "\(OwnFile.folder)/\(free)"
      } catch {
        if error.code == EEXIST { continue }
        // Some file systems know neither links nor a rename that replaces nothing.
        guard [EINVAL, EPERM, ENOSYS, EOPNOTSUPP, EMLINK].contains(error.code) else { throw error }
        if try store.status(of: Array(free.utf8), in: own.number) != nil { continue }
        try store.renaming(path, in: folder, to: Array(free.utf8), in: own.number)
        return "\(OwnFile.folder)/\(free)"
      }
    }
    throw DiskError(code: EEXIST, operation: "set aside", path: path)
  }
}
