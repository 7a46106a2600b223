import VersoGit
import VersoModel
import VersoTestSupport

@testable import VersoSync

/// A fault that a walk found.
struct WalkFault: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// Devices with wrong clocks that edit, sync, lose races and merge with one another at random.
///
/// Every line that is written is a token of its own, so that it can be told whether one was lost
/// that nobody removed. All commits are in memory.
final class MergeWalk {
  typealias Path = RelativePath
  typealias Files = [RelativePath: MergeDesk.File]

  /// One of those who edit.
  final class Device {
    let number: Int
    let skew: Int64
    var head: ObjectID?
    /// Where it goes back to when its merge was not taken.
    var before: ObjectID?
    var written = 0
    var offline = 0
    var name: String { "dev\(number)" }

    init(_ number: Int, skew: Int64) {
      self.number = number
      self.skew = skew
    }
  }

  /// What is known of a commit apart from what the planner reads.
  struct Known {
    let files: Files
    let isMerge: Bool
    let parents: [ObjectID]
    /// Itself among them.
    let ancestors: Set<ObjectID>
  }

  var random: SeededGenerator
  let history = MemoryHistory()
  let devices: [Device]
  var known: [ObjectID: Known] = [:]
  var remote: ObjectID?
  var clock: Int64 = 1_700_000_000
  let discardsMerges: Bool
  let meshes: Bool
  let signs: Bool
  let keepsCase: Bool
  let isDense: Bool
  /// How many of the moves are not recorded, in percent.
  let forgotten: Int
  var titles = 0
  /// Each line's first commit.
  var added: [String: ObjectID] = [:]
  var removed = Set<String>()
  /// Notes that were deleted: title, commit, path.
  var deletions: [(title: String, commit: ObjectID, path: Path)] = []
  /// Commits that changed the note with a title.
  var edits: [String: [ObjectID]] = [:]
  var copies: [String: [ObjectID]] = [:]
  private(set) var merges = 0
  private(set) var conflicts = 0
  /// Merges since the last edit.
  var late: Set<ObjectID>?

  init(seed: UInt64, isDense: Bool = false) throws {
    var random = SeededGenerator(seed: seed)
    func one<T>(_ values: [T]) -> T { values.randomElement(using: &random) ?? values[0] }
    let skews: [Int64] = [0, 0, 0, -3_600, 7_200, -86_400 * 400, 86_400 * 5_000]
    devices = (0..<one([2, 2, 3, 3, 4, 5])).map { Device($0, skew: one(skews)) }
    discardsMerges = one([true, true, true, false, false])
    meshes = random.chance(3)
    signs = random.chance(4)
    keepsCase = !random.chance(3)
    self.isDense = isDense
    forgotten = one([0, 0, 0, 50])
    let isUnrelated = random.chance(7)
    self.random = random
    for device in isUnrelated ? devices : [devices[0]] {
      var files: Files = [:]
      for _ in 0..<Int.random(in: isUnrelated ? 0...3 : 1...4, using: &self.random) {
        create(device, &files)
      }
      try save(device, files, moves: [:])
    }
    if isUnrelated { return }
    remote = devices[0].head
    for device in devices { device.head = remote }
  }

  func pick<T>(_ values: [T]) -> T {
    guard let value = values.randomElement(using: &random) else {
      preconditionFailure("nothing to pick from")
    }
    return value
  }

  func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

  func files(_ id: ObjectID?) -> Files { id.flatMap { known[$0]?.files } ?? [:] }

  func ancestors(_ id: ObjectID) -> Set<ObjectID> { known[id]?.ancestors ?? [] }

  /// The tokens in a file: `t1.2` for a line, `T0.3` for the title of a note.
  static func tokens(_ file: MergeDesk.File) -> Set<String> {
    var found = Set<String>()
    let bytes = file.content
    for start in bytes.indices where bytes[start] | 0x20 == UInt8(ascii: "t") {
      let rest = bytes[(start + 1)...]
      let first = rest.prefix { TextLine.isDigit($0) }
      let after = rest[first.endIndex...]
      guard !first.isEmpty, after.first == UInt8(ascii: ".") else { continue }
      let second = after.dropFirst().prefix { TextLine.isDigit($0) }
      if second.isEmpty { continue }
      found.insert(String(decoding: bytes[start..<second.endIndex], as: UTF8.self))
    }
    return found
  }

  static func tokens(_ files: Files) -> Set<String> {
    files.values.reduce(into: []) { $0.formUnion(tokens($1)) }
  }

  // MARK: Commits

  private func commit(
    _ files: Files, parents: [ObjectID], by device: String, at time: Int64,
    moves: [[Path: Path]], isMerge: Bool
  ) -> ObjectID {
    let tree = history.add(
      files.mapValues { MergeEntry(mode: $0.kind.rawValue, id: history.add($0.content)) })
    let claims = moves.map { side in
      side.sorted { $0.key < $1.key }.map { MergeCommit.Move($0.key, $0.value) }
    }
    let text = "\(parents) \(device) \(time) \(tree) \(claims) \(isMerge)"
    let id = SHA1.id(of: .commit, Array(text.utf8))
    if known[id] != nil { return id }
    history.add(
      MergeCommit(
        id: id, tree: tree, parents: parents, time: ZonedTime(seconds: time, zone: 0),
        device: device, isMerge: isMerge, claims: claims, infersMoves: false))
    known[id] = Known(
      files: files, isMerge: isMerge, parents: parents,
      ancestors: parents.reduce(into: [id]) { $0.formUnion(ancestors($1)) })
    return id
  }

  func save(_ device: Device, _ files: Files, moves: [Path: Path]) throws {
    let old = self.files(device.head)
    if files == old, device.head != nil { return }
    var kept = moves.filter { from, to in
      guard let before = old[from], let after = files[to] else { return false }
      return files[from] == nil && before.content == after.content
    }
    if chance(forgotten) { kept = [:] }
    let id = commit(
      files, parents: device.head.map { [$0] } ?? [], by: device.name,
      at: clock + device.skew, moves: device.head == nil ? [] : [kept], isMerge: false)
    device.head = id
    device.before = nil
    note(id, files, old, kept)
  }

  private func note(_ id: ObjectID, _ files: Files, _ old: Files, _ moves: [Path: Path]) {
    for token in Self.tokens(files) where added[token] == nil { added[token] = id }
    for (path, file) in old {
      let after = files[moves[path] ?? path].map(Self.tokens) ?? []
      removed.formUnion(Self.tokens(file).subtracting(after))
      guard files[path] == nil, moves[path] == nil else { continue }
      for title in Self.tokens(file) where title.hasPrefix("T") {
        deletions.append((title, id, path))
      }
    }
    let sources = Dictionary(moves.map { ($0.value, $0.key) }) { first, _ in first }
    for (path, file) in files where old[sources[path] ?? path] != file {
      for title in Self.tokens(file) where title.hasPrefix("T") {
        edits[title, default: []].append(id)
      }
    }
  }

  // MARK: Merges

  func merge(_ ours: ObjectID, _ theirs: ObjectID, by device: Device) throws -> ObjectID {
    if ours == theirs { return ours }
    let reader = MergeReader(history)
    switch try MergeDecision(ours, theirs, published: remote, reader) {
    case .first: return ours
    case .second: return theirs
    case .same(let id): return id
    case .merge: break
    }
    let plan = try PairPlanner(ours, theirs, reader).plan()
    let other = try PairPlanner(theirs, ours, MergeReader(history)).plan()
    let files = try self.files(plan, reader)
    guard files == (try self.files(other, MergeReader(history, like: other, reader))),
      plan.firstMoves == other.secondMoves, plan.secondMoves == other.firstMoves,
      plan.conflicts == other.conflicts
    else { throw WalkFault("\(ours) and \(theirs) merge in two ways") }
    merges += 1
    if !plan.conflicts.isEmpty { conflicts += 1 }
    let isSorted = ours < theirs
    let time = try max(history.commit(ours).time.seconds, history.commit(theirs).time.seconds)
    let id = commit(
      files, parents: isSorted ? [ours, theirs] : [theirs, ours],
      by: signs ? device.name : "verso", at: time,
      moves: isSorted
        ? [plan.firstMoves, plan.secondMoves] : [plan.secondMoves, plan.firstMoves],
      isMerge: true)
    try check(id, ours, theirs, plan)
    late?.insert(id)
    return id
  }

  private func files(_ plan: PairPlan, _ reader: MergeReader) throws -> Files {
    var entries = plan.tree.root.map { history.files(of: $0) } ?? [:]
    for (path, entry) in plan.tree.layer { entries[path] = entry }
    return try entries.mapValues { entry in
      MergeDesk.File(
        try reader.content(of: entry.id), kind: Item.Kind(rawValue: entry.mode) ?? .file)
    }
  }

  func isConflictCopy(_ path: Path) -> Bool { CopyName(of: path.name).digits != nil }

  private func check(
    _ id: ObjectID, _ ours: ObjectID, _ theirs: ObjectID, _ plan: PairPlan
  ) throws {
    let (mine, other, merged) = (files(ours), files(theirs), files(id))
    var families: [String: Path] = [:]
    var made = 0
    for (path, file) in merged.sorted(by: { $0.key < $1.key }) {
      for folder in path.ancestors where merged[folder] != nil {
        throw WalkFault("\(path) lies below a file")
      }
      for part in path.components where Self.count(of: "(conflict", in: Array(part)) > 1 {
        throw WalkFault("\(path) is a copy of a copy")
      }
      if Self.count(of: "<<<<", in: file.content) > 0 { throw WalkFault("\(path) has markers") }
      let family = "\(path.parent) \(CopyName(of: path.name).root) \(file)"
      let isNew = mine[path] == nil && other[path] == nil
      if families.updateValue(path, forKey: family) != nil, isNew, isConflictCopy(path) {
        throw WalkFault("\(path) is a second copy")
      }
      if isNew, isConflictCopy(path) {
        if try isCopiedAgain(path, file, id, ours, theirs, plan) { continue }
        made += 1
      }
    }
    if made > plan.conflicts.count { throw WalkFault("\(made) copies, \(plan.conflicts)") }
    try checkTwins(merged)
    let lost = Self.tokens(mine).union(Self.tokens(other)).subtracting(Self.tokens(merged))
      .subtracting(removed)
    if !lost.isEmpty { throw WalkFault("\(ours) and \(theirs) lose \(lost.sorted())") }
  }

  private static func count(of text: String, in bytes: [UInt8]) -> Int {
    bytes.indices.count { bytes[$0...].starts(with: text.utf8) }
  }

  private func checkTwins(_ files: Files) throws {
    guard keepsCase else { return }
    var seen: [FoldedPath: Path] = [:]
    for path in Set(files.keys.flatMap { [$0] + $0.ancestors }) {
      if let twin = seen.updateValue(path, forKey: FoldedPath(path)) {
        throw WalkFault("\(path) and \(twin) are twins")
      }
    }
  }

  /// Whether a copy is one that moved with its folder; a fault where one conflict is copied twice.
  private func isCopiedAgain(
    _ path: Path, _ file: MergeDesk.File, _ id: ObjectID, _ ours: ObjectID, _ theirs: ObjectID,
    _ plan: PairPlan
  ) throws -> Bool {
    let moves = Array(plan.firstMoves) + Array(plan.secondMoves)
    if moves.contains(where: { $0.value == path && isConflictCopy($0.key) }) { return true }
    let key = "\(CopyName(of: path.name).root) \(file)"
    let bases = try Divergence(ours, theirs, in: MergeReader(history)).bases
    if bases.count < 2 {
      for earlier in copies[key] ?? [] where earlier != id && ancestors(id).contains(earlier) {
        if !wasMadeAgain(file, after: earlier, before: id) {
          throw WalkFault("\(path) copies a conflict again")
        }
      }
    }
    copies[key, default: []].append(id)
    return false
  }

  /// Whether somebody gave that content to a file once more.
  private func wasMadeAgain(
    _ file: MergeDesk.File, after earlier: ObjectID, before id: ObjectID
  ) -> Bool {
    ancestors(id).subtracting(ancestors(earlier)).contains { commit in
      guard let known = known[commit], !known.isMerge, let parent = known.parents.first else {
        return false
      }
      return known.files.contains { $0.value == file && files(parent)[$0.key] != file }
    }
  }
}

extension MergeReader {
  /// A reader that knows the texts that another plan made.
  convenience init(_ source: any MergeSource, like plan: PairPlan, _ other: MergeReader) throws {
    self.init(source)
    for content in other.made.values { _ = try add(content) }
  }
}
