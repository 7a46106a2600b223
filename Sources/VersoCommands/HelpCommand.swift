/// `verso help`, and `--help` of every command.
enum HelpCommand {
  static func run(_ invocation: Invocation, _ context: Context) throws -> ExitCode {
    guard let operand = invocation.operands.first else { return print(nil, context.output) }
    let name = String(decoding: operand, as: UTF8.self)
    guard let topic = HelpTopic(name) else {
      let nearest = Suggestion.nearest(to: name, among: HelpTopic.allNames)
      throw UsageError(
        message: "there is no help on '\(name)'",
        hint: nearest.map { "did you mean 'verso help \($0)'?" } ?? "run 'verso help' for a list")
    }
    return print(topic, context.output)
  }

  /// Prints a page; without a topic, the list of commands.
  static func print(_ topic: HelpTopic?, _ output: Output) -> ExitCode {
    let help = HelpText(output.palette)
    switch topic {
    case nil: output.write(help.overview)
    case .command(let name): output.write(help.page(of: CommandTable[name]))
    case .when: output.write(help.when)
    case .json: output.write(help.json)
    case .man: output.write(ManualPage.source)
    }
    return .done
  }
}

/// `verso completions`.
enum CompletionsCommand {
  static func run(_ invocation: Invocation, _ context: Context) -> ExitCode {
    // The parser has checked that it is one of the choices.
    let name = invocation.operands.first.map { String(decoding: $0, as: UTF8.self) }
    if let shell = name.flatMap(Shell.init(rawValue:)) {
      context.output.write(shell.completionScript)
    }
    return .done
  }
}
