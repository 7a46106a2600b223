import CLinux
import Glibc
import VersoDisk
import VersoGit
import VersoHistory
import VersoModel

extension Engine {
  /// Writes an old state into a directory of its own, as plain files without a history.
  ///
  /// Names are those below the vault's root, at that time, also where only one folder is wanted. Files
  /// are converted by the attributes of that state; each has the time of the version that put its
  /// content there. Nothing outside the directory is touched, whatever names and links history holds.
  ///
  /// - Throws: ``VersoError/Code/failed`` where the directory holds anything, ``VersoError/Code/refused``
  ///   where it is in the vault. After a failure everything that was written is taken away again.
  package func export(_ request: ExportRequest) throws(VersoError) -> ExportOutcome {
    try checkExportPlace(request.directory)
    let (wanted, start) = try exportedFiles(of: request.place)
    if request.isDryRun {
      var outcome = start
      outcome.files = wanted.map(\.path)
      return outcome
    }
    let times = try exportTimes(wanted, at: request.place.commit)
    return try SignalDeferral.run { () throws(VersoError) in
      try Exporter(self, request, times).run(wanted, start)
    }
  }

  private func checkExportPlace(_ directory: String) throws(VersoError) {
    let place = VaultLocation.existing(directory)
    for own in [root, repository.gitDirectory, repository.commonDirectory]
    where place == own || place.hasPrefix(own == "/" ? own : own + "/") {
      throw VersoError(
        .refused, "\(directory) is inside the vault \(root), which would save what is exported",
        hint: "name a directory outside of it")
    }
  }

  /// The files to write, and with them what cannot be.
  private func exportedFiles(
    of place: History.Place
  ) throws(VersoError) -> (files: [RestorePlan.File], outcome: ExportOutcome) {
    var outcome = ExportOutcome()
    var files: [RestorePlan.File] = []
    do throws(GitError) {
      let tree = try repository.commit(place.commit).tree
      for (path, file) in try TreeDifference.files(in: tree, below: place.path, of: repository) {
        let kind = Item.Kind(rawValue: file.mode) ?? .file
        if kind == .repository {
          outcome.left.append(
            (path, VersoError(.failed, "\(path) is a repository of its own, and is left out")))
        } else if let refusal = NameRule.refusal(of: path, kind: kind) {
          outcome.left.append((path, VersoError(.failed, "\(path) \(refusal), and is left out")))
        } else {
          outcome.bytes += try repository.header(of: file.id).size
          files.append(RestorePlan.File(path: path, mode: file.mode, content: file.id))
        }
      }
    } catch { throw VersoError(error, "read \(place.path) at \(place.commit.short)") }
    return (files, outcome)
  }

  private func exportTimes(
    _ files: [RestorePlan.File], at commit: ObjectID
  ) throws(VersoError) -> [RelativePath: Int64] {
    let wanted = files.map { ($0.path, PathFinder.Found(mode: $0.mode, id: $0.content)) }
    do throws(GitError) {
      return try History(repository).times(of: Dictionary(wanted) { a, _ in a }, at: commit)
    } catch { throw VersoError(error, "read the history of \(root)") }
  }
}

/// Writes the files of an export.
private final class Exporter {
  private let engine: Engine
  private let request: ExportRequest
  private let times: [RelativePath: Int64]
  private let store: any FileStore
  private var madeDirectories: [String] = []
  private var madeFolders: [RelativePath] = []

  init(_ engine: Engine, _ request: ExportRequest, _ times: [RelativePath: Int64]) {
    self.engine = engine
    self.request = request
    self.times = times
    store = engine.store
  }

  func run(
    _ files: [RestorePlan.File], _ start: ExportOutcome
  ) throws(VersoError) -> ExportOutcome {
    var outcome = start
    do {
      let target = try openTarget()
      do {
        let attributes = try AttributeStage(engine, request.place, store)
        defer { attributes?.remove() }
        try write(files, into: target.number, attributes, &outcome)
      } catch {
        takeBack(outcome.files, in: target.number)
        throw error
      }
    } catch {
      for directory in madeDirectories.reversed() { rmdir(directory) }
      switch error {
      case let error as GitError: throw VersoError(error, "read what is to be exported")
      case let error as ContentFilterError:
        throw VersoError(.failed, error.description, hint: error.hint)
      default: throw VersoError(storing: error)
      }
    }
    return outcome
  }

  // MARK: The directory

  private func openTarget() throws -> Descriptor {
    let directory = request.directory
    try makeDirectories(directory)
    let target = try store.opening(
      Array(directory.utf8), in: AT_FDCWD, flags: O_RDONLY | O_DIRECTORY)
    guard try store.names(in: target.number, path: Array(directory.utf8)).isEmpty else {
      throw VersoError(
        .failed, "\(directory) is not empty, and nothing in it is overwritten",
        hint: "name a directory that is not there yet")
    }
    return target
  }

  private func makeDirectories(_ path: String) throws {
    var missing: [String] = []
    var at = path
    while at != "/", at != ".", access(at, F_OK) != 0, errno == ENOENT {
      missing.append(at)
      at = VaultLocation.parent(of: at)
    }
    for directory in missing.reversed() {
      if try store.makingFolder(Array(directory.utf8), in: AT_FDCWD) {
        madeDirectories.append(directory)
      }
    }
  }

  /// Removes what this export has written, and nothing else.
  private func takeBack(_ files: [RelativePath], in target: Int32) {
    for path in files { remove(path, folder: false, target) }
    for path in madeFolders.reversed() { remove(path, folder: true, target) }
  }

  private func remove(_ path: RelativePath, folder: Bool, _ target: Int32) {
    do throws(DiskError) {
      let parent = try store.openingBeneath(
        path.parent, root: target, flags: verso_o_path | O_DIRECTORY)
      try store.unlinking(Array(path.name), in: parent.number, folder: folder)
    } catch { return }  // The failure that led here is the one to report.
  }

  // MARK: Files

  private func write(
    _ files: [RestorePlan.File], into target: Int32, _ attributes: AttributeStage?,
    _ outcome: inout ExportOutcome
  ) throws {
    let filter =
      try attributes.map { stage in
        try ContentFilter(
          repository: engine.repository, store: store, environment: stage.environment,
          workTree: stage.path)
      } ?? engine.contentFilter()
    var folder = OpenFolder(target: target)
    for (number, file) in files.enumerated() {
      if number & 63 == 0 { try checkSignals() }
      do {
        try open(file.path.parent, in: target, &folder)
        try write(file, in: folder.number, filter, attributes)
        outcome.files.append(file.path)
      } catch {
        outcome.left.append((file.path, try Self.tolerable(error, file.path)))
      }
      request.progress?(number + 1, files.count)
    }
  }

  /// The error for a path that only that path is to blame for; any other is thrown on.
  private static func tolerable(_ error: any Error, _ path: RelativePath) throws -> VersoError {
    switch error {
    case let error as ContentFilterError:
      return VersoError(.failed, error.description, hint: error.hint)
    case let error as DiskError:
      let codes = [
        EEXIST, ENAMETOOLONG, ELOOP, ENOTDIR, EINVAL, EILSEQ, EPERM, EOPNOTSUPP, ENOENT,
      ]
      guard codes.contains(error.code) else { throw error }
      return VersoError(
        .failed, "cannot write \(path) here: \(error.reason)", hint: VersoError(error).hint)
    case let error as GitError where error.code == .notFound:
      return VersoError(error, "read \(path)")
    default: throw error
    }
  }

  /// A person who presses Ctrl-C need not wait for the rest: the signal acts when all is taken back.
  private func checkSignals() throws {
    var pending = sigset_t()
    sigpending(&pending)
    for number in [SIGINT, SIGTERM, SIGHUP] where sigismember(&pending, number) == 1 {
      throw VersoError(.failed, "the export was interrupted, and \(request.directory) is as before")
    }
  }

  /// A folder below the target that stays open while files are written into it.
  private struct OpenFolder: ~Copyable {
    let path: RelativePath
    let number: Int32
    /// Closes it in the end; none for the target, which is another's.
    private let descriptor: Descriptor?

    init(target: Int32) {
      path = .root
      number = target
      descriptor = nil
    }

    init(path: RelativePath, _ opened: Int32, _ store: any FileStore) {
      self.path = path
      number = opened
      descriptor = Descriptor(number: opened, store: store)
    }
  }

  /// Opens a folder, made with those above it; no component may be a link.
  private func open(
    _ path: RelativePath, in target: Int32, _ folder: inout OpenFolder
  ) throws(DiskError) {
    if folder.path == path { return }
    var at = target
    var held: [Int32] = []
    defer { for descriptor in held { store.close(descriptor) } }
    var here = RelativePath.root
    for part in path.components {
      let name = Array(part)
      here = here.appending(part)
      if try store.makingFolder(name, in: at) { madeFolders.append(here) }
      let next = RelativePath.withCString(name) {
        store.open(at, $0, verso_o_path | O_DIRECTORY | O_NOFOLLOW, 0)
      }
      if next < 0 { throw store.failure(-next, "open", name, in: at) }
      held.append(next)
      at = next
    }
    if let last = held.popLast() {
      folder = OpenFolder(path: path, last, store)
    } else {
      folder = OpenFolder(target: target)
    }
  }

  private func write(
    _ file: RestorePlan.File, in folder: Int32, _ filter: ContentFilter,
    _ attributes: AttributeStage?
  ) throws {
    let name = Array(file.path.name)
    let stored = try engine.repository.read(file.content).bytes
    let time = times[file.path].map { Timestamp(seconds: $0, nanoseconds: 0) }
    if file.mode == Item.Kind.link.rawValue {
      try store.makingLink(to: stored, name, in: folder)
      if let time { try store.settingModified(time, of: name, in: folder) }
      return
    }
    let hasFiles = try attributes.map { stage in
      try filter.hasAttributeFiles(above: file.path, root: stage.folder.number)
    }
    let bytes = try filter.smudge(
      stored, id: file.content, path: file.path, hasAttributeFiles: hasFiles ?? false)
    let mode: UInt32 = file.mode == Item.Kind.executable.rawValue ? 0o777 : 0o666
    let open = try store.opening(
      name, in: folder, flags: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: mode)
    do throws(DiskError) {
      try store.writingAll(bytes, to: open.number, path: file.path.bytes)
      if let time { try store.settingModified(time, of: [], in: open.number) }
    } catch {
      try store.unlinking(name, in: folder)
      throw error
    }
  }
}
