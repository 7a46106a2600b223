import CGit2
import VersoDisk
package import VersoModel

/// Whether objects are in a repository, asked from any thread.
///
/// Unchecked: the one libgit2 handle, its own and not the repository's, is used within `mutex`.
package final class ObjectPresence: @unchecked Sendable {
  private let mutex = SectionLock()
  private let database: Handle

  /// Opens the objects of a repository once more, with the alternates that it names.
  package init(_ repository: Repository) throws(GitError) {
    var path = git_buf()
    try GitError.check(
      git_repository_item_path(&path, repository.handle.pointer, GIT_REPOSITORY_ITEM_OBJECTS),
      "git_repository_item_path")
    defer { git_buf_dispose(&path) }
    let text = path.ptr
    database = try Handle("git_odb_open", free: git_odb_free) { git_odb_open(&$0, text) }
  }

  /// Whether there is no object at all, as before a first import.
  package var isEmpty: Bool {
    mutex.withLock {
      // Ends at the first object: a callback's result other than 0 ends the walk.
      git_odb_foreach(database.pointer, { _, _ in 1 }, nil) == 0
    }
  }

  /// Whether the object is there, loose or packed.
  ///
  /// Packs that others made meanwhile are not looked for, as libgit2 would do by listing the folder
  /// for each object that is new: not to see one costs an object that is written twice.
  package func contains(_ id: ObjectID) -> Bool {
    var name = git_oid(id)
    return mutex.withLock {
      git_odb_exists_ext(
        database.pointer, &name, UInt32(GIT_ODB_LOOKUP_NO_REFRESH.rawValue)) == 1
    }
  }
}
