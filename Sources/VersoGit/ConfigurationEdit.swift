import CGit2
import Glibc
package import VersoDisk

/// Changes the repository's own configuration file so that a kill leaves nothing for a person to do.
///
/// The change is made by libgit2 in a private copy; git's own lock, a second name of the token as for
/// ``IndexLock``, is held while the copy takes the file's place.
package struct ConfigurationEdit {
  private static let lock = Array("config.lock".utf8)
  private static let file = Array("config".utf8)
  private static let copy = Array("verso/config.new".utf8)
  private static let copyLock = Array("verso/config.new.lock".utf8)

  private let repository: Repository
  private let git: Int32
  private let store: any FileStore

  /// Prepares a change.
  ///
  /// - Precondition: The vault lock is held.
  /// - Parameter gitDirectory: The git directory that holds `config`, open.
  package init(repository: Repository, gitDirectory: Int32, store: any FileStore) {
    self.repository = repository
    git = gitDirectory
    self.store = store
  }

  /// Sets keys, and removes others; what is not there is no error.
  package func set(
    _ values: [(key: String, value: String)], removing keys: [String] = [], wait: Double
  ) throws {
    try edit(wait: wait) { config in
      for key in keys { try Self.remove(key, from: config) }
      for (key, value) in values {
        try GitError.check(git_config_set_string(config, key, value), "git_config_set_string")
      }
    }
  }

  /// Removes every key of a section; what is not there is no error.
  package func removeSection(_ name: String, wait: Double) throws {
    try edit(wait: wait, emptied: name) { config in
      var keys = Set<String>()
      var iterator: OpaquePointer?
      try GitError.check(
        git_config_iterator_glob_new(&iterator, config, "^\(name)\\."),
        "git_config_iterator_glob_new")
      var entry: UnsafeMutablePointer<git_config_entry>?
      while git_config_next(&entry, iterator) == 0, let entry {
        keys.insert(String(cString: entry.pointee.name))
      }
      git_config_iterator_free(iterator)
      for key in keys { try Self.remove(key, from: config) }
    }
  }

  private static func remove(_ key: String, from config: OpaquePointer) throws {
    let status = git_config_delete_multivar(config, key, ".*")
    if status != GIT_ENOTFOUND.rawValue {
      try GitError.check(status, "git_config_delete_multivar")
    }
  }

  /// Takes out the headers of a section that holds nothing any more, which libgit2 leaves.
  private static func withoutEmptyHeaders(of name: String, _ bytes: [UInt8]) -> [UInt8] {
    let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
    func text(_ number: Int) -> String {
      String(decoding: lines[number].drop { $0 == 0x20 || $0 == 0x09 }, as: UTF8.self)
    }
    let kept = lines.indices.filter { number in
      let line = text(number).lowercased()
      guard line.hasPrefix("[\(name)]") || line.hasPrefix("[\(name) ") else { return true }
      guard line.hasSuffix("]") || line.hasSuffix("]\r") else { return true }
      let next = lines.indices.dropFirst(number + 1).first { !text($0).isEmpty }
      return next.map { !text($0).hasPrefix("[") } ?? false
    }
    return Array(kept.map { lines[$0] }.joined(separator: [0x0A]))
  }

  private func edit(
    wait: Double, emptied section: String? = nil, _ body: (OpaquePointer) throws -> Void
  ) throws {
    try SignalDeferral.run { try editWhole(wait: wait, emptied: section, body) }
  }

  private func editWhole(
    wait: Double, emptied section: String?, _ body: (OpaquePointer) throws -> Void
  ) throws {
    let token = try LockToken(gitDirectory: git, store: store)
    var patience = Patience(seconds: wait)
    while true {
      var attempt = try store.lockByLink(Self.lock, in: git, to: LockToken.path, in: git)
      if attempt == .unsupported {
        attempt = try store.lockByContent(
          Self.lock, in: git, content: token.text, draft: Array("verso/config.draft".utf8),
          in: git)
      }
      if attempt == .taken { break }
      guard patience.wait() else {
        throw LockError.held(
          path: store.fullPath(Self.lock, in: git), age: try store.age(of: Self.lock, in: git))
      }
    }
    defer { _ = removeQuietly(Self.lock, in: git, store) }
    let before = try store.readFile(Self.file, in: git) ?? []
    let mode = try store.status(of: Self.file, in: git)?.mode ?? 0o644
    try store.writeFresh(before, to: Self.copy, in: git, mode: mode & 0o777)
    let path = "\(repository.gitDirectory)/verso/config.new"
    let config = try Handle("git_config_open_ondisk", free: git_config_free) {
      git_config_open_ondisk(&$0, path)
    }
    try body(config.pointer)
    if let section, let changed = try store.readFile(Self.copy, in: git) {
      let clean = Self.withoutEmptyHeaders(of: section, changed)
      if clean != changed {
        try store.writeFresh(clean, to: Self.copy, in: git, mode: mode & 0o777)
      }
    }
    let file = try store.opening(Self.copy, in: git, flags: O_RDONLY)
    try store.syncing(file.number, path: Self.copy)
    try store.renaming(Self.copy, in: git, to: Self.file, in: git)
  }

  /// Removes what a killed process of ours left.
  ///
  /// - Precondition: The vault lock is held.
  package static func recover(
    gitDirectory git: Int32, store: any FileStore
  ) throws(DiskError) {
    if let token = try LockToken.existing(gitDirectory: git, store: store),
      try token.owns(lock, in: git, store: store)
    {
      try store.unlinking(lock, in: git)
    }
    try store.unlinking(copy, in: git)
    try store.unlinking(copyLock, in: git)
  }
}

/// Removes a name and reports nothing: for the way out of a function that reports already.
private func removeQuietly(_ name: [UInt8], in folder: Int32, _ store: any FileStore) -> Bool {
  do throws(DiskError) { return try store.unlinking(name, in: folder) } catch { return false }
}
