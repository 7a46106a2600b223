/// The completion script for fish (complete(1) of fish).
enum FishCompletion {
  static var script: String {
    var lines = [
      "# Completion of verso for fish; made by 'verso completions fish'.",
      "complete -c verso -f",
    ]
    let words = Shell.commandWords.joined(separator: " ")
    let noCommand = quoted("not __fish_seen_subcommand_from \(words)")
    for command in CommandTable.commands {
      for name in [command.name.rawValue] + command.aliases {
        lines.append("complete -c verso -n \(noCommand) -a \(name) -d \(quoted(command.summary))")
      }
    }
    lines.append(option(CommandTable.versionFlag, condition: noCommand))
    lines += CommandTable.commonFlags.map { option($0, condition: nil) }
    for command in CommandTable.commands {
      let names = ([command.name.rawValue] + command.aliases).joined(separator: " ")
      let condition = quoted("__fish_seen_subcommand_from \(names)")
      let flags = command.flags + (command.writes ? CommandTable.writingFlags : [])
      lines += flags.map { option($0, condition: condition) }
      if let operand = command.operands.last {
        lines.append("complete -c verso -n \(condition) \(arguments(operand.value))")
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func option(_ flag: Flag, condition: String?) -> String {
    var words = ["complete -c verso"]
    if let condition { words.append("-n \(condition)") }
    if let short = flag.short { words.append("-s \(short)") }
    if let long = flag.long { words.append("-l \(long)") }
    if let value = flag.value { words.append("-r \(arguments(value.kind))") }
    words.append("-d \(quoted(ZshCompletion.firstSentence(flag.doc)))")
    return words.joined(separator: " ")
  }

  private static func arguments(_ value: Value) -> String {
    if let words = Shell.words(value) { return "-f -a \(quoted(words.joined(separator: " ")))" }
    return switch value {
    case .folder: "-f -a '(__fish_complete_directories)'"
    case .path: "-F"
    default: "-f"
    }
  }

  /// In single quotes, where fish has escapes for these two only.
  private static func quoted(_ text: String) -> String {
    "'" + text.map { $0 == "'" || $0 == "\\" ? "\\\($0)" : String($0) }.joined() + "'"
  }
}
