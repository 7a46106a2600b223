import VersoDisk
import VersoGit
import VersoModel
import VersoSync

/// What users do to the files meanwhile becomes commits, and part of the goal.
extension Advance {
  /// Waits for writers of what was taken out, and reads what they wrote.
  ///
  /// - Parameter base: Gives the commit that has what was known of a file.
  func settle(
    _ displaced: [Displaced], _ replace: SafeReplace, base baseOf: (RelativePath) -> ObjectID?
  ) throws(VersoError) -> [Edit] {
    var edits: [Edit] = []
    for settlement in replace.settle(displaced) {
      let path = settlement.displaced.path
      let name = settlement.displaced.name
      let base = baseOf(path)
      switch settlement.result {
      case .dropped: try engine.forget(name)
      case .putBack:
        // It was to be removed, and is at its path again.
        try engine.forget(name)
        disk[path] = Known(content: try engine.content(at: path, of: base), base: base)
        failures[path] = VersoError(
          .failed, "\(path) is open in another program, so it is removed later")
      case .edited(let found), .inUse(let found?):
        let content = try store(found, at: path, tracked: nil)
        edits.append(Edit(path: path, content: content, base: base, name: name))
        // It stays until the branch has what is in it: a kill before that must find it.
        try engine.remember(name, of: path, base: base)
        taken.append((settlement, replace, base))
      case .inUse(nil), .kept:
        try engine.remember(name, of: path, base: base)
      }
    }
    return edits
  }

  /// Drops the files that were taken out, now that the branch has what is in them; what has been
  /// written into them since is for another time.
  func dropTaken() throws(VersoError) {
    for (settlement, replace, commit) in taken {
      let name = settlement.displaced.name
      if case .dropped = replace.release(settlement).result {
        try engine.forget(name)
      } else {
        try engine.remember(name, of: settlement.displaced.path, base: commit)
      }
    }
  }

  /// What users made of the files that were not what they were known to be.
  func readChanged(
    _ done: Engine.WriteOutcome, of journal: Journal
  ) throws(VersoError) -> [Edit] {
    var edits: [Edit] = []
    // An editor that renames the old file away before it writes the new one has not deleted it.
    for path in done.changed where try engine.isMissing(path) {
      MonotonicTime.pause(Settling.interval)
      break
    }
    for path in done.changed.union(done.obstacles).sorted() {
      let step = journal.steps.first { $0.path == path }
      let old = step?.old
      if old == nil, try engine.isIgnored(path) {
        failures[path] = VersoError(
          .failed, "\(path) came from another device, and is ignored here: it was left as it is",
          hint: "move it away, or take it out of .gitignore; then sync again")
        continue
      }
      do throws(VersoError) {
        let found = try read(path, tracked: old?.id, base: base(of: path, in: journal))
        // Where it was moved to only a save finds out, which looks at all files: as a deletion it
        // would reach others before what it became. What waited for that is what the save says.
        if step?.new != nil, !wasKnown.contains(path), found.count == 1, found[0].content == nil {
          failures[path] = VersoError(
            .failed, "\(path) was moved or removed meanwhile: the next save follows it")
        } else {
          edits += found
        }
      } catch { failures[path] = error }
    }
    return edits
  }

  /// Files that a user renamed, as edits of what they are known to be.
  ///
  /// One that cannot be read now stays known by its old name alone, for another time.
  func readRenamed(_ renames: [SavePlanner.Rename]) throws(VersoError) -> [Edit] {
    var edits: [Edit] = []
    for rename in renames {
      guard let known = disk[rename.old], try engine.isMissing(rename.old) else { continue }
      do throws(VersoError) {
        var found = try read(rename.new, tracked: known.content?.id, base: known.base)
        guard found.count == 1, found[0].content != nil else { continue }
        found[0].rename = rename
        edits += [Edit(path: rename.old, content: nil, base: known.base)] + found
      } catch { disk[rename.old] = nil }
    }
    return edits
  }

  /// The file at a path, or all that is below a folder, as edits.
  func read(
    _ path: RelativePath, tracked: ObjectID?, base: ObjectID?
  ) throws(VersoError) -> [Edit] {
    let reader = ConsistentRead(
      root: engine.rootFolder.number, sizeLimit: engine.settings.maxFileSize, store: engine.store)
    let content: ConsistentRead.Content
    do throws(ReadRefusal) { content = try reader.content(of: path) } catch {
      switch error.reason {
      case .vanished: return [Edit(path: path, content: nil, base: base)]
      case .notAFile(.folder):
        var edits = [Edit(path: path, content: nil, base: base)]
        for below in try engine.files(below: path) where below != path {
          edits += try read(below, tracked: nil, base: base)
        }
        return edits
      default: throw VersoError(error)
      }
    }
    guard let found = FoundContent(content) else { return [] }
    let stored = try store(found, at: path, tracked: tracked)
    return [Edit(path: path, content: stored, base: base)]
  }

  func store(
    _ found: FoundContent, at path: RelativePath, tracked: ObjectID?
  ) throws(VersoError) -> Journal.Content {
    do {
      let id = try engine.store(found, at: path, tracked: tracked, filter, writer)
      return Journal.Content(kind: found.kind, id: id)
    } catch let error as ContentFilterError {
      throw VersoError(.failed, error.description, hint: error.hint)
    } catch { throw VersoError(storing: error) }
  }

  /// Makes commits of edits and merges them into the goal.
  func integrate(_ edits: [Edit]) throws(VersoError) {
    var rest = edits
    while let first = rest.first {
      // One path may have been edited twice, in a file that was taken out and in its place.
      var (batch, later): ([RelativePath: Edit], [Edit]) = ([:], [])
      for edit in rest {
        if edit.base == first.base, batch[edit.path] == nil {
          batch[edit.path] = edit
        } else {
          later.append(edit)
        }
      }
      rest = later
      let made = try commit(batch.values.sorted { $0.path < $1.path }, on: first.base)
      for edit in batch.values { note(edit, as: made) }
      guard let made, made != first.base else { continue }
      outcome.edits.append(made)
      // An object can be read only when it has its name.
      try engine.finish(writer)
      do {
        let merger = try Merger(repository: engine.repository, writer: writer, published: nil)
        switch try merger.merge(ours: target, theirs: made) {
        case .upToDate: break
        case .fastForward: target = made
        case .published(let id): target = id
        case .merged(let merge):
          target = merge.commit
          outcome.conflicts += merge.conflicts
        }
      } catch { throw VersoError(storing: error) }
      try engine.finish(writer)
    }
    outcome.commit = target
  }

  func note(_ edit: Edit, as commit: ObjectID?) {
    guard let name = edit.name else {
      disk[edit.path] = Known(content: edit.content, base: commit ?? edit.base)
      return
    }
    for index in taken.indices where taken[index].settlement.displaced.name == name {
      taken[index].commit = commit
    }
  }

  /// The commit of some edits on the version that they were made to; that itself where they say
  /// nothing new.
  ///
  /// - Precondition: `edits` is sorted by path, each path once.
  func commit(_ edits: [Edit], on base: ObjectID?) throws(VersoError) -> ObjectID? {
    do {
      let old = try base.map { try engine.repository.commit($0).tree }
      let tree = try TreeEditor(
        edits.map {
          TreeEditor.Edit(
            path: $0.path, mode: $0.content?.kind.rawValue ?? 0, id: $0.content?.id ?? .zero)
        }, repository: engine.repository, writer: writer
      ).apply(to: old)
      if tree.root == old ?? .emptyTree { return base }
      var changes: [PathChange] = []
      let renames = edits.compactMap(\.rename)
      let away = Set(renames.map(\.old))
      for edit in edits where !away.contains(edit.path) {
        if let rename = edit.rename {
          changes.append(PathChange(.renamed, edit.path, from: rename.old))
          continue
        }
        let was = try old.flatMap { try engine.repository.entry(at: edit.path, in: $0) }
        if was == nil, edit.content == nil { continue }
        let kind: PathChange.Kind =
          edit.content == nil ? .deleted : was == nil ? .added : .modified
        changes.append(PathChange(kind, edit.path))
      }
      var message = SaveMessage(changes, device: engine.settings.device)
      for rename in renames where !rename.isVisible {
        message.add(rename.trailer.key, rename.trailer.value)
      }
      return try engine.writeCommit(
        tree: tree.root, parent: base, message: message, writer: writer
      ).id
    } catch { throw VersoError(storing: error) }
  }
}
