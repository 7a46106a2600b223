import CLinux

/// How many columns text takes on a terminal.
package enum TextWidth {
  /// The columns of `text`, which has been made safe.
  ///
  /// It is the sum of what wcwidth(3) says for UTF-8, whatever locale the process runs in; a terminal
  /// that draws several emoji as one may need fewer.
  package static func columns(_ text: String) -> Int {
    if text.utf8.allSatisfy({ 0x20..<0x7F ~= $0 }) { return text.utf8.count }
    return widths(text).reduce(0) { $0 + max(0, Int($1)) }
  }

  /// The longest beginning of `text` that fits `limit` columns, with `…` where it was cut.
  package static func truncated(_ text: String, to limit: Int) -> String {
    guard columns(text) > limit else { return text }
    guard limit > 0 else { return "" }
    var (width, kept) = (0, "")
    for character in text {
      let next = columns(String(character))
      if width + next > limit - 1 { break }
      width += next
      kept.append(character)
    }
    return kept + "…"
  }

  /// `text` with spaces after it, up to `width` columns.
  package static func padded(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - columns(text)))
  }

  private static func widths(_ text: String) -> [Int8] {
    let scalars = text.unicodeScalars.map(\.value)
    return [Int8](unsafeUninitializedCapacity: scalars.count) { buffer, count in
      verso_column_widths(scalars, scalars.count, buffer.baseAddress)
      count = scalars.count
    }
  }

  /// `text` in lines of at most `width` columns, broken at spaces; a longer word stays whole.
  package static func wrapped(_ text: String, to width: Int) -> [String] {
    var lines: [String] = []
    for word in text.split(separator: " ") {
      if let last = lines.last, columns(last) + 1 + columns(String(word)) <= width {
        lines[lines.count - 1] += " \(word)"
      } else {
        lines.append(String(word))
      }
    }
    return lines
  }
}
