import VersoModel

/// What git itself does to content, without any program: line ends and `$Id$` (gitattributes(5)).
///
/// Done here and not by libgit2, whose `ident` replaces the first keyword only.
package struct ContentConversion: Hashable, Sendable {
  /// What happens to line ends.
  struct LineEnds: Hashable, Sendable {
    /// CRLF becomes LF on the way in.
    var isText = false
    /// Only where the content looks like text.
    var isGuessed = false
    /// LF becomes CRLF on the way out.
    var writesCRLF = false
  }

  var lineEnds = LineEnds()
  /// `$Id$` stands for the blob's id.
  var expandsID = false

  /// Whether both directions leave every content as it is.
  var isEmpty: Bool { !lineEnds.isText && !expandsID }

  /// Makes the content of a blob; `keepingLineEnds` forbids a guess to change them.
  func clean(_ bytes: [UInt8], keepingLineEnds: Bool) -> [UInt8] {
    let text = lineEnds.isText ? withoutCR(bytes, keepingLineEnds: keepingLineEnds) : bytes
    return expandsID ? IDKeyword.contracted(text) : text
  }

  /// Makes the content of a file.
  func smudge(_ bytes: [UInt8], id: ObjectID) -> [UInt8] {
    let text = expandsID ? IDKeyword.expanded(bytes, id: id) : bytes
    return lineEnds.writesCRLF ? withCR(text) : text
  }

  private func withoutCR(_ bytes: [UInt8], keepingLineEnds: Bool) -> [UInt8] {
    let statistics = TextStatistics(bytes)
    if statistics.pairs == 0 { return bytes }
    if lineEnds.isGuessed, keepingLineEnds || statistics.isBinary { return bytes }
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count - statistics.pairs)
    for (index, byte) in bytes.enumerated() {
      let isPair =
        byte == UInt8(ascii: "\r") && index + 1 < bytes.count
        && bytes[index + 1] == UInt8(ascii: "\n")
      if !isPair { result.append(byte) }
    }
    return result
  }

  private func withCR(_ bytes: [UInt8]) -> [UInt8] {
    let statistics = TextStatistics(bytes)
    if statistics.loneFeeds == 0 { return bytes }
    if lineEnds.isGuessed, statistics.pairs > 0 || statistics.isBinary { return bytes }
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count + statistics.loneFeeds)
    var previous: UInt8 = 0
    for byte in bytes {
      if byte == UInt8(ascii: "\n"), previous != UInt8(ascii: "\r") {
        result.append(UInt8(ascii: "\r"))
      }
      result.append(byte)
      previous = byte
    }
    return result
  }
}

extension ContentConversion.LineEnds {
  /// What `core.autocrlf` and `core.eol` say.
  struct Settings: Hashable {
    enum Automatic { case off, on, input }
    var automatic = Automatic.off
    var writesCRLF = false

    /// How text is written where no attribute says it.
    var textWritesCRLF: Bool { automatic == .off ? writesCRLF : automatic == .on }
  }

  /// Decides by `text`, its old name `crlf`, `eol`, and then the settings.
  init(_ attributes: AttributeReader.Attributes, _ settings: Settings) {
    func action(_ value: AttributeValue) -> Bool? {
      switch value {
      case .isTrue, .string("auto"), .string("input"): true
      case .isFalse: false
      default: nil
      }
    }
    let value = action(attributes.text) == nil ? attributes.crlf : attributes.text
    let decided = action(value)
    if decided == false { return }
    isGuessed = value == .string("auto")
    switch attributes.eol {
    case .string("lf"): isText = true
    case .string("crlf"): (isText, writesCRLF) = (true, true)
    default:
      isText = decided ?? (settings.automatic != .off)
      isGuessed = isGuessed || decided == nil
      writesCRLF = isText && value != .string("input") && settings.textWritesCRLF
    }
  }
}
