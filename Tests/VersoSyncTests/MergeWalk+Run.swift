import VersoGit
import VersoModel
import VersoTestSupport

@testable import VersoSync

extension MergeWalk {
  func run() throws {
    for _ in 0..<pick(isDense ? [6, 10, 20, 40, 80] : [6, 10, 20, 40]) {
      clock += pick([0, 1, 30, 600, 90_000])
      let device = pick(devices)
      if device.offline > 0 { device.offline -= 1 } else if chance(4) { device.offline = 12 }
      let dice = Int.random(in: 0..<100, using: &random)
      if dice < 60 || device.head == nil {
        try operate(device)
      } else if device.offline > 0, dice < 95 {
        continue
      } else if dice < 75 {
        try sync(device)
      } else if dice < 87 {
        let other = pick(devices)
        try sync(device) { [self] in
          guard other !== device, other.offline == 0 else { return }
          if chance(50), other.head != nil { try operate(other) }
          try sync(other)
        }
      } else if dice < 93 {
        try sync(device, pushes: false)
      } else if meshes, let mine = device.head, let theirs = pick(devices).head {
        let merged = try merge(mine, theirs, by: device)
        if merged != mine { device.before = nil }
        device.head = merged
      }
    }
    try finish()
  }

  /// Fetches, merges and pushes; `race` is what others do before the push.
  private func sync(
    _ device: Device, pushes: Bool = true, race: (() throws -> Void)? = nil
  ) throws {
    for round in 0..<6 {
      if discardsMerges, let before = device.before, let head = device.head,
        known[head]?.isMerge == true, remote.map({ !ancestors($0).contains(head) }) ?? true
      {
        device.head = before
      }
      let seen = remote
      guard let mine = device.head else {
        device.head = seen
        device.before = nil
        return
      }
      if let seen {
        let merged = try merge(mine, seen, by: device)
        if merged != mine { device.before = merged == seen ? nil : mine }
        device.head = merged
      }
      if !pushes { return }
      if round < 2 { try race?() }
      if remote == seen {
        remote = device.head
        device.before = nil
        return
      }
    }
    throw WalkFault("a race that is never won")
  }

  private func finish() throws {
    late = []
    let before = remote.map(ancestors) ?? []
    let gossips = meshes && chance(20)
    if gossips { try gossip() }
    var order = devices
    for _ in 0..<3 {
      order.shuffle(using: &random)
      for device in order { try sync(device) }
    }
    let heads = Set(devices.map(\.head) + [remote])
    guard heads.count == 1, let end = remote else { throw WalkFault("\(heads.count) states") }
    let count = known.count
    for device in order { try sync(device) }
    if known.count != count || Set(devices.map(\.head)) != heads { throw WalkFault("not quiet") }
    let needed = (late ?? []).filter { ancestors(end).contains($0) && !before.contains($0) }.count
    if needed > devices.count, !gossips { throw WalkFault("\(needed) merges after the last edit") }
    try checkEnd(end)
  }

  /// All merge with one another at the same moment, on what they saw before, until all is quiet.
  private func gossip() throws {
    for _ in 0..<40 {
      let live = devices.filter { $0.head != nil }
      let seen = live.map(\.head)
      if Set(seen).count < 2 { return }
      for (device, mine) in zip(live, seen) {
        let others = zip(live, seen).filter { $0.0 !== device }.map(\.1)
        guard let mine, let theirs = pick(others) else { continue }
        device.head = try merge(mine, theirs, by: device)
        device.before = nil
      }
    }
    throw WalkFault("gossip that never ends")
  }

  private func checkEnd(_ end: ObjectID) throws {
    let tokens = Self.tokens(files(end))
    let lost = added.keys.filter { !removed.contains($0) && !tokens.contains($0) }
    if !lost.isEmpty { throw WalkFault("lost lines \(lost.sorted())") }
    let unreachable = known.filter { !$0.value.isMerge && !ancestors(end).contains($0.key) }
    if !unreachable.isEmpty { throw WalkFault("saves that are in no history") }
    if forgotten > 0 { return }
    for (title, commit, path) in deletions where tokens.contains(title) {
      let seen = ancestors(commit).subtracting([commit])
      guard edits[title, default: []].allSatisfy(seen.contains),
        !Self.tokens(files(commit)).contains(title)
      else { continue }
      if try !isExcused(title, commit, path, end) {
        throw WalkFault("\(path) (\(title)) was deleted and is back")
      }
    }
  }

  /// Whether a deleted title may live on: somebody else wrote into the same file or path, the note
  /// was joined with another, or there were two of it.
  private func isExcused(
    _ title: String, _ commit: ObjectID, _ path: Path, _ end: ObjectID
  ) throws -> Bool {
    let seen = ancestors(commit)
    let holders = files(end).values.map(Self.tokens).filter { $0.contains(title) }
    let isShared = holders.allSatisfy { tokens in
      tokens.contains { token in
        !removed.contains(token) && added[token].map { !seen.contains($0) } ?? false
      }
    }
    if isShared { return true }
    return ancestors(end).contains { id in
      guard let known = known[id] else { return false }
      let live = known.files.filter { Self.tokens($0.value).contains(title) }
      if live.count > 1 { return true }
      for (place, file) in live {
        let tokens = Self.tokens(file)
        if tokens.count(where: { $0.hasPrefix("T") }) > 1 { return true }
        let grew =
          known.isMerge
          && known.parents.contains { parent in
            guard let before = files(parent)[place] else { return false }
            let old = Self.tokens(before)
            return old.contains(title) && !tokens.isSubset(of: old)
          }
        if grew { return true }
      }
      if seen.contains(id) || known.isMerge { return false }
      let before = known.parents.first.map { files($0) } ?? [:]
      return known.files[path] != nil && known.files[path] != before[path]
    }
  }
}
