import VersoDisk
import VersoHistory
import VersoModel

/// The systemd units of a plan, as text.
package enum SystemdUnits {
  /// A unit as a file.
  package struct File: Hashable, Sendable {
    /// Such as `verso-home-ada-notes.timer`.
    package let name: String
    package let text: String
  }

  /// What the first line of a unit of ours says.
  static let mark = "# Made by 'verso schedule add'; 'verso schedule remove' takes it out again."

  /// The units of a plan; the last one is the one to enable.
  package static func files(_ plan: SchedulePlan) -> [File] {
    let name = baseName(root: Array(plan.root.utf8))
    let service = File(name: "\(name).service", text: service(plan))
    guard case .every(let length) = plan.rhythm else { return [service] }
    return [service, File(name: "\(name).timer", text: timer(plan, every: length))]
  }

  /// The name that the units of a vault share, without its ending.
  static func baseName(root: [UInt8]) -> String {
    let escaped = escapedPath(root)
    // A unit's name has at most 255 bytes with its ending.
    if escaped.utf8.count <= 200 { return "verso-\(escaped)" }
    return "verso-\(escaped.prefix(150))-\(hash(root))"
  }

  /// What `systemd-escape --path` makes of an absolute path.
  static func escapedPath(_ path: [UInt8]) -> String {
    let parts = path.split(separator: RelativePath.slash)
    if parts.isEmpty { return "-" }
    var text = ""
    for (index, byte) in parts.joined(separator: [RelativePath.slash]).enumerated() {
      switch byte {
      case RelativePath.slash: text += "-"
      case UInt8(ascii: ".") where index == 0: text += "\\x2e"
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: ":"), UInt8(ascii: "_"),
        UInt8(ascii: "."):
        text.unicodeScalars.append(Unicode.Scalar(byte))
      default: text += "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
      }
    }
    return text
  }

  /// 16 digits by which a vault is known.
  static func hash(_ root: [UInt8]) -> String {
    FNV.digits(of: root)
  }

  // MARK: The service

  private static func service(_ plan: SchedulePlan) -> String {
    let exec = ([plan.program] + plan.arguments).map(quoted).joined(separator: " ")
    var lines = [mark, "[Unit]", "Description=\(description(plan))", "Documentation=man:verso(1)"]
    if plan.user != nil {
      // The manager of a user has no such target; a sync without a network says so and is repeated.
      lines += ["Wants=network-online.target", "After=network-online.target"]
    }
    lines += ["", "[Service]"]
    if let user = plan.user { lines.append("User=\(user)") }
    switch plan.rhythm {
    case .every:
      lines += ["Type=oneshot", "ExecStart=\(exec)", "TimeoutStartSec=1h"]
    case .watch:
      lines += [
        "Type=notify", "ExecStart=\(exec)", "WatchdogSec=60", "Restart=on-failure", "RestartSec=30",
        "# A wrong command line and a refusal do not get better by themselves.",
        "RestartPreventExitStatus=2 5",
        "# It saves what has settled and synchronises before it ends; git ends by itself.",
        "TimeoutStopSec=30", "KillMode=mixed",
      ]
    }
    lines += [
      "# Done, but look: 'verso status' says at what.", "SuccessExitStatus=3", "Nice=10",
      "# What neither git nor ssh needs. Nothing here gives it another view of the file system: ssh",
      "# would take its configuration for somebody else's, and 'verso' would not find the socket.",
      "NoNewPrivileges=yes", "LockPersonality=yes", "RestrictRealtime=yes",
    ]
    if case .watch = plan.rhythm {
      lines += ["", "[Install]", "WantedBy=\(plan.user == nil ? "default" : "multi-user").target"]
    }
    return (lines + [""] + notes(plan)).map { $0 + "\n" }.joined()
  }

  private static func description(_ plan: SchedulePlan) -> String {
    // By scalars, as systemd reads it.
    var root = ""
    for scalar in plan.root.unicodeScalars {
      root += scalar == "%" ? "%%" : String(scalar)
    }
    switch plan.rhythm {
    case .every: return "Synchronise the notes in \(root) with Verso"
    case .watch: return "Save the notes in \(root) as they change, with Verso"
    }
  }

  /// For our own reading; systemd passes over sections that begin so (systemd.unit(5)).
  private static func notes(_ plan: SchedulePlan) -> [String] {
    func word(_ text: String) -> String {
      String(decoding: QuotedPath.quote(text.utf8, escapesHighBytes: false), as: UTF8.self)
    }
    var lines = ["[X-Verso]", "Vault=\(word(plan.root))", "Program=\(word(plan.program))"]
    if case .every(let length) = plan.rhythm { lines.append("Every=\(length)") }
    return lines
  }

  /// A word of a command line (systemd.service(5), "Command lines"): where it needs them in quotes,
  /// with nothing left that means something to systemd.
  static func quoted(_ word: String) -> String {
    if CronTable.isPlain(word) { return word }
    var text = "\""
    for character in word.unicodeScalars {
      switch character {
      case "\\", "\"": text += "\\\(character)"
      case "%", "$": text += "\(character)\(character)"
      default: text.unicodeScalars.append(character)
      }
    }
    return text + "\""
  }

  // MARK: The timer

  private static func timer(_ plan: SchedulePlan, every length: VersoDuration) -> String {
    var lines = [
      mark, "[Unit]",
      "Description=Every \(length): \(description(plan).prefix(1).lowercased())"
        + "\(description(plan).dropFirst())",
      "", "[Timer]",
    ]
    if let rhythm = ClockRhythm(length) {
      lines += ["OnCalendar=\(rhythm.calendar(spread: plan.spread))", "Persistent=true"]
    } else {
      let first = VersoDuration(
        milliseconds: Int64(plan.spread) % min(length.milliseconds, 3_600_000) / 1000 * 1000 + 1000)
      lines += ["OnBootSec=\(first)", "OnUnitActiveSec=\(length)"]
    }
    let delay = min(max(length.milliseconds / 10_000, 1), 300)
    lines += [
      "# Other machines do not come at the same moment.", "RandomizedDelaySec=\(delay)s",
      "AccuracySec=\(length.milliseconds < 300_000 ? "1s" : "1min")", "",
      "[Install]", "WantedBy=timers.target",
    ]
    return lines.map { $0 + "\n" }.joined()
  }

  // MARK: Reading

  /// What a service of ours says of itself; `nil` for one of somebody else's.
  static func reading(_ text: [UInt8]) -> (root: [UInt8], program: [UInt8], every: String?)? {
    guard text.starts(with: mark.utf8) else { return nil }
    func value(_ key: String) -> [UInt8]? {
      let start = Array("\(key)=".utf8)
      let line = text.split(separator: 0x0A).last { $0.starts(with: start) }
      return line.flatMap { QuotedPath.unquote(Array($0.dropFirst(start.count))) }
    }
    guard let root = value("Vault"), let program = value("Program") else { return nil }
    return (root, program, value("Every").map { String(decoding: $0, as: UTF8.self) })
  }
}
