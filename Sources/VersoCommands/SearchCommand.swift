import Verso
import VersoHistory
import VersoModel

/// `verso search`: notes that hold words, and what they once held.
struct SearchCommand {
  private let engine: Engine
  private let invocation: Invocation
  private let context: Context
  private let wanted: Engine.Wanted
  private let scope: SearchScope

  private static let usualLimit = 100

  private var output: Output { context.output }
  private var limit: Int { invocation.number(.limit) ?? Self.usualLimit }

  static func run(_ invocation: Invocation, _ context: Context) throws -> ExitCode {
    try SearchCommand(invocation, context).run()
  }

  private init(_ invocation: Invocation, _ context: Context) throws {
    // The operands are words; the one path is that of --in.
    let places = Invocation(
      invocation.command, operands: invocation.bytes(.in).map { [$0] } ?? [],
      values: invocation.values)
    let (engine, paths) = try VaultOperands.open(places, context, requiresVault: false)
    self.engine = engine
    self.invocation = invocation
    self.context = context
    let path = paths.first
    scope = SearchScope(
      path: path ?? .root,
      since: try WhenArguments.time(.since, role: .start, of: path, invocation, engine, context),
      until: try WhenArguments.time(.until, role: .end, of: path, invocation, engine, context))
    wanted = try Self.wanted(invocation)
  }

  private static func wanted(_ invocation: Invocation) throws -> Engine.Wanted {
    let words = invocation.operands.map { String(decoding: $0, as: UTF8.self) }
    if invocation.has(.regex) {
      let pattern = words.joined(separator: " ")
      do throws(LinePattern.Failure) { return .pattern(try LinePattern(pattern)) } catch {
        throw CommandFailure(
          .usage, "'\(pattern)' is no regular expression: \(error.description)",
          hint: "it is read as by grep -E; without --regex, words are taken as they are")
      }
    }
    guard let query = SearchQuery(words) else {
      throw CommandFailure(
        .usage, "there is no word in what to look for",
        hint: "signs are looked for with --regex")
    }
    return .words(query)
  }

  private func run() throws -> ExitCode {
    let found = try engine.searchNotes(wanted, in: scope, limit: limit)
    output.usePager { engine.setting("core.pager") }
    for note in found.notes { show(note) }
    if found.count > found.notes.count {
      output.note("\(found.count - found.notes.count) more notes hold this; -n shows more")
    }
    var isEmpty = found.notes.isEmpty
    if invocation.has(.history) {
      isEmpty = try !searchHistory(besides: found) && isEmpty
    }
    if isEmpty { sayNothingFound() }
    return .done
  }

  private func sayNothingFound() {
    let hint = invocation.has(.history) ? "" : "; --history looks in older versions too"
    output.note("nothing found\(hint)")
  }

  // MARK: Notes

  private func show(_ note: FoundNote) {
    if invocation.wantsJSON {
      for line in note.lines { printJSON(note.path, line.number, line.text, version: .null) }
    } else if output.isTerminal {
      output.print("\(path: note.path)")
      for line in note.lines { output.print(numbered(line.number, line.text)) }
    } else {
      for line in note.lines {
        output.print("\(path: note.path):\(line.number): \(Self.text(line.text))")
      }
      // Found by words of several lines, or by its name.
      if note.lines.isEmpty { output.print("\(path: note.path)") }
    }
  }

  private func numbered(_ number: Int, _ text: [UInt8]) -> Line {
    let digits = String(number)
    let space = String(repeating: " ", count: max(0, 5 - digits.count))
    return "\(space)\(digits, .id)  \(Self.text(text))"
  }

  /// A line is shown up to here, in bytes: some notes have lines of a megabyte.
  private static let longestLine = 400

  private static func text(_ line: [UInt8]) -> String {
    guard line.count > longestLine else { return String(decoding: line, as: UTF8.self) }
    // Half a character at the cut would show as invalid bytes.
    var end = longestLine
    while end > 0, line[end] & 0xC0 == 0x80 { end -= 1 }
    return String(decoding: line[..<end], as: UTF8.self) + "…"
  }

  private func printJSON(
    _ path: RelativePath, _ number: Int, _ text: [UInt8], version: JSONValue,
    until: JSONValue? = nil
  ) {
    var fields: JSONFields = [
      "path": .path(path), "line": .count(number),
      "text": .text(String(decoding: text, as: UTF8.self)), "version": version,
    ]
    if let until { fields.append("until", until) }
    output.print(JSONObject(.match, fields))
  }

  // MARK: History

  /// Shows what is in no note now; `false` where there is none.
  private func searchHistory(besides notes: FoundNotes) throws -> Bool {
    let progress = output.startProgress("Indexing", unit: "commits")
    let found = try engine.searchHistory(wanted, in: scope, besides: notes) { step in
      progress.update(step.done, of: step.total)
      return true
    }
    progress.finish()
    guard let found else { return false }
    for passage in found.passages.prefix(limit) { try show(passage) }
    if found.passages.count > limit {
      output.note("\(found.passages.count - limit) more passages were found; -n shows more")
    }
    if found.isCut {
      output.note("there may be more: add words, or give --in or --since to look at less")
    }
    return !found.passages.isEmpty
  }

  private func show(_ passage: LostPassage) throws {
    if invocation.wantsJSON {
      for line in passage.lines {
        printJSON(
          passage.path, line.number, line.text, version: .id(passage.lastWith),
          until: .time(passage.until))
      }
      return
    }
    let day = TimeText.longDay(passage.until, now: context.now())
    output.print("in no note now; last in \(path: passage.path) until \(day, .time)")
    for line in passage.lines.prefix(FoundNote.mostLines) {
      output.print(numbered(line.number, line.text))
    }
    if passage.lines.count > FoundNote.mostLines {
      output.print("       … \(passage.lines.count - FoundNote.mostLines) more lines")
    }
    let word = ShellWord.quote(passage.path.bytes)
    let at = "--at id:\(passage.lastWith.short)"
    output.print("  verso show \(word) \(at)")
    // A note that is there keeps what it has now, and gets the passage back.
    let isThere = engine.isOnDisk(passage.path)
    let lines = isThere ? Self.range(passage.lines).map { " --lines \($0)" } ?? "" : ""
    output.print("  verso restore \(word) \(at)\(lines)")
  }

  private static func range(_ lines: [NumberedLine]) -> String? {
    guard let first = lines.first?.number, let last = lines.last?.number else { return nil }
    return first == last ? "\(first)" : "\(first)-\(last)"
  }
}
