import CGit2
import Glibc
package import VersoDisk
package import VersoModel

/// Moves a branch the way git does, but so that a kill at any step leaves nothing for a person to do.
///
/// The steps, and what a kill after each of them leaves:
///
/// 1. `verso/ref.name` says which reference is meant. Harmless.
/// 2. `verso/ref.new` holds the new value, durable. Harmless.
/// 3. `REF.lock` becomes a second name of it: git's own lock. ``recover(gitDirectory:commonDirectory:store:)``
///    knows it by its inode and removes it. Had it been somebody else's, the link would have failed.
/// 4. The value is compared with the expected one under the lock, then the reflogs get their line. A
///    kill here leaves a line for a move that did not happen; git shows it and minds nothing, and the
///    object that it names is there.
/// 5. `REF.lock` is renamed to `REF`: done. `verso/ref.new` is the same inode still; recovery removes it.
/// 6. `verso/ref.new` goes.
package struct ReferenceUpdate {
  /// Why a branch was not moved.
  package enum Failure: Error, CustomStringConvertible {
    /// It is no longer what it was; nothing was changed.
    case modified
    /// Somebody else's lock was still there when the wait was over.
    case locked(LockError)
    /// The name cannot be used beside the references that there are.
    case conflict(String)

    package var isModified: Bool { if case .modified = self { true } else { false } }

    package var description: String {
      switch self {
      case .modified: "the branch was moved by somebody else"
      case .locked(let error): "\(error)"
      case .conflict(let name): "\(name) is in the way of another reference"
      }
    }
  }

  private static let draft = Array("verso/ref.new".utf8)
  private static let nameFile = Array("verso/ref.name".utf8)
  private static let contentDraft = Array("verso/ref.draft".utf8)

  private let repository: Repository
  private let git: Int32
  private let common: Int32
  private let store: any FileStore

  /// Prepares a move.
  ///
  /// - Precondition: The vault lock is held.
  /// - Parameters:
  ///   - gitDirectory: The git directory, open.
  ///   - commonDirectory: Where references are, open: the same but for a linked work tree.
  package init(
    repository: Repository, gitDirectory: Int32, commonDirectory: Int32, store: any FileStore
  ) {
    self.repository = repository
    git = gitDirectory
    common = commonDirectory
    self.store = store
  }

  /// Moves a reference from one commit to another.
  ///
  /// - Parameters:
  ///   - name: In full, such as `refs/heads/main`. Where it is symbolic, what it leads to is moved.
  ///   - old: What it must be now; `nil` where it must not exist.
  ///   - message: One line for the reflogs.
  ///   - wait: Seconds to wait for somebody else's lock.
  /// - Throws: ``Failure``, ``DiskError``, ``GitError``.
  package func move(
    _ name: String, to new: ObjectID, from old: ObjectID?, message: String,
    by committer: CommitStamp, wait: Double
  ) throws {
    let branch = name
    let name = try resolved(name)
    let path = Array(name.utf8)
    let lock = path + Array(".lock".utf8)
    try store.makingFolder(LockToken.folder, in: git, mode: 0o700)
    try store.writeFresh(path + [0x0A], to: Self.nameFile, in: git, mode: 0o600)
    try store.writeFresh(Array("\(new)\n".utf8), to: Self.draft, in: git, mode: 0o644)
    if old == nil { try checkRoom(for: name) }
    try makeFolders(above: path, in: common)
    do { try take(lock, content: Array("\(new)\n".utf8), wait: wait) } catch let error as DiskError
      where error.code == ENOTDIR
    { throw Failure.conflict(name) }
    var isOurs = true
    defer {
      if isOurs { _ = RelativePath.withCString(lock) { store.unlink(common, $0, folder: false) } }
    }
    guard try repository.id(ofReference: name) == old else { throw Failure.modified }
    try log(name, branch, old: old, new: new, message: message, by: committer)
    try store.renaming(lock, in: common, to: path, in: common)
    isOurs = false
    try syncFolder(of: path)
    // It has moved: what is left of the tidying is for the next start.
    for name in [Self.draft, Self.nameFile] {
      _ = RelativePath.withCString(name) { store.unlink(git, $0, folder: false) }
    }
  }

  /// The reference in which the value stands that `name` leads to.
  private func resolved(_ name: String) throws(GitError) -> String {
    var name = name
    // git follows five symbolic references, and no more.
    for _ in 0..<5 {
      var found: OpaquePointer?
      let status = git_reference_lookup(&found, repository.handle.pointer, name)
      if status == GIT_ENOTFOUND.rawValue { return name }
      try GitError.check(status, "git_reference_lookup")
      defer { git_reference_free(found) }
      guard let target = git_reference_symbolic_target(found) else { return name }
      name = String(cString: target)
    }
    return name
  }

  /// Makes sure that no reference lies below the new one, as a name cannot be file and folder; empty
  /// folders that deleted references left are removed, as git does.
  private func checkRoom(for name: String) throws {
    var above = name
    while let slash = above.lastIndex(of: "/") {
      above = String(above[..<slash])
      guard above.hasPrefix("refs/heads/") else { break }
      if try repository.id(ofReference: above) != nil { throw Failure.conflict(name) }
    }
    var iterator: OpaquePointer?
    try GitError.check(
      git_reference_iterator_glob_new(&iterator, repository.handle.pointer, "\(name)/*"),
      "git_reference_iterator_glob_new")
    defer { git_reference_iterator_free(iterator) }
    var found: UnsafePointer<CChar>?
    if git_reference_next_name(&found, iterator) == 0 { throw Failure.conflict(name) }
    for path in [name, "logs/\(name)"] {
      do throws(DiskError) { try removeEmptyFolders(Array(path.utf8)) } catch {
        throw Failure.conflict(name)
      }
    }
  }

  private func removeEmptyFolders(_ path: [UInt8]) throws(DiskError) {
    guard try store.status(of: path, in: common)?.kind == .folder else { return }
    let folder = try store.opening(
      path, in: common, flags: O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
    for name in try store.names(in: folder.number, path: path) {
      try removeEmptyFolders(path + [RelativePath.slash] + name)
    }
    try store.unlinking(path, in: common, folder: true)
  }

  private func take(_ lock: [UInt8], content: [UInt8], wait: Double) throws {
    var patience = Patience(seconds: wait)
    repeat {
      var attempt = try store.lockByLink(lock, in: common, to: Self.draft, in: git)
      if attempt == .unsupported {
        attempt = try store.lockByContent(
          lock, in: common, content: content, draft: Self.contentDraft, in: git)
      }
      if attempt == .taken { return }
    } while patience.wait()
    throw Failure.locked(
      .held(
        path: store.fullPath(lock, in: common), age: try store.age(of: lock, in: common)))
  }

  private func makeFolders(above path: [UInt8], in folder: Int32) throws {
    var at = path.startIndex
    while let slash = path[at...].firstIndex(of: RelativePath.slash) {
      do throws(DiskError) {
        try store.makingFolder(Array(path[..<slash]), in: folder)
      } catch {
        if error.code == ENOTDIR { throw Failure.conflict(String(decoding: path, as: UTF8.self)) }
        throw error
      }
      at = slash + 1
    }
  }

  private func syncFolder(of path: [UInt8]) throws(DiskError) {
    guard let slash = path.lastIndex(of: RelativePath.slash) else { return }
    try store.syncFolder(Array(path[..<slash]), in: common)
  }

  // MARK: Reflogs

  /// Adds the lines.
  ///
  /// - Parameter branch: What HEAD names, if the reference moves with it.
  private func log(
    _ name: String, _ branch: String, old: ObjectID?, new: ObjectID, message: String,
    by committer: CommitStamp
  ) throws {
    // As git writes it: runs of white space are one space, and no message means no tab.
    let text = message.split { $0.isASCII && $0.isWhitespace }.joined(separator: " ")
    let tail = text.isEmpty ? "" : "\t\(text)"
    let line = Array("\(old ?? .zero) \(new) \(committer.text)\(tail)\n".utf8)
    let always: Bool
    switch try repository.setting("core.logAllRefUpdates")?.lowercased() {
    case "always": always = true
    case .some(let value) where ["false", "no", "off", "0"].contains(value):
      // Logs that exist are gone on with (git-config(1)).
      return try append(line, to: name, branch, making: false)
    default: always = false
    }
    try append(line, to: name, branch, making: always || name.hasPrefix("refs/heads/"))
  }

  private func append(
    _ line: [UInt8], to name: String, _ branch: String, making: Bool
  ) throws {
    try append(line, log: Array("logs/\(name)".utf8), in: common, making: making)
    guard case .branch(branch, _) = try repository.head() else { return }
    try append(line, log: Array("logs/HEAD".utf8), in: git, making: making)
  }

  private func append(
    _ line: [UInt8], log: [UInt8], in folder: Int32, making: Bool
  ) throws {
    if making { try makeFolders(above: log, in: folder) }
    let flags = O_WRONLY | O_APPEND | O_NOFOLLOW | (making ? O_CREAT : 0)
    do throws(DiskError) {
      let file = try store.opening(log, in: folder, flags: flags)
      let size = try store.status(of: file.number).size
      do throws(DiskError) { try store.writingAll(line, to: file.number, path: log) } catch {
        // Half a line would run into the next one.
        _ = store.truncate(file.number, Int(size))
        throw error
      }
    } catch {
      if making || !error.isAbsence { throw error }
    }
  }

  // MARK: Recovery

  /// Removes the lock that a killed process of ours left.
  ///
  /// - Precondition: The vault lock is held.
  package static func recover(
    gitDirectory git: Int32, commonDirectory common: Int32, store: any FileStore
  ) throws(DiskError) {
    try store.unlinking(contentDraft, in: git)
    guard let name = try store.readFile(nameFile, in: git) else {
      try store.unlinking(draft, in: git)
      return
    }
    if name.last == 0x0A, name.starts(with: "refs/".utf8), !name.contains(0) {
      let lock = Array(name.dropLast()) + Array(".lock".utf8)
      if let ours = try store.status(of: draft, in: git),
        let there = try store.status(of: lock, in: common)
      {
        let isLinked = there.inode == ours.inode && there.device == ours.device
        let content = try store.readFile(draft, in: git)
        // Without hard links, the content is the proof: nobody else writes this very id.
        let copy = try store.readFile(lock, in: common)
        let isCopied = ours.links == 1 && copy == content
        if isLinked || isCopied { try store.unlinking(lock, in: common) }
      }
    }
    try store.unlinking(draft, in: git)
    try store.unlinking(nameFile, in: git)
  }
}

extension Repository {
  /// Where objects and references are: the git directory, but for a linked work tree.
  package var commonDirectory: String {
    guard let path = git_repository_commondir(handle.pointer) else { return gitDirectory }
    var text = String(cString: path)
    while text.count > 1, text.hasSuffix("/") { text.removeLast() }
    return text
  }
}
