import VersoModel

/// The completion script for zsh (zshcompsys(1)).
enum ZshCompletion {
  static var script: String {
    """
    #compdef verso
    # Completion of verso for zsh; made by 'verso completions zsh'.

    _verso() {
      local context state state_descr line
      typeset -A opt_args
      _arguments -C \\
    \(specs(CommandTable.commonFlags + [CommandTable.versionFlag], indent: "    "))
        '1:command:->command' \\
        '*::operand:->operand' && return
      case $state in
        command)
          local -a commands=(
    \(descriptions)
          )
          _describe -t commands command commands
          ;;
        operand)
          case $line[1] in
    \(commands)
          esac
          ;;
      esac
    }

    if [[ $funcstack[1] == _verso ]]; then
      _verso "$@"
    else
      compdef _verso verso
    fi

    """
  }

  private static var descriptions: String {
    CommandTable.commands.flatMap { command in
      ([command.name.rawValue] + command.aliases).map { name in
        "        \(quoted("\(name):\(escaped(command.summary, ":"))"))"
      }
    }.joined(separator: "\n")
  }

  private static var commands: String {
    CommandTable.commands.map { command in
      let names = ([command.name.rawValue] + command.aliases).joined(separator: " | ")
      let operands = command.operands.map { operand in
        let place = operand.isRepeating ? "*" : operand.isOptional ? ":" : ""
        return "            " + quoted("\(place):\(operand.name):\(action(operand.value))")
      }
      let lines = [specs(command.allFlags, indent: "            ")] + operands.map { $0 + " \\" }
      return """
                \(names))
                  _arguments \\
        \(lines.joined(separator: "\n"))
                    && return ;;
        """
    }.joined(separator: "\n")
  }

  private static func specs(_ flags: [Flag], indent: String) -> String {
    flags.map { flag in
      let doc = "[\(escaped(firstSentence(flag.doc), "[]:"))]"
      let value = flag.value.map { ":\($0.name):\(action($0.kind))" } ?? ""
      let specs = flag.spellings.map { spelling in
        // `--option=` takes its value after the sign or as the next word.
        let name = flag.value != nil && spelling.hasPrefix("--") ? spelling + "=" : spelling
        return quoted("*\(name)\(doc)\(value)")
      }
      return specs.map { "\(indent)\($0) \\" }.joined(separator: "\n")
    }.joined(separator: "\n")
  }

  private static func action(_ value: Value) -> String {
    if let words = Shell.words(value) { return "(\(words.joined(separator: " ")))" }
    return switch value {
    case .folder: "_files -/"
    case .path: "_files"
    default: " "
    }
  }

  static func firstSentence(_ doc: String) -> String {
    var sentence = ""
    for character in doc {
      if character == "." || character == ";" { break }
      sentence.append(character)
    }
    return sentence
  }

  private static func escaped(_ text: String, _ special: String) -> String {
    text.map { special.contains($0) ? "\\\($0)" : String($0) }.joined()
  }

  private static func quoted(_ text: String) -> String {
    ShellText.inQuotes(text)
  }
}
