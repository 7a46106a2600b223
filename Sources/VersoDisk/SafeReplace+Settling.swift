import Glibc
import VersoModel

extension SafeReplace {
  /// Waits until nobody can write to what was taken out, and tells what it holds.
  ///
  /// Blocks for at least ``Limits/grace`` after the last file came out, and for at most
  /// ``Limits/writers`` where programs keep files open; so settle many files in one call. What is
  /// known is dropped here, edits stay until ``release(_:)``.
  ///
  /// - Returns: One settlement for each, in the same order.
  package func settle(_ displaced: [Displaced]) -> [Settlement] {
    var results = [Settlement.Result?](repeating: nil, count: displaced.count)
    var sightings = [Sighting?](repeating: nil, count: displaced.count)
    let deadline = MonotonicTime.now() + limits.writers
    var pause = 0.002
    while true {
      let now = MonotonicTime.now()
      var waits = false
      for index in displaced.indices where results[index] == nil {
        results[index] = judge(
          displaced[index], &sightings[index], now: now, isLast: now >= deadline)
        if results[index] == nil { waits = true }
      }
      guard waits else { break }
      MonotonicTime.pause(pause)
      pause = min(pause * 2, 0.1)
    }
    return zip(displaced, results).map { item, result in
      guard let result else { preconditionFailure("every file was judged") }
      return Settlement(displaced: item, result: result)
    }
  }

  /// Drops an edited file whose content the caller has saved.
  ///
  /// - Returns: Another ``Settlement/Result/edited(_:)`` where it was edited again meanwhile.
  ///   Settlements of other results are returned as they are.
  package func release(_ settlement: Settlement) -> Settlement {
    guard case .edited(let found) = settlement.result else { return settlement }
    let saved = KnownContent(kind: found.kind, bytes: found.bytes)
    let settled = settle([settlement.displaced.knowing(saved)])
    return settled.first ?? settlement
  }

  /// When a status was seen first, where the kernel does not name writers.
  struct Sighting {
    let status: FileStatus
    let time: Double
  }

  /// The verdict on one file; `nil` while it is too early for one.
  private func judge(
    _ item: Displaced, _ sighting: inout Sighting?, now: Double, isLast: Bool
  ) -> Settlement.Result? {
    guard now - item.since >= limits.grace else { return nil }
    let reader = ConsistentRead(root: staging, sizeLimit: limits.size, store: store)
    do throws(ReadRefusal) {
      let content = try reader.content(of: RelativePath(unchecked: item.name))
      if content.writers == .unknown, !hasRested(content.status, &sighting, now) {
        return isLast ? outOfPatience(item) : nil
      }
      return conclude(item, content)
    } catch {
      switch error.reason {
      case .changed, .hasWriter: return isLast ? outOfPatience(item) : nil
      case .unreadable(let error): return .kept(error)
      case .vanished: return kept(item, ENOENT)
      case .tooLarge: return kept(item, EFBIG)
      case .notAFile(let kind): return kept(item, kind == .folder ? EISDIR : EINVAL)
      }
    }
  }

  private func kept(_ item: Displaced, _ code: Int32) -> Settlement.Result {
    .kept(DiskError(code: code, operation: "read what was at", path: item.path))
  }

  /// Whether the status is the one seen at least ``Limits/quiet`` ago.
  private func hasRested(
    _ status: FileStatus, _ sighting: inout Sighting?, _ now: Double
  ) -> Bool {
    if let seen = sighting, status.isUnchanged(since: seen.status) {
      return now - seen.time >= limits.quiet
    }
    sighting = Sighting(status: status, time: now)
    return false
  }

  private func conclude(
    _ item: Displaced, _ content: ConsistentRead.Content
  ) -> Settlement.Result {
    guard let found = FoundContent(content) else { return kept(item, EINVAL) }
    guard let known = item.known, known.matches(found) else {
      return item.isRemoval && putsBack(item) ? .putBack : .edited(found)
    }
    do throws(DiskError) {
      try store.unlinking(item.name, in: staging)
      return .dropped
    } catch { return .kept(error) }
  }

  /// What to do with a file that a program does not let go of.
  private func outOfPatience(_ item: Displaced) -> Settlement.Result {
    if item.isRemoval, putsBack(item) { return .putBack }
    let reader = ConsistentRead(root: staging, sizeLimit: limits.size, store: store)
    do throws(ReadRefusal) {
      let content = try reader.content(of: RelativePath(unchecked: item.name), writers: .ignore)
      guard let found = FoundContent(content), item.known?.matches(found) != true else {
        return .inUse(nil)
      }
      return .inUse(found)
    } catch { return .inUse(nil) }
  }

  /// Whether it went back to its path; it does not where something new is there, or its folder gone.
  private func putsBack(_ item: Displaced) -> Bool {
    do throws(ReplaceRefusal) {
      try giveBack(item, to: target(item.path, number: 0))
      return true
    } catch { return false }
  }
}

extension FoundContent {
  /// What a file was read to hold; `nil` for what is neither file nor link.
  package init?(_ content: ConsistentRead.Content) {
    guard let kind = content.status.itemKind else { return nil }
    self.init(kind: kind, bytes: content.bytes, status: content.status)
  }
}

extension Displaced {
  /// The same file with something else known of it; it stays out.
  func knowing(_ content: KnownContent?) -> Displaced {
    Displaced(
      path: path, name: name, known: content, isRemoval: false, looksEdited: looksEdited,
      isNoFile: isNoFile, since: since)
  }
}
