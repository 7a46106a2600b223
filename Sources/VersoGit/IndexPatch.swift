import Glibc
package import VersoDisk
package import VersoModel

/// Changes to git's index, located in it and ready to be written as the next index.
///
/// What does not change is copied byte for byte from the mapping of the old index, so the cost is
/// that of reading, hashing and writing the file once. The format stays that of the old index;
/// without one, version 2 is written. Source: gitformat-index(5).
package struct IndexPatch {
  /// What is to become of one path's entry.
  package struct Change: Hashable, Sendable {
    package struct Options: OptionSet, Sendable, Hashable {
      package let rawValue: UInt8
      package init(rawValue: UInt8) { self.rawValue = rawValue }
      /// Records a size of 0, so that git compares the content before it trusts the stat: for a
      /// file that was modified in the second in which it was read, or later.
      package static let smudged = Options(rawValue: 1)
      /// A path that is in the index keeps its mode (`core.fileMode=false`).
      package static let keepsMode = Options(rawValue: 2)
      /// A path that is in the index keeps its `--assume-unchanged` bit.
      package static let keepsFlags = Options(rawValue: 4)
    }

    package var path: RelativePath
    /// What the index is to hold; `nil` removes the path.
    package var entry: StatEntry?
    package var options: Options

    /// Makes a change.
    ///
    /// - Precondition: `path` is not the root.
    package init(path: RelativePath, entry: StatEntry?, options: Options = []) {
      precondition(!path.isRoot)
      self.path = path
      self.entry = entry
      self.options = options
    }
  }

  /// What a change does, once it is located.
  enum Effect: UInt8 {
    /// A removal of what is not there.
    case nothing
    /// Content and mode stay, only stat fields or flags are new.
    case refresh
    case modify
    case add
    case remove
  }

  /// Where a change belongs: the first row that is not before its path.
  struct Spot {
    let row: UInt32
    let effect: Effect
  }

  let index: IndexFile?
  let changes: [Change]
  /// One for each change.
  private(set) var spots: [Spot] = []
  let folders: FolderChange?
  /// How many entries the new index has.
  package private(set) var count: Int

  /// Whether some entry comes or goes, so that those after it get other numbers.
  private(set) var movesPositions = false
  /// Whether some entry starts elsewhere than before.
  private(set) var movesOffsets = false

  /// Locates changes in an index.
  ///
  /// - Parameters:
  ///   - index: The old index; `nil` writes one from nothing.
  ///   - changes: Sorted by path, each path once. Where a file takes the place of a folder, the
  ///     removals of all that was below it are among them, and the reverse.
  ///   - folders: The new ids of the folders that hold changed paths, from the root down. They are
  ///     cached for git where the index is known to hold exactly that; `nil`, or a folder left out,
  ///     makes git compute the id anew, as `git add` does. Right also where the index holds more
  ///     than the trees do, such as what a user has staged.
  /// - Throws: ``IndexError/Code/unsupported`` where a changed path is unmerged or hidden by a
  ///   sparse checkout, and for a split or sparse index or an extension that must be understood and
  ///   is not: see ``IndexRewrite``.
  /// - Precondition: `changes` is sorted.
  package init(
    of index: IndexFile?, changes: [Change], folders: FolderChange? = nil
  ) throws(IndexError) {
    for obstacle in index?.obstacles ?? [] where obstacle != .skipWorktree {
      throw .unsupported(obstacle.description)
    }
    self.index = index
    self.changes = changes
    self.folders = folders
    count = index?.table.rows.count ?? 0
    try locate()
    if UInt32(exactly: count) == nil { throw .unsupported("it would hold \(count) entries") }
  }

  private mutating func locate() throws(IndexError) {
    spots.reserveCapacity(changes.count)
    var row = 0
    for (number, change) in changes.enumerated() {
      precondition(number == 0 || changes[number - 1].path < change.path, "changes are sorted")
      let (position, isThere) = position(of: change.path, from: row)
      let effect = try effect(of: change, replacing: isThere ? position : nil)
      spots.append(Spot(row: UInt32(position), effect: effect))
      note(effect, row: position)
      row = position
    }
  }

  private mutating func note(_ effect: Effect, row: Int) {
    switch effect {
    case .nothing: return
    case .refresh, .modify:
      if let index, index.headSize(of: row) != IndexFile.shortHead { movesOffsets = true }
    case .add:
      count += 1
      movesPositions = true
    case .remove:
      count -= 1
      movesPositions = true
    }
    if movesPositions { movesOffsets = true }
  }

  private func effect(
    of change: Change, replacing position: Int?
  ) throws(IndexError) -> Effect {
    guard let position, let row = index?.table.rows[position] else {
      return change.entry == nil ? .nothing : .add
    }
    if row.flags.contains(.unmerged) {
      throw .unsupported("the merge of \(change.path) is not finished")
    }
    if row.flags.contains(.skipWorktree) {
      throw .unsupported("\(change.path) is hidden by a sparse checkout")
    }
    guard let entry = change.entry else { return .remove }
    let isSame =
      entry.id == row.id && (entry.mode == row.mode || change.options.contains(.keepsMode))
    // An entry by --intent-to-add has the id of the empty file, but belongs to no tree.
    return isSame && !row.flags.contains(.intentToAdd) ? .refresh : .modify
  }

  /// The first row from `start` on that is not before `path`: by steps that double and then by
  /// halves, so that neither one change in a million rows nor a million changes cost more than
  /// they must.
  private func position(of path: RelativePath, from start: Int) -> (Int, isThere: Bool) {
    guard let rows = index?.table.rows else { return (0, false) }
    return path.bytes.withUnsafeBytes { path in
      var low = start
      var high = start
      var step = 1
      while high < rows.count, rows[high].compare(to: path) < 0 {
        low = high + 1
        high += step
        step *= 2
      }
      high = min(high, rows.count)
      while low < high {
        let middle = (low + high) / 2
        if rows[middle].compare(to: path) < 0 { low = middle + 1 } else { high = middle }
      }
      return (low, low < rows.count && rows[low].compare(to: path) == 0)
    }
  }
}

extension StatTable.Row {
  /// The order of two paths: negative where this one comes first.
  func compare(to path: UnsafeRawBufferPointer) -> Int {
    let count = Int(nameLength)
    if let other = path.baseAddress {
      let order = memcmp(name, other, min(count, path.count))
      if order != 0 { return Int(order) }
    }
    return count - path.count
  }

  /// The path's bytes, valid as long as the table.
  var nameBytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: name, count: Int(nameLength))
  }
}

extension IndexFile {
  /// The fields and the flags of an entry.
  static let shortHead = IndexEntryReader.fieldsSize + 2

  /// How many bytes of an entry stand before its name: two more where it has extended flags.
  func headSize(of row: Int) -> Int {
    let flags = table.rows[row].fields.load(
      fromByteOffset: IndexEntryReader.fieldsSize, as: UInt8.self)
    return flags & 0x40 == 0 ? Self.shortHead : Self.shortHead + 2
  }

  /// Where an entry starts in the file; for the number after the last, where the entries end.
  func offset(of row: Int) -> Int {
    row < table.rows.count ? table.rows[row].fields - base : entriesEnd
  }
}
