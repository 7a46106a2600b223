/// The whole tool as a function: words in, exit code out.
package enum VersoMain {
  /// Runs a command line.
  ///
  /// Help, version and completions are answered here, and need nothing of the library; every other
  /// command is looked up in ``runner(for:browser:)``.
  ///
  /// - Parameters:
  ///   - arguments: The words after the program's name.
  ///   - standardInput: Where answers come from.
  ///   - standardOutput: Where results go.
  ///   - standardError: Where everything else goes.
  ///   - environment: Looks a variable up.
  ///   - browser: What `verso browse` runs; without one the command fails.
  /// - Returns: The exit code of the process.
  package static func run(
    arguments: [[UInt8]], standardInput: Int32 = 0, standardOutput: Int32 = 1,
    standardError: Int32 = 2, environment: @escaping (String) -> String? = Context.variable,
    browser: @escaping Browser = noBrowser
  ) -> Int32 {
    let makeOutput = { (settings: Output.Settings) in
      Output(
        standardOutput: standardOutput, standardError: standardError, settings: settings,
        environment: environment)
    }
    let request: Request
    do throws(UsageError) {
      request = try Parser.parse(arguments)
    } catch {
      // The options are not known when the command line is wrong, but a program wants its object.
      let wantsJSON = arguments.prefix { $0 != Array("--".utf8) }.contains(Array("--json".utf8))
      let output = makeOutput(.init(wantsJSON: wantsJSON))
      output.report(CommandFailure(error))
      return output.finish(.usage).rawValue
    }
    let output: Output
    let code: ExitCode
    switch request {
    case .version:
      output = makeOutput(.init())
      output.write("verso \(versoVersion)\n")
      code = .done
    case .help(let name):
      output = makeOutput(.init())
      code = HelpCommand.print(name.map(HelpTopic.command), output)
    case .run(let invocation):
      output = makeOutput(.init(invocation))
      code = run(
        invocation,
        Context(
          output: output, environment: environment, standardInput: standardInput), browser)
    }
    return output.finish(code).rawValue
  }

  /// Says that this program was built without a browser.
  package static func noBrowser(_ request: BrowseRequest, _ context: Context) throws -> ExitCode {
    throw CommandFailure(.failed, "this program was built without a browser")
  }

  private static func run(
    _ invocation: Invocation, _ context: Context, _ browser: @escaping Browser
  ) -> ExitCode {
    do {
      return try runner(for: invocation.command, browser: browser)(invocation, context)
    } catch {
      let failure = CommandFailure(error)
      // What was printed before belongs before the reason why there is no more.
      context.output.flush()
      context.output.report(failure)
      endIfInterrupted(error)
      return failure.code
    }
  }

  /// Prepares the process and runs what it was called with; for `main.swift`.
  ///
  /// - Parameter browser: What `verso browse` runs.
  /// - Returns: The exit code.
  package static func main(browser: @escaping Browser) -> Int32 {
    Terminal.claimStandardStreams()
    // A reader that goes away then shows as an error of write(2), and the command ends quietly with
    // the code it has so far. Programs that are started must put the default back.
    ignoreBrokenPipes()
    return run(arguments: processArguments(), browser: browser)
  }
}
