import Glibc
import VersoDisk
package import VersoHistory
import VersoModel

/// What a machine is to do by itself for a vault, and how often.
package struct SchedulePlan: Hashable, Sendable {
  package enum Rhythm: Hashable, Sendable {
    /// Synchronise again and again.
    case every(VersoDuration)
    /// Watch, all the time; how often to synchronise, where that is said.
    case watch(syncEvery: VersoDuration?)
  }

  /// The vault's root, absolute.
  package let root: String
  /// The executable, absolute.
  package let program: String
  package let rhythm: Rhythm
  /// Whom a system service runs as; `nil` for a schedule of the user's own.
  package let user: String?
  /// Together with the root it decides at which minute: not all machines at the same.
  package let host: String

  /// How often without `--every`.
  package static let usualLength = VersoDuration(milliseconds: 600_000)
  private static let shortest = VersoDuration(milliseconds: 10_000)

  /// - Throws: ``VersoError/Code/refused`` for a path that no unit and no crontab can hold,
  ///   ``VersoError/Code/usage`` for a rhythm that makes no sense.
  package init(
    root: String, program: String, rhythm: Rhythm, user: String? = nil, host: String
  ) throws(VersoError) {
    for path in [root, program]
    where path.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) {
      throw VersoError(
        .refused, "\(path) has a line feed or another control character in its name",
        hint: "rename it; no unit and no crontab can hold such a path")
    }
    if program.unicodeScalars.contains("$") {
      throw VersoError(
        .refused,
        "\(program) has a dollar sign in its name, which systemd would read as a variable",
        hint: "install the program under another path")
    }
    if case .every(let length) = rhythm, length < Self.shortest {
      throw VersoError(
        .usage, "--every \(length) is too often", hint: "give at least \(Self.shortest)")
    }
    (self.root, self.program, self.rhythm) = (root, program, rhythm)
    (self.user, self.host) = (user, host)
  }

  /// What the program is told, after its name.
  package var arguments: [String] {
    switch rhythm {
    case .every: Self.synchronising + [root]
    case .watch(let length?): ["watch", "--sync-every", "\(length)", root]
    case .watch(nil): ["watch", root]
    }
  }

  /// The command that a schedule runs, before the vault.
  package static let synchronising = ["sync", "-q"]

  /// A number that differs from machine to machine and from vault to vault.
  var spread: Int {
    Int(truncatingIfNeeded: FNV.hash(Array("\(host)\0\(root)".utf8)) >> 1)
  }
}

/// Lengths that a clock repeats: so many minutes that divide an hour, or hours that divide a day.
package struct ClockRhythm: Hashable, Sendable {
  /// Of the hour; all of them begin in the same way every hour.
  let minutes: Int

  static let all =
    (1...60).filter { 60 % $0 == 0 } + (2...24).filter { 24 % $0 == 0 }.map { $0 * 60 }

  init(minutes: Int) { self.minutes = minutes }

  /// `nil` where the length divides neither an hour nor a day.
  init?(_ length: VersoDuration) {
    guard let minutes = Self.all.first(where: { Int64($0) * 60_000 == length.milliseconds }) else {
      return nil
    }
    self.minutes = minutes
  }

  /// The two lengths nearest to one that is none: the next shorter and the next longer.
  static func nearest(to length: VersoDuration) -> [VersoDuration] {
    let lengths = all.map { VersoDuration(milliseconds: Int64($0) * 60_000) }
    let after = lengths.firstIndex { $0 > length } ?? lengths.count
    let first = min(max(0, after - 1), lengths.count - 2)
    return Array(lengths[first...(first + 1)])
  }

  /// The first two fields of a crontab line (crontab(5)).
  func cronFields(spread: Int) -> String {
    if minutes == 1 { return "* *" }
    if minutes < 60 { return "\(spread % minutes)-59/\(minutes) *" }
    let (minute, hour) = (spread % 60, spread / 60 % (minutes / 60))
    switch minutes {
    case 60: return "\(minute) *"
    case 1440: return "\(minute) \(hour)"
    default: return "\(minute) \(hour)-23/\(minutes / 60)"
    }
  }

  /// The same as a calendar event (systemd.time(7)).
  func calendar(spread: Int) -> String {
    if minutes == 1 { return "*:*" }
    if minutes < 60 { return "*:\(Self.two(spread % minutes))/\(minutes)" }
    let (minute, hour) = (Self.two(spread % 60), Self.two(spread / 60 % (minutes / 60)))
    switch minutes {
    case 60: return "*:\(minute)"
    case 1440: return "\(hour):\(minute)"
    default: return "\(hour)/\(minutes / 60):\(minute)"
    }
  }

  private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
