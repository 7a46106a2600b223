import Glibc
import VersoDisk
import VersoGit
import VersoModel

/// Where the disk differs from git's index and HEAD, found without writing anything and whatever
/// state the user's own git is in.
///
/// Files that a program is writing are read as they are now: this is for looking, not for saving.
struct DiskState {
  /// What stands at each path that may differ from HEAD; `nil` for what is gone.
  private(set) var found: [RelativePath: PathFinder.Found?] = [:]
  /// What could not be read, or is left alone.
  private(set) var skipped: [Skipped] = []

  private let engine: Engine
  private let table: StatTable
  private let filter: ContentFilter

  /// Looks below `paths`; everywhere where there are none.
  init(_ engine: Engine, head: ObjectID?, below paths: [RelativePath]) throws(VersoError) {
    self.engine = engine
    let index = try engine.openIndex()
    table = index?.table ?? .empty
    filter = try engine.contentFilter()
    let options = try engine.scanOptions()
    let scan = Scan(
      root: engine.rootFolder.number, table: table, options: options.options, store: engine.store)
    let cache = engine.readFolderCache(key: options.key)
    let seen: Scan.Result
    do throws(DiskError) {
      seen = try paths.isEmpty ? scan.all(cache: cache) : scan.only(paths)
    } catch { throw VersoError(error) }
    skipped = seen.skipped
    if let index { try addStaged(index, head: head, besides: seen, below: paths) }
    for path in seen.gone { found[path] = .some(nil) }
    for candidate in seen.candidates { try add(candidate) }
  }

  /// What the index holds otherwise than HEAD, where the disk agrees with the index.
  private mutating func addStaged(
    _ index: IndexFile, head: ObjectID?, besides seen: Scan.Result, below paths: [RelativePath]
  ) throws(VersoError) {
    do throws(GitError) {
      for path in try StagedDifference(between: head, and: index, in: engine.repository).paths {
        if !paths.isEmpty, !paths.contains(where: { $0.contains(path) }) { continue }
        if isSkipped(path) { continue }
        let row = table.row(of: path).flatMap { $0.flags.contains(.intentToAdd) ? nil : $0 }
        found[path] = .some(row.map { .init(mode: $0.mode, id: $0.id) })
      }
    } catch { throw VersoError(error, "compare git's index with HEAD") }
  }

  private func isSkipped(_ path: RelativePath) -> Bool {
    skipped.contains { $0.path == path || $0.isFolder && $0.path.contains(path) }
  }

  private mutating func add(_ candidate: Scan.Candidate) throws(VersoError) {
    let path = candidate.path
    let kind = candidate.status.itemKind ?? .file
    if let refusal = NameRule.refusal(of: path, kind: kind) {
      skipped.append(Skipped(path: path, reason: .badName(refusal)))
      return
    }
    do {
      let (bytes, kind) = try content(of: path)
      let id = try Repository.blobID(of: bytes)
      found[path] = .some(.init(mode: kind.rawValue, id: id))
    } catch let refusal as ReadRefusal {
      note(refusal)
    } catch let error as ContentFilterError {
      found[path] = nil
      skipped.append(Skipped(path: path, reason: .filter(error.description)))
    } catch let error as GitError {
      throw VersoError(error, "compare \(path) with its last version")
    } catch { throw VersoError(storing: error) }
  }

  private mutating func note(_ refusal: ReadRefusal) {
    let path = refusal.path
    found[path] = nil
    switch refusal.reason {
    case .vanished, .notAFile(.folder): found[path] = .some(nil)
    case .notAFile: skipped.append(Skipped(path: path, reason: .special))
    case .tooLarge(let size): skipped.append(Skipped(path: path, reason: .tooLarge(size)))
    case .changed, .hasWriter: skipped.append(Skipped(path: path, reason: .moving))
    case .unreadable(let error):
      skipped.append(Skipped(path: path, reason: .unreadable(error.code)))
    }
  }

  // MARK: Contents

  /// How often a file that changes while it is read is read again.
  private static let attempts = 3

  /// The content of a file as history would hold it, and its kind.
  func content(of path: RelativePath) throws -> (bytes: [UInt8], kind: Item.Kind) {
    let reader = ConsistentRead(
      root: engine.rootFolder.number, sizeLimit: engine.settings.maxFileSize, store: engine.store)
    var content: ConsistentRead.Content?
    for _ in 0..<Self.attempts where content == nil {
      do throws(ReadRefusal) { content = try reader.content(of: path, writers: .ignore) } catch {
        guard error.reason == .changed else { throw error }
      }
    }
    guard let content else { throw ReadRefusal(path: path, reason: .changed) }
    let rule = ContentReader.KindRule(table: table, trustsMode: engine.settings.trustsMode)
    let kind = rule.kind(of: path, content.status)
    if kind == .link { return (content.bytes, kind) }
    return (try cleaned(content.bytes, path), kind)
  }

  private func cleaned(_ bytes: [UInt8], _ path: RelativePath) throws -> [UInt8] {
    let hasFiles = try filter.hasAttributeFiles(above: path, root: engine.rootFolder.number)
    if try filter.decision(for: path, hasAttributeFiles: hasFiles) == .raw { return bytes }
    let cleaned = try filter.clean(
      bytes, path: path, tracked: table.row(of: path)?.id, hasAttributeFiles: hasFiles)
    switch cleaned {
    case .bytes(let bytes): return bytes
    case .stored(let id): return try engine.repository.read(id).bytes
    }
  }
}
