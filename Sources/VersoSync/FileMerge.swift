import VersoGit
import VersoModel

/// The merge of one file: mode, link, text or bytes.
struct FileMerge {
  /// Larger files are merged as a whole, in bytes.
  static let largestText = 8 << 20

  private let planner: PairPlanner
  private var reader: MergeReader { planner.reader }
  private let base: MergeEntry?
  private let x: MergeEntry
  private let y: MergeEntry
  private let path: RelativePath
  private let contest: Contest
  /// The result.
  private(set) var entry: MergeEntry
  /// Whose version is not in the result.
  private(set) var loser: PairPlanner.Side?
  /// Whether both sides changed a nested repository, which is never merged.
  private(set) var isNestedRepository = false

  init(
    _ planner: PairPlanner, base: MergeEntry?, x: MergeEntry, y: MergeEntry, path: RelativePath,
    mine: RelativePath, theirs: RelativePath
  ) {
    contest = Contest(planner, x, y, path, mine, theirs)
    self.planner = planner
    self.base = base
    self.x = x
    self.y = y
    self.path = path
    entry = x
  }

  mutating func run() throws(GitError) {
    if x == y || y == base { return entry = x }
    if x == base { return entry = y }
    if Self.isRepository(x) || Self.isRepository(y) {
      let wins = try contest.xWins()
      entry = wins ? x : y
      isNestedRepository = Self.isRepository(x) && Self.isRepository(y)
      if !isNestedRepository { loser = wins ? .second : .first }
      return
    }
    let (id, isLost) = try mergeContent()
    entry = MergeEntry(mode: try mode(), id: id)
    if isLost { loser = try contest.xWins() ? .second : .first }
  }

  static func isLink(_ entry: MergeEntry) -> Bool { entry.mode == Item.Kind.link.rawValue }
  static func isRepository(_ entry: MergeEntry) -> Bool {
    entry.mode == Item.Kind.repository.rawValue
  }
  private static func isPlain(_ entry: MergeEntry?) -> Bool {
    entry.map { !isLink($0) && !isRepository($0) } ?? false
  }

  private func mode() throws(GitError) -> UInt32 {
    if Self.isLink(x) || Self.isLink(y) { return try contest.xWins() ? x.mode : y.mode }
    if let base, Self.isPlain(base) { return x.mode == base.mode ? y.mode : x.mode }
    let executable = Item.Kind.executable.rawValue
    return x.mode == executable || y.mode == executable ? executable : min(x.mode, y.mode)
  }

  /// A total order of files: by kind, then by bytes.
  static func precedes(
    _ a: MergeEntry, _ b: MergeEntry, _ reader: MergeReader
  ) throws(GitError) -> Bool {
    if a.mode != b.mode { return rank(a) < rank(b) }
    if a.id == b.id || isRepository(a) { return a.id < b.id }
    let sizes = (try reader.size(of: a.id), try reader.size(of: b.id))
    if max(sizes.0, sizes.1) > largestText { return a.id < b.id }
    return try reader.content(of: a.id).lexicographicallyPrecedes(reader.content(of: b.id))
  }

  private static func rank(_ entry: MergeEntry) -> UInt32 {
    let order: [Item.Kind] = [.file, .link, .executable]
    return order.firstIndex { $0.rawValue == entry.mode }.map(UInt32.init) ?? entry.mode
  }

  private func mergeContent() throws(GitError) -> (id: ObjectID, isLost: Bool) {
    if Self.isLink(x) == Self.isLink(y), x.id == y.id { return (x.id, false) }
    guard !Self.isLink(x), !Self.isLink(y) else { return try whole() }
    let plainBase = Self.isPlain(base) ? base : nil
    if let plainBase {
      if x.id == plainBase.id { return (y.id, false) }
      if y.id == plainBase.id { return (x.id, false) }
    } else if let older = try planner.older(x, y, at: path) {
      return (older == .first ? y.id : x.id, false)
    }
    guard let style = try planner.textStyle(of: path), let mine = try text(x),
      let theirs = try text(y)
    else { return try whole() }
    var old: [UInt8]?
    if let plainBase {
      guard let content = try text(plainBase) else { return try whole() }
      old = content
    }
    return try mergeText(old, mine, theirs, style)
  }

  /// The winner's bytes, and the other's in a copy.
  private func whole() throws(GitError) -> (id: ObjectID, isLost: Bool) {
    (try contest.xWins() ? x.id : y.id, true)
  }

  private func mergeText(
    _ old: [UInt8]?, _ mine: [UInt8], _ theirs: [UInt8], _ style: TextMerge.Style
  ) throws(GitError) -> (id: ObjectID, isLost: Bool) {
    let name = String(decoding: path.name, as: UTF8.self)
    let isRules = name == ".gitignore" || name == ".gitattributes"
    let merge = try TextMerge(
      base: isRules ? old ?? [] : old, x: mine, y: theirs, style: style,
      xWins: { () throws(GitError) in try contest.xWins() })
    if name.hasSuffix(".json") || name.hasSuffix(".canvas"), JSONCheck.accepts(mine),
      JSONCheck.accepts(theirs), !JSONCheck.accepts(merge.text)
    {
      return try whole()
    }
    if merge.text == mine { return (x.id, merge.hasLoss) }
    if merge.text == theirs { return (y.id, merge.hasLoss) }
    return (try reader.add(merge.text), merge.hasLoss)
  }

  /// The bytes of a text; `nil` where it is too large or no text.
  private func text(_ entry: MergeEntry) throws(GitError) -> [UInt8]? {
    guard try reader.size(of: entry.id) <= Self.largestText else { return nil }
    let content = try reader.content(of: entry.id)
    return TextLines.isText(content) ? content : nil
  }

  /// Whether a file holds nothing new: the same link, or text but for line ends and dates.
  static func isUnedited(
    _ entry: MergeEntry, since old: MergeEntry, _ reader: MergeReader
  ) throws(GitError) -> Bool {
    guard isLink(entry) == isLink(old), isRepository(entry) == isRepository(old) else {
      return false
    }
    if entry.id == old.id { return true }
    guard isPlain(entry), try reader.size(of: entry.id) <= largestText,
      try reader.size(of: old.id) <= largestText
    else { return false }
    return try FrontMatter.isSameText(
      reader.content(of: old.id), reader.content(of: entry.id))
  }
}

/// Who of two keeps a name; found out only if somebody asks, and once.
private final class Contest {
  private let planner: PairPlanner
  private let x: MergeEntry
  private let y: MergeEntry
  private let path: RelativePath
  private let mine: RelativePath
  private let theirs: RelativePath
  private var decision: Bool?

  init(
    _ planner: PairPlanner, _ x: MergeEntry, _ y: MergeEntry, _ path: RelativePath,
    _ mine: RelativePath, _ theirs: RelativePath
  ) {
    self.planner = planner
    self.x = x
    self.y = y
    self.path = path
    self.mine = mine
    self.theirs = theirs
  }

  func xWins() throws(GitError) -> Bool {
    if let decision { return decision }
    let decided = try decide()
    decision = decided
    return decided
  }

  /// A nested repository before a file, a file before a link, then what a copy is named after, then
  /// who worked more on it, then by content.
  private func decide() throws(GitError) -> Bool {
    let isRepository = (FileMerge.isRepository(x), FileMerge.isRepository(y))
    if isRepository.0 != isRepository.1 { return isRepository.0 }
    if FileMerge.isLink(x) != FileMerge.isLink(y) { return !FileMerge.isLink(x) }
    let name = CopyName(of: path.name)
    let (own, other) = (name.isNamed(after: x.id), name.isNamed(after: y.id))
    if own != other { return own }
    if let decided = try planner.workedMoreOnFirst(mine, theirs) { return decided }
    return try FileMerge.precedes(y, x, planner.reader)
  }
}
