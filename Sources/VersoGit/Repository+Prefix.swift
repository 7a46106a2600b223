import CGit2
package import VersoModel

extension Repository {
  /// The object whose id starts with these hexadecimal digits, whatever branches and tags there are.
  ///
  /// - Parameter digits: 4 to 40.
  /// - Throws: ``GitError/Code/notFound``, ``GitError/Code/ambiguous``.
  package func object(startingWith digits: String) throws(GitError) -> ObjectID {
    var prefix = git_oid()
    try GitError.check(
      git_oid_fromstrn(&prefix, digits, digits.utf8.count), "git_oid_fromstrn")
    let object = try Handle("git_object_lookup_prefix", free: git_object_free) {
      git_object_lookup_prefix(
        &$0, handle.pointer, &prefix, digits.utf8.count, GIT_OBJECT_ANY)
    }
    guard let id = git_object_id(object.pointer) else {
      throw GitError(code: .notFound, function: "object", message: "no id starts with \(digits)")
    }
    return ObjectID(id.pointee)
  }
}
