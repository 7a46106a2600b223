import CGit2
import VersoModel

/// libgit2's attributes, without the repository's index.
///
/// libgit2 would read all of `.git/index` to look for attribute files there (58 ms at 100,000 paths),
/// and, unlike git, apply an old `.gitattributes` of the index on top of the one on disk. So this
/// opens the repository a second time and gives it an index that is empty.
final class AttributeReader {
  private let handle: Handle

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
    let index = try Handle("git_index_new", free: git_index_free) { git_index_new(&$0) }
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
}
