import CGit2
import Glibc
package import VersoModel

extension Repository {
  /// A file that went and one that came, with contents alike.
  package struct Similarity: Hashable, Sendable {
    package let old: RelativePath
    package let new: RelativePath
    /// How much of the content is the same, 50 to 100.
    package let percent: Int
  }

  /// Which of the files that went are probably which of those that came (`git diff -M50%`).
  ///
  /// Only the given files are read, through two indexes in memory; the repository's own is not
  /// touched. Every pair is compared: the caller bounds their number. Each file is in one pair at
  /// most. Where a content is not here (a partial clone) nothing is found.
  package func similarities(
    between removed: [TreeDifference.Entry], and added: [TreeDifference.Entry]
  ) throws(GitError) -> [Similarity] {
    if removed.isEmpty || added.isEmpty { return [] }
    let old = try Self.index(of: removed.map { ($0.path, $0.old) })
    let new = try Self.index(of: added.map { ($0.path, $0.new) })
    let diff = try Handle("git_diff_index_to_index", free: git_diff_free) {
      git_diff_index_to_index(&$0, handle.pointer, old.pointer, new.pointer, nil)
    }
    var options = git_diff_find_options()
    git_diff_find_options_init(&options, UInt32(GIT_DIFF_FIND_OPTIONS_VERSION))
    options.flags =
      GIT_DIFF_FIND_RENAMES.rawValue | GIT_DIFF_FIND_DONT_IGNORE_WHITESPACE.rawValue
    options.rename_threshold = 50
    options.rename_limit = max(removed.count, added.count) + 1
    let status = git_diff_find_similar(diff.pointer, &options)
    if status == GIT_ENOTFOUND.rawValue {
      git_error_clear()
      return []
    }
    try GitError.check(status, "git_diff_find_similar")
    return (0..<git_diff_num_deltas(diff.pointer)).compactMap { number in
      git_diff_get_delta(diff.pointer, number).flatMap { Similarity($0.pointee) }
    }
  }

  /// An index that belongs to no repository and is never written.
  private static func index(
    of files: [(path: RelativePath, file: PathFinder.Found?)]
  ) throws(GitError) -> Handle {
    let index = try Handle("git_index_new", free: git_index_free) { git_index_new(&$0) }
    for (path, file) in files {
      guard let file else { continue }
      var entry = git_index_entry()
      entry.mode = file.mode
      entry.id = git_oid(file.id)
      let status = path.withCString { name in
        entry.path = name
        return git_index_add(index.pointer, &entry)
      }
      try GitError.check(status, "git_index_add")
    }
    return index
  }
}

extension Repository.Similarity {
  fileprivate init?(_ delta: git_diff_delta) {
    guard delta.status == GIT_DELTA_RENAMED,
      let old = delta.old_file.path.flatMap(RelativePath.init(at:)),
      let new = delta.new_file.path.flatMap(RelativePath.init(at:))
    else { return nil }
    self.init(old: old, new: new, percent: Int(delta.similarity))
  }
}

extension RelativePath {
  fileprivate init?(at name: UnsafePointer<CChar>) {
    self.init(UnsafeRawBufferPointer(start: name, count: strlen(name)))
  }
}
