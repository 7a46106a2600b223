import Glibc
import VersoDisk
import VersoGit
import VersoModel

/// What a write took out of the work tree: nothing of it may be lost.
extension Engine {
  /// Waits for writers of what was taken out; an edit that comes to light becomes a version.
  ///
  /// - Returns: Edits that cannot become one, as a filter fails: they stay where they are, and the
  ///   next operation puts them into the root.
  func settle(
    _ displaced: [Displaced], _ replace: SafeReplace, _ filter: ContentFilter,
    _ lock: borrowing HeldVault
  ) throws(VersoError) -> [(path: RelativePath, error: VersoError)] {
    var left: [(path: RelativePath, error: VersoError)] = []
    for settlement in replace.settle(displaced) {
      if case .failure(let error) = try settle(settlement, replace, filter, lock) {
        left.append(
          (
            error.path,
            VersoError(
              .failed,
              "\(error); what was written meanwhile comes back as a recovered-… file",
              hint: error.hint)
          ))
      }
    }
    return left
  }

  private func settle(
    _ settlement: Settlement, _ replace: SafeReplace, _ filter: ContentFilter,
    _ lock: borrowing HeldVault
  ) throws(VersoError) -> Result<Void, ContentFilterError> {
    var next = settlement
    let path = settlement.displaced.path
    for _ in 0..<20 {
      guard case .edited(let found) = next.result else { break }
      if case .failure(let error) = try saveEdit(found, at: path, filter, lock) {
        return .failure(error)
      }
      next = replace.release(next)
    }
    guard case .inUse(let found?) = next.result else { return .success(()) }
    return try saveEdit(found, at: path, filter, lock)
  }

  /// Commits a content that was at `path` for a moment and is nowhere else.
  private func saveEdit(
    _ found: FoundContent, at path: RelativePath, _ filter: ContentFilter,
    _ lock: borrowing HeldVault
  ) throws(VersoError) -> Result<Void, ContentFilterError> {
    for _ in 0..<Self.attempts {
      let ground = try Ground(self)
      let hold = try keepObjects(wait: 10)
      defer { withExtendedLifetime(hold) {} }
      let writer = try objectWriter(count: 1)
      do {
        let id = try store(
          found, at: path, tracked: ground.index?.table.row(of: path)?.id, filter, writer)
        let edit = TreeEditor.Edit(path: path, mode: found.kind.rawValue, id: id)
        let tree = try TreeEditor([edit], repository: repository, writer: writer)
          .apply(to: ground.tree)
        guard tree.root != ground.tree else { return .success(()) }
        let message = SaveMessage([PathChange(.modified, path)], device: settings.device)
        let (commit, _) = try writeCommit(
          tree: tree.root, parent: ground.commit, message: message, writer: writer)
        try writer.finish()
        if try publish(
          commit, subject: message.subject, plan: SavePlan(), folders: nil, on: ground,
          wait: 10)
        {
          return .success(())
        }
      } catch let error as ContentFilterError {
        return .failure(error)
      } catch { throw VersoError(storing: error) }
    }
    throw VersoError(.locked, "another git process keeps changing \(root) while it is saved")
  }

  /// Stores what was found as git would keep it.
  func store(
    _ found: FoundContent, at path: RelativePath, tracked: ObjectID?, _ filter: ContentFilter,
    _ writer: any ObjectWriter
  ) throws -> ObjectID {
    if found.kind == .link { return try writer.write(.blob, found.bytes) }
    let cleaned = try filter.clean(
      found.bytes, path: path, tracked: tracked,
      hasAttributeFiles: filter.hasAttributeFiles(above: path, root: rootFolder.number))
    switch cleaned {
    case .bytes(let bytes): return try writer.write(.blob, bytes)
    case .stored(let id): return id
    }
  }

  /// Looks after what an earlier process left in the staging folder.
  func collectLeftovers(
    _ journal: Journal?, _ lock: borrowing HeldVault
  ) throws(VersoError) {
    guard let staging = try existingStaging() else { return }
    let replace = SafeReplace(
      root: rootFolder.number, staging: staging.number,
      operation: Array((journal?.operation ?? "none").utf8), store: store)
    let filter = try contentFilter()
    let known = Set(try readTakenOut().map { Array($0.name.utf8) })
    do throws(DiskError) {
      for leftover in try replace.leftovers() {
        switch leftover.role {
        case .staged: try replace.drop(leftover)
        case .displaced where known.contains(leftover.name): break
        case .displaced: try bringBack(leftover, journal, replace, filter, lock)
        case .foreign: break
        }
      }
    } catch { throw VersoError(error) }
  }

  private func bringBack(
    _ leftover: Leftover, _ journal: Journal?, _ replace: SafeReplace, _ filter: ContentFilter,
    _ lock: borrowing HeldVault
  ) throws(DiskError) {
    var path = RelativePath(unchecked: Array("recovered-\(leftover.number)".utf8))
    var old: Journal.Content?
    if let journal, journal.operation.utf8.elementsEqual(leftover.operation),
      journal.steps.indices.contains(leftover.number)
    {
      path = journal.steps[leftover.number].path
      old = journal.steps[leftover.number].old
    }
    // Everything in it is an edit unless git holds it: what the journal planned against is saved.
    let known = old.flatMap { content(of: leftover, as: $0, path: path, replace, filter) }
    let displaced = replace.displaced(leftover, path: path, known: known)
    if journal == nil {
      do throws(ReplaceRefusal) { return try replace.putBack(displaced) } catch {
        // Something is there: then it becomes a version of its own below.
      }
    }
    // An edit that cannot be converted stays here and has no journal at the next start.
    do throws(VersoError) { _ = try settle([displaced], replace, filter, lock) } catch {
      throw DiskError(code: EIO, operation: "save (\(error.message))", path: path)
    }
  }

  /// What a leftover holds, where git holds it as `old`; `nil` where it does not, or cannot be read.
  func content(
    of leftover: Leftover, as old: Journal.Content, path: RelativePath, _ replace: SafeReplace,
    _ filter: ContentFilter
  ) -> KnownContent? {
    let reader = ConsistentRead(root: replace.staging, sizeLimit: replace.limits.size, store: store)
    do throws(ReadRefusal) {
      let content = try reader.content(
        of: RelativePath(unchecked: leftover.name), writers: .ignore)
      guard content.status.itemKind == old.kind,
        try id(of: content, old.kind, path, tracked: old.id, filter) == old.id
      else { return nil }
      return KnownContent(kind: old.kind, bytes: content.bytes)
    } catch { return nil }
  }
}
