import Verso
import VersoModel

/// `verso doctor`: is the vault in good health, and what can be mended?
enum DoctorCommand {
  static func run(_ invocation: Invocation, _ context: Context) throws -> ExitCode {
    let start = try VaultOperands.directory(invocation)
    guard let location = VaultLocation(above: start) else {
      throw CommandFailure(
        .failed, "\(path: Array(start.utf8)) is not in a vault", hint: "run: verso init DIR")
    }
    let fixes = invocation.has(.fix) && !invocation.isDryRun
    let doctor = Doctor(root: location.root, fixes: fixes)
    for finding in doctor.findings { print(finding, context) }
    switch doctor.findings.map(\.level.rawValue).max() ?? 0 {
    case 2: return .failed
    case 1: return .attention
    default: return .done
    }
  }

  private static func print(_ finding: Doctor.Finding, _ context: Context) {
    let output = context.output
    guard !output.settings.wantsJSON else {
      var fields: JSONFields = [
        "event": finding.isFixed ? "fixed" : "checked", "time": .time(context.now()),
        "message": .text(finding.message), "topic": .text(finding.topic),
        "level": .text(word(finding)),
      ]
      fields.append("hint", finding.hint.map { .text($0) })
      return output.print(JSONObject(.event, fields))
    }
    if output.settings.isQuiet, finding.level == .good { return }
    let style: Style = finding.level == .good ? .added : finding.level == .look ? .warning : .error
    let mark = word(finding)
    let gap = String(repeating: " ", count: max(1, 6 - mark.count))
    output.print("\(mark, style)\(gap)\(finding.topic): \(finding.message)")
    if let hint = finding.hint { output.print("      \(hint, .hint)") }
  }

  private static func word(_ finding: Doctor.Finding) -> String {
    if finding.isFixed { return "fixed" }
    return finding.level == .good ? "ok" : finding.level == .look ? "look" : "bad"
  }
}
