package import VersoGit
import VersoModel

extension LineDifference {
  /// How names and ids are written.
  package struct Style: Hashable, Sendable {
    /// How many digits of an id: `core.abbrev`.
    package let digits: Int
    /// Whether bytes above 127 in names are escaped: `core.quotePath`.
    package let quotesNonASCII: Bool

    /// Makes a style; by default it is git's own.
    package init(digits: Int = 7, quotesNonASCII: Bool = true) {
      self.digits = digits
      self.quotesNonASCII = quotesNonASCII
    }

    fileprivate func name(_ path: RelativePath) -> [UInt8] {
      QuotedPath.quote(path.bytes, escapesHighBytes: quotesNonASCII)
    }
  }

  /// The text that `git diff` prints, which `git apply` takes.
  ///
  /// - Returns: Nothing where nothing differs. Of content that is no text only that it differs.
  package func unified(_ style: Style = .init()) throws(GitError) -> [UInt8] {
    if isEmpty { return [] }
    if let old, let new, old.mode & 0o170000 != new.mode & 0o170000 {
      // A file that became a link is two patches: git writes no change of type into one.
      return try LineDifference(from: old, to: nil).unified(style)
        + LineDifference(from: nil, to: new).unified(style)
    }
    var text = header(style)
    if isBinary, old?.content != new?.content {
      let (a, b) = (label(old, "a/", style), label(new, "b/", style))
      text += Array("Binary files ".utf8) + a + Array(" and ".utf8) + b
      text += Array(" differ\n".utf8)
    }
    if hunks.isEmpty { return text }
    text += Array("--- ".utf8) + fileLine(label(old, "a/", style))
    text += Array("+++ ".utf8) + fileLine(label(new, "b/", style))
    for hunk in hunks { Self.append(hunk, to: &text) }
    return text
  }

  private func header(_ style: Style) -> [UInt8] {
    var text: [UInt8] = []
    func line(_ words: [UInt8]...) { text += words.joined() + [0x0A] }
    func octal(_ mode: UInt32) -> [UInt8] {
      let digits = String(mode, radix: 8)
      return Array((String(repeating: "0", count: max(0, 6 - digits.count)) + digits).utf8)
    }
    func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
    let a = label(old ?? new, "a/", style)
    line(bytes("diff --git "), a, bytes(" "), label(new ?? old, "b/", style))
    switch (old, new) {
    case (let old?, nil): line(bytes("deleted file mode "), octal(old.mode))
    case (nil, let new?): line(bytes("new file mode "), octal(new.mode))
    case (let old?, let new?):
      if old.mode != new.mode {
        line(bytes("old mode "), octal(old.mode))
        line(bytes("new mode "), octal(new.mode))
      }
      if old.path != new.path {
        let percent = old.content == new.content ? 100 : min(99, similarity ?? 50)
        line(bytes("similarity index \(percent)%"))
        line(bytes("rename from "), style.name(old.path))
        line(bytes("rename to "), style.name(new.path))
      }
    case (nil, nil): break
    }
    if old?.id != new?.id {
      let ids = [old, new].map { ($0?.id ?? .zero).hex.prefix(style.digits) }
      let same = old?.mode == new?.mode ? new?.mode : nil
      line(bytes("index \(ids[0])..\(ids[1])"), same.map { [0x20] + octal($0) } ?? [])
    }
    return text
  }

  private func label(_ side: Side?, _ prefix: String, _ style: Style) -> [UInt8] {
    guard let side else { return Array("/dev/null".utf8) }
    return QuotedPath.quote(
      Array(prefix.utf8) + side.path.bytes, escapesHighBytes: style.quotesNonASCII)
  }

  /// A name with a space is followed by a tab, for patch(1) to see where it ends.
  private func fileLine(_ label: [UInt8]) -> [UInt8] {
    label + (label.contains(0x20) ? [0x09, 0x0A] : [0x0A])
  }

  private static func append(_ hunk: TextDifference.Hunk, to text: inout [UInt8]) {
    text += hunk.header
    for line in hunk.lines {
      text.append(line.origin.rawValue)
      text += line.content
      if line.content.last != 0x0A { text += Array("\n\\ No newline at end of file\n".utf8) }
    }
  }
}
