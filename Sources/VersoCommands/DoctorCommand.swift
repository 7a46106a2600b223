/// Filled in by the next commits.
enum DoctorCommand {
  static func run(_ invocation: Invocation, _ context: Context) throws -> ExitCode {
    throw CommandFailure(.failed, "'verso \(invocation.command.rawValue)' is not part of this build")
  }
}
