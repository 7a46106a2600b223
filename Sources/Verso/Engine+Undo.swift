import VersoDisk
import VersoGit
import VersoHistory
import VersoModel

extension Engine {
  /// Takes back the last own action, or brings back the action that was taken back last.
  ///
  /// Which actions there are is read from history alone: an action's commit has a trailer
  /// `Verso-Action`, an undo names it in `Verso-Undoes`, a redo names the undo in `Verso-Redoes`.
  ///
  /// - Throws: ``VersoError/Code/refused`` where one of the paths has changed since;
  ///   ``VersoError/Code/usage`` where there is nothing to take back.
  package func undo(
    redoing: Bool, isDryRun: Bool, wait: Double
  ) throws(VersoError) -> RestoreOutcome {
    try act(isDryRun: isDryRun, wait: wait) { _ throws(VersoError) in
      try takingBack(redoing: redoing)
    }
  }

  private func takingBack(redoing: Bool) throws(VersoError) -> Journal {
    guard let action = try lastAction(redoing: redoing) else {
      throw VersoError(
        .usage, redoing ? "there is nothing to redo" : "there is nothing to undo",
        hint: redoing
          ? "only the last undo can be taken back, and only before the next restore"
          : "undo takes back what verso itself wrote, such as a restore; "
            + "for your own edits use verso log PATH and verso restore")
    }
    let verb = redoing ? "Redo" : "Undo"
    var subject = redoing ? Self.inner(action.subject) : action.subject
    if subject.count > 58 { subject = subject.prefix(57) + "…" }
    let steps = try inverse(of: action, verb)
    return Journal(
      subject: "\(verb) \"\(subject)\"",
      trailers: [
        SaveRequest.Trailer(redoing ? "Verso-Redoes" : "Verso-Undoes", action.id.hex)
      ],
      steps: steps, keptFolders: Self.keptFolders(by: steps, of: action, redoing: redoing))
  }

  /// Folders that stay though nothing is left in them.
  private static func keptFolders(
    by steps: [Journal.Step], of action: CommitRecord, redoing: Bool
  ) -> Set<RelativePath> {
    // Where something comes the folder is not to go first, with its mode and whoever is in it.
    let entered = steps.filter { $0.new != nil }.map(\.path.parent)
    let left = steps.filter { $0.new == nil }.map(\.path)
    let kept =
      if redoing {
        // What the action named itself left its folder; of a folder that is named nothing is to stay.
        left.filter { action.subject.contains("\($0)") }
      } else {
        // The folder in which a note was made was there before.
        CommitRecord.trailers("Verso-Action", in: action.message).last == "create" ? left : []
      }
    return Set(entered + kept.map(\.parent)).filter { !$0.isRoot }
  }

  /// The words between the quotes of `Undo "…"`.
  private static func inner(_ subject: String) -> String {
    guard subject.hasPrefix("Undo \""), subject.hasSuffix("\"") else { return subject }
    return String(subject.dropFirst("Undo \"".count).dropLast())
  }

  private func lastAction(redoing: Bool) throws(VersoError) -> CommitRecord? {
    do throws(GitError) {
      var walk = try History(repository).commits()
      var undone = Set<String>()
      var redone = Set<String>()
      while let commit = try walk.next() {
        guard commit.device == settings.device else { continue }
        func trailer(_ name: String) -> String? {
          CommitRecord.trailers(name, in: commit.message).last
        }
        if let undo = trailer("Verso-Redoes") {
          redone.insert(undo)
        } else if let action = trailer("Verso-Undoes") {
          if redone.contains(commit.id.hex) { continue }
          if redoing { return commit }
          undone.insert(action)
        } else if trailer("Verso-Action") != nil, !undone.contains(commit.id.hex) {
          return redoing ? nil : commit
        }
      }
      return nil
    } catch { throw VersoError(error, "read the history of \(root)") }
  }

  /// What brings back the state before a commit.
  private func inverse(
    of action: CommitRecord, _ verb: String
  ) throws(VersoError) -> [Journal.Step] {
    var before: ObjectID?
    if let parent = action.parents.first {
      do throws(GitError) { before = try repository.commit(parent).tree } catch {
        throw VersoError(error, verb.lowercased())
      }
    }
    return try inverse(
      from: before, to: action.tree, called: action.subject, verb: verb.lowercased())
  }

  /// What brings back one tree in place of another.
  ///
  /// - Parameters:
  ///   - name: What made the change, for people.
  ///   - verb: What is being done about it.
  /// - Throws: ``VersoError/Code/refused`` where a file has changed since.
  func inverse(
    from old: ObjectID?, to new: ObjectID, called name: String, verb: String
  ) throws(VersoError) -> [Journal.Step] {
    let ground = try Ground(self)
    let trees = TreeLookup(repository)
    var steps: [Journal.Step] = []
    for entry in try difference(old, new) {
      let now = try ground.tree.flatMap { tree throws(VersoError) in
        try file(at: entry.path, in: tree, trees)
      }
      guard now == entry.new else {
        throw VersoError(
          .refused, "\(verb) was not done: \(entry.path) has changed since \"\(name)\"",
          hint: "use verso log PATH and verso restore PATH --at WHEN for single notes")
      }
      steps.append(
        Journal.Step(
          path: entry.path, old: entry.new.flatMap { Journal.Content($0) },
          new: entry.old.flatMap { Journal.Content($0) }, modified: nil))
    }
    return steps
  }
}

extension Journal.Content {
  init?(_ found: PathFinder.Found) {
    self.init(
      RestorePlan.File(path: .root, mode: found.mode, content: found.id))
  }
}
