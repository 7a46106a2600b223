import CLinux
import Glibc
import VersoModel

/// Makes one file look like another to everybody but a reader of its bytes.
struct FileAttributes {
  let store: any FileStore

  /// What could not be carried over.
  struct Failure: Error {
    /// "owner", "mode", or the name of an extended attribute.
    let name: String
    let cause: DiskError
  }

  /// Gives `copy` owner, group, extended attributes and mode of `original`.
  ///
  /// The order matters: changing the owner clears set-id bits and capabilities, an ACL changes the
  /// mode, and a mode without write permission forbids attributes.
  func carry(
    from original: Int32, _ status: FileStatus, to copy: Int32, executable: Bool
  ) throws(Failure) {
    try carryOwner(status, to: copy)
    try carryAttributes(from: original, to: copy)
    try setMode(Self.mode(status.mode, executable: executable), of: copy)
  }

  /// Permissions for a file of that kind, where those of its other form are known.
  static func mode(_ mode: UInt32, executable: Bool) -> UInt32 {
    let bits = mode & 0o7777
    if !executable { return bits & ~0o111 }
    return bits & 0o100 != 0 ? bits : bits | (bits & 0o444) >> 2
  }

  private func carryOwner(_ status: FileStatus, to copy: Int32) throws(Failure) {
    let present = try look(copy)
    if present.owner == status.owner, present.group == status.group { return }
    // An id of all ones means "leave it" (chown(2)); without privileges only the group may change.
    let owner = present.owner == status.owner ? UInt32.max : status.owner
    try check(store.setOwner(copy, owner, status.group), "owner")
  }

  private func setMode(_ mode: UInt32, of copy: Int32) throws(Failure) {
    // Some file systems have one mode for all files and refuse to be told it.
    if try look(copy).mode & 0o7777 == mode { return }
    try check(store.setMode(copy, mode), "mode")
    // chmod(2) drops the set-group bit silently where the group is not ours.
    if try look(copy).mode & 0o7777 != mode {
      throw Failure(
        name: "mode", cause: DiskError(code: EPERM, operation: "set the mode of", path: []))
    }
  }

  private func carryAttributes(from original: Int32, to copy: Int32) throws(Failure) {
    let wanted = try names(original)
    for name in try names(copy) where !wanted.contains(name) && !Self.staysAsMade(name) {
      // Inherited from the folder that the copy was made in, such as an ACL.
      try check(withName(name) { store.removeAttribute(copy, $0) }, text(name))
    }
    // An ACL may take away the right to set the others.
    let ordered =
      wanted.filter { !$0.starts(with: Self.system) }
      + wanted.filter { $0.starts(with: Self.system) }
    for name in ordered where !Self.describesContent(name) {
      guard let value = try value(original, name) else { continue }
      if try value == self.value(copy, name) { continue }
      let result = value.withUnsafeBytes { bytes in
        withName(name) { store.setAttribute(copy, $0, bytes.baseAddress, bytes.count) }
      }
      try check(result, text(name))
    }
  }

  private static let system = Array("system.".utf8)

  /// Signatures and hashes of the old bytes, which the kernel makes anew where it wants them.
  private static func describesContent(_ name: [UInt8]) -> Bool {
    name == Array("security.ima".utf8) || name == Array("security.evm".utf8)
  }

  /// Labels that a security module gave to the copy, and that are not ours to take away.
  private static func staysAsMade(_ name: [UInt8]) -> Bool {
    name.starts(with: Array("security.".utf8))
  }

  private func look(_ descriptor: Int32) throws(Failure) -> FileStatus {
    do throws(DiskError) { return try store.status(of: descriptor) } catch {
      throw Failure(name: "mode", cause: error)
    }
  }

  private func names(_ descriptor: Int32) throws(Failure) -> [[UInt8]] {
    let list = try bytes("attributes") { store.listAttributes(descriptor, $0, $1) }
    return (list ?? []).split(separator: 0).map(Array.init)
  }

  private func value(_ descriptor: Int32, _ name: [UInt8]) throws(Failure) -> [UInt8]? {
    try bytes(text(name)) { buffer, count in
      withName(name) { store.attribute(descriptor, $0, buffer, count) }
    }
  }

  /// What a call returns that tells its size when asked with no room; `nil` where there is nothing.
  private func bytes(
    _ name: String, _ call: (UnsafeMutableRawPointer?, Int) -> Int
  ) throws(Failure) -> [UInt8]? {
    while true {
      let size = call(nil, 0)
      if size == 0 { return [] }
      if size > 0 {
        var result = 0
        let value = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
          result = call(buffer.baseAddress, size)
          count = max(0, result)
        }
        if result >= 0 { return value }
        // It grew between the two calls.
        if result == -Int(ERANGE) { continue }
        if result == -Int(ENODATA) { return nil }
        try check(Int32(result), name)
      }
      // EOPNOTSUPP, ENOSYS: a file system without such attributes. ENODATA: not this one.
      if [-Int(EOPNOTSUPP), -Int(ENODATA), -Int(ENOSYS)].contains(size) { return nil }
      try check(Int32(size), name)
    }
  }

  private func check(_ result: Int32, _ name: String) throws(Failure) {
    if result >= 0 { return }
    throw Failure(name: name, cause: DiskError(code: -result, operation: "set", path: []))
  }

  private func withName<R>(_ name: [UInt8], _ body: (UnsafePointer<CChar>) -> R) -> R {
    RelativePath.withCString(name) { body($0) }
  }

  private func text(_ name: [UInt8]) -> String { String(decoding: name, as: UTF8.self) }
}
