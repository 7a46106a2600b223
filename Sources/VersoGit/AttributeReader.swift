import CGit2
import VersoModel

/// libgit2's attributes and built-in filters, without the repository's index.
///
/// libgit2 would read all of `.git/index` to look for attribute files there (58 ms at 100,000 paths),
/// and, unlike git, apply an old `.gitattributes` of the index on top of the one on disk. So this
/// opens the repository a second time and gives it an index in memory that holds at most one entry:
/// the path being converted, where git would look at its present blob too.
final class AttributeReader {
  private let handle: Handle
  private let index: Handle

  /// The value of one attribute.
  enum Value: Hashable {
    case unspecified
    case isTrue
    case isFalse
    case string(String)
  }

  /// The attributes that change content.
  struct Attributes: Hashable {
    var text = Value.unspecified
    var crlf = Value.unspecified
    var eol = Value.unspecified
    var ident = Value.unspecified
    var filter = Value.unspecified
    var encoding = Value.unspecified
  }

  init(_ repository: Repository) throws(GitError) {
    handle = try Handle("git_repository_open", free: git_repository_free) {
      git_repository_open_ext(
        &$0, repository.gitDirectory, GIT_REPOSITORY_OPEN_NO_SEARCH.rawValue, nil)
    }
    index = try Handle("git_index_new", free: git_index_free) { git_index_new(&$0) }
    if let workTree = repository.workTree {
      try GitError.check(
        git_repository_set_workdir(handle.pointer, workTree, 0), "git_repository_set_workdir")
    }
    try GitError.check(
      git_repository_set_index(handle.pointer, index.pointer), "git_repository_set_index")
  }

  private static let names: [StaticString] = [
    "text", "crlf", "eol", "ident", "filter", "working-tree-encoding",
  ]

  func attributes(of path: RelativePath) throws(GitError) -> Attributes {
    var names = Self.names.map { name in
      Optional(UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self))
    }
    var values = [UnsafePointer<CChar>?](repeating: nil, count: names.count)
    let status = path.withCString { path in
      git_attr_get_many(&values, handle.pointer, 0, path, names.count, &names)
    }
    try GitError.check(status, "git_attr_get_many")
    let read = values.map(Self.value)
    return Attributes(
      text: read[0], crlf: read[1], eol: read[2], ident: read[3], filter: read[4],
      encoding: read[5])
  }

  private static func value(_ pointer: UnsafePointer<CChar>?) -> Value {
    switch git_attr_value(pointer) {
    case GIT_ATTR_VALUE_TRUE: .isTrue
    case GIT_ATTR_VALUE_FALSE: .isFalse
    case GIT_ATTR_VALUE_STRING: pointer.map { .string(String(cString: $0)) } ?? .unspecified
    default: .unspecified
    }
  }

  /// Which way bytes go.
  enum Direction {
    case clean
    /// From the blob with that id, which is in the object database.
    case smudge(ObjectID)
  }

  /// Applies libgit2's own filters.
  ///
  /// - Parameter tracked: The blob that git would look at before it changes line ends.
  func apply(
    _ bytes: [UInt8], path: RelativePath, direction: Direction, tracked: ObjectID?
  ) throws(GitError) -> [UInt8] {
    defer { git_index_clear(index.pointer) }
    if let tracked { try put(tracked, at: path) }
    var list: OpaquePointer?
    try load(&list, path: path, direction: direction)
    guard let list else { return bytes }
    defer { git_filter_list_free(list) }
    var output = git_buf()
    defer { git_buf_dispose(&output) }
    let status = bytes.withUnsafeBytes { input in
      git_filter_list_apply_to_buffer(
        &output, list, input.baseAddress?.assumingMemoryBound(to: CChar.self), input.count)
    }
    try GitError.check(status, "git_filter_list_apply_to_buffer")
    return Array(UnsafeRawBufferPointer(start: output.ptr, count: output.size))
  }

  private func load(
    _ list: inout OpaquePointer?, path: RelativePath, direction: Direction
  ) throws(GitError) {
    var options = git_filter_options()
    options.version = UInt32(GIT_FILTER_OPTIONS_VERSION)
    // core.safecrlf is a warning for whoever types commands; here it would lose a save.
    options.flags = GIT_FILTER_ALLOW_UNSAFE.rawValue
    let status: Int32
    switch direction {
    case .clean:
      status = path.withCString {
        git_filter_list_load_ext(&list, handle.pointer, nil, $0, GIT_FILTER_TO_ODB, &options)
      }
    case .smudge(let id):
      // `$Id$` needs the blob itself.
      let blob = try Handle("git_blob_lookup", free: git_blob_free) {
        var name = git_oid(id)
        return git_blob_lookup(&$0, handle.pointer, &name)
      }
      status = path.withCString {
        git_filter_list_load_ext(
          &list, handle.pointer, blob.pointer, $0, GIT_FILTER_TO_WORKTREE, &options)
      }
    }
    try GitError.check(status, "git_filter_list_load_ext")
  }

  private func put(_ id: ObjectID, at path: RelativePath) throws(GitError) {
    var entry = git_index_entry()
    entry.mode = Item.Kind.file.rawValue
    entry.id = git_oid(id)
    let status = path.withCString { path in
      entry.path = path
      return git_index_add(index.pointer, &entry)
    }
    try GitError.check(status, "git_index_add")
  }
}
