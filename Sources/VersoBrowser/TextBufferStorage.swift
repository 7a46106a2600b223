import Glibc

/// The bytes of a text, in pieces, so that an edit copies a few thousand of them however long it is.
///
/// Lines end with a line feed; a carriage return before it belongs to the end. Offsets are in bytes.
struct TextStorage: Sendable {
  private struct Chunk: Sendable {
    var bytes: [UInt8]
    var feeds: Int

    init(_ bytes: [UInt8]) {
      self.bytes = bytes
      feeds = TextStorage.feeds(in: bytes[...])
    }
  }

  static let feed = UInt8(ascii: "\n")
  static let carriageReturn = UInt8(ascii: "\r")
  /// A chunk that grows beyond this is cut.
  private static let limit = 8192
  private static let filling = 4096

  /// Never empty; a chunk is empty only if it is the only one.
  private var chunks: [Chunk] = [Chunk([])]
  /// Of each chunk, the offset of its first byte, and the line feeds before it.
  private var starts = [0]
  private var feeds = [0]

  /// The number of bytes.
  private(set) var count = 0
  /// The number of line feeds, one less than that of lines.
  private(set) var feedCount = 0

  init(_ bytes: [UInt8] = []) {
    chunks = Self.cut(bytes)
    number(from: 0)
  }

  private static func cut(_ bytes: [UInt8]) -> [Chunk] {
    if bytes.count <= limit { return [Chunk(bytes)] }
    return stride(from: 0, to: bytes.count, by: filling).map {
      Chunk(Array(bytes[$0..<min($0 + filling, bytes.count)]))
    }
  }

  private mutating func number(from first: Int) {
    if starts.count > chunks.count {
      starts.removeLast(starts.count - chunks.count)
      feeds.removeLast(feeds.count - chunks.count)
    }
    var offset = first == 0 ? 0 : starts[first - 1] + chunks[first - 1].bytes.count
    var fed = first == 0 ? 0 : feeds[first - 1] + chunks[first - 1].feeds
    for index in first..<chunks.count {
      if index < starts.count {
        starts[index] = offset
        feeds[index] = fed
      } else {
        starts.append(offset)
        feeds.append(fed)
      }
      offset += chunks[index].bytes.count
      fed += chunks[index].feeds
    }
    count = offset
    feedCount = fed
  }

  /// The last index whose value in `ascending` is at most `value`.
  private static func index(_ ascending: [Int], _ value: Int) -> Int {
    var (low, high) = (0, ascending.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if ascending[middle] <= value { low = middle } else { high = middle }
    }
    return low
  }

  /// All bytes.
  var bytes: [UInt8] {
    var all: [UInt8] = []
    all.reserveCapacity(count)
    for chunk in chunks { all += chunk.bytes }
    return all
  }

  /// The bytes of a range, which is cut to what there is.
  func bytes(in range: Range<Int>) -> [UInt8] {
    let range = range.clamped(to: 0..<count)
    if range.isEmpty { return [] }
    var index = Self.index(starts, range.lowerBound)
    var found: [UInt8] = []
    found.reserveCapacity(range.count)
    while index < chunks.count, starts[index] < range.upperBound {
      let bytes = chunks[index].bytes
      let low = max(0, range.lowerBound - starts[index])
      found += bytes[low..<min(bytes.count, range.upperBound - starts[index])]
      index += 1
    }
    return found
  }

  /// Puts `new` in place of a range.
  ///
  /// - Precondition: The range lies within the text.
  mutating func replace(_ range: Range<Int>, with new: [UInt8]) {
    precondition(range.lowerBound >= 0 && range.upperBound <= count)
    if range.isEmpty, new.isEmpty { return }
    let first = Self.index(starts, range.lowerBound)
    let last = range.isEmpty ? first : Self.index(starts, range.upperBound - 1)
    let low = range.lowerBound - starts[first]
    let high = range.upperBound - starts[last]
    let isLocal = first == last && chunks[first].bytes.count - range.count + new.count <= Self.limit
    if isLocal {
      chunks[first].feeds +=
        Self.feeds(in: new[...]) - Self.feeds(in: chunks[first].bytes[low..<high])
      chunks[first].bytes.replaceSubrange(low..<high, with: new)
    } else {
      let joined = chunks[first].bytes[..<low] + new + chunks[last].bytes[high...]
      chunks.replaceSubrange(first...last, with: Self.cut(Array(joined)))
    }
    number(from: mergeSmall(at: first))
  }

  /// Joins a chunk that has become small with a neighbour; tells from where on chunks have changed.
  private mutating func mergeSmall(at index: Int) -> Int {
    guard chunks.count > 1, chunks[index].bytes.count < Self.filling / 8 else { return index }
    let first = index == chunks.count - 1 ? index - 1 : index
    let sum = chunks[first].bytes.count + chunks[first + 1].bytes.count
    guard sum <= Self.filling else {
      // An empty chunk would be found in place of the next one.
      if chunks[index].bytes.isEmpty { chunks.remove(at: index) }
      return min(first, chunks.count - 1)
    }
    chunks[first].feeds += chunks[first + 1].feeds
    chunks[first].bytes += chunks[first + 1].bytes
    chunks.remove(at: first + 1)
    return first
  }

  /// Calls `body` with the distance of each line feed from the first byte, until it says false.
  private static func eachFeed(in bytes: ArraySlice<UInt8>, _ body: (Int) -> Bool) {
    bytes.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { return }
      var at = start
      // memchr(3) looks at many bytes at a time, and lines are counted at every key.
      while let found = memchr(at, Int32(feed), bytes.count - (at - start)) {
        if !body(UnsafeRawPointer(found) - start) { return }
        at = UnsafeRawPointer(found) + 1
      }
    }
  }

  private static func feeds(in bytes: ArraySlice<UInt8>) -> Int {
    var count = 0
    eachFeed(in: bytes) { _ in
      count += 1
      return true
    }
    return count
  }
}

extension TextStorage {
  /// The number of the line, from 0, that holds `offset`.
  func line(at offset: Int) -> Int {
    let index = Self.index(starts, min(offset, count))
    let bytes = chunks[index].bytes
    return feeds[index] + Self.feeds(in: bytes[..<min(bytes.count, offset - starts[index])])
  }

  /// The offset at which a line starts; that of the end for a line that is not there.
  func start(ofLine line: Int) -> Int {
    if line <= 0 { return 0 }
    if line > feedCount { return count }
    // The last chunk before whose bytes fewer than `line` feeds are found.
    let index = Self.index(feeds, line - 1)
    var missing = line - feeds[index]
    var start = count
    Self.eachFeed(in: chunks[index].bytes[...]) { at in
      missing -= 1
      if missing == 0 { start = starts[index] + at + 1 }
      return missing > 0
    }
    return start
  }

  /// A line without its end.
  func content(ofLine line: Int) -> Range<Int> {
    let start = start(ofLine: line)
    guard line < feedCount else { return start..<count }
    let end = self.start(ofLine: line + 1) - 1
    return start..<(end > start && byte(at: end - 1) == Self.carriageReturn ? end - 1 : end)
  }

  /// The byte at an offset within the text.
  func byte(at offset: Int) -> UInt8 {
    let index = Self.index(starts, offset)
    return chunks[index].bytes[offset - starts[index]]
  }
}
