import VersoGit
package import VersoHistory
package import VersoModel

extension Engine {
  /// The commit that a WHEN means.
  ///
  /// - Parameter path: What `~1` counts the versions of; the whole vault without one.
  /// - Throws: ``VersoError/Code/failed`` where nothing was saved then, or nothing has that name.
  package func commit(_ when: When, of path: RelativePath?) throws(VersoError) -> ObjectID {
    let history = try history()
    do throws(GitError) {
      switch when {
      case .time(let time):
        guard let id = try history.commit(at: time) else { throw try tooEarly(time) }
        return id
      case .back(let count):
        if let version = try history.version(of: path ?? .root, back: count) {
          return version.commit
        }
        throw Self.noVersion("\(path ?? .root) has not \(count + 1) versions")
      case .id(let digits): return try commit(startingWith: digits, history)
      case .revision(let name): return try commit(named: name, history)
      }
    } catch {
      throw VersoError(.failed, error.message, hint: "verso log lists the versions there are")
    }
  }

  private static func noVersion(_ message: String) -> GitError {
    GitError(code: .notFound, function: "when", message: message)
  }

  private func tooEarly(_ time: Int64) throws(GitError) -> GitError {
    if try repository.headCommit() == nil { return Self.noVersion("nothing has been saved yet") }
    return Self.noVersion("nothing had been saved by \(LocalTime.text(time))")
  }

  private func commit(
    startingWith digits: String, _ history: History
  ) throws(GitError) -> ObjectID {
    do throws(GitError) {
      let id = try repository.object(startingWith: digits)
      return try history.commit(named: id.hex)
    } catch {
      guard error.code == .ambiguous else {
        throw Self.noVersion("there is no version whose id starts with \(digits)")
      }
      // Other objects than commits may share the digits, and are not meant.
      var walk = try history.commits()
      var found: [ObjectID] = []
      while let id = try walk.nextID() {
        if id.hex.hasPrefix(digits) { found.append(id) }
      }
      if found.count == 1, let only = found.first { return only }
      throw Self.noVersion("more than one id starts with \(digits): write more of it")
    }
  }

  private func commit(named name: String, _ history: History) throws(GitError) -> ObjectID {
    do throws(GitError) {
      // A search takes everything up to its end for the text.
      return try name.hasPrefix(":/") ? repository.id(of: name) : history.commit(named: name)
    } catch {
      switch error.code {
      case .notFound, .invalid: throw Self.noVersion("'\(name)' is neither a time nor a version")
      case .ambiguous:
        throw Self.noVersion("more than one id starts with \(name): write more of it")
      default: throw error
      }
    }
  }
}
