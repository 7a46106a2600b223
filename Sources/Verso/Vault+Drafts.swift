import VersoDisk
import VersoGit
package import VersoModel

/// Unsaved texts that could not be written to their notes, kept under references of their own.
///
/// A draft is a commit without parents that holds the one file, so that plain git shows it too; it is
/// never on a branch, and goes to no other device.
extension Vault {
  /// A text that was kept.
  package struct Draft: Hashable, Sendable {
    /// By which ``Vault/dropDraft(_:)`` knows it.
    package let name: String
    package let path: RelativePath
    package let bytes: [UInt8]
    /// Seconds since 1970.
    package let time: Int64
  }

  /// Keeps a text; another draft of the same note stays beside it, unless it is the same text.
  package func keepDraft(of path: RelativePath, _ bytes: [UInt8]) throws(VersoError) {
    try engine.keepDraft(of: path, bytes)
  }

  /// The drafts there are, newest first.
  package func drafts() throws(VersoError) -> [Draft] { try engine.drafts() }

  /// Forgets a draft; one that is not there is no error.
  package func dropDraft(_ name: String) throws(VersoError) { try engine.dropDraft(name) }
}

extension Engine {
  private static let draftFolder = "refs/verso/drafts"

  fileprivate func keepDraft(of path: RelativePath, _ bytes: [UInt8]) throws(VersoError) {
    let lock = try lockVault(wait: 10)
    let writer = try objectWriter(count: 3)
    do {
      let blob = try writer.write(.blob, bytes)
      let edit = TreeEditor.Edit(path: path, mode: Item.Kind.file.rawValue, id: blob)
      let tree = try TreeEditor([edit], repository: repository, writer: writer).apply(to: nil).root
      let text = CommitText(
        tree: tree, parents: [],
        author: Identity(.author, in: repository).stamp(at: stampTime(.author)),
        committer: Identity(.committer, in: repository).stamp(at: stampTime(.committer)),
        message: "Draft of \(path.quoted)\n")
      let commit = try writer.write(.commit, text.bytes())
      try writer.finish()
      let place = SHA1.id(of: .blob, path.bytes)
      try repository.point("\(Self.draftFolder)/\(place.short)-\(blob.short)", to: commit)
    } catch { throw VersoError(storing: error) }
    _ = consume lock
  }

  fileprivate func drafts() throws(VersoError) -> [Vault.Draft] {
    do throws(GitError) {
      var found: [Vault.Draft] = []
      for name in try repository.references(below: Self.draftFolder) {
        guard let id = try repository.id(ofReference: name) else { continue }
        let commit = try repository.commit(id)
        for (path, file) in try TreeDifference.files(in: commit.tree, of: repository) {
          found.append(
            Vault.Draft(
              name: name, path: path, bytes: try repository.read(file.id).bytes, time: commit.time))
        }
      }
      return found.sorted { ($1.time, $0.path) < ($0.time, $1.path) }
    } catch { throw VersoError(error, "read the drafts of \(root)") }
  }

  fileprivate func dropDraft(_ name: String) throws(VersoError) {
    guard name.hasPrefix(Self.draftFolder + "/") else { return }
    do throws(GitError) {
      if try repository.id(ofReference: name) != nil { try repository.remove(name) }
    } catch { throw VersoError(error, "forget a draft") }
  }
}
