import Glibc
import Verso
import VersoModel

/// `verso doctor`: is the vault in good health, and what can be mended?
enum DoctorCommand {
  static func run(_ invocation: Invocation, _ context: Context) throws -> ExitCode {
    var options = Doctor.Options(fixes: invocation.has(.fix), isDryRun: invocation.isDryRun)
    options.wait = Double(invocation.wait)
    options.environment = context.environment
    let start = try VaultOperands.directory(invocation)
    let doctor = Doctor(root: try root(above: start), options: options)
    for finding in doctor.findings { print(finding, context) }
    var codes = doctor.findings.map { code(of: $0.level) }
    if let refusal = doctor.refusal {
      let failure = CommandFailure(refusal)
      context.output.flush()
      context.output.report(failure)
      codes.append(failure.code)
    }
    return ExitCode.combined(codes)
  }

  /// The root to examine: also one whose repository is too broken to be recognised as one.
  private static func root(above start: String) throws -> String {
    if let location = VaultLocation(above: start) { return location.root }
    let folder = VaultLocation.existing(start)
    var status = stat()
    if lstat("\(folder)/.git", &status) == 0 { return folder }
    throw CommandFailure(
      .failed, "\(path: Array(start.utf8)) is not in a vault", path: Array(start.utf8),
      hint: "run: verso init DIR")
  }

  private static func code(of level: Doctor.Finding.Level) -> ExitCode {
    switch level {
    case .good: .done
    case .look: .attention
    case .bad: .failed
    }
  }

  // MARK: Printing

  private static func print(_ finding: Doctor.Finding, _ context: Context) {
    let output = context.output
    guard !output.settings.wantsJSON else { return output.print(object(finding, context)) }
    if output.settings.isQuiet, finding.level == .good { return }
    let style: Style =
      switch finding.level {
      case .good: .added
      case .look: .warning
      case .bad: .error
      }
    let mark = word(finding)
    let gap = String(repeating: " ", count: max(1, 6 - mark.count))
    output.print("\(mark, style)\(gap)\(finding.topic): \(finding.message)")
    if let hint = finding.hint { output.print("      \(hint, .hint)") }
  }

  private static func object(_ finding: Doctor.Finding, _ context: Context) -> JSONObject {
    var fields: JSONFields = [
      "event": .text(finding.isFixed ? "fixed" : "checked"), "time": .time(context.now()),
      "message": .text(finding.message),
    ]
    fields.append("path", finding.path.map(JSONValue.bytes))
    fields.append("topic", .text(finding.topic))
    fields.append("level", .text(word(finding)))
    fields.append("hint", finding.hint.map { .text($0) })
    return JSONObject(.event, fields)
  }

  private static func word(_ finding: Doctor.Finding) -> String {
    if finding.isFixed { return "fixed" }
    return switch finding.level {
    case .good: "ok"
    case .look: "look"
    case .bad: "bad"
    }
  }
}
