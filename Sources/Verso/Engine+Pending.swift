import VersoDisk
import VersoGit
import VersoModel

/// What the disk still has to become: files that could not be written when the branch moved on, and
/// files that were taken out while a program had them open.
extension Engine {
  // MARK: Pending files

  /// For each path that the disk has in another version than the branch: the commit with that version,
  /// `nil` for none.
  func readPending() throws(VersoError) -> [RelativePath: ObjectID?] {
    var pending: [RelativePath: ObjectID?] = [:]
    for record in try readRecords(OwnFile.pending, words: 1) {
      pending.updateValue(try base(record.words[0]), forKey: record.path)
    }
    return pending
  }

  /// The pending files, as a save has to know them.
  struct PendingFiles {
    var paths: Set<RelativePath> = []
    /// Those that somebody removed or renamed, with what they held.
    var missing: [(path: RelativePath, content: Journal.Content)] = []
  }

  /// - Parameter moving: Paths whose changes are not over.
  func pendingFiles(
    for request: SaveRequest, leaving moving: Set<RelativePath>
  ) throws(VersoError) -> PendingFiles {
    let pending = try readPending()
    var files = PendingFiles(paths: Set(pending.keys))
    for (path, base) in pending where request.covers(path) && !moving.covers(path) {
      if try isMissing(path), let content = try content(at: path, of: base) {
        files.missing.append((path, content))
      }
    }
    files.missing.sort { $0.path < $1.path }
    return files
  }

  func isMissing(_ path: RelativePath) throws(VersoError) -> Bool {
    do throws(DiskError) {
      return try store.status(of: path.bytes, in: rootFolder.number) == nil
    } catch { return error.isAbsence }
  }

  /// - Parameter tip: Where the branch is about to be. Versions that it does not have, as a join was
  ///   made anew without them, are kept from `git gc` by a reference.
  func writePending(
    _ pending: [RelativePath: ObjectID?], beside tip: ObjectID
  ) throws(VersoError) {
    let old = Set(try readPending().values.compactMap { $0 })
    let new = Set(pending.values.compactMap { $0 })
    do throws(GitError) {
      for base in new.subtracting(old) where try !repository.isAncestor(base, of: tip) {
        try repository.point(Self.reference(to: base), to: base)
      }
    } catch { throw VersoError(error, "keep the versions that the disk has") }
    try writeRecords(
      pending.map { Record(words: [$0.value?.hex ?? "-"], path: $0.key) }, OwnFile.pending)
    do throws(GitError) {
      for base in old.subtracting(new)
      where try repository.id(ofReference: Self.reference(to: base)) != nil {
        try repository.remove(Self.reference(to: base))
      }
    } catch { throw VersoError(error, "forget the versions that the disk had") }
  }

  private static func reference(to base: ObjectID) -> String { "refs/verso/pending/\(base.hex)" }

  // MARK: Files that were taken out

  /// A file in the staging folder that a program had open when it was taken out.
  struct TakenOut {
    let name: String
    let base: ObjectID?
    let path: RelativePath
  }

  func readTakenOut() throws(VersoError) -> [TakenOut] {
    try readRecords(OwnFile.displaced, words: 2).map { record throws(VersoError) in
      TakenOut(name: record.words[1], base: try base(record.words[0]), path: record.path)
    }
  }

  /// The version that a record names; `nil` for none, and for one that a gc took, as a join was made
  /// anew without it: then all of a file is an edit.
  private func base(_ word: String) throws(VersoError) -> ObjectID? {
    guard let id = ObjectID(hex: word) else { return nil }
    do throws(GitError) { return try repository.contains(id) ? id : nil } catch {
      throw VersoError(error, "look for \(id.short)")
    }
  }

  /// Remembers what a file in the staging folder is an edit of.
  func remember(_ name: [UInt8], of path: RelativePath, base: ObjectID?) throws(VersoError) {
    let name = String(decoding: name, as: UTF8.self)
    var known = try readTakenOut().filter { $0.name != name }
    known.append(TakenOut(name: name, base: base, path: path))
    try writeTakenOut(known)
  }

  /// Forgets a file in the staging folder, which is gone; one that was never remembered is no error.
  func forget(_ name: [UInt8]) throws(VersoError) {
    let name = String(decoding: name, as: UTF8.self)
    let known = try readTakenOut()
    let left = known.filter { $0.name != name }
    if left.count != known.count { try writeTakenOut(left) }
  }

  func writeTakenOut(_ files: [TakenOut]) throws(VersoError) {
    try writeRecords(
      files.map { Record(words: [$0.base?.hex ?? "-", $0.name], path: $0.path) },
      OwnFile.displaced)
  }

  // MARK: Kept files

  /// Files that other devices deleted, suspiciously many at once, and that are still here: with the
  /// content that nobody wants to be asked about again.
  func readKept() throws(VersoError) -> [RelativePath: Journal.Content] {
    var kept: [RelativePath: Journal.Content] = [:]
    for record in try readRecords(OwnFile.kept, words: 2) {
      guard let mode = UInt32(record.words[0], radix: 8), let id = ObjectID(hex: record.words[1])
      else { continue }
      kept[record.path] = Journal.Content(PathFinder.Found(mode: mode, id: id))
    }
    return kept
  }

  func writeKept(_ kept: [RelativePath: Journal.Content]) throws(VersoError) {
    try writeRecords(
      kept.map { path, content in
        Record(words: [String(content.kind.rawValue, radix: 8), content.id.hex], path: path)
      }, OwnFile.kept)
  }

  /// Adds to the kept files those of a tree that goes.
  func rememberKept(_ paths: Set<RelativePath>, from tree: ObjectID?) throws(VersoError) {
    guard !paths.isEmpty, let tree else { return }
    let trees = TreeLookup(repository)
    var kept = try readKept()
    for path in paths {
      kept[path] = try file(at: path, in: tree, trees).flatMap { Journal.Content($0) }
    }
    try writeKept(kept)
  }

  // MARK: Records

  private struct Record {
    let words: [String]
    let path: RelativePath
  }

  /// Lines of so many words and a quoted path.
  private func readRecords(_ name: String, words count: Int) throws(VersoError) -> [Record] {
    let lines = try readOwnSurely(name)?.split(separator: 0x0A) ?? []
    return lines.compactMap { line in
      let parts = line.split(
        separator: 0x20, maxSplits: count, omittingEmptySubsequences: false)
      guard parts.count == count + 1,
        let path = QuotedPath.unquote(Array(parts[count])).flatMap({ RelativePath($0) }),
        !path.isRoot
      else { return nil }
      return Record(
        words: parts.prefix(count).map { String(decoding: $0, as: UTF8.self) }, path: path)
    }
  }

  private func writeRecords(_ records: [Record], _ name: String) throws(VersoError) {
    if records.isEmpty {
      if try readOwnSurely(name) != nil { try removeOwn(name) }
      return
    }
    var bytes: [UInt8] = []
    for record in records.sorted(by: { $0.path < $1.path }) {
      for word in record.words { bytes += Array("\(word) ".utf8) }
      bytes += QuotedPath.quote(record.path.bytes) + [0x0A]
    }
    try writeOwn(bytes, name, sync: true)
  }

  // MARK: Looking

  func difference(
    _ old: ObjectID?, _ new: ObjectID?
  ) throws(VersoError) -> [TreeDifference.Entry] {
    do throws(GitError) { return try TreeDifference.between(old, new, in: repository) } catch {
      throw VersoError(error, "compare two versions of \(root)")
    }
  }

  func tree(of commit: ObjectID) throws(VersoError) -> ObjectID {
    do throws(GitError) { return try repository.commit(commit).tree } catch {
      throw VersoError(error, "read \(commit.short)")
    }
  }

  /// What a commit has at a path; `nil` for nothing that is ever written.
  func content(
    at path: RelativePath, of commit: ObjectID?
  ) throws(VersoError) -> Journal.Content? {
    guard let commit else { return nil }
    return try file(at: path, in: tree(of: commit)).flatMap { Journal.Content($0) }
  }

  /// The file at a path of a tree; `nil` for nothing, and for a folder.
  ///
  /// - Parameter trees: For who asks for many files.
  func file(
    at path: RelativePath, in tree: ObjectID, _ trees: TreeLookup? = nil
  ) throws(VersoError) -> PathFinder.Found? {
    do throws(GitError) {
      let found = try (trees ?? TreeLookup(repository)).find(path, in: tree)
      return found.flatMap { $0.isFolder ? nil : $0 }
    } catch { throw VersoError(error, "read \(path)") }
  }

  /// Whether rules leave a file out that is not tracked.
  func isIgnored(_ path: RelativePath) throws(VersoError) -> Bool {
    let options = try scanOptions().options
    return options.ignore.isIgnored(path: path, isFolder: false) { folder in
      store.ignoreRules(in: folder, root: rootFolder.number, options)
    }
  }

  /// The files below a folder that are not left out by rules.
  func files(below folder: RelativePath) throws(VersoError) -> [RelativePath] {
    let scan = Scan(
      root: rootFolder.number, table: .empty, options: try scanOptions().options, store: store)
    do throws(DiskError) { return try scan.only([folder]).candidates.map(\.path) } catch {
      throw VersoError(error)
    }
  }
}
