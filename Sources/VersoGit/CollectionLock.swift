import Glibc
package import VersoDisk
import VersoModel

/// git's own lock on its garbage collection, `gc.pid`, held by us while objects are written that
/// nothing refers to yet.
///
/// `git gc --prune=now` deletes such objects, also those of a commit whose branch is moved while it
/// looks: what is left then is a branch that points to nothing (git-gc(1), "Notes"). While the lock
/// is held, `git gc` says that another one is running, and `git gc --auto` does nothing.
///
/// A `gc` that keeps unreferenced objects for a while, as it does by itself, is no danger: it is not
/// waited for, as it may take minutes.
package struct CollectionLock: ~Copyable {
  private let common: Int32
  private let git: Int32
  private let store: any FileStore
  private let isHeld: Bool

  private static let path = Array("gc.pid".utf8)
  private static let lock = Array("gc.pid.lock".utf8)
  private static let draft = Array("verso/gc.new".utf8)
  private static let copy = Array("verso/gc.draft".utf8)
  /// After so many seconds git itself takes the process for dead (builtin/gc.c).
  private static let longest = 12.0 * 3600

  private init(common: Int32, git: Int32, store: any FileStore, isHeld: Bool) {
    (self.common, self.git, self.store, self.isHeld) = (common, git, store, isHeld)
  }

  /// Takes the lock, waiting for a `git gc` that would delete what is just being written.
  ///
  /// - Precondition: The vault lock is held, and no other ``CollectionLock``.
  /// - Parameters:
  ///   - gitDirectory: The git directory, open; Verso's folder is in it.
  ///   - commonDirectory: Where `gc.pid` is, open: the same but for a linked work tree.
  ///   - prunesNow: Whether git's configuration makes every `gc` delete at once.
  ///   - wait: The longest wait in seconds; 0 means one attempt.
  package static func take(
    gitDirectory git: Int32, commonDirectory common: Int32, store: any FileStore,
    prunesNow: Bool, wait: Double
  ) throws(LockError) -> CollectionLock {
    do throws(DiskError) {
      let content = Array("\(getpid()) \(Identity.hostName)".utf8)
      try store.writeFresh(content, to: draft, in: git, mode: 0o644, syncs: false)
      var patience = Patience(seconds: wait)
      var holder = Holder.none
      repeat {
        holder = try attempt(git, common, content, store)
        switch holder {
        case .none: return CollectionLock(common: common, git: git, store: store, isHeld: true)
        case .process(let id) where !prunesNow && !isPruningNow(id):
          try store.unlinking(draft, in: git)
          return CollectionLock(common: common, git: git, store: store, isHeld: false)
        case .process, .lock: break
        }
      } while patience.wait()
      try store.unlinking(draft, in: git)
      let name = holder == .lock ? lock : path
      throw DiskError(code: EEXIST, operation: "lock", path: name)
    } catch  where error.code == EEXIST && error.operation == "lock" {
      throw try held(error.path, common, store)
    } catch {
      throw .disk(error)
    }
  }

  private static func held(
    _ path: [UInt8], _ common: Int32, _ store: any FileStore
  ) throws(LockError) -> LockError {
    do throws(DiskError) {
      return .held(
        path: store.fullPath(path, in: common), age: try store.age(of: path, in: common))
    } catch { throw .disk(error) }
  }

  private enum Holder: Hashable {
    case none
    /// A process that is alive; 0 for one of another machine.
    case process(Int32)
    /// Somebody is just looking at `gc.pid`.
    case lock
  }

  /// As git does it: `gc.pid` is looked at and replaced under `gc.pid.lock`.
  private static func attempt(
    _ git: Int32, _ common: Int32, _ content: [UInt8], _ store: any FileStore
  ) throws(DiskError) -> Holder {
    var attempt = try store.lockByLink(lock, in: common, to: draft, in: git)
    if attempt == .unsupported {
      attempt = try store.lockByContent(
        lock, in: common, content: content, draft: copy, in: git)
    }
    guard attempt == .taken else { return .lock }
    do throws(DiskError) {
      if let process = try liveProcess(common, store) {
        try store.unlinking(lock, in: common)
        return .process(process)
      }
      try store.renaming(lock, in: common, to: path, in: common)
      return .none
    } catch {
      // The failure that led here is the one to report.
      _ = RelativePath.withCString(lock) { store.unlink(common, $0, folder: false) }
      throw error
    }
  }

  /// The process that `gc.pid` names, if it still runs.
  private static func liveProcess(
    _ common: Int32, _ store: any FileStore
  ) throws(DiskError) -> Int32? {
    guard let text = try store.readFile(path, in: common),
      try store.age(of: path, in: common) <= longest
    else { return nil }
    let words = String(decoding: text, as: UTF8.self).split(separator: " ", maxSplits: 1)
    guard words.count == 2, let process = Int32(words[0]) else { return nil }
    if words[1] != Identity.hostName { return 0 }
    return kill(process, 0) == 0 || errno == EPERM ? process : nil
  }

  /// Whether the command line of a process asks for what is unreferenced to go at once.
  private static func isPruningNow(_ process: Int32) -> Bool {
    guard process > 0 else { return false }
    var line: [UInt8] = []
    do throws(DiskError) {
      let store = SystemFileStore()
      line = try store.readFile(Array("/proc/\(process)/cmdline".utf8), in: AT_FDCWD) ?? []
    } catch { return false }
    return line.split(separator: 0).contains { word in
      let word = String(decoding: word, as: UTF8.self).lowercased()
      return word.contains("prune") && (word.hasSuffix("=now") || word.hasSuffix("=all"))
    }
  }

  deinit {
    guard isHeld else { return }
    // A deinit cannot report; what stays behind names this process, and recover removes it.
    do throws(DiskError) {
      try Self.recover(gitDirectory: git, commonDirectory: common, store: store)
    } catch {}
  }

  /// Removes what a killed process of ours left, or lets go.
  ///
  /// - Precondition: The vault lock is held.
  package static func recover(
    gitDirectory git: Int32, commonDirectory common: Int32, store: any FileStore
  ) throws(DiskError) {
    try store.unlinking(copy, in: git)
    guard let ours = try store.status(of: draft, in: git) else { return }
    for name in [lock, path] {
      guard let there = try store.status(of: name, in: common) else { continue }
      let isLinked = there.inode == ours.inode && there.device == ours.device
      // Without hard links, the content is the proof: it names our process.
      let (content, found) = (
        try store.readFile(draft, in: git), try store.readFile(name, in: common)
      )
      let isCopied = ours.links == 1 && content == found
      if isLinked || isCopied { try store.unlinking(name, in: common) }
    }
    try store.unlinking(draft, in: git)
  }
}
