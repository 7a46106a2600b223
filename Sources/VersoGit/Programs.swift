/// Runs helper programs without a terminal.
package struct Programs: ProgramRunner {
  package init() {}

  package func run(_ request: ProgramRequest) -> ProgramOutcome {
    guard let program = request.arguments.first else {
      return ProgramOutcome(end: .notStarted("no program was named"))
    }
    let child = Subprocess(
      program, request.arguments.dropFirst().map { Subprocess.Argument(stringLiteral: $0) },
      environment: request.environment, timeLimit: request.limit)
    do throws(SubprocessError) {
      let result = try child.run(input: request.input)
      let end: ProgramOutcome.End =
        switch result.ending {
        case .exited(let code): .exit(code)
        case .killed(let signal): .signal(signal)
        case .timedOut: .timeout
        }
      return ProgramOutcome(end: end, output: result.output, error: result.errorOutput)
    } catch {
      return ProgramOutcome(end: .notStarted("\(error)"))
    }
  }
}
