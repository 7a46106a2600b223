/// The completion script for bash.
///
/// It needs nothing but bash 4: no package `bash-completion`.
enum BashCompletion {
  static var script: String {
    """
    # Completion of verso for bash; made by 'verso completions bash'.

    # Offers the words of $1 that begin with $2.
    _verso_words() { mapfile -t COMPREPLY < <(compgen -W "$1" -- "$2"); }

    # Offers files and folders, or with -d folders only, that begin with $2. The word is as typed: its
    # quotes are taken off here, and bash puts them on again.
    _verso_files() {
      local begin=${2//\\\\/}
      compopt -o filenames 2> /dev/null
      mapfile -t COMPREPLY < <(compgen "$1" -- "${begin#[\\"\\']}")
    }

    _verso() {
      local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
      local command= index flags
      COMPREPLY=()
      # The command is the first word that is neither an option nor the value of one.
      for ((index = 1; index < COMP_CWORD; index++)); do
        case ${COMP_WORDS[index]} in
    \(valueSkips)
          -* | =) ;;
          *) command=${COMP_WORDS[index]}; break ;;
        esac
      done
      # bash makes three words of --option=value.
      if [[ $word == = ]]; then word=; fi
      if [[ $previous == = ]]; then previous=${COMP_WORDS[COMP_CWORD - 2]}; fi
      case $command:$previous in
    \(values)
      esac
      case $command in
    \(commands)
        *) flags= ;;
      esac
      if [[ $word == -* ]]; then
        _verso_words "$flags" "$word"
        return
      fi
      case $command in
        '') _verso_words '\(Shell.commandWords.joined(separator: " "))' "$word" ;;
    \(operands)
      esac
    }

    complete -F _verso verso

    """
  }

  /// Common options whose value is the next word; `--color=auto` is three words.
  private static var valueSkips: String {
    let names = CommandTable.commonFlags.filter { $0.value != nil }.flatMap(\.spellings)
    return """
            \(names.joined(separator: " | ")))
              [[ ${COMP_WORDS[index + 1]} == = ]] && ((index++))
              ((index++)) ;;
      """
  }

  private static func patterns(_ command: Command) -> [String] {
    [command.name.rawValue] + command.aliases
  }

  /// What completes an option's value.
  private static var values: String {
    var lines: [String] = []
    for flag in CommandTable.commonFlags {
      guard let value = flag.value else { continue }
      let patterns = flag.spellings.map { "*:\($0)" }
      lines.append("    \(patterns.joined(separator: " | "))) \(action(value.kind)); return ;;")
    }
    for command in CommandTable.commands {
      for flag in command.flags + (command.writes ? CommandTable.writingFlags : []) {
        guard let value = flag.value else { continue }
        let patterns = patterns(command).flatMap { name in
          flag.spellings.map { "\(name):\($0)" }
        }
        lines.append("    \(patterns.joined(separator: " | "))) \(action(value.kind)); return ;;")
      }
    }
    return lines.joined(separator: "\n")
  }

  private static func action(_ value: Value) -> String {
    if let words = Shell.words(value) {
      return "_verso_words '\(words.joined(separator: " "))' \"$word\""
    }
    switch value {
    case .folder: return "_verso_files -d \"$word\""
    case .path: return "_verso_files -f \"$word\""
    default: return ":"
    }
  }

  private static var commands: String {
    let common = (CommandTable.commonFlags + [CommandTable.versionFlag]).flatMap(\.spellings)
    var lines = ["    '') flags='\(common.joined(separator: " "))' ;;"]
    for command in CommandTable.commands {
      let flags = command.allFlags.flatMap(\.spellings).joined(separator: " ")
      lines.append("    \(patterns(command).joined(separator: " | "))) flags='\(flags)' ;;")
    }
    return lines.joined(separator: "\n")
  }

  private static var operands: String {
    CommandTable.commands.compactMap { command in
      guard let operand = command.operands.last else { return nil }
      return "    \(patterns(command).joined(separator: " | "))) \(action(operand.value)) ;;"
    }.joined(separator: "\n")
  }
}
