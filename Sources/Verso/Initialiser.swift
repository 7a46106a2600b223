import CLinux
import Glibc
package import VersoDisk
import VersoGit
import VersoModel

/// Makes a directory a vault, or finds that it is one.
package struct Initialiser: Sendable {
  /// The directory; made where it is not there.
  package var directory: String
  /// Where the repository is kept instead of `.git`.
  package var gitDirectory: String?
  package var device: String?
  /// The address that is cloned: until it is set up (``RemoteSetup``) the vault can do nothing.
  package var cloning: String?
  /// Allows a home directory.
  package var isForced = false
  package var isDryRun = false
  package var wait: Double = 10
  /// Asked where there is much to save; `nil` where nobody can be asked.
  package var confirm: @Sendable (Census) -> Bool?
  package var progress: (@Sendable (Int, Int) -> Void)?
  package var store: any FileStore = SystemFileStore()

  package init(directory: String, confirm: @escaping @Sendable (Census) -> Bool?) {
    self.directory = directory
    self.confirm = confirm
  }

  /// What was done.
  package struct Outcome: Sendable {
    package var root: String
    /// Whether a repository was there before.
    package var isAdopted = false
    /// Whether it was a vault already.
    package var wasVault = false
    package var save = SaveOutcome()
    /// Hooks that git would run and saves do not.
    package var hooks: [String] = []
    /// Remotes that were there before, and are not used.
    package var remotes: [String] = []
  }

  /// Does it.
  ///
  /// - Throws: ``VersoError/Code/refused`` for places that nobody should version.
  package func run() throws(VersoError) -> Outcome {
    let root = try madeDirectory()
    try Self.checkPlace(root, isForced: isForced, hasOwnGitDirectory: gitDirectory != nil)
    try checkOwner(root)
    let isAdopted = Self.hasRepository(root)
    if !isAdopted {
      try ask(root, tracked: nil)
      if isDryRun { return Outcome(root: root) }
      try create(root)
    }
    let engine = try Engine(root: root, store: store)
    var outcome = Outcome(root: root, isAdopted: isAdopted, wasVault: engine.settings.isVault)
    try Self.checkWorktree(engine)
    if isAdopted, !engine.settings.isVault { try ask(root, tracked: engine) }
    outcome.hooks = engine.activeHooks()
    outcome.remotes = try engine.remotes()
    if isDryRun { return outcome }
    try Preflight.checkState(engine)
    try take(engine)
    // Opened anew, so that the settings are those of a vault.
    let vault = try Engine(root: root, store: store)
    var request = SaveRequest()
    request.progress = progress
    request.wait = wait
    outcome.save = try vault.save(request)
    return outcome
  }

  // MARK: The place

  private func madeDirectory() throws(VersoError) -> String {
    if let real = realpath(directory, nil) {
      defer { free(real) }
      let text = String(cString: real)
      guard VaultLocation.isFolder(text) else {
        throw VersoError(.usage, "\(directory) is not a directory")
      }
      return text
    }
    if isDryRun { return directory }
    var path = directory.hasPrefix("/") ? "" : "."
    for part in directory.split(separator: "/") {
      path += "/\(part)"
      if mkdir(path, 0o777) != 0, errno != EEXIST {
        throw VersoError(
          DiskError(code: errno, operation: "make", path: Array(directory.utf8)))
      }
    }
    guard let real = realpath(directory, nil) else {
      throw VersoError(
        DiskError(code: errno, operation: "make", path: Array(directory.utf8)))
    }
    defer { free(real) }
    return String(cString: real)
  }

  static func checkPlace(
    _ root: String, isForced: Bool, hasOwnGitDirectory: Bool
  ) throws(VersoError) {
    if root == "/" {
      throw VersoError(
        .refused, "/ holds the whole system, which nobody should version",
        hint: "name the directory of your notes")
    }
    if !isForced, isHome(root) {
      throw VersoError(
        .refused, "\(root) is a home directory: keys, caches and passwords would be versioned",
        hint: "name the directory of your notes, or give --force")
    }
    if let inside = gitDirectory(around: root) {
      throw VersoError(
        .refused, "\(root) is inside the git directory \(inside)",
        hint: "name the directory of your notes")
    }
    if !hasRepository(root), !hasOwnGitDirectory,
      let outer = VaultLocation(above: VaultLocation.parent(of: root))
    {
      throw VersoError(
        .refused, "\(root) is inside the repository \(outer.root), whose files it holds",
        hint: "run verso init \(outer.root), or keep its history apart with --git-dir PATH")
    }
  }

  private static func isHome(_ root: String) -> Bool {
    var homes = [Host.home, Host.user(geteuid())?.home, Host.user(getuid())?.home]
    var status = stat()
    if stat(root, &status) == 0 { homes.append(Host.user(status.st_uid)?.home) }
    return homes.contains { home in
      guard let home, home != "/", let real = realpath(home, nil) else { return false }
      defer { free(real) }
      return String(cString: real) == root
    }
  }

  /// The git directory that a path lies in; by what git itself looks for.
  private static func gitDirectory(around root: String) -> String? {
    var folder = root
    while folder != "/", folder != "." {
      if access(folder + "/HEAD", F_OK) == 0, VaultLocation.isFolder(folder + "/objects"),
        VaultLocation.isFolder(folder + "/refs")
      {
        return folder
      }
      folder = VaultLocation.parent(of: folder)
    }
    return nil
  }

  static func hasRepository(_ root: String) -> Bool {
    guard let location = VaultLocation(above: root) else { return false }
    return location.root == root
  }

  private static func checkWorktree(_ engine: Engine) throws(VersoError) {
    guard engine.repository.commonDirectory == engine.repository.gitDirectory else {
      throw VersoError(
        .refused, "\(engine.root) is a linked worktree of \(engine.repository.commonDirectory)",
        hint: "make a clone of its own a vault instead")
    }
  }

  private func checkOwner(_ root: String) throws(VersoError) {
    if isDryRun, !VaultLocation.isFolder(root) { return }
    do {
      let folder = try store.opening(
        Array(root.utf8), in: AT_FDCWD, flags: O_RDONLY | O_DIRECTORY)
      try Preflight.checkOwner(of: folder.number, path: root, store: store)
    } catch { throw VersoError(storing: error) }
  }

  /// Removes the repository of a vault that holds nothing, and its directory where that is empty.
  package static func takeBack(_ root: String, removesFolder: Bool) {
    let store = SystemFileStore()
    do throws(DiskError) {
      let folder = try store.opening(
        Array(root.utf8), in: AT_FDCWD, flags: O_RDONLY | O_DIRECTORY)
      let names = try store.names(in: folder.number, path: Array(root.utf8))
      guard names == [Array(".git".utf8)] else { return }
      try store.removeTree(Array(".git".utf8), in: folder.number)
      if removesFolder { try store.unlinking(Array(root.utf8), in: AT_FDCWD, folder: true) }
    } catch {}  // What could not be removed does no harm, and the failure before says enough.
  }

  /// Whether a directory of these names holds a clone that was cut off, and nothing else.
  package static func isUnfinishedClone(_ root: String, _ names: [[UInt8]]) -> Bool {
    guard names == [Array(".git".utf8)] else { return false }
    do throws(VersoError) {
      let engine = try Engine(root: root)
      let head = try engine.head()
      return head == nil && engine.settings.unfinishedClone != nil
    } catch { return false }  // Whatever it is, it is no clone of ours.
  }

  // MARK: How much

  private func ask(_ root: String, tracked engine: Engine?) throws(VersoError) {
    let census: Census
    do throws(DiskError) { census = try count(root, engine) } catch { throw VersoError(error) }
    guard census.isLarge else { return }
    let gibibytes = Double(census.bytes) / Double(1 << 30)
    let size = "\(census.files) files, \((gibibytes * 10).rounded() / 10) GiB"
    switch confirm(census) {
    case true?: return
    case false?: throw VersoError(.refused, "\(root) was left as it is")
    case nil:
      let names = census.largest.map { "\($0.name) \($0.bytes >> 20) MiB" }
        .joined(separator: ", ")
      throw VersoError(
        .refused,
        "\(root) holds much (\(size); largest: \(names)), or the disk has too little room",
        hint: "leave folders out with .gitignore, or give --yes")
    }
  }

  private func count(_ root: String, _ engine: Engine?) throws(DiskError) -> Census {
    if isDryRun, !VaultLocation.isFolder(root) { return Census([], free: .max) }
    let folder = try store.opening(
      Array(root.utf8), in: AT_FDCWD, flags: O_RDONLY | O_DIRECTORY)
    let excludes = IgnoreRules(parsing: DefaultExcludes.adding(to: []), base: .root)
    let options = Scan.Options(ignore: IgnoreStack(global: [excludes]))
    var table = StatTable.empty
    if let engine {
      do throws(VersoError) { table = try engine.openIndex()?.table ?? .empty } catch {
        table = .empty  // A damaged index is reported by the save itself.
      }
    }
    let seen = try Scan(root: folder.number, table: table, options: options, store: store)
      .all(cache: FolderCache(key: 0))
    var (type, identity, free) = (UInt64(0), UInt64(0), UInt64(0))
    _ = verso_statfs(folder.number, &type, &identity, &free)
    return Census(seen.candidates, free: free)
  }

  // MARK: The repository

  /// Makes the repository beside its place and moves it there in one step: a kill leaves no half of
  /// one.
  private func create(_ root: String) throws(VersoError) {
    do {
      let folder = try store.opening(
        Array(root.utf8), in: AT_FDCWD, flags: O_RDONLY | O_DIRECTORY)
      let draft = Array(Self.draftName.utf8)
      if let gitDirectory {
        return try Repository.create(workTree: root, gitDirectory: gitDirectory)
      }
      try Self.clearDraft(in: folder.number, store)
      guard try store.makingFolder(draft, in: folder.number, mode: 0o700) else {
        throw VersoError(
          .refused, "\(root)/\(Self.draftName) is there, where the repository is to be made",
          hint: "move it away, then run verso init again; nothing was changed")
      }
      try Repository.create(workTree: "\(root)/\(Self.draftName)", gitDirectory: nil)
      let git = Array(".git".utf8)
      try store.renaming(
        draft + [RelativePath.slash] + git, in: folder.number, to: git, in: folder.number,
        flags: 1)
      try store.unlinking(draft, in: folder.number, folder: true)
    } catch let error as GitError {
      throw VersoError(error, "make a repository in \(root)")
    } catch { throw VersoError(storing: error) }
  }

  /// Removes a draft that a killed process left, and nothing else: a folder of that name that holds
  /// anything but a repository without a single object is a user's own.
  static func clearDraft(in root: Int32, _ store: any FileStore) throws(DiskError) {
    let draft = Array(draftName.utf8)
    let git = draft + Array("/.git".utf8)
    func names(_ path: [UInt8]) throws(DiskError) -> [[UInt8]]? {
      do throws(DiskError) {
        let folder = try store.opening(
          path, in: root, flags: O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
        return try store.names(in: folder.number, path: path)
      } catch {
        // Not there, or no folder.
        if error.isAbsence || error.code == ELOOP { return nil }
        throw error
      }
    }
    guard let held = try names(draft) else { return }
    // libgit2 makes files and links of such names to find out what the file system can do, and may be
    // killed before it removes them.
    var probes: [[UInt8]] = []
    for name in held where name.starts(with: "_git2_".utf8) {
      let status = try store.status(of: draft + [RelativePath.slash] + name, in: root)
      if status?.kind == .link || status?.kind == .file && status?.size == 0 { probes.append(name) }
    }
    if held.count > probes.count {
      guard held.count == probes.count + 1, held.contains(Array(".git".utf8)),
        try names(git) != nil
      else { return }
      let objects = try names(git + Array("/objects".utf8)) ?? []
      guard objects.allSatisfy({ $0 == Array("info".utf8) || $0 == Array("pack".utf8) }),
        try (names(git + Array("/objects/pack".utf8)) ?? []).isEmpty
      else { return }
      try store.removeTree(git, in: root)
    }
    for name in probes { try store.unlinking(draft + [RelativePath.slash] + name, in: root) }
    try store.unlinking(draft, in: root, folder: true)
  }

  /// The hidden folder in which a repository is made.
  static let draftName = ".verso-init"

  /// Marks the repository as a vault.
  private func take(_ engine: Engine) throws(VersoError) {
    let lock = try engine.lockVault(wait: wait)
    try engine.recover(lock)
    var values = [(key: "verso.vault", value: "true")]
    if let device { values.append((key: "verso.device", value: device)) }
    if let cloning { values.append((key: Settings.unfinishedCloneKey, value: cloning)) }
    if !engine.settings.isVault || device != nil {
      do {
        try engine.configurationEdit.set(values, wait: wait)
      } catch { throw VersoError(storing: error) }
    }
    try engine.editExcludes(DefaultExcludes.adding)
    try engine.removeOwn(OwnFile.root)
  }
}

extension Engine {
  /// Takes the vault out again: its configuration and ignore block go, history and files stay.
  package func forget(isDryRun: Bool, wait: Double) throws(VersoError) {
    try Preflight.checkOwner(of: rootFolder.number, path: root, store: store)
    let lock = try lockVault(wait: wait)
    try recover(lock)
    if isDryRun { return }
    try editExcludes(DefaultExcludes.removing)
    do { try configurationEdit.removeSection("verso", wait: wait) } catch {
      throw VersoError(storing: error)
    }
    for name in [
      OwnFile.folders, OwnFile.named, OwnFile.held, OwnFile.said, OwnFile.root,
      OwnFile.synced,
    ] {
      try removeOwn(name)
    }
  }

  var configurationEdit: ConfigurationEdit {
    ConfigurationEdit(
      repository: repository, gitDirectory: gitFolder.number, store: store)
  }

  func editExcludes(_ edit: ([UInt8]) -> [UInt8]) throws(VersoError) {
    let path = Array((repository.commonDirectory + "/info").utf8)
    do throws(DiskError) {
      try store.makingFolder(path, in: AT_FDCWD)
      let info = try store.opening(path, in: AT_FDCWD, flags: O_RDONLY | O_DIRECTORY)
      let name = Array("exclude".utf8)
      let before = try store.readFile(name, in: info.number) ?? []
      let after = edit(before)
      if after != before {
        try store.writeFileAtomically(after, name, in: info.number, mode: 0o644, sync: true)
      }
    } catch { throw VersoError(error) }
  }

  /// The names of hooks that git would run on a commit of the user's.
  func activeHooks() -> [String] {
    do throws(GitError) {
      let folder =
        try repository.path("core.hooksPath") ?? repository.commonDirectory + "/hooks"
      let known = [
        "pre-commit", "prepare-commit-msg", "commit-msg", "post-commit", "reference-transaction",
        "post-rewrite", "pre-push",
      ]
      return known.filter { access("\(folder)/\($0)", X_OK) == 0 }
    } catch { return [] }
  }

  /// The names of the remotes that are configured.
  package func remotes() throws(VersoError) -> [String] {
    do throws(GitError) { return try repository.remoteNames() } catch {
      throw VersoError(error, "read the remotes of \(root)")
    }
  }
}
