import Verso
import VersoGit
import VersoHistory
import VersoModel

/// `verso diff`: what differs between versions, or between the last one and the disk.
enum DiffCommand {
  static func run(_ invocation: Invocation, _ context: Context) throws -> ExitCode {
    let (engine, paths) = try VaultOperands.open(invocation, context, requiresVault: false)
    let path = paths.first
    let from = try WhenArguments.commit(
      .from, role: .start, of: path, invocation, engine, context)
    let to = try WhenArguments.commit(.to, role: .end, of: path, invocation, engine, context)
    let differences: [LineDifference]
    if let to {
      differences = try engine.differences(
        from: try from ?? engine.parent(of: to), to: to, below: paths)
    } else if let from {
      differences = try engine.differences(from: from, below: paths)
    } else {
      differences = try engine.differencesOnDisk(below: paths)
    }
    context.output.usePager { engine.setting("core.pager") }
    let printer = DifferencePrinter(
      output: context.output,
      showsWords: invocation.has(.words) || context.output.isTerminal)
    for difference in differences where !context.output.isClosed {
      invocation.wantsJSON ? printer.printJSON(difference) : try printer.print(difference)
    }
    return .done
  }
}

/// Prints differences: as git does, or with the words within lines.
struct DifferencePrinter {
  let output: Output
  let showsWords: Bool

  func print(_ difference: LineDifference) throws {
    if difference.isBinary { printBinary(difference) }
    guard showsWords else {
      let text = try difference.unified()
      if !difference.isBinary { output.write(text) }
      return
    }
    if difference.isBinary { return }
    printHeading(difference)
    for hunk in difference.hunks {
      let header = hunk.header.split(separator: 0x0A).first ?? []
      output.print("\(String(decoding: header, as: UTF8.self), .faint)")
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
    let path = difference.new?.path ?? difference.old?.path ?? .root
    func text(_ side: LineDifference.Side?) -> String {
      side.map { "\(ContentType.name(of: $0.content)), \($0.content.count) bytes" } ?? "nothing"
    }
    output.print("\(path: path): \(text(difference.old)) -> \(text(difference.new))")
  }

  // MARK: Words

  /// Changed lines that stand together are compared by words.
  private func printWords(_ hunk: TextDifference.Hunk) throws {
    var removed: [UInt8] = []
    var added: [UInt8] = []
    func flush() throws {
      if removed.isEmpty, added.isEmpty { return }
      try printBlock(from: removed, to: added)
      removed = []
      added = []
    }
    for line in hunk.lines {
      switch line.origin {
      case .removed: removed += line.content
      case .added: added += line.content
      case .context:
        try flush()
        output.print("  \(Self.text(line.content))")
      }
    }
    try flush()
  }

  private func printBlock(from old: [UInt8], to new: [UInt8]) throws {
    var line: Line = ""
    func end() {
      output.print("\(line)")
      line = ""
    }
    for span in try WordDifference(from: old, to: new).spans {
      let parts = span.text.split(separator: 0x0A, omittingEmptySubsequences: false)
      for (number, part) in parts.enumerated() {
        if number > 0 { end() }
        if !part.isEmpty { line = "\(line)\(piece(Array(part), span.kind))" }
      }
    }
    if !line.plain.isEmpty { end() }
  }

  /// A piece in colour; without colour in git's brackets.
  private func piece(_ bytes: [UInt8], _ kind: WordDifference.Span.Kind) -> Line {
    let text = Self.text(bytes)
    let isColored = output.palette == .colored
    switch kind {
    case .equal: return "\(text)"
    case .removed: return isColored ? "\(text, .removedWord)" : "[-\(text)-]"
    case .added: return isColored ? "\(text, .addedWord)" : "{+\(text)+}"
    }
  }

  private static func text(_ bytes: [UInt8]) -> String {
    let line = bytes.last == 0x0A ? bytes.dropLast() : bytes[...]
    return String(decoding: line, as: UTF8.self)
  }

  // MARK: For programs

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
