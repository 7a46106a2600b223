import Glibc
import VersoDisk
import VersoGit
import VersoHistory
import VersoModel

/// The attribute files of an old state, alone in a temporary folder: for conversions by what held
/// then, which git's own programs read from a work tree only.
final class AttributeStage {
  /// The folder, absolute.
  let path: String
  let folder: Descriptor
  private let store: any FileStore

  /// So many attribute files are looked at; a tree with more is hostile.
  private static let most = 10_000

  /// Writes the attribute files that concern a place; `nil` where there are none, so that nothing
  /// need be written.
  init?(_ engine: Engine, _ place: History.Place, _ store: any FileStore) throws {
    let files = try Self.files(engine.repository, place)
    if files.isEmpty { return nil }
    let base = getenv("TMPDIR").map { String(cString: $0) } ?? ""
    path =
      "\(base.hasPrefix("/") ? base : "/tmp")/verso-attributes-"
      + String(UInt64.random(in: .min ... .max), radix: 36)
    self.store = store
    guard try store.makingFolder(Array(path.utf8), in: AT_FDCWD, mode: 0o700) else {
      throw DiskError(code: EEXIST, operation: "make the folder", path: Array(path.utf8))
    }
    folder = try store.opening(
      Array(path.utf8), in: AT_FDCWD, flags: O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
    do {
      for (path, bytes) in files { try write(bytes, to: path) }
    } catch {
      remove()
      throw error
    }
  }

  /// What leads git to these files and to none of the vault's index.
  var environment: [String: String?] { ["GIT_INDEX_FILE": "\(path)/no-index"] }

  private static func files(
    _ repository: Repository, _ place: History.Place
  ) throws -> [(path: RelativePath, bytes: [UInt8])] {
    let tree = try repository.commit(place.commit).tree
    let name = Array(".gitattributes".utf8)
    let plain = Item.Kind.link.rawValue
    var found: [(path: RelativePath, bytes: [UInt8])] = []
    func add(_ path: RelativePath, _ mode: UInt32, _ id: ObjectID) throws {
      // A link of that name is none, as for git.
      guard mode != plain, found.count < most else { return }
      found.append((path, try repository.read(id).bytes))
    }
    let folders = place.path.isRoot ? [] : place.path.ancestors + [.root]
    for above in folders {
      let path = above.appending(name)
      if let entry = try repository.entry(at: path, in: tree), !entry.isFolder, path != place.path {
        try add(path, entry.mode, entry.id)
      }
    }
    for (path, file) in try TreeDifference.files(in: tree, below: place.path, of: repository)
    where path.name.elementsEqual(name) {
      if NameRule.refusal(of: path) == nil { try add(path, file.mode, file.id) }
    }
    return found
  }

  private func write(_ bytes: [UInt8], to path: RelativePath) throws(DiskError) {
    for above in path.ancestors.reversed() {
      try store.makingFolder(above.bytes, in: folder.number)
    }
    let file = try store.opening(
      path.bytes, in: folder.number, flags: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW)
    try store.writingAll(bytes, to: file.number, path: path.bytes)
  }

  /// Removes the folder; what cannot be removed is the system's temporary folder's to lose.
  func remove() {
    do throws(DiskError) { try store.removeTree(Array(path.utf8), in: AT_FDCWD) } catch { return }
  }
}
