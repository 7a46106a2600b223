extension VersoMain {
  /// What carries a command out.
  ///
  /// A ``CommandFailure`` that it throws, or any other error, is reported and decides the exit code.
  package typealias Runner = (Invocation, Context) throws -> ExitCode

  /// The runner of each command: the one place where commands are plugged in.
  static func runner(for command: Command.Name) -> Runner {
    switch command {
    case .completions: CompletionsCommand.run
    case .help: HelpCommand.run
    case .`init`, .forget, .save, .status, .log, .show, .ls, .diff, .restore, .undo, .redo, .doctor:
      { invocation, _ in
        throw CommandFailure(
          .failed, "'verso \(invocation.command.rawValue)' is not part of this build")
      }
    }
  }
}
