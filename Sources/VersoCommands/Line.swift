package import VersoModel

/// A line of output in pieces, so that none reaches a terminal before it has been made safe.
///
/// It is written as a string literal: `"saved \(id, .id) \(path: path)"`.
package struct Line: Sendable, Hashable {
  enum Piece: Sendable, Hashable {
    case text(String, Style?)
    case path([UInt8], Style?)
  }

  private(set) var pieces: [Piece] = []

  /// Makes a line of one piece of text.
  package init(_ text: String, _ style: Style? = nil) { pieces = [.text(text, style)] }

  /// Makes a line of one path.
  package init(path: [UInt8]) { pieces = [.path(path, .path)] }

  private init(pieces: [Piece]) { self.pieces = pieces }

  /// Both, one after the other.
  package static func + (a: Line, b: Line) -> Line { Line(pieces: a.pieces + b.pieces) }

  /// Writes the line for a stream.
  ///
  /// - Parameters:
  ///   - palette: The looks.
  ///   - quotesPaths: Whether unusual paths are quoted as git quotes them, for programs; else they
  ///     are made safe, for people. Text is made safe for both.
  /// - Returns: The line without its end.
  package func rendered(_ palette: Palette, quotesPaths: Bool) -> String {
    pieces.map { piece in
      switch piece {
      case .text(let text, let style): return Self.paint(SafeText.text(text), style, palette)
      case .path(let path, let style):
        let shown =
          quotesPaths
          ? String(decoding: QuotedPath.quote(path), as: UTF8.self) : SafeText.text(path)
        return Self.paint(shown, style, palette)
      }
    }.joined()
  }

  private static func paint(_ text: String, _ style: Style?, _ palette: Palette) -> String {
    guard let style else { return text }
    return palette.paint(text, style)
  }

  /// The line as plain text, for JSON: nothing is made safe, invalid UTF-8 is repaired.
  package var plain: String {
    pieces.map { piece in
      switch piece {
      case .text(let text, _): text
      case .path(let path, _): String(decoding: path, as: UTF8.self)
      }
    }.joined()
  }
}

extension Line: ExpressibleByStringInterpolation {
  package struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var pieces: [Piece] = []

    package init(literalCapacity: Int, interpolationCount: Int) {}

    package mutating func appendLiteral(_ text: String) {
      if !text.isEmpty { pieces.append(.text(text, nil)) }
    }

    /// A piece of text in a style.
    package mutating func appendInterpolation(_ text: String, _ style: Style? = nil) {
      pieces.append(.text(text, style))
    }

    package mutating func appendInterpolation(_ number: some BinaryInteger, _ style: Style? = nil) {
      pieces.append(.text(String(number), style))
    }

    /// A path of any kind.
    package mutating func appendInterpolation(path: [UInt8], _ style: Style? = .path) {
      pieces.append(.path(path, style))
    }

    /// A path in a vault; the root is written as `.`.
    package mutating func appendInterpolation(path: RelativePath, _ style: Style? = .path) {
      pieces.append(.path(path.isRoot ? [UInt8(ascii: ".")] : path.bytes, style))
    }

    /// A line within a line.
    package mutating func appendInterpolation(_ line: Line) { pieces += line.pieces }
  }

  package init(stringInterpolation: StringInterpolation) { pieces = stringInterpolation.pieces }

  package init(stringLiteral text: String) { self.init(text) }
}
