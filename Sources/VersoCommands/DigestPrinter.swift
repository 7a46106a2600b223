import VersoHistory
import VersoModel

/// `verso log --digest`: what happened in some days, for a person or a mail.
struct DigestPrinter {
  let output: Output

  /// Notes of one kind that are named for a period; the others are counted.
  private static let named = 20
  private static let ranked = 10
  private static let fortnight = 14

  // MARK: Periods

  /// Some days.
  struct Period: Hashable {
    let days: ClosedRange<Int>

    /// In seconds since 1970.
    var times: ClosedRange<Int64> {
      let start = Activity.start(of: days.lowerBound, in: .local)
      return start...max(start, Activity.start(of: days.upperBound + 1, in: .local) - 1)
    }

    var title: String {
      let names = [
        "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
      ]
      let first = DigestPrinter.date(days.lowerBound)
      if days.count == 1 { return "\(names[Activity.weekday(of: days.lowerBound)]), \(first)" }
      return "\(first) to \(DigestPrinter.date(days.upperBound))"
    }
  }

  /// Each day, newest first; weeks from Monday on where there are more days than two weeks have.
  static func periods(_ days: ClosedRange<Int>) -> [Period] {
    if days.count <= fortnight { return days.reversed().map { Period(days: $0...$0) } }
    var periods: [Period] = []
    var last = days.upperBound
    while last >= days.lowerBound {
      let first = max(days.lowerBound, last - Activity.weekday(of: last))
      periods.append(Period(days: first...last))
      last = first - 1
    }
    return periods
  }

  fileprivate static func date(_ day: Int) -> String { TimeText.day(Int64(day) * 86_400, in: .utc) }

  // MARK: For people, as Markdown

  func print(_ whole: Digest, _ days: Period, _ digests: [(period: Period, digest: Digest)]) {
    output.print("\("# \(days.title)", .heading)")
    output.print("")
    output.print(summary(whole))
    for (period, digest) in digests where !digest.isEmpty {
      output.print("")
      output.print("\("## \(period.title)", .heading)")
      output.print("")
      output.print(summary(digest))
      if !digest.notes.isEmpty { output.print("") }
      printNotes(digest)
    }
    let most = whole.mostEdited.prefix(Self.ranked)
    let busy = digests.count(where: { !$0.digest.isEmpty })
    if busy < 2 || most.isEmpty { return }
    output.print("")
    output.print("\("## Most edited", .heading)")
    output.print("")
    for note in most {
      output.print("- \(name(note.path)), \(note.saves) saves\(words(note.size))")
    }
  }

  private func summary(_ digest: Digest) -> Line {
    if digest.isEmpty { return "Nothing was saved." }
    var parts: [String] = []
    func add(_ count: Int, _ word: String) {
      if count == 0 { return }
      parts.append(
        parts.isEmpty ? "\(Counted.text(count, "note")) \(word)" : "\(count) \(word)")
    }
    add(digest.count { $0.kind == .added }, "added")
    add(digest.count { $0.kind == .modified }, "edited")
    add(digest.count(\.isRenamed), "renamed")
    add(digest.count { $0.kind == .deleted }, "deleted")
    let what = parts.isEmpty ? "nothing is different after them" : parts.joined(separator: ", ")
    let saves = Counted.text(digest.saves, "save")
    let devices = digest.devices.isEmpty ? "" : " on \(digest.devices.joined(separator: ", "))"
    return "\(saves)\(devices): \(what)\(words(digest.size))"
  }

  private func printNotes(_ digest: Digest) {
    let kinds: [(String, (Digest.Note) -> Bool)] = [
      ("added", { $0.kind == .added }), ("edited", { $0.kind == .modified }),
      ("renamed", \.isRenamed), ("deleted", { $0.kind == .deleted }),
    ]
    for (word, matches) in kinds {
      let notes = digest.notes.filter(matches)
      for note in notes.prefix(Self.named) { output.print(item(note, word)) }
      if notes.count > Self.named { output.print("- and \(notes.count - Self.named) more \(word)") }
    }
  }

  private func item(_ note: Digest.Note, _ word: String) -> Line {
    var line: Line = "- \(word) "
    if case .renamed(let old) = note.kind { line = line + name(old) + " to " }
    let saves = note.saves > 1 ? ", \(note.saves) saves" : ""
    let size: Line = note.isEdited ? words(note.size) : ""
    return line + name(note.path) + Line(saves) + size
  }

  /// `, +41 −12 words`; nothing where there is nothing to say.
  private func words(_ size: ChangeSize) -> Line {
    size == ChangeSize() ? "" : ", \(VersionPrinter.text(size))"
  }

  /// A name as code, which no mail program formats; a name with a backtick goes without.
  private func name(_ path: RelativePath) -> Line {
    let text = SafeText.text(path.bytes)
    return text.contains("`") ? "\(text, .path)" : "`\(text, .path)`"
  }

  // MARK: For programs

  func printJSON(_ period: Period, _ digest: Digest) {
    let notes = digest.notes.map { note -> JSONValue in
      var fields: JSONFields = [
        "path": .path(note.path), "change": .text(String(note.kind.letter)),
      ]
      if case .renamed(let old) = note.kind { fields.append("from", .path(old)) }
      fields.append("saves", .count(note.saves))
      fields.append("wordsAdded", .count(note.size.addedWords))
      fields.append("wordsRemoved", .count(note.size.removedWords))
      return .object(fields)
    }
    let size = digest.size
    output.print(
      JSONObject(
        .event,
        [
          "event": "digest", "time": .time(period.times.lowerBound),
          "message": .text("\(period.title): \(summary(digest).plain)"),
          "until": .time(period.times.upperBound),
          "day": .text(Self.date(period.days.lowerBound)), "saves": .count(digest.saves),
          "count": .count(digest.notes.count), "wordsAdded": .count(size.addedWords),
          "wordsRemoved": .count(size.removedWords),
          "devices": .array(digest.devices.map { .text($0) }), "files": .array(notes),
        ]))
  }
}

extension LogCommand {
  /// Days that a digest looks back without `--since`.
  private static let digestDays = 7

  static func digest(
    _ path: RelativePath?, _ range: HistoryRange, _ history: History, _ invocation: Invocation,
    _ context: Context
  ) throws {
    let now = context.now()
    let last = Activity.day(of: min(range.until ?? now, now), in: .local)
    let first = range.since.map { Activity.day(of: $0, in: .local) } ?? last - digestDays + 1
    guard first <= last else {
      throw CommandFailure(
        .usage, "--since is later than \(range.until == nil ? "now" : "--until")",
        hint: "verso help when shows how to write a time")
    }
    let whole = DigestPrinter.Period(days: first...last)
    let periods = DigestPrinter.periods(first...last)
    let folder = path ?? .root
    let digests = try history.digests(of: periods.map(\.times), below: folder)
    let printer = DigestPrinter(output: context.output)
    let pairs = Array(zip(periods, digests))
    if invocation.wantsJSON {
      for (period, digest) in pairs where !digest.isEmpty { printer.printJSON(period, digest) }
      return
    }
    guard let all = try history.digests(of: [whole.times], below: folder).first else { return }
    printer.print(all, whole, pairs.map { (period: $0, digest: $1) })
  }
}
