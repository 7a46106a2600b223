import VersoGit
package import VersoHistory
package import VersoModel

extension Engine {
  /// The commit that a WHEN means.
  ///
  /// - Parameter path: What `~1` counts the versions of.
  /// - Throws: ``VersoError/Code/failed`` where nothing was saved then, or nothing has that name.
  package func commit(_ when: When, of path: RelativePath?) throws(VersoError) -> ObjectID {
    do throws(GitError) {
      let history = try History(repository)
      switch when {
      case .time(let time):
        if let id = try history.commit(at: time) { return id }
        throw GitError(
          code: .notFound, function: "when",
          message: "nothing had been saved by \(LocalTime.text(time))")
      case .back(let count):
        guard let path else {
          throw GitError(
            code: .notFound, function: "when",
            message: "~\(count) counts versions of a path, and none is given")
        }
        if let version = try history.version(of: path, back: count) { return version.commit }
        throw GitError(
          code: .notFound, function: "when", message: "\(path) has not so many versions")
      case .id(let id): return try history.commit(named: id)
      case .revision(let name): return try history.commit(named: name)
      }
    } catch {
      throw VersoError(
        .failed, error.message, hint: "verso log lists the versions there are")
    }
  }
}
