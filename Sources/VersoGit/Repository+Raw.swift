import CGit2
import Glibc
package import VersoModel

extension Repository {
  /// Calls `body` with an object's bytes where libgit2 keeps them, which saves a copy.
  ///
  /// - Throws: As ``read(_:)``.
  func withObject<Result>(
    _ id: ObjectID,
    _ body: (ObjectKind, UnsafeRawBufferPointer) throws(GitError) -> Result
  ) throws(GitError) -> Result {
    var object: OpaquePointer?
    var name = git_oid(id)
    let database = try objects()
    var status = git_odb_read(&object, database, &name)
    if status == GIT_ENOTFOUND.rawValue {
      // Another process may have packed it since (git.md G24): one look at the new packs.
      git_odb_refresh(database)
      status = git_odb_read(&object, database, &name)
    }
    try GitError.check(status, "git_odb_read")
    defer { git_odb_object_free(object) }
    let bytes = UnsafeRawBufferPointer(
      start: git_odb_object_data(object), count: git_odb_object_size(object))
    return try body(ObjectKind(rawValue: git_odb_object_type(object).rawValue) ?? .blob, bytes)
  }

  /// As ``withObject(_:_:)`` for a tree.
  ///
  /// - Throws: Also where the object is something else.
  func withTree<Result>(
    _ id: ObjectID, _ body: (UnsafeRawBufferPointer) throws(GitError) -> Result
  ) throws(GitError) -> Result {
    try withObject(id) { (kind, bytes) throws(GitError) in
      guard kind == .tree else { throw Self.unreadable(tree: id) }
      return try body(bytes)
    }
  }

  static func unreadable(tree id: ObjectID) -> GitError {
    GitError(code: .generic, function: "tree", message: "\(id) is no readable tree")
  }

  /// The id that git gives to a file with that content; nothing is written.
  package static func blobID(of content: [UInt8]) throws(GitError) -> ObjectID {
    try start()
    var id = git_oid()
    let status = content.withUnsafeBytes { bytes in
      git_odb_hash(&id, bytes.baseAddress, bytes.count, GIT_OBJECT_BLOB)
    }
    try GitError.check(status, "git_odb_hash")
    return ObjectID(id)
  }

  /// Starts libgit2 for the functions that need no repository; starting twice costs nothing.
  static func start() throws(GitError) {
    try GitError.check(started, "git_libgit2_init")
  }

  private static let started: Int32 = git_libgit2_init()
}

/// One row of a tree where libgit2 keeps it: valid as long as the tree's bytes are.
struct RawTreeRow {
  let name: UnsafeRawBufferPointer
  let mode: UInt32
  let id: UnsafeRawPointer

  var isFolder: Bool { mode == Item.Kind.folder.rawValue }

  /// The order of trees: folders sort as if a slash ended their names.
  static func order(_ a: RawTreeRow, _ b: RawTreeRow) -> Int {
    let shared = min(a.name.count, b.name.count)
    if let left = a.name.baseAddress, let right = b.name.baseAddress {
      let order = memcmp(left, right, shared)
      if order != 0 { return Int(order) }
    }
    return Int(a.byte(at: shared)) - Int(b.byte(at: shared))
  }

  private func byte(at index: Int) -> UInt8 {
    index < name.count ? name[index] : isFolder ? RelativePath.slash : 0
  }

  func sameContent(as other: RawTreeRow) -> Bool {
    mode == other.mode && memcmp(id, other.id, ObjectID.byteCount) == 0
  }
}

/// Goes through the rows of a tree object without copying.
struct RawTreeCursor {
  private let bytes: UnsafeRawBufferPointer
  private var at = 0

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  /// The next row; `nil` at the end.
  ///
  /// - Throws: Where the bytes are no tree.
  mutating func next() throws(GitError) -> RawTreeRow? {
    guard at < bytes.count, let base = bytes.baseAddress else { return nil }
    var mode: UInt32 = 0
    while at < bytes.count, bytes[at] != UInt8(ascii: " ") {
      guard (UInt8(ascii: "0")...UInt8(ascii: "7")).contains(bytes[at]) else { throw Self.broken }
      mode = mode << 3 | UInt32(bytes[at] - UInt8(ascii: "0"))
      at += 1
    }
    let start = at + 1
    guard start < bytes.count, let end = memchr(base + start, 0, bytes.count - start) else {
      throw Self.broken
    }
    let length = UnsafeRawPointer(end) - (base + start)
    at = start + length + 1 + ObjectID.byteCount
    guard length > 0, at <= bytes.count else { throw Self.broken }
    return RawTreeRow(
      name: UnsafeRawBufferPointer(start: base + start, count: length), mode: mode,
      id: UnsafeRawPointer(end) + 1)
  }

  private static let broken = GitError(
    code: .generic, function: "tree", message: "a tree object is damaged; run: git fsck")
}
