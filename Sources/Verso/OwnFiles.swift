import Glibc
import VersoDisk
import VersoGit
import VersoHistory
import VersoModel

/// Verso's own files below the git directory: all but the journal and the staging folder are
/// derived and may be deleted at any time.
enum OwnFile {
  static let folder = "verso"
  static let lock = "lock"
  static let journal = "journal"
  static let index = "index.new"
  static let folders = "folders"
  static let named = "named"
  static let held = "held"
  static let paused = "paused"
  static let said = "said"
  static let root = "root"
  static let synced = "synced"
  static let stage = "stage"
  /// Files that the disk has in another version than the branch.
  static let pending = "pending"
  /// Files in the staging folder that a program had open when they were taken out.
  static let displaced = "displaced"
  /// Files that other devices deleted and that are kept until a person agrees.
  static let kept = "kept"

  /// Whether a file only saves time: it can be made again from what else there is.
  static func isCache(_ name: String) -> Bool {
    name == folders || HistoryIndex.fileNames.contains(name)
  }
}

/// A skipped path as it was named to the user.
struct Named: Hashable {
  let path: RelativePath
  let reason: String

  init(_ skipped: Skipped) {
    path = skipped.path
    reason = skipped.reason.key
  }

  init?(line: ArraySlice<UInt8>) {
    guard let space = line.firstIndex(of: UInt8(ascii: " ")),
      let bytes = QuotedPath.unquote(Array(line[(space + 1)...])), let path = RelativePath(bytes)
    else { return nil }
    self.path = path
    reason = String(decoding: line[..<space], as: UTF8.self)
  }

  var line: [UInt8] { Array(reason.utf8) + [0x20] + QuotedPath.quote(path.bytes) + [0x0A] }
}

extension Skipped.Reason {
  /// The reason as one word, for scripts and for what was named before.
  package var key: String {
    switch self {
    case .unreadable: "unreadable"
    case .tooLarge: "tooLarge"
    case .otherFileSystem: "otherFileSystem"
    case .special: "special"
    case .nestedRepository: "nestedRepository"
    case .movedRepository(let id): "movedRepository-\(id.short)"
    case .badName: "badName"
    case .filter: "filter"
    case .moving: "moving"
    case .inTheWay: "inTheWay"
    }
  }
}

extension Engine {
  /// Opens Verso's own folder, made where it is not there.
  func ownFolder() throws(VersoError) -> Descriptor {
    do throws(DiskError) {
      let name = Array(OwnFile.folder.utf8)
      try store.makingFolder(name, in: gitFolder.number, mode: 0o700)
      return try store.opening(
        name, in: gitFolder.number, flags: O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
    } catch { throw VersoError(error) }
  }

  func readOwn(_ name: String) -> [UInt8]? {
    do throws(DiskError) {
      return try store.readFile(
        Array("\(OwnFile.folder)/\(name)".utf8), in: gitFolder.number)
    } catch { return nil }  // Derived data: unreadable counts as not there.
  }

  /// The same for what is not derived: `nil` only where there is none.
  func readOwnSurely(_ name: String) throws(VersoError) -> [UInt8]? {
    do throws(DiskError) {
      return try store.readFile(
        Array("\(OwnFile.folder)/\(name)".utf8), in: gitFolder.number)
    } catch { throw VersoError(error) }
  }

  func writeOwn(_ bytes: [UInt8], _ name: String, sync: Bool = false) throws(VersoError) {
    let folder = try ownFolder()
    do throws(DiskError) {
      try store.writeFileAtomically(
        bytes, Array(name.utf8), in: folder.number, mode: 0o600, sync: sync)
    } catch { throw VersoError(error) }
  }

  func removeOwn(_ name: String) throws(VersoError) {
    do throws(DiskError) {
      try store.unlinking(Array("\(OwnFile.folder)/\(name)".utf8), in: gitFolder.number)
    } catch { throw VersoError(error) }
  }

  // MARK: What was named, what is held

  func readNamed() -> Set<Named> {
    let lines = readOwn(OwnFile.named)?.split(separator: 0x0A) ?? []
    return Set(lines.compactMap(Named.init(line:)))
  }

  func writeNamed(_ named: Set<Named>) throws(VersoError) {
    if named.isEmpty { return try removeOwn(OwnFile.named) }
    let lines = named.map(\.line).sorted { $0.lexicographicallyPrecedes($1) }
    try writeOwn(Array(lines.joined()), OwnFile.named)
  }

  func readHeld() -> Set<RelativePath> {
    let lines = readOwn(OwnFile.held)?.split(separator: 0x0A) ?? []
    return Set(
      lines.compactMap { QuotedPath.unquote(Array($0)).flatMap { RelativePath($0) } })
  }

  func writeHeld(_ held: [RelativePath]) throws(VersoError) {
    if held.isEmpty { return try removeOwn(OwnFile.held) }
    var bytes: [UInt8] = []
    for path in held { bytes += QuotedPath.quote(path.bytes) + [0x0A] }
    try writeOwn(bytes, OwnFile.held)
  }

  // MARK: What was said

  /// Something about every commit that is said once, until it is over.
  enum Remark: String, CaseIterable {
    case identity
    case unsigned
  }

  /// Notes what is to be said of a commit, and returns what has not been said before.
  func rememberSaid(_ notes: CommitNotes) throws(VersoError) -> Set<Remark> {
    let lines = readOwn(OwnFile.said)?.split(separator: 0x0A) ?? []
    let said = Set(lines.compactMap { Remark(rawValue: String(decoding: $0, as: UTF8.self)) })
    var now = Set<Remark>()
    if notes.madeUpIdentity != nil { now.insert(.identity) }
    if notes.unsigned != nil { now.insert(.unsigned) }
    if now == said { return [] }
    let text = Remark.allCases.filter(now.contains).map { $0.rawValue + "\n" }.joined()
    if now.isEmpty {
      try removeOwn(OwnFile.said)
    } else {
      try writeOwn(Array(text.utf8), OwnFile.said)
    }
    return now.subtracting(said)
  }

  // MARK: The folder cache

  func readFolderCache(key: UInt64) -> FolderCache {
    readOwn(OwnFile.folders).flatMap { FolderCache($0, key: key) } ?? FolderCache(key: key)
  }

  /// Keeps what a scan learned of folders. A failure costs the next scan some time and is no error.
  func writeFolderCache(_ seen: Settling) {
    guard seen.result.foldersChanged, let folders = seen.result.folders else { return }
    do throws(VersoError) { try writeOwn(folders.encoded(), OwnFile.folders) } catch { return }
  }

  // MARK: How to scan

  /// Options of a scan, and a key that changes with whatever decides what is new.
  func scanOptions() throws(VersoError) -> (options: Scan.Options, key: UInt64) {
    var rules: [IgnoreRules] = []
    var key = FNV.hash([settings.ignoresCase ? 1 : 0])
    let exclude = repository.commonDirectory + "/info/exclude"
    for path in [settings.excludesFile, exclude].compactMap({ $0 }) {
      do throws(DiskError) {
        let bytes = try store.readFile(Array(path.utf8), in: AT_FDCWD) ?? []
        key = FNV.hash(bytes, into: FNV.hash([0], into: key))
        rules.append(
          IgnoreRules(parsing: bytes, base: .root, ignoringCase: settings.ignoresCase))
      } catch {
        // git warns and goes on without; a rule file that cannot be read hides nothing.
        if error.code == ENOMEM || error.code == EMFILE { throw VersoError(error) }
      }
    }
    var options = Scan.Options(ignore: IgnoreStack(global: rules))
    options.maxFileSize = settings.maxFileSize
    options.ignoresCase = settings.ignoresCase
    options.trustsMode = settings.trustsMode
    options.trustsChangeTime = settings.trustsChangeTime
    options.minimalStat = settings.minimalStat
    options.ownNames = [
      Array(".git".utf8), Array(Self.stageName.utf8), Array(Initialiser.draftName.utf8),
    ]
    do throws(DiskError) {
      let status = try store.status(of: gitFolder.number)
      options.gitDirectory = (status.device, status.inode)
      let own = try store.status(of: rootFolder.number)
      key = FNV.hash(own.inode.bytes, into: FNV.hash(settings.maxFileSize.bytes, into: key))
    } catch { throw VersoError(error) }
    return (options, key)
  }

  /// The hidden folder in the root that stages files where the git directory is on another file
  /// system.
  static let stageName = ".verso-stage"
}

extension UInt64 {
  fileprivate var bytes: [UInt8] { Swift.withUnsafeBytes(of: littleEndian) { Array($0) } }
}
