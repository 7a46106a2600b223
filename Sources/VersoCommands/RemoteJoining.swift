import Verso
import VersoModel

/// How `init --remote` and `clone` tie a vault to a remote.
enum RemoteJoining {
  static func join(
    _ root: String, _ setup: RemoteSetup, _ invocation: Invocation, _ context: Context
  ) throws -> ExitCode {
    if invocation.isDryRun { return try plan(root, setup, invocation, context) }
    let engine = try Engine.open(above: root, mayBeUnfinished: true)
    var setup = setup
    setup.mayPrompt = context.isInteractive
    setup.wait = Double(invocation.wait)
    let announcement = try setup.run(engine)
    announce(announcement, context)
    // Opened anew, so that the settings are those with the remote.
    let vault = try Engine.open(above: root)
    var request = SyncRequest()
    request.mayPrompt = context.isInteractive
    request.wait = Double(invocation.wait)
    let outcome = try SyncCommand.perform(request, vault, context)
    return SyncReporting.report(outcome, device: vault.device, context)
  }

  /// Before the first push: how much goes where.
  private static func announce(_ announcement: RemoteSetup.Announcement, _ context: Context) {
    let output = context.output
    let (address, branch) = (announcement.address, announcement.branch)
    let files = Counted.text(announcement.files, "file")
    let verb = announcement.files == 1 ? "goes" : "go"
    output.say(
      announcement.isJoining
        ? "joining the branch \(branch) of \(address) with \(files) here"
        : "\(files) \(verb) to the branch \(branch) of \(address)")
    output.flush()
  }

  private static func plan(
    _ root: String, _ setup: RemoteSetup, _ invocation: Invocation, _ context: Context
  ) throws -> ExitCode {
    let plan = try JoinPlan(root: root, setup: setup)
    func say(_ line: String) { SaveReporting.planned(Line(line), context) }
    say("would synchronise with the branch \(plan.branch) of \(plan.address)")
    let here = Counted.text(plan.onlyHere, "file")
    say("\(here) only here, \(plan.onlyThere) only there, \(plan.equal) equal")
    say("\(plan.different) differ: the newer wins where that can be told, else both are kept")
    return .done
  }
}
