import VersoModel

/// The compiled patterns of one file, as pointers into memory that ``IgnoreRules`` owns.
///
/// Unchecked: nobody writes the memory.
struct IgnoreView: @unchecked Sendable {
  let patterns: UnsafeBufferPointer<IgnorePattern>
  let bytes: UnsafeBufferPointer<UInt8>
  /// For each slot where its candidates begin; one more at the end.
  let starts: UnsafeBufferPointer<Int32>
  /// Numbers of patterns, slot by slot, the last pattern of a slot first.
  let candidates: UnsafeBufferPointer<Int32>
  /// How many bytes of a path to skip: the folder of the file with its slash.
  let baseLength: Int
  let ignoringCase: Bool

  // 256 slots by first byte, 256 by last byte, and one for what has to be tried always.
  static let slotCount = 513

  static func slot(of condition: IgnorePattern.Condition, ignoringCase: Bool) -> Int {
    func key(_ byte: UInt8) -> Int { Int(ignoringCase ? IgnoreGlob.folded(byte) : byte) }
    return switch condition {
    case .firstByte(let byte): key(byte)
    case .lastByte(let byte): 256 + key(byte)
    case .none: 512
    }
  }

  /// The number of the last pattern that matches; `nil` where none does.
  func lastMatch(
    _ name: UnsafeBufferPointer<UInt8>, folder: UnsafeBufferPointer<UInt8>, isFolder: Bool
  ) -> Int? {
    guard let first = name.first, let last = name.last, !patterns.isEmpty else { return nil }
    let query = Query(name: name, folder: folder, isFolder: isFolder)
    var best = search(.firstByte(first), query, after: -1)
    best = search(.lastByte(last), query, after: best)
    best = search(.none, query, after: best)
    return best < 0 ? nil : Int(best)
  }

  /// The line numbers of all patterns that match, the last first.
  func allMatches(
    _ name: UnsafeBufferPointer<UInt8>, folder: UnsafeBufferPointer<UInt8>, isFolder: Bool
  ) -> [Int] {
    let query = Query(name: name, folder: folder, isFolder: isFolder)
    return patterns.reversed().filter { matches($0, query) }.map { Int($0.line) }
  }

  private struct Query {
    let name: UnsafeBufferPointer<UInt8>
    let folder: UnsafeBufferPointer<UInt8>
    let isFolder: Bool
  }

  /// The last match among the candidates of a slot, or `best` where none comes after it.
  private func search(
    _ condition: IgnorePattern.Condition, _ query: Query, after best: Int32
  ) -> Int32 {
    let slot = Self.slot(of: condition, ignoringCase: ignoringCase)
    for index in Int(starts[slot])..<Int(starts[slot + 1]) {
      let number = candidates[index]
      if number <= best { return best }
      if matches(patterns[Int(number)], query) { return number }
    }
    return best
  }

  private func matches(_ pattern: IgnorePattern, _ query: Query) -> Bool {
    if pattern.flags.contains(.foldersOnly), !query.isFolder { return false }
    let body = UnsafeBufferPointer(
      rebasing: bytes[Int(pattern.start)...].prefix(Int(pattern.length)))
    return pattern.flags.contains(.nameOnly)
      ? matchesName(pattern, body, query.name) : matchesPath(pattern, body, query)
  }

  private func matchesName(
    _ pattern: IgnorePattern, _ body: UnsafeBufferPointer<UInt8>,
    _ name: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    if pattern.literal == pattern.length {
      return name.count == body.count && equal(body[...], name[...])
    }
    if pattern.flags.contains(.suffix) {
      return name.count >= body.count - 1
        && equal(body.dropFirst(), name.suffix(body.count - 1))
    }
    return IgnoreGlob(isPath: false, ignoringCase: ignoringCase).matches(body, name)
  }

  private func matchesPath(
    _ pattern: IgnorePattern, _ body: UnsafeBufferPointer<UInt8>, _ query: Query
  ) -> Bool {
    let folder = UnsafeBufferPointer(rebasing: query.folder.dropFirst(baseLength))
    let literal = Int(pattern.literal)
    // Most patterns are about another folder, and show it before anything has to be joined.
    let shared = min(literal, folder.count)
    guard equal(body.prefix(shared), folder.prefix(shared)) else { return false }
    let count = folder.isEmpty ? query.name.count : folder.count + 1 + query.name.count
    if literal > count || literal == body.count && literal != count { return false }
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: count) { path in
      var end = path.update(fromContentsOf: folder)
      if !folder.isEmpty {
        path[end] = RelativePath.slash
        end += 1
      }
      _ = path[end...].update(fromContentsOf: query.name)
      guard equal(body.prefix(literal), path[..<literal]) else { return false }
      // As in git, what follows the literal part is a pattern of its own, and so `x**/y` crosses
      // folders although no slash stands before the stars.
      return IgnoreGlob(isPath: true, ignoringCase: ignoringCase).matches(
        UnsafeBufferPointer(rebasing: body.dropFirst(literal)),
        UnsafeBufferPointer(rebasing: path.dropFirst(literal)))
    }
  }

  /// Whether two byte strings of the same length are equal, by the file's rule for case.
  @inline(__always)
  private func equal(
    _ a: some Collection<UInt8>, _ b: some Collection<UInt8>
  ) -> Bool {
    ignoringCase
      ? a.lazy.map(IgnoreGlob.folded).elementsEqual(b.lazy.map(IgnoreGlob.folded))
      : a.elementsEqual(b)
  }
}
