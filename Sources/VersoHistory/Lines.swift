import Glibc

/// A text cut into lines, each with the newline that ends it; the last may have none.
struct Lines {
  let text: [UInt8]
  /// Where each line starts, and the end of the text.
  private let starts: [Int]

  init(_ text: [UInt8]) {
    self.text = text
    var starts = [0]
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

  var count: Int { starts.count - 1 }

  subscript(number: Int) -> ArraySlice<UInt8> { self[number..<(number + 1)] }

  subscript(range: Range<Int>) -> ArraySlice<UInt8> {
    text[starts[range.lowerBound]..<starts[range.upperBound]]
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
