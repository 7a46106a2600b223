extension VersoMain {
  /// What carries a command out.
  ///
  /// A ``CommandFailure`` that it throws, or any other error, is reported and decides the exit code.
  package typealias Runner = (Invocation, Context) throws -> ExitCode

  /// What shows a vault on the terminal.
  package typealias Browser = (BrowseRequest, Context) throws -> ExitCode

  /// The runner of each command: the one place where commands are plugged in.
  static func runner(for command: Command.Name, browser: @escaping Browser) -> Runner {
    switch command {
    case .browse: BrowseCommand.run(using: browser)
    case .completions: CompletionsCommand.run
    case .help: HelpCommand.run
    case .`init`: InitCommand.run
    case .clone: CloneCommand.run
    case .sync: SyncCommand.run
    case .conflicts: ConflictsCommand.run
    case .forget: ForgetCommand.run
    case .save: SaveCommand.run
    case .status: StatusCommand.run
    case .watch: WatchCommand.run
    case .pause: PauseCommand.pause
    case .resume: PauseCommand.resume
    case .log: LogCommand.run
    case .search: SearchCommand.run
    case .show: ShowCommand.run
    case .ls: ListCommand.run
    case .diff: DiffCommand.run
    case .who: WhoCommand.run
    case .activity: ActivityCommand.run
    case .export: ExportCommand.run
    case .compact: CompactCommand.run
    case .restore: RestoreCommand.run
    case .undo: UndoCommand.run
    case .redo: UndoCommand.run
    case .schedule: ScheduleCommand.run
    case .doctor: DoctorCommand.run
    }
  }
}
