/// The manual page verso(1) as roff source, made from the table (man(7), groff_man(7)).
package enum ManualPage {
  /// The whole page.
  package static var source: String {
    ([header] + [
      synopsis, description, commands, options, when, exitStatus, json, environment, seeAlso,
    ])
    .map { $0.joined(separator: "\n") + "\n" }.joined()
  }

  private static let header = [
    ".\\\" Made by 'verso help man' from the table of commands.",
    ".TH VERSO 1 \"\" \"verso \(versoVersion)\" \"User Commands\"",
    ".SH NAME", "verso \\- keep a directory of notes in a git history that writes itself",
  ]

  private static let synopsis = [
    ".SH SYNOPSIS", ".B verso",
    "[\\fIOPTION\\fR...] \\fICOMMAND\\fR [\\fIOPTION\\fR...] "
      + "[\\fIOPERAND\\fR...]",
    ".br", ".B verso \\-\\-version",
  ]

  private static let description =
    [".SH DESCRIPTION"]
    + paragraphs([
      "Verso keeps a directory of notes, which may be files of any kind in folders, as ordinary "
        + "files and as a git history that writes itself. Such a directory is called a vault. Its "
        + "repository is an ordinary one: git and its tools work on it before, during and after.",
      "The vault is that of -C DIR, else the nearest above the first PATH or DIR, else the nearest "
        + "above the current directory. A PATH is relative to the current directory, or absolute. "
        + "Options may stand before or after operands, long ones may be shortened, and -- ends "
        + "them.",
    ])

  private static let commands = [".SH COMMANDS"] + CommandTable.commands.flatMap(section)

  private static func section(_ command: Command) -> [String] {
    let operands = command.operands.map { " \(operand($0))" }.joined()
    let own = command.flags.isEmpty ? "" : " [\\fIOPTION\\fR...]"
    var lines = [".SS verso \(command.name.rawValue)\(own)\(operands)"]
    lines += [text(command.summary + ".")] + paragraphs(command.description)
    if !command.aliases.isEmpty {
      lines += paragraphs(["The same as 'verso \(command.aliases.joined(separator: ", "))'."])
    }
    lines += command.flags.flatMap(entry)
    for example in command.examples {
      lines += [
        ".PP", text(example.purpose + ":"), ".PP", ".EX", "    " + text(example.line), ".EE",
      ]
    }
    return lines
  }

  private static let options =
    [".SH OPTIONS", "Every command takes these:"] + CommandTable.commonFlags.flatMap(entry)
    + [".PP", "Every command that writes takes these too: "]
    + [text(writing + ".")] + CommandTable.writingFlags.flatMap(entry)
    + [".PP", "In place of a command:"] + entry(CommandTable.versionFlag)

  private static let writing = CommandTable.commands.filter(\.writes).map(\.name.rawValue)
    .joined(separator: ", ")

  private static let when =
    [".SH TIMES", "WHEN names a state of the past:"]
    + WhenForms.all.flatMap { [".TP", bold($0.form), text($0.meaning)] }
    + paragraphs(WhenForms.notes)

  private static let exitStatus =
    [".SH EXIT STATUS"]
    + ExitCode.allCases.flatMap { [".TP", bold("\($0.rawValue)"), text($0.meaning)] }
    + paragraphs(["Of several causes, the first of 1, 5, 6, 4 and 3 is told."])

  private static let json =
    [".SH JSON OUTPUT", text(HelpText.jsonIntroduction)]
    + JSONType.all.flatMap { type in
      let fields = type.fields.map { $0.name + ($0.isOptional ? "?" : "") }.joined(separator: ", ")
      return [".TP", bold(type.name.rawValue), text("\(type.summary): \(fields).")]
    } + paragraphs(["'verso help json' describes each field and shows examples."])

  private static let environment =
    [".SH ENVIRONMENT"]
    + [
      ("NO_COLOR", "If set and not empty, no colour without --color always."),
      ("GIT_PAGER, PAGER", "The pager for log, show and diff on a terminal, by git's rules."),
      ("TZ", "The zone of times without one."),
    ].flatMap { [".TP", bold($0.0), text($0.1)] }

  private static let seeAlso = [".SH SEE ALSO", ".BR git (1),", ".BR gitrevisions (7)"]

  // MARK: roff

  private static func entry(_ flag: Flag) -> [String] {
    let value = flag.valueUsage.map { " \\fI\(text($0))\\fR" } ?? ""
    let names = flag.spellings.map(bold).joined(separator: ", ")
    return [".TP", names + value, text(flag.doc)]
  }

  private static func operand(_ operand: Command.Operand) -> String {
    let name = "\\fI\(operand.name)\\fR" + (operand.isRepeating ? "..." : "")
    return operand.isOptional ? "[\(name)]" : name
  }

  private static func paragraphs(_ texts: [String]) -> [String] {
    texts.flatMap { [".PP", text($0)] }
  }

  private static func bold(_ plain: String) -> String { "\\fB\(text(plain))\\fR" }

  /// Escapes what roff would take for its own (groff_char(7)): hyphens become minus signs, quotes
  /// and accents plain ones, and a leading dot or apostrophe starts no request.
  static func text(_ plain: String) -> String {
    var escaped = ""
    for character in plain {
      switch character {
      case "\\": escaped += "\\(rs"
      case "-": escaped += "\\-"
      case "'": escaped += "\\(aq"
      case "\"": escaped += "\\(dq"
      case "~": escaped += "\\(ti"
      case "^": escaped += "\\(ha"
      case "`": escaped += "\\(ga"
      default: escaped.append(character)
      }
    }
    return escaped.hasPrefix(".") ? "\\&" + escaped : escaped
  }
}
