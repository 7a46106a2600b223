/// The trailers of a commit's message (git-interpret-trailers(1)): `Key: value` lines of the last
/// paragraph, which is not the first.
package struct CommitTrailers: Sendable {
  private typealias Line = Substring.UTF8View

  private let lines: [Line]

  /// Reads a message; bytes, as a walk reads thousands of messages.
  package init(_ message: String) {
    let paragraphs = message.utf8
      .split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .split { $0.allSatisfy(Self.isSpace) }
    lines = paragraphs.count > 1 ? paragraphs.last.map(Array.init) ?? [] : []
  }

  /// The values of a key, in order, without white space around them.
  package subscript(key: String) -> [String] {
    let start = "\(key):".utf8
    return lines.filter { $0.starts(with: start) }.map { Self.trimmed($0.dropFirst(start.count)) }
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || (9...13).contains(byte)
  }

  private static func trimmed(_ line: Line) -> String {
    var line = line.drop(while: isSpace)
    while let last = line.last, isSpace(last) { line.removeLast() }
    return String(Substring(line))
  }
}
