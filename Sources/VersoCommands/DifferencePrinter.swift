import VersoGit
import VersoHistory
import VersoModel

/// Prints differences: as git does, or with the words within lines.
struct DifferencePrinter {
  let output: Output
  let showsWords: Bool
  let style: LineDifference.Style

  /// Prints what differs in one file.
  func print(_ difference: LineDifference, headed: Bool = true) throws {
    guard showsWords else {
      output.write(try difference.unified(style))
      return
    }
    if headed { printHeading(difference) }
    if difference.isBinary {
      printBinary(difference)
      return
    }
    for hunk in difference.hunks {
      let header = hunk.header.split(separator: 0x0A).first.map(Array.init) ?? []
      write(header, .faint)
      output.write("\n")
      try printWords(hunk)
    }
  }

  private func printHeading(_ difference: LineDifference) {
    let old = difference.old?.path
    let new = difference.new?.path
    switch (old, new) {
    case (let old?, let new?) where old != new:
      output.print("\("renamed", .heading) \(path: old) -> \(path: new)")
    case (nil, let new?): output.print("\("new", .heading) \(path: new)")
    case (let old?, nil): output.print("\("deleted", .heading) \(path: old)")
    case (_, let new?): output.print("\("changed", .heading) \(path: new)")
    case (nil, nil): break
    }
    if let before = difference.old?.mode, let after = difference.new?.mode, before != after {
      output.print("mode \(String(before, radix: 8)) -> \(String(after, radix: 8))")
    }
  }

  private func printBinary(_ difference: LineDifference) {
    func text(_ side: LineDifference.Side?) -> String {
      side.map { "\(ContentType.name(of: $0.content)), \($0.content.count) bytes" } ?? "nothing"
    }
    output.print("\(text(difference.old)) -> \(text(difference.new))")
  }

  // MARK: Words

  /// Changed lines that stand together are compared by words.
  private func printWords(_ hunk: TextDifference.Hunk) throws {
    var removed: [UInt8] = []
    var added: [UInt8] = []
    for line in hunk.lines {
      switch line.origin {
      case .removed: removed += line.content
      case .added: added += line.content
      case .context:
        try printBlock(from: removed, to: added)
        (removed, added) = ([], [])
        write(line.content, nil)
        if line.content.last != 0x0A { output.write("\n") }
      }
    }
    try printBlock(from: removed, to: added)
  }

  private func printBlock(from old: [UInt8], to new: [UInt8]) throws {
    if old.isEmpty, new.isEmpty { return }
    var isOpen = false
    for span in try WordDifference(from: old, to: new).spans {
      let parts = span.text.split(separator: 0x0A, omittingEmptySubsequences: false)
      for (number, part) in parts.enumerated() {
        if number > 0 {
          output.write("\n")
          isOpen = false
        }
        if part.isEmpty { continue }
        write(piece: Array(part), span.kind, isWhole: old.isEmpty || new.isEmpty)
        isOpen = true
      }
    }
    if isOpen { output.write("\n") }
    let ends = (old.isEmpty || old.last == 0x0A, new.isEmpty || new.last == 0x0A)
    if ends.0 != ends.1 {
      let which = ends.0 ? "now there is no newline at the end" : "there was no newline at the end"
      output.print("\("(\(which))", .faint)")
    }
  }

  /// A piece in colour; without colour in git's brackets (`--word-diff=plain`).
  ///
  /// Whole lines stand out by themselves, words within lines need more.
  private func write(
    piece bytes: [UInt8], _ kind: WordDifference.Span.Kind, isWhole: Bool
  ) {
    let isColored = output.palette.isColored
    switch kind {
    case .equal: write(bytes, nil)
    case .removed where isColored: write(bytes, isWhole ? .removed : .removedWord)
    case .added where isColored: write(bytes, isWhole ? .added : .addedWord)
    case .removed:
      output.write("[-")
      write(bytes, nil)
      output.write("-]")
    case .added:
      output.write("{+")
      write(bytes, nil)
      output.write("+}")
    }
  }

  /// Content: exact to a file or pipe, made safe on a terminal.
  private func write(_ bytes: [UInt8], _ style: Style?) {
    guard let style, output.palette.isColored else {
      output.writeContent(bytes)
      return
    }
    output.write(output.palette.paint(SafeText.text(bytes, keeping: .text), style))
  }

  // MARK: For programs

  /// Prints an object for each passage; one without lines where there is none, as for a rename.
  func printJSON(_ difference: LineDifference) {
    let path = difference.new?.path ?? difference.old?.path ?? .root
    var head: JSONFields = ["path": .path(path), "change": .text(Self.letter(difference))]
    if let old = difference.old?.path, difference.new != nil, old != path {
      head.append("from", .path(old))
    }
    head.append("isBinary", .boolean(difference.isBinary))
    for hunk in difference.hunks {
      var fields = head
      fields.append("oldStart", .count(hunk.oldStart))
      fields.append("oldCount", .count(hunk.oldCount))
      fields.append("newStart", .count(hunk.newStart))
      fields.append("newCount", .count(hunk.newCount))
      fields.append("lines", .array(hunk.lines.map(Self.json)))
      output.print(JSONObject(.hunk, fields))
    }
    if difference.hunks.isEmpty {
      var fields = head
      for name in ["oldStart", "oldCount", "newStart", "newCount"] {
        fields.append(name, .count(0))
      }
      fields.append("lines", .array([]))
      output.print(JSONObject(.hunk, fields))
    }
  }

  private static func letter(_ difference: LineDifference) -> String {
    switch (difference.old?.path, difference.new?.path) {
    case (nil, _): "A"
    case (_, nil): "D"
    case (let old, let new): old == new ? "M" : "R"
    }
  }

  private static func json(_ line: TextDifference.Line) -> JSONValue {
    let kind =
      switch line.origin {
      case .context: "context"
      case .removed: "removed"
      case .added: "added"
      }
    let text = line.content.last == 0x0A ? Array(line.content.dropLast()) : line.content
    return .object(["kind": .text(kind), "text": .bytes(text)])
  }
}
