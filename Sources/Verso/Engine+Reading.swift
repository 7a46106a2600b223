import VersoGit
package import VersoHistory
package import VersoModel

extension Engine {
  /// The tree of the last version, with all its files.
  func headTree() throws(VersoError) -> Tree {
    do throws(GitError) {
      guard let head = try repository.headCommit() else { return Tree() }
      var tree = Tree()
      let root = try repository.commit(head).tree
      for (path, file) in try TreeDifference.files(in: root, of: repository) {
        guard let kind = Item.Kind(rawValue: file.mode), !kind.isFolder else { continue }
        tree = tree.setting(Tree.File(kind: kind, content: file.id), at: path)
      }
      return tree
    } catch { throw VersoError(error, "read the last version of \(root)") }
  }

  func headContent(of path: RelativePath) throws(VersoError) -> [UInt8]? {
    do throws(GitError) {
      guard !path.isRoot, let head = try repository.headCommit(),
        let entry = try repository.entry(at: path, in: repository.commit(head).tree),
        !entry.isFolder, entry.mode != Item.Kind.repository.rawValue
      else { return nil }
      return try repository.read(entry.id).bytes
    } catch { throw VersoError(error, "read \(path)") }
  }

  func versions(of path: RelativePath) throws(VersoError) -> PathHistory {
    try versions(of: path, in: history())
  }

  func versions(of path: RelativePath, in history: History) throws(VersoError) -> PathHistory {
    do throws(GitError) { return try history.versions(of: path) } catch {
      throw VersoError(error, "read the history of \(path)")
    }
  }

  package func versions(of path: RelativePath, limit: Int) throws(VersoError) -> [Vault.Version] {
    let history = try history()
    do throws(GitError) {
      var versions = try history.versions(of: path, range: HistoryRange(limit: limit))
      return try versions.all().map(Vault.Version.init)
    } catch { throw VersoError(error, "read the history of \(path)") }
  }

  /// Where a path was at a commit, followed through renames.
  ///
  /// - Throws: ``VersoError/Code/usage`` where no name of it leads there.
  package func place(
    of path: RelativePath, at commit: ObjectID
  ) throws(VersoError) -> History.Place {
    let history = try history()
    do throws(GitError) {
      if let place = try history.place(of: path, at: commit) { return place }
    } catch { throw VersoError(error, "read the history of \(path)") }
    throw VersoError(
      .usage, "\(path) did not exist at \(commit.short)",
      hint: "verso log PATH lists its versions")
  }
}

extension Vault.Version {
  init(_ version: Version) {
    commit = version.commit
    time = version.time
    device = version.device
    subject = version.subject
    path = version.path
    kind =
      switch version.kind {
      case .added: .added
      case .modified: .modified
      case .deleted, .movedAway: .deleted
      case .renamed: .renamed
      }
  }
}
