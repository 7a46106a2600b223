import Verso

/// One command for every vault of this user: `--all`.
enum CommandLoop {
  /// Does something with each vault that `verso init` has noted; one failure does not touch the rest.
  ///
  /// A vault that has moved or vanished is a failure (1) that says how to take it out of the list.
  ///
  /// - Parameters:
  ///   - heading: Whether to say which vault comes next, as most output does not name its vault: a
  ///     line of its own, or an event with `--json`.
  ///   - body: Is given the root, and says how it went. What it throws is reported, with the vault.
  /// - Returns: The first of 1, 5, 6, 4 and 3 among all codes, else 0.
  /// - Throws: Where the list itself cannot be read.
  static func forAllVaults(
    _ context: Context, heading: Bool = true, body: (String) throws -> ExitCode
  ) throws -> ExitCode {
    let registry = VaultRegistry(environment: context.environment)
    let vaults = try registry.all()
    if vaults.isEmpty { context.output.say("there is no vault yet: verso init DIR makes one") }
    return ExitCode.combined(
      vaults.map { vault in
        switch vault.state {
        case .present(let root):
          if heading { announce(root, context) }
          return attempt(root, context, body)
        case .missing(let reason):
          return report(missing(vault.root, reason), context)
        }
      })
  }

  /// The failure that a vault which is not where it was amounts to.
  static func missing(_ root: [UInt8], _ reason: String) -> CommandFailure {
    CommandFailure(
      .failed, "the vault \(path: root) is missing: \(reason)", path: root,
      hint: """
        mount its disk or put it back; if it has moved, run verso init there, and here \
        verso forget \(ShellWord.quote(root))
        """)
  }

  private static func attempt(
    _ root: String, _ context: Context, _ body: (String) throws -> ExitCode
  ) -> ExitCode {
    do { return try body(root) } catch {
      let failure = CommandFailure(error)
      let isNamed = failure.message.plain.contains(root)
      return report(
        CommandFailure(
          failure.code,
          isNamed ? failure.message : "\(path: Array(root.utf8)): \(failure.message)",
          path: failure.path ?? Array(root.utf8), hint: failure.hint), context)
    }
  }

  private static func announce(_ root: String, _ context: Context) {
    guard context.output.settings.wantsJSON else {
      return context.output.say("\(path: Array(root.utf8)):")
    }
    context.output.print(
      JSONObject(
        .event,
        [
          "event": "vault", "time": .time(context.now()), "message": .text(root),
          "vault": .text(root),
        ]))
  }

  private static func report(_ failure: CommandFailure, _ context: Context) -> ExitCode {
    context.output.flush()
    context.output.report(failure)
    return failure.code
  }
}
