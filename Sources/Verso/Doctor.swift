import CLinux
import Glibc
import VersoDisk
import VersoGit
import VersoModel

/// Looks a vault over, and mends what is provably safe to mend.
package struct Doctor {
  /// One thing that was looked at.
  package struct Finding: Sendable {
    package enum Level: Int, Sendable { case good, look, bad }
    package let level: Level
    /// One word for scripts.
    package let topic: String
    package let message: String
    package let hint: String?
    /// Whether it was mended just now.
    package let isFixed: Bool
  }

  package private(set) var findings: [Finding] = []
  private let root: String
  private let fixes: Bool

  /// Examines the vault whose root is `root`.
  ///
  /// - Parameter fixes: Whether to mend.
  package init(root: String, fixes: Bool) {
    self.root = root
    self.fixes = fixes
    examine()
  }

  private mutating func note(
    _ level: Finding.Level, _ topic: String, _ message: String, hint: String? = nil,
    fixed: Bool = false
  ) {
    findings.append(
      Finding(level: level, topic: topic, message: message, hint: hint, isFixed: fixed))
  }

  private mutating func examine() {
    checkProgram()
    let engine: Engine
    do throws(VersoError) { engine = try Engine(root: root) } catch {
      return note(.bad, "repository", error.message, hint: error.hint)
    }
    note(.good, "repository", "\(engine.repository.gitDirectory) opens")
    if !engine.settings.isVault {
      note(.look, "vault", "\(root) is no vault", hint: "run: verso init \(root)")
    }
    if fixes { mend(engine) }
    checkIdentity(engine)
    checkState(engine)
    checkLocks(engine)
    checkIndex(engine)
    checkObjects(engine)
    checkSpace(engine)
    checkPermissions(engine)
    checkNames(engine)
    checkSurroundings(engine)
  }

  // MARK: Programs and people

  private mutating func checkProgram() {
    let outcome = Programs().run(
      ProgramRequest(arguments: ["git", "--version"], environment: .quietGit, limit: 10))
    if outcome.succeeded {
      let text = String(decoding: outcome.output, as: UTF8.self)
      note(.good, "git", text.split(whereSeparator: \.isNewline).first.map(String.init) ?? "git")
    } else {
      note(
        .look, "git", "there is no git program: filters and packing need it",
        hint: "run: apt-get install git")
    }
  }

  private mutating func checkIdentity(_ engine: Engine) {
    let identity = Identity(.committer, in: engine.repository)
    if identity.isMadeUp {
      note(
        .look, "identity", "versions are signed \(identity.name) <\(identity.email)>, a guess",
        hint: "run: git config --global user.name NAME; git config --global user.email ADDRESS")
    } else {
      note(.good, "identity", "\(identity.name) <\(identity.email)>")
    }
  }

  // MARK: State

  private mutating func checkState(_ engine: Engine) {
    do throws(VersoError) {
      try Preflight.checkState(engine)
      note(.good, "state", "no merge, rebase, bisect or commit is open, and HEAD names a branch")
    } catch { note(.look, "state", error.message, hint: error.hint) }
    do throws(VersoError) {
      try engine.checkRoot(records: false)
    } catch { note(.bad, "root", error.message, hint: error.hint) }
    do throws(VersoError) {
      if let head = try engine.head(), try engine.time(of: head) > engine.now().seconds + 3600 {
        note(.look, "clock", "the last version is from the future; the clock may be wrong")
      }
    } catch { note(.bad, "history", error.message, hint: error.hint) }
  }

  private mutating func checkLocks(_ engine: Engine) {
    let git = engine.repository.gitDirectory
    var stale: [String] = []
    for name in ["index.lock", "HEAD.lock", "config.lock", "packed-refs.lock", "shallow.lock"] {
      if access("\(git)/\(name)", F_OK) == 0 { stale.append(name) }
    }
    stale += Self.files(below: "\(git)/refs").filter { $0.hasSuffix(".lock") }
    if stale.isEmpty { return note(.good, "locks", "no lock is held") }
    for name in stale {
      note(
        .look, "locks", "\(git)/\(name) is there",
        hint: "a git program may be running; if none is, remove that file")
    }
  }

  private mutating func checkIndex(_ engine: Engine) {
    do throws(VersoError) {
      guard let index = try engine.openIndex() else {
        return note(.good, "index", "git's index is not there yet")
      }
      try Preflight.check(index, root: root)
      if !index.verifyChecksum() {
        return note(
          .bad, "index", "git's index has a wrong checksum", hint: "run: verso doctor --fix")
      }
      note(.good, "index", "\(index.table.rows.count) files are tracked")
      checkTracked(engine, index)
    } catch { note(.bad, "index", error.message, hint: error.hint) }
  }

  private mutating func checkTracked(_ engine: Engine, _ index: IndexFile) {
    let rules = IgnoreStack(global: [
      IgnoreRules(parsing: DefaultExcludes.adding(to: []), base: .root)
    ])
    let litter = index.table.rows.map(\.path).filter { path in
      rules.isIgnored(path: path, isFolder: false) { _ in nil }
    }
    if !litter.isEmpty {
      note(
        .look, "litter",
        "\(litter.count) files of editors and sync tools are versioned, such as \(litter[0])",
        hint: "run: git -C \(root) rm --cached -- PATH")
    }
    checkTwins(index.table.rows.map(\.path))
  }

  // MARK: Objects

  private mutating func checkObjects(_ engine: Engine) {
    var empty: [String] = []
    let objects = engine.repository.commonDirectory + "/objects"
    for name in Self.files(below: objects) where name.utf8.count == 41 {
      var status = stat()
      if stat("\(objects)/\(name)", &status) == 0, status.st_size == 0 { empty.append(name) }
    }
    for name in empty {
      note(
        .bad, "objects", "the object \(name) is empty, as after a power cut",
        hint: "run: verso doctor --fix")
    }
    let outcome = Programs().run(
      ProgramRequest(
        arguments: [
          "git", "--git-dir=\(engine.repository.gitDirectory)", "fsck", "--connectivity-only",
          "--no-dangling", "--no-progress",
        ], environment: .quietGit, limit: 120))
    switch outcome.end {
    case .exit(0): note(.good, "objects", "every object that history needs is there")
    case .exit:
      note(
        .bad, "objects", "history is damaged: \(outcome.reason)",
        hint: "fetch the missing objects from another clone or a backup")
    default: note(.look, "objects", "history was not checked: \(outcome.reason)")
    }
  }

  private mutating func checkSpace(_ engine: Engine) {
    var (type, identity, free) = (UInt64(0), UInt64(0), UInt64(0))
    guard verso_statfs(engine.gitFolder.number, &type, &identity, &free) == 0 else { return }
    if free < 1 << 30 {
      note(.look, "space", "only \(free >> 20) MiB are free", hint: "make some room")
    } else {
      note(.good, "space", "\(free >> 30) GiB are free")
    }
  }

  private mutating func checkPermissions(_ engine: Engine) {
    do throws(DiskError) {
      let status = try engine.store.status(of: engine.gitFolder.number)
      if status.mode & 0o077 != 0 {
        note(
          .look, "private", "others on this machine can read the history",
          hint: "run: chmod 700 \(engine.repository.gitDirectory)")
      } else {
        note(.good, "private", "nobody else can read the history")
      }
    } catch { note(.bad, "private", error.description) }
  }

  // MARK: Names

  private mutating func checkTwins(_ paths: [RelativePath]) {
    // Swift compares strings by canonical equivalence, so that one key finds both kinds of twins.
    var seen: [String: RelativePath] = [:]
    for path in paths {
      let key = path.description.lowercased()
      if let other = seen[key] {
        note(
          .look, "twins", "\(other) and \(path) are one name on other systems",
          hint: "rename one of them")
      }
      seen[key] = path
    }
  }

  private mutating func checkNames(_ engine: Engine) {
    do throws(VersoError) {
      let report = try engine.status()
      for skipped in report.skipped {
        note(.look, "skipped", "\(skipped.path) is left alone (\(skipped.reason.key))")
      }
      if !report.held.isEmpty {
        note(
          .look, "held", "\(report.held.count) deletions are held",
          hint: "run: verso save --allow-mass-delete")
      }
    } catch { note(.look, "scan", error.message, hint: error.hint) }
  }

  private mutating func checkSurroundings(_ engine: Engine) {
    let hooks = engine.activeHooks()
    if !hooks.isEmpty {
      note(.good, "hooks", "not run by saves: \(hooks.joined(separator: ", "))")
    }
    if engine.setting("gc.pruneExpire") == "now" {
      note(
        .look, "gc", "gc.pruneExpire=now can destroy what is being written",
        hint: "run: git config --unset gc.pruneExpire")
    }
    if access(engine.repository.commonDirectory + "/shallow", F_OK) == 0 {
      note(.good, "shallow", "this is a shallow clone: older history is elsewhere")
    }
    checkWatches(engine)
  }

  private mutating func checkWatches(_ engine: Engine) {
    let path = Array("/proc/sys/fs/inotify/max_user_watches".utf8)
    do throws(DiskError) {
      // A file in /proc says that it has no bytes: it is read to its end.
      let file = try engine.store.opening(path, in: AT_FDCWD, flags: O_RDONLY)
      let bytes = try engine.store.readingAll(file.number, expected: 64, path: path)
      let text = String(decoding: bytes, as: UTF8.self).filter(\.isNumber)
      note(.good, "inotify", "up to \(text) folders can be watched")
    } catch {
      note(.look, "inotify", "the limit of watched folders cannot be read: \(error.reason)")
    }
  }

  // MARK: Mending

  private mutating func mend(_ engine: Engine) {
    do {
      let lock = try engine.lockVault(wait: 10)
      try engine.recover(lock)
      try mendExcludes(engine)
      try mendPermissions(engine)
      try mendObjects(engine)
      try mendIndex(engine)
    } catch {
      let error = VersoError(storing: error)
      note(.bad, "fix", "not everything could be mended: \(error.message)", hint: error.hint)
    }
  }

  private mutating func mendExcludes(_ engine: Engine) throws {
    guard engine.settings.isVault else { return }
    let path = Array((engine.repository.commonDirectory + "/info/exclude").utf8)
    let before = try engine.store.readFile(path, in: AT_FDCWD)
    guard DefaultExcludes.adding(to: before ?? []) != before else { return }
    try engine.editExcludes(DefaultExcludes.adding)
    note(.good, "ignore", "put the ignore block back into info/exclude", fixed: true)
  }

  private mutating func mendPermissions(_ engine: Engine) throws {
    let status = try engine.store.status(of: engine.gitFolder.number)
    // A repository that is shared on purpose stays so.
    guard engine.settings.isVault, status.mode & 0o077 != 0,
      engine.setting("core.sharedRepository") == nil
    else { return }
    _ = engine.store.setMode(engine.gitFolder.number, status.mode & 0o7700)
    note(.good, "private", "closed the git directory to others", fixed: true)
  }

  /// Sets empty objects aside: git could not read them, and would not write them anew either.
  private mutating func mendObjects(_ engine: Engine) throws {
    let objects = engine.objectsFolder.number
    for name in Self.files(below: engine.repository.commonDirectory + "/objects")
    where name.utf8.count == 41 {
      let path = Array(name.utf8)
      guard let status = try engine.store.status(of: path, in: objects), status.size == 0 else {
        continue
      }
      let own = try engine.ownFolder()
      let aside = Array("empty-\(name.filter { $0 != "/" })".utf8)
      try engine.store.renaming(path, in: objects, to: aside, in: own.number)
      note(.good, "objects", "set the empty object \(name) aside in verso/", fixed: true)
    }
  }

  /// Makes a damaged index anew from HEAD; the work tree is not touched, so that the next save finds
  /// every difference.
  private mutating func mendIndex(_ engine: Engine) throws {
    do throws(VersoError) {
      guard let index = try engine.openIndex(), !index.verifyChecksum() else { return }
    } catch {
      // It cannot even be read.
    }
    let lock = try IndexLock.take(
      gitDirectory: engine.gitFolder.number, store: engine.store, wait: 10)
    let own = try engine.ownFolder()
    let name = Array(OwnFile.index.utf8)
    try engine.store.unlinking(name, in: own.number)
    try engine.writeIndexOfHead(name, in: own.number)
    let index = Array("index".utf8)
    try engine.store.renaming(
      index, in: engine.gitFolder.number, to: Array("index.damaged".utf8), in: own.number)
    try engine.store.renaming(name, in: own.number, to: index, in: engine.gitFolder.number)
    try lock.release()
    note(.good, "index", "made git's index anew from the last version", fixed: true)
  }

  /// The files below a folder, as paths relative to it.
  private static func files(below folder: String) -> [String] {
    var found: [String] = []
    var pending = [""]
    while let path = pending.popLast() {
      guard let stream = opendir(path.isEmpty ? folder : "\(folder)/\(path)") else { continue }
      defer { closedir(stream) }
      while let entry = readdir(stream) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) {
          $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        if name == "." || name == ".." { continue }
        let below = path.isEmpty ? name : "\(path)/\(name)"
        if entry.pointee.d_type == UInt8(DT_DIR) {
          pending.append(below)
        } else {
          found.append(below)
        }
      }
    }
    return found.sorted()
  }
}

extension Engine {
  /// Writes an index that holds HEAD's tree and trusts no file on disk.
  func writeIndexOfHead(_ name: [UInt8], in folder: Int32) throws {
    var changes: [IndexPatch.Change] = []
    if let head = try repository.headCommit() {
      for (path, file) in try TreeFiles.all(in: repository.commit(head).tree, of: repository) {
        var fields = [UInt8](repeating: 0, count: 24)
        withUnsafeBytes(of: file.mode.bigEndian) { fields += $0 }
        fields += [UInt8](repeating: 0, count: 12)
        changes.append(IndexPatch.Change(path: path, entry: fields + file.id.bytes))
      }
    }
    changes.sort { $0.path < $1.path }
    let patch = try IndexPatch(of: nil, changes: changes)
    let file = try store.opening(
      name, in: folder, flags: O_WRONLY | O_CREAT | O_EXCL, mode: 0o644)
    try patch.write(to: file.number, store: store, path: name)
  }
}

/// The files of a tree at any depth.
enum TreeFiles {
  static func all(
    in tree: ObjectID, of repository: Repository
  ) throws(GitError) -> [(path: RelativePath, file: PathFinder.Found)] {
    try TreeDifference.files(in: tree, of: repository)
  }
}
