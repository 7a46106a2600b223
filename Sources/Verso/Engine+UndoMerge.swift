import VersoDisk
import VersoGit
package import VersoModel

extension Engine {
  /// Takes back what the last join of other devices' versions brought, as a version of its own.
  ///
  /// Which join that was is read from git's log of HEAD: the order of a merge's parents says nothing.
  ///
  /// - Parameter confirm: Given the files whose edits of other devices would go, on every device;
  ///   `false` leaves all as it is, `nil` is for nobody to ask.
  /// - Throws: ``VersoError/Code/usage`` where nothing was joined; ``VersoError/Code/refused`` where
  ///   one of the files has changed since, or where nobody agreed.
  package func undoMerge(
    isDryRun: Bool, wait: Double, confirm: ([RelativePath]) -> Bool?
  ) throws(VersoError) -> RestoreOutcome {
    try act(isDryRun: isDryRun, wait: wait) { _ throws(VersoError) in
      guard let join = try lastJoin() else {
        throw VersoError(
          .usage, "nothing of other devices was joined here, as far as git's log of HEAD goes back",
          hint: "for single notes use verso log PATH and verso restore PATH --at WHEN")
      }
      let steps = try inverse(of: join)
      if !isDryRun, !steps.isEmpty {
        switch confirm(steps.map(\.path)) {
        case true?: break
        case false?: throw VersoError(.refused, "nothing was undone")
        case nil:
          throw VersoError(
            .refused, "other devices would lose their edits of \(steps.count) files",
            hint: "if that is meant: verso undo --merge --yes")
        }
      }
      return Journal(
        subject: "Undo \"\(join.subject)\"", trailers: [Self.action("undo-merge")], steps: steps)
    }
  }

  /// A move of the branch to what others had.
  private struct Join {
    let before: ObjectID
    let after: ObjectID
    let subject: String
  }

  /// The last join that history still holds, and that was not taken back already.
  private func lastJoin() throws(VersoError) -> Join? {
    let bytes: [UInt8]
    do throws(DiskError) {
      bytes = try store.readFile(Array("logs/HEAD".utf8), in: gitFolder.number) ?? []
    } catch { throw VersoError(error) }
    for line in bytes.split(separator: 0x0A).reversed() {
      // `OLD NEW NAME <ADDRESS> TIME ZONE TAB MESSAGE`
      let parts = line.split(separator: 0x09, maxSplits: 1)
      let words = line.split(separator: 0x20, maxSplits: 2)
      guard parts.count == 2, words.count == 3 else { continue }
      let message = String(decoding: parts[1], as: UTF8.self)
      if message.hasPrefix("verso: Undo \"join ") { return nil }
      guard message.hasPrefix("verso: join "),
        let before = ObjectID(hex: words[0]), before != .zero,
        let after = ObjectID(hex: words[1])
      else { continue }
      do throws(GitError) {
        guard let head = try repository.headCommit(),
          try repository.isAncestor(after, of: head)
        else { continue }
      } catch { throw VersoError(error, "read the history of \(root)") }
      return Join(before: before, after: after, subject: String(message.dropFirst(7)))
    }
    return nil
  }

  private func inverse(of join: Join) throws(VersoError) -> [Journal.Step] {
    let (old, new): (ObjectID, ObjectID)
    do throws(GitError) {
      old = try repository.commit(join.before).tree
      new = try repository.commit(join.after).tree
    } catch { throw VersoError(error, "undo a join") }
    return try inverse(from: old, to: new, called: join.subject, verb: "undo")
  }
}
