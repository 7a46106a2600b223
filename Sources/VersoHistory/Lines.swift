import Glibc

/// A text cut into lines, each with the newline that ends it; the last may have none.
package struct Lines: Hashable, Sendable {
  let text: [UInt8]
  /// Where each line starts, and the end of the text.
  private let starts: [Int]

  package init(_ text: [UInt8]) {
    self.text = text
    var starts = [0]
    starts.reserveCapacity(text.count / 16)
    text.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return }
      var at = 0
      while at < bytes.count {
        let end = memchr(base + at, Int32(UInt8(ascii: "\n")), bytes.count - at)
        at = end.map { UnsafeRawPointer($0) - base + 1 } ?? bytes.count
        starts.append(at)
      }
    }
    self.starts = starts
  }

  package var count: Int { starts.count - 1 }

  package subscript(number: Int) -> ArraySlice<UInt8> { self[number..<(number + 1)] }

  package subscript(range: Range<Int>) -> ArraySlice<UInt8> {
    text[starts[range.lowerBound]..<starts[range.upperBound]]
  }

  /// How many whole lines two texts share at their start and, of what remains, at their end.
  static func shared(_ old: Lines, _ new: Lines) -> (start: Int, end: Int) {
    let (start, end) = sharedBytes(old.text, new.text)
    let first = min(old.lines(before: start), new.lines(before: start))
    let limit = min(old.count, new.count) - first
    let last = min(
      old.lines(from: old.text.count - end), new.lines(from: new.text.count - end), limit)
    return (first, last)
  }

  private static func sharedBytes(_ old: [UInt8], _ new: [UInt8]) -> (start: Int, end: Int) {
    let shortest = min(old.count, new.count)
    return old.withUnsafeBytes { a in
      new.withUnsafeBytes { b in
        var start = 0
        while start + 8 <= shortest,
          a.loadUnaligned(fromByteOffset: start, as: UInt64.self)
            == b.loadUnaligned(fromByteOffset: start, as: UInt64.self)
        {
          start += 8
        }
        while start < shortest, a[start] == b[start] { start += 1 }
        var end = 0
        while end + 8 <= shortest,
          a.loadUnaligned(fromByteOffset: a.count - end - 8, as: UInt64.self)
            == b.loadUnaligned(fromByteOffset: b.count - end - 8, as: UInt64.self)
        {
          end += 8
        }
        while end < shortest, a[a.count - end - 1] == b[b.count - end - 1] { end += 1 }
        return (start, end)
      }
    }
  }

  /// How many lines end at or before a byte.
  private func lines(before byte: Int) -> Int { firstStart(after: byte) - 1 }

  /// How many lines begin at a byte or after it.
  private func lines(from byte: Int) -> Int { count - firstStart(after: byte - 1) }

  private func firstStart(after byte: Int) -> Int {
    var (low, high) = (0, starts.count)
    while low < high {
      let middle = (low + high) / 2
      if starts[middle] > byte { high = middle } else { low = middle + 1 }
    }
    return low
  }

  /// How a line ends.
  enum Ending {
    case newline
    case carriageReturn
    case missing

    var bytes: [UInt8] {
      switch self {
      case .newline: [0x0A]
      case .carriageReturn: [0x0D, 0x0A]
      case .missing: []
      }
    }
  }

  static func ending(of line: ArraySlice<UInt8>) -> Ending {
    guard line.last == 0x0A else { return .missing }
    return line.dropLast().last == 0x0D ? .carriageReturn : .newline
  }

  static func withoutEnding(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    line.dropLast(ending(of: line).bytes.count)
  }

  /// The ending that all lines share, but for a last one without; `nil` where they differ or there
  /// is none.
  var commonEnding: Ending? {
    var common: Ending?
    for number in 0..<count {
      let ending = Self.ending(of: self[number])
      if ending == .missing { continue }
      if let common, common != ending { return nil }
      common = ending
    }
    return common
  }

  /// The text with every line ended by a newline alone, to compare lines however they end.
  var normalized: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count + 1)
    for number in 0..<count {
      bytes += Self.withoutEnding(self[number])
      bytes.append(0x0A)
    }
    return bytes
  }
}
