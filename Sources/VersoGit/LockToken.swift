import Glibc
package import VersoDisk

/// A lock file that could not be had.
package enum LockError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Somebody else's lock was still there when the wait was over.
  ///
  /// `age` is in seconds, since the lock file was last written.
  case held(path: [UInt8], age: Double)
  case disk(DiskError)

  package var description: String {
    switch self {
    case .held(let path, let age):
      let name = String(decoding: path, as: UTF8.self)
      return "\(name) has been held by another program for \(Int(max(0, age))) s; "
        + "if no git command is running there, remove that file"
    case .disk(let error): return error.description
    }
  }
}

/// The file `verso/token` in a git directory, made once and kept: what proves that a lock is ours.
///
/// A lock file of ours is a second name of this file, so it comes into being complete, and whoever
/// finds it after a crash can tell by its inode whose it is. Where the file system has no hard
/// links, its content is the proof.
package struct LockToken: Hashable, Sendable {
  let device: UInt64
  let inode: UInt64
  /// `verso ` and 32 random hexadecimal digits.
  let text: [UInt8]

  static let folder = Array("verso".utf8)
  static let path = Array("verso/token".utf8)
  private static let draft = Array("verso/token.new".utf8)

  /// The token of a git directory, made where there is none.
  ///
  /// - Precondition: The vault lock is held.
  package init(gitDirectory: Int32, store: any FileStore) throws(DiskError) {
    if let found = try Self.existing(gitDirectory: gitDirectory, store: store) {
      self = found
      return
    }
    try Self.make(gitDirectory: gitDirectory, store: store)
    guard let made = try Self.existing(gitDirectory: gitDirectory, store: store) else {
      throw DiskError(code: EIO, operation: "read", path: Self.path)
    }
    self = made
  }

  private init(device: UInt64, inode: UInt64, text: [UInt8]) {
    (self.device, self.inode, self.text) = (device, inode, text)
  }

  /// The token that is there; `nil` where there is none, or one that a crash left unfinished.
  static func existing(
    gitDirectory: Int32, store: any FileStore
  ) throws(DiskError) -> LockToken? {
    guard let status = try store.status(of: path, in: gitDirectory), status.kind == .file else {
      return nil
    }
    guard
      let text = try store.readFile(path, in: gitDirectory),
      text.count == 39, text.starts(with: "verso ".utf8)
    else { return nil }
    return LockToken(device: status.device, inode: status.inode, text: text)
  }

  private static func make(gitDirectory: Int32, store: any FileStore) throws(DiskError) {
    try store.makingFolder(folder, in: gitDirectory)
    let digits = Array("0123456789abcdef".utf8)
    var text = Array("verso ".utf8)
    for _ in 0..<32 { text.append(digits[Int.random(in: 0..<16)]) }
    text.append(UInt8(ascii: "\n"))
    try store.writeFresh(text, to: draft, in: gitDirectory, mode: 0o600)
    try store.renaming(draft, in: gitDirectory, to: path, in: gitDirectory)
    try store.syncFolder(folder, in: gitDirectory)
  }

  /// Whether the lock file at `lock` is ours, alive or dead; `false` where there is none.
  func owns(_ lock: [UInt8], in folder: Int32, store: any FileStore) throws(DiskError) -> Bool {
    guard let status = try store.status(of: lock, in: folder), status.kind == .file else {
      return false
    }
    if status.device == device, status.inode == inode { return true }
    guard status.size == UInt64(text.count) else { return false }
    return try store.readFile(lock, in: folder) == text
  }
}
