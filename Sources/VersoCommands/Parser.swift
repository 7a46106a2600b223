import VersoHistory

/// Turns words into a request, by the table.
package enum Parser {
  /// Reads a command line.
  ///
  /// Options that every command has may stand before the command's name; all others follow it, before
  /// or after the operands. Long options may be shortened as long as they stay unambiguous, and `--`
  /// ends the options.
  ///
  /// - Parameter words: The command line without the program's name.
  /// - Returns: What to do.
  /// - Throws: ``UsageError``, with the nearest right word where there is one.
  package static func parse(_ words: [[UInt8]]) throws(UsageError) -> Request {
    let first = OptionScanner(
      words, flags: CommandTable.commonFlags + [CommandTable.versionFlag], stopsAtOperand: true)
    if let problem = first.problem { throw before(problem, words) }
    if first.values[.version] != nil { return .version }
    guard let word = first.operands.first else {
      if first.values[.help] != nil { return .help(nil) }
      throw UsageError(message: "no command given", hint: "run 'verso help' for a list")
    }
    let command = try command(called: String(decoding: word, as: UTF8.self))
    let rest = OptionScanner(Array(first.operands.dropFirst()), flags: command.allFlags)
    if let problem = rest.problem { throw after(problem, command) }
    let values = first.values.merging(rest.values) { $0 + $1 }
    if values[.help] != nil { return .help(command.name) }
    try check(values, command)
    try check(rest.operands, command)
    return .run(Invocation(command.name, operands: rest.operands, values: values))
  }

  private static func command(called word: String) throws(UsageError) -> Command {
    if let command = CommandTable.command(called: word) { return command }
    let names = CommandTable.commands.flatMap { [$0.name.rawValue] + $0.aliases }
    let hint = Suggestion.nearest(to: word, among: names).map { "did you mean '\($0)'?" }
    throw UsageError(
      message: "there is no command '\(word)'", hint: hint ?? "run 'verso help' for a list")
  }

  // MARK: Options

  /// A problem with the options before the command's name: the option may be a right one in the wrong
  /// place.
  private static func before(_ problem: OptionScanner.Problem, _ words: [[UInt8]]) -> UsageError {
    if case .unknown(let option) = problem {
      let takes = { (command: Command) in
        command.allFlags.contains { $0.spellings.contains(option) }
      }
      let typed = words.compactMap {
        CommandTable.command(called: String(decoding: $0, as: UTF8.self))
      }
      if let owner = typed.first(where: takes) ?? CommandTable.commands.first(where: takes) {
        return UsageError(
          message: "option \(option) stands before the command",
          hint: "write it after, as in 'verso \(owner.name.rawValue) \(option)'")
      }
    }
    return error(problem, CommandTable.commonFlags + [CommandTable.versionFlag], "verso help")
  }

  private static func after(_ problem: OptionScanner.Problem, _ command: Command) -> UsageError {
    error(problem, command.allFlags, "verso help \(command.name.rawValue)")
  }

  private static func error(
    _ problem: OptionScanner.Problem, _ flags: [Flag], _ help: String
  ) -> UsageError {
    let help = "run '\(help)'"
    switch problem {
    case .unknown(let word):
      // What accepts mass deletions is nothing to be guessed.
      let spellings = flags.filter { $0.name != .allowMassDelete }.flatMap(\.spellings)
        .filter { $0.hasPrefix("--") }
      let nearest = word.hasPrefix("--") ? Suggestion.nearest(to: word, among: spellings) : nil
      return UsageError(
        message: "there is no option '\(word)' here",
        hint: nearest.map { "did you mean '\($0)'?" } ?? help)
    case .ambiguous(let word, let candidates):
      return UsageError(
        message: "option '\(word)' could be \(candidates.joined(separator: " or "))",
        hint: "write more of it")
    case .missingValue(let flag):
      return UsageError(
        message: "option \(flag.spelling) needs a value, \(flag.valueUsage ?? "")", hint: help)
    case .unexpectedValue(let flag):
      return UsageError(message: "option \(flag.spelling) takes no value", hint: help)
    }
  }

  private static func check(
    _ values: [Flag.Name: [[UInt8]]], _ command: Command
  ) throws(UsageError) {
    for flag in command.allFlags {
      guard let kind = flag.value?.kind else { continue }
      for value in values[flag.name] ?? [] { try check(value, kind, of: "option \(flag.spelling)") }
    }
  }

  // MARK: Values

  private static func check(
    _ value: [UInt8], _ kind: Value, of owner: String
  ) throws(UsageError) {
    let text = String(decoding: value, as: UTF8.self)
    switch kind {
    case .number where Invocation.naturalNumber(text[...]) == nil:
      throw UsageError(
        message: "\(owner) takes a number, not '\(text)'", hint: "write a whole number, 0 or more")
    case .lines where Invocation.lines(value) == nil:
      throw UsageError(
        message: "\(owner) takes two line numbers, not '\(text)'",
        hint: "write the first and the last line, as in 3-9")
    case .choice(let choices) where !choices.contains(text):
      let nearest = Suggestion.nearest(to: text, among: choices)
      throw UsageError(
        message: "\(owner) does not take '\(text)'",
        hint: nearest.map { "did you mean '\($0)'?" }
          ?? "write one of \(choices.joined(separator: ", "))")
    case .duration: try checkDuration(text, of: owner)
    case .durationOrNever where text != "never": try checkDuration(text, of: owner)
    case .path where value.isEmpty, .folder where value.isEmpty:
      throw UsageError(
        message: "\(owner) is an empty path", hint: "write . for the current directory")
    default: break
    }
  }

  private static func checkDuration(_ text: String, of owner: String) throws(UsageError) {
    do throws(WhenError) {
      _ = try VersoDuration(parsing: text)
    } catch {
      throw UsageError(
        message: "\(owner): \(error.message)", hint: error.hint ?? "write a shorter one")
    }
  }

  private static func check(
    _ words: [[UInt8]], _ command: Command
  ) throws(UsageError) {
    let help = "run 'verso help \(command.name.rawValue)'"
    let required = command.operands.filter { !$0.isOptional }
    if words.count < required.count {
      throw UsageError(
        message: "'verso \(command.name.rawValue)' needs a \(required[words.count].name)",
        hint: help)
    }
    for (index, word) in words.enumerated() {
      guard index < command.operands.count || command.operands.last?.isRepeating == true else {
        let text = String(decoding: word, as: UTF8.self)
        throw UsageError(message: "'\(text)' is one word too many", hint: help)
      }
      let operand = command.operands[min(index, command.operands.count - 1)]
      try check(word, operand.value, of: operand.name)
    }
  }
}
