import CLinux
import Glibc
import VersoDisk
import VersoGit
import VersoModel
import VersoWatch

/// Looks at the disk for a ``Reconciler``: what is there, who can write to it, what is ignored.
///
/// It goes with an open engine, and is dropped with it when nothing happens.
final class Lookout {
  let engine: Engine
  private let source: InotifySource?
  private let options: Scan.Options
  /// Changes with whatever decides, from outside the tree, what is ignored.
  let rulesKey: UInt64
  private let device: UInt64
  /// What is saved, as far as it was read last.
  private var index: IndexFile?
  private var indexStatus: FileStatus?
  private var stacks: [RelativePath: IgnoreStack] = [:]
  private var ignoredFolders: [RelativePath: Bool] = [:]
  /// Why a folder could not be watched, the last time that happened.
  private(set) var watchFailure: DiskError?
  /// Whether to ask the kernel for watches at all.
  var wantsWatches = true

  private var store: any FileStore { engine.store }
  private var root: Int32 { engine.rootFolder.number }
  private static let stackLimit = 20_000
  /// Larger files are not read just to see whether they really changed.
  private static let compareLimit: UInt64 = 1 << 20

  init(_ engine: Engine, source: InotifySource?) throws(VersoError) {
    self.engine = engine
    self.source = source
    (options, rulesKey) = try engine.scanOptions()
    do throws(DiskError) {
      device = try engine.store.status(of: engine.rootFolder.number).device
    } catch { throw VersoError(error) }
  }

  // MARK: Listing

  func list(_ folders: [LiveFolder]) -> [(LiveFolder, ListingOutcome)] {
    let paths = folders.map(\.path)
    let reading = FolderReading(
      store: store, root: root, source: wantsWatches ? source : nil, device: device,
      gitDirectory: options.gitDirectory)
    return zip(zip(folders, paths), reading.read(paths)).map { folder, outcome in
      (folder.0, listing(of: outcome, at: folder.1))
    }
  }

  /// What of a folder's contents is ours.
  private func listing(of outcome: FolderReading.Outcome, at path: RelativePath) -> ListingOutcome {
    switch outcome {
    case .absent: return .absent
    case .foreign: return .foreign
    case .unreadable: return .unreadable
    case .read(let contents):
      if let failure = contents.watchFailure {
        watchFailure = failure
        wantsWatches = false
      }
      if contents.holdsRepository, !path.isRoot { return .foreign }
      let stack = stack(of: path, hasRules: contents.holdsRules)
      let isIgnored = isIgnored(path)
      let entries = contents.entries.filter { name, status in
        !isOwn(name, in: path) && isOurs(name, status, in: path, stack, isIgnored: isIgnored)
      }
      return .listed(
        Listing(status: contents.status, watch: contents.watch, entries: entries))
    }
  }

  private static let git = Array(".git".utf8)

  private func isGitDirectory(_ status: FileStatus) -> Bool {
    status.device == options.gitDirectory.device && status.inode == options.gitDirectory.inode
  }

  private func isOwn(_ name: [UInt8], in folder: RelativePath) -> Bool {
    folder.isRoot ? options.ownNames.contains(name) : name == Self.git
  }

  private func isOurs(
    _ name: [UInt8], _ status: FileStatus, in folder: RelativePath, _ stack: IgnoreStack,
    isIgnored: Bool
  ) -> Bool {
    if status.kind == .special || status.device != device { return false }
    let isFolder = status.kind == .folder
    if isFolder, isGitDirectory(status) { return false }
    let isIgnored =
      isIgnored || name.withUnsafeBytes { stack.isIgnored($0, in: folder, isFolder: isFolder) }
    // What is tracked is looked at, ignored or not, as in git.
    return !isIgnored || isTracked(folder.appending(name), isFolder: isFolder)
  }

  // MARK: Ignore rules

  /// The rules in force in a folder.
  private func stack(of folder: RelativePath, hasRules: Bool? = nil) -> IgnoreStack {
    if let known = stacks[folder] { return known }
    let above = folder.isRoot ? options.ignore : stack(of: folder.parent)
    var made = above
    if hasRules ?? true {
      made = above.entering(store.ignoreRules(in: folder, root: root, options))
    }
    if stacks.count >= Self.stackLimit { stacks = [:] }
    stacks[folder] = made
    return made
  }

  /// Whether a folder, or one above it, is ignored: it is looked at for what is tracked in it.
  private func isIgnored(_ folder: RelativePath) -> Bool {
    if folder.isRoot { return false }
    if let known = ignoredFolders[folder] { return known }
    let parent = folder.parent
    let isIgnored =
      isIgnored(parent)
      || Array(folder.name).withUnsafeBytes {
        stack(of: parent).isIgnored($0, in: parent, isFolder: true)
      }
    if ignoredFolders.count >= Self.stackLimit { ignoredFolders = [:] }
    ignoredFolders[folder] = isIgnored
    return isIgnored
  }

  /// Forgets the rules it has read.
  func forgetRules() {
    stacks = [:]
    ignoredFolders = [:]
  }

  // MARK: What is saved

  private func isTracked(_ path: RelativePath, isFolder: Bool) -> Bool {
    guard let table = table() else { return false }
    return isFolder ? !table.rows(below: path).isEmpty : table.row(of: path) != nil
  }

  private func table() -> StatTable? {
    do throws(VersoError) {
      let status = try engine.indexStatus()
      if let status, let indexStatus, status.isUnchanged(since: indexStatus) {
        return index?.table
      }
      index = try engine.openIndex()
      indexStatus = status
      return index?.table
    } catch {
      // A damaged index: saving says so. Until then nothing counts as tracked.
      return nil
    }
  }

  // MARK: Looking at places

  /// Looks at places, those of one folder after another.
  func look(at places: [Place]) -> [(Place, Sight)] {
    var found: [(Place, Sight)] = []
    found.reserveCapacity(places.count)
    for places in Dictionary(grouping: places, by: { ObjectIdentifier($0.folder) }).values {
      guard let first = places.first else { continue }
      let path = first.folder.path
      do throws(DiskError) {
        let parent = try store.openingBeneath(
          path, root: root, flags: verso_o_path | O_DIRECTORY)
        guard first.folder.isSame(as: try store.status(of: parent.number)) else {
          found += places.map { ($0, .elsewhere) }
          continue
        }
        let (stack, isIgnored) = (stack(of: path), isIgnored(path))
        for place in places {
          let sight = look(at: place, of: path, in: parent.number, stack, isIgnored: isIgnored)
          found.append((place, sight))
        }
      } catch {
        let sight: Sight = error.isAbsence || error.code == ELOOP ? .elsewhere : .unreadable
        found += places.map { ($0, sight) }
      }
    }
    return found
  }

  private func look(
    at place: Place, of path: RelativePath, in parent: Int32, _ stack: IgnoreStack,
    isIgnored: Bool
  ) -> Sight {
    if isOwn(place.name, in: path) { return .foreign }
    do throws(DiskError) {
      guard let status = try store.status(of: place.name, in: parent) else { return .absent }
      if status.device != device { return .hidden }
      if !isOurs(place.name, status, in: path, stack, isIgnored: isIgnored) {
        return .foreign
      }
      if status.kind == .folder { return .folder(status) }
      return .file(status, isKnownContent: isKnown(place, status))
    } catch { return .unreadable }
  }

  /// Whether a file that looks different holds what it held at the last look: what its last version
  /// holds, if that was made of the file as it was then. (git writes the index and the file at a time.)
  private func isKnown(_ place: Place, _ status: FileStatus) -> Bool {
    guard let old = place.folder.files[place.name], old.size == status.size,
      old != LiveFile(status), status.size <= Self.compareLimit,
      let row = table()?.row(of: place.path), row.mode == status.itemKind?.rawValue,
      old.isAsIndexed(row)
    else { return false }
    let reader = ConsistentRead(root: root, sizeLimit: Self.compareLimit, store: store)
    do throws(ReadRefusal) {
      let content = try reader.content(of: place.path, seen: status)
      return content.status.isUnchanged(since: status)
        && SHA1.id(of: .blob, content.bytes) == row.id
    } catch { return false }
  }

  /// Looks at places, and asks who can write there.
  func probe(_ places: [Place]) -> [(Place, Reconciler.Probe)] {
    look(at: places).map { place, sight in
      guard case .file(let status, _) = sight, status.kind == .file else {
        return (place, .init(sight, writers: .none))
      }
      return (place, .init(sight, writers: writers(of: place.path)))
    }
  }

  private func writers(of path: RelativePath) -> Writers {
    do throws(DiskError) {
      let file = try store.openingBeneath(
        path, root: root, flags: O_RDONLY | O_NONBLOCK | O_NOCTTY)
      return store.writers(of: file.number)
    } catch { return .unknown }
  }

  // MARK: Auditing

  /// Those of `folders` that do not look as when they were listed.
  func changed(among folders: [LiveFolder]) -> [LiveFolder] {
    folders.filter { folder in
      do throws(DiskError) {
        let open = try store.openingBeneath(
          folder.path, root: root, flags: verso_o_path | O_DIRECTORY)
        return !folder.isAsListed(try store.status(of: open.number))
      } catch { return true }
    }
  }
}
