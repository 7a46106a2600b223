import CGit2
package import VersoModel

/// An open git repository: the one owner of the libgit2 handles for it.
///
/// It is not `Sendable`: whoever opens it (a command, or the actor `Vault`) keeps it on one thread
/// at a time. What its methods return are values, copied out.
package final class Repository {
  let handle: Handle
  /// The git directory, absolute, without a trailing slash.
  package let gitDirectory: String
  /// The work tree, absolute, without a trailing slash; `nil` for a bare repository.
  package let workTree: String?
  private var database: OpaquePointer?

  /// Starts libgit2 once; about 5 ms, as Debian's build reads all system certificates.
  static let library: Int32 = git_libgit2_init()

  /// Opens the repository whose work tree or git directory is `path`; does not search upwards.
  ///
  /// - Throws: ``GitError/Code/notFound`` where there is none, ``GitError/Code/foreignOwner`` where
  ///   another user owns it and `safe.directory` does not name it.
  package init(at path: String) throws(GitError) {
    precondition(Self.library > 0, "libgit2 did not start")
    handle = try Handle("git_repository_open", free: git_repository_free) {
      let flags = GIT_REPOSITORY_OPEN_NO_SEARCH.rawValue
      let status = git_repository_open_ext(&$0, path, flags, nil)
      guard status == GIT_EOWNER.rawValue, Self.trustsEveryOwner else { return status }
      // For all of the process, which changes nothing: the user trusts every place there is.
      _ = verso_git_opts_int(Int32(GIT_OPT_SET_OWNER_VALIDATION.rawValue), 0)
      return git_repository_open_ext(&$0, path, flags, nil)
    }
    gitDirectory = Self.trimmed(git_repository_path(handle.pointer)) ?? path
    workTree = Self.trimmed(git_repository_workdir(handle.pointer))
    // Before anything is read: all of libgit2 reads objects through these.
    _ = try objects()
  }

  deinit { git_odb_free(database) }

  /// Whether `safe.directory` is `*`, which libgit2 1.5 does not know (git-config(1)); an empty value
  /// takes back what stands before it.
  private static var trustsEveryOwner: Bool {
    var config: OpaquePointer?
    guard git_config_open_default(&config) == 0 else { return false }
    defer { git_config_free(config) }
    var iterator: OpaquePointer?
    guard
      git_config_multivar_iterator_new(&iterator, config, "safe.directory", nil) == 0
    else { return false }
    defer { git_config_iterator_free(iterator) }
    var entry: UnsafeMutablePointer<git_config_entry>?
    var trusts = false
    while git_config_next(&entry, iterator) == 0, let entry {
      let value = entry.pointee.value.map { String(cString: $0) } ?? ""
      if value.isEmpty { trusts = false } else if value == "*" { trusts = true }
    }
    return trusts
  }

  private static func trimmed(_ path: UnsafePointer<CChar>?) -> String? {
    guard let path else { return nil }
    var text = String(cString: path)
    while text.count > 1, text.hasSuffix("/") { text.removeLast() }
    return text
  }

  func objects() throws(GitError) -> OpaquePointer {
    if let database { return database }
    try GitError.check(git_repository_odb(&database, handle.pointer), "git_repository_odb")
    guard let database else { preconditionFailure("git_repository_odb gave nothing") }
    var folder = git_buf()
    try GitError.check(
      git_repository_item_path(&folder, handle.pointer, GIT_REPOSITORY_ITEM_OBJECTS),
      "git_repository_item_path")
    defer { git_buf_dispose(&folder) }
    try GitError.check(
      LooseReader.install(in: database, objects: folder.ptr), "git_odb_add_backend")
    return database
  }

  // MARK: Objects

  /// What an object is.
  package enum ObjectKind: Int32, Sendable {
    case commit = 1
    case tree = 2
    case blob = 3
    case tag = 4
  }

  /// The bytes of an object.
  ///
  /// - Throws: ``GitError/Code/notFound``, also after one look at packs that came since.
  package func read(_ id: ObjectID) throws(GitError) -> (kind: ObjectKind, bytes: [UInt8]) {
    var object: OpaquePointer?
    var name = git_oid(id)
    var status = git_odb_read(&object, try objects(), &name)
    if status == GIT_ENOTFOUND.rawValue {
      git_odb_refresh(database)
      status = git_odb_read(&object, database, &name)
    }
    try GitError.check(status, "git_odb_read")
    defer { git_odb_object_free(object) }
    let bytes = Array(
      UnsafeRawBufferPointer(
        start: git_odb_object_data(object), count: git_odb_object_size(object)))
    let kind = ObjectKind(rawValue: git_odb_object_type(object).rawValue) ?? .blob
    return (kind, bytes)
  }

  /// The size and kind of an object, without reading all of it where that can be avoided.
  package func header(of id: ObjectID) throws(GitError) -> (kind: ObjectKind, size: Int) {
    var size = 0
    var type = GIT_OBJECT_INVALID
    var name = git_oid(id)
    try GitError.check(
      git_odb_read_header(&size, &type, try objects(), &name), "git_odb_read_header")
    return (ObjectKind(rawValue: type.rawValue) ?? .blob, size)
  }

  /// Whether the repository has the object.
  package func contains(_ id: ObjectID) throws(GitError) -> Bool {
    var name = git_oid(id)
    return git_odb_exists(try objects(), &name) == 1
  }

  // MARK: Trees and commits

  /// One row of a tree object.
  package struct TreeEntry: Hashable, Sendable {
    package let name: [UInt8]
    /// git's mode; ``Item/Kind`` holds those that git itself writes.
    package let mode: UInt32
    package let id: ObjectID
    package var isFolder: Bool { mode == Item.Kind.folder.rawValue }

    package init(name: [UInt8], mode: UInt32, id: ObjectID) {
      self.name = name
      self.mode = mode
      self.id = id
    }
  }

  /// The rows of a tree, in git's order.
  package func tree(_ id: ObjectID) throws(GitError) -> [TreeEntry] {
    let (kind, bytes) = try read(id)
    guard kind == .tree, let entries = Self.parseTree(bytes) else {
      throw GitError(code: .generic, function: "tree", message: "\(id) is no readable tree")
    }
    return entries
  }

  static func parseTree(_ bytes: [UInt8]) -> [TreeEntry]? {
    var entries: [TreeEntry] = []
    var at = 0
    while at < bytes.count {
      var mode: UInt32 = 0
      while at < bytes.count, bytes[at] != UInt8(ascii: " ") {
        guard (UInt8(ascii: "0")...UInt8(ascii: "7")).contains(bytes[at]) else { return nil }
        mode = mode << 3 | UInt32(bytes[at] - UInt8(ascii: "0"))
        at += 1
      }
      at += 1
      guard at < bytes.count, let end = bytes[at...].firstIndex(of: 0),
        end + ObjectID.byteCount < bytes.count
      else { return nil }
      // A name that no file can have would be a path to another place.
      guard TreeDifference.isValid(bytes[at..<end]) else { return nil }
      let id = ObjectID(bytes: Array(bytes[(end + 1)...(end + ObjectID.byteCount)]))
      entries.append(TreeEntry(name: Array(bytes[at..<end]), mode: mode, id: id))
      at = end + 1 + ObjectID.byteCount
    }
    return entries
  }

  /// The entry at `path` below the tree `root`; `nil` where there is none.
  ///
  /// - Precondition: `path` is not the root.
  package func entry(at path: RelativePath, in root: ObjectID) throws(GitError) -> TreeEntry? {
    var entry: TreeEntry?
    var id = root
    for part in path.components {
      if let entry, !entry.isFolder { return nil }
      guard let next = try tree(id).first(where: { $0.name.elementsEqual(part) }) else {
        return nil
      }
      entry = next
      id = next.id
    }
    return entry
  }

  /// A commit, read.
  package struct Commit: Hashable, Sendable {
    package let id: ObjectID
    package let tree: ObjectID
    package let parents: [ObjectID]
    package let authorName: String
    package let authorEmail: String
    /// Seconds since 1970, by the author's clock.
    package let authorTime: Int64
    /// Minutes east of UTC, by the author's clock.
    package let authorTimeZone: Int
    /// Seconds since 1970, by the committer's clock.
    package let time: Int64
    /// Minutes east of UTC.
    package let timeZone: Int
    /// The whole message, invalid UTF-8 repaired.
    package let message: String
  }

  /// Reads a commit.
  ///
  /// - Throws: ``GitError/Code/notFound``; a shallow clone ends in commits whose parents are not
  ///   there.
  package func commit(_ id: ObjectID) throws(GitError) -> Commit {
    let pointer = try Handle("git_commit_lookup", free: git_commit_free) {
      var name = git_oid(id)
      return git_commit_lookup(&$0, handle.pointer, &name)
    }
    let commit = pointer.pointer
    let parents = (0..<git_commit_parentcount(commit)).compactMap { number in
      git_commit_parent_id(commit, number).map { ObjectID($0.pointee) }
    }
    let author = git_commit_author(commit)?.pointee
    return Commit(
      id: id, tree: git_commit_tree_id(commit).map { ObjectID($0.pointee) } ?? .zero,
      parents: parents,
      authorName: author.map { String(cString: $0.name) } ?? "",
      authorEmail: author.map { String(cString: $0.email) } ?? "",
      authorTime: author.map { Int64($0.when.time) } ?? 0,
      authorTimeZone: author.map { Int($0.when.offset) } ?? 0,
      time: Int64(git_commit_time(commit)), timeZone: Int(git_commit_time_offset(commit)),
      message: git_commit_message(commit).map { String(cString: $0) } ?? "")
  }

  // MARK: References

  /// What HEAD says.
  package enum Head: Hashable, Sendable {
    /// The full name of the branch, and its commit unless it has none yet.
    case branch(String, ObjectID?)
    case detached(ObjectID)
  }

  /// What HEAD says now, read from disk.
  package func head() throws(GitError) -> Head {
    let reference = try Handle("git_reference_lookup", free: git_reference_free) {
      git_reference_lookup(&$0, handle.pointer, "HEAD")
    }
    if let target = git_reference_symbolic_target(reference.pointer) {
      let name = String(cString: target)
      return .branch(name, try id(ofReference: name))
    }
    guard let id = git_reference_target(reference.pointer) else {
      throw GitError(code: .generic, function: "head", message: "HEAD names nothing")
    }
    return .detached(ObjectID(id.pointee))
  }

  /// The commit that HEAD leads to; `nil` on a branch without commits.
  package func headCommit() throws(GitError) -> ObjectID? {
    switch try head() {
    case .branch(_, let id): id
    case .detached(let id): id
    }
  }

  /// What a reference with that full name leads to; `nil` where there is none.
  package func id(ofReference name: String) throws(GitError) -> ObjectID? {
    var id = git_oid()
    let status = git_reference_name_to_id(&id, handle.pointer, name)
    if status == GIT_ENOTFOUND.rawValue { return nil }
    try GitError.check(status, "git_reference_name_to_id")
    return ObjectID(id)
  }

  /// The object that a revision names, tags peeled to what they tag.
  ///
  /// - Parameter revision: What `git rev-parse` takes, such as `HEAD~2` or `main@{yesterday}`.
  /// - Throws: ``GitError/Code/notFound``, ``GitError/Code/ambiguous``, ``GitError/Code/invalid``.
  package func id(of revision: String) throws(GitError) -> ObjectID {
    let object = try Handle("git_revparse_single", free: git_object_free) {
      git_revparse_single(&$0, handle.pointer, revision)
    }
    guard let id = git_object_id(object.pointer) else {
      throw GitError(code: .notFound, function: "id(of:)", message: "\(revision) names nothing")
    }
    return ObjectID(id.pointee)
  }

  // MARK: Configuration

  /// The value of a configuration key in any file that git reads; `nil` where none sets it.
  package func setting(_ key: String) throws(GitError) -> String? {
    try configuration().string(key)
  }

  /// A boolean as git reads one; `nil` where no file sets it.
  package func boolean(_ key: String) throws(GitError) -> Bool? {
    try configuration().boolean(key)
  }
}

extension git_oid {
  init(_ id: ObjectID) {
    self.init()
    withUnsafeMutableBytes(of: &self) { $0.copyBytes(from: id.bytes) }
  }
}

extension ObjectID {
  init(_ id: git_oid) {
    self = withUnsafeBytes(of: id) { buffer in
      guard let base = buffer.baseAddress else { preconditionFailure("an id has bytes") }
      return ObjectID(at: base)
    }
  }
}
