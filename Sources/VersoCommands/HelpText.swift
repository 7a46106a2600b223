import VersoModel

/// The pages of `verso help`, made from the table.
package struct HelpText {
  private let palette: Palette

  /// Makes the pages' printer.
  package init(_ palette: Palette = .plain) { self.palette = palette }

  private static let width = 80

  // MARK: Pages

  /// The list of commands.
  package var overview: String {
    let commands = CommandTable.commands.map { ($0.name.rawValue, $0.summary) }
    return page([
      section("Usage", ["  verso [OPTION...] COMMAND [OPTION...] [OPERAND...]"]),
      ["Verso keeps a directory of notes in a git history that writes itself."],
      section("Commands", table(commands)),
      section("Options of every command", options(CommandTable.commonFlags)),
      section("Options in place of a command", options([CommandTable.versionFlag])),
      [
        "'verso help COMMAND' tells more about a command, 'verso help when' how to write",
        "a time, and 'verso help json' what --json prints.",
      ],
    ])
  }

  /// The page of one command.
  package func page(of command: Command) -> String {
    var parts = [
      section("Usage", Self.usage(command).map { "  " + $0 }),
      [command.summary + "."],
    ]
    parts += command.description.map { TextWidth.wrapped($0, to: Self.width) }
    if !command.aliases.isEmpty {
      parts.append([
        "The same command is called 'verso \(command.aliases.joined(separator: ", "))'."
      ])
    }
    if !command.flags.isEmpty { parts.append(section("Options", options(command.flags))) }
    if command.writes {
      parts.append(
        section("Options of every command that writes", options(CommandTable.writingFlags)))
    }
    parts.append(section("Options of every command", options(CommandTable.commonFlags)))
    if command.flags.contains(where: { $0.value?.kind == .when }) {
      parts.append(["'verso help when' lists the ways to write WHEN."])
    }
    parts.append(
      section("Exit codes", table(command.allExitCodes.map { ("\($0.rawValue)", $0.meaning) })))
    let examples = command.examples.flatMap { ["  \($0.line)", "      \($0.purpose)"] }
    parts.append(section("Examples", examples))
    return page(parts)
  }

  /// The page `when`.
  package var when: String {
    page(
      [
        ["WHEN names a state of the past. It is written as one word, or in quotes."],
        section("Forms", table(WhenForms.all.map { ($0.form, $0.meaning) })),
      ] + WhenForms.notes.map { TextWidth.wrapped($0, to: Self.width) })
  }

  /// The page `json`.
  package var json: String {
    let types = JSONType.all.map { type in
      [palette.paint(type.name.rawValue, .heading) + ": \(type.summary)"]
        + (table(type.fields.map { ($0.name + ($0.isOptional ? "?" : ""), $0.doc) }) + [
          type.example
        ])
    }
    return page(
      [TextWidth.wrapped(Self.jsonIntroduction, to: Self.width)] + types)
  }

  static let jsonIntroduction =
    "With --json, each line of standard output is one JSON object, and what it is stands in its "
    + "field 'type'. Times are RFC 3339 in universal time, ids are 40 hexadecimal digits, and paths "
    + "are strings; a path or line that is not valid UTF-8 is {\"bytes\": ...} with its bytes in "
    + "Base64. Fields marked ? are sometimes left out. Fields are added over time and never removed. "
    + "A failure is an object on standard error."

  // MARK: Layout

  /// The command with its operands and options, in lines that fit the page.
  static func usage(_ command: Command) -> [String] {
    let start = "verso \(command.name.rawValue)"
    var words = command.flags.map(\.usage)
    if command.writes { words += CommandTable.writingFlags.map(\.usage) }
    words += command.operands.map(\.usage)
    var lines = [start]
    for word in words {
      if lines[lines.count - 1].count + word.count + 1 > width - 2 {
        lines.append(String(repeating: " ", count: start.count))
      }
      lines[lines.count - 1] += " \(word)"
    }
    return lines
  }

  private func page(_ parts: [[String]]) -> String {
    parts.map { $0.joined(separator: "\n") + "\n" }.joined(separator: "\n")
  }

  private func section(_ title: String, _ lines: [String]) -> [String] {
    [palette.paint(title + ":", .heading)] + lines
  }

  private func options(_ flags: [Flag]) -> [String] {
    table(
      flags.map { flag in
        let short = flag.short.map { "-\($0)" } ?? "  "
        let long = flag.long.map { "--\($0)" }
        let names = [short, long].compactMap(\.self).joined(
          separator: flag.short == nil ? "  " : ", ")
        return (names + (flag.valueUsage.map { " \($0)" } ?? ""), flag.doc)
      })
  }

  /// Two columns; a first one that is too wide gets a line of its own.
  private func table(_ rows: [(String, String)]) -> [String] {
    let fitting = rows.map(\.0.count).filter { $0 <= 24 }
    let width = max(4, fitting.max() ?? 24)
    let indent = String(repeating: " ", count: width + 4)
    return rows.flatMap { name, text in
      var lines = TextWidth.wrapped(text, to: Self.width - indent.count).map { indent + $0 }
      if name.count <= width, let first = lines.first {
        lines[0] = "  " + TextWidth.padded(name, to: width) + "  " + first.dropFirst(indent.count)
      } else {
        lines.insert("  " + name, at: 0)
      }
      return lines
    }
  }
}

/// The ways to write a WHEN, for help and manual.
enum WhenForms {
  static let all: [(form: String, meaning: String)] = [
    ("2026-11-28", "A day; 2026-11 and 2026 are a month and a year."),
    ("'2026-11-28 14:30'", "A time, with or without seconds."),
    ("2026-11-28T14:30:05Z", "A time as in RFC 3339; +01:00 or the like in place of Z."),
    ("now, today, yesterday", "What they say."),
    ("monday", "The last such day before today."),
    ("'3 hours ago'", "Also seconds, minutes, days, weeks, months and years."),
    ("~1", "One version of PATH before the last; ~2 is the one before that."),
    ("id:1a2b3c4", "The version with this id, of which four digits or more are enough."),
    ("HEAD~3, a tag, ...", "Whatever 'git rev-parse' knows."),
  ]

  static let notes = [
    "Times without a zone are local. A day means its end for --at, --until and --to, and its start "
      + "for --since and --from; a month and a year likewise. The version of a time is the last one "
      + "made at or before it.",
    "Digits that read as a date are a date: write id:2026 for an id that starts with 2026. If PATH "
      + "did not exist at that time, the name it had then is followed.",
  ]
}
