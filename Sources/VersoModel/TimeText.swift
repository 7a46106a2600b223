/// How times are written, for people and for programs.
public enum TimeText {
  /// A date and time to the minute, such as `2026-11-28 14:30`.
  public static func minute(_ seconds: Int64, in zone: CivilTime.Zone = .local) -> String {
    let time = CivilTime(seconds, in: zone)
    return "\(date(time)) \(padded(time.hour, 2)):\(padded(time.minute, 2))"
  }

  /// A date, such as `2026-11-28`.
  public static func day(_ seconds: Int64, in zone: CivilTime.Zone = .local) -> String {
    date(CivilTime(seconds, in: zone))
  }

  /// The time of day to the minute, such as `14:30`.
  public static func clock(_ seconds: Int64, in zone: CivilTime.Zone = .local) -> String {
    let time = CivilTime(seconds, in: zone)
    return "\(padded(time.hour, 2)):\(padded(time.minute, 2))"
  }

  /// RFC 3339 in universal time, such as `2026-11-28T13:30:05Z`.
  public static func rfc3339(_ seconds: Int64) -> String {
    let time = CivilTime(seconds, in: .utc)
    return date(time) + "T" + padded(time.hour, 2) + ":" + padded(time.minute, 2) + ":"
      + padded(time.second, 2) + "Z"
  }

  /// A day as people say it: `14 March`, or `14 March 2025` where that is not the year of `now`.
  public static func longDay(
    _ seconds: Int64, now: Int64, in zone: CivilTime.Zone = .local
  ) -> String {
    let months = [
      "January", "February", "March", "April", "May", "June", "July", "August", "September",
      "October", "November", "December",
    ]
    let time = CivilTime(seconds, in: zone)
    let day = "\(time.day) \(months[Int(time.month - 1)])"
    return time.year == CivilTime(now, in: zone).year ? day : "\(day) \(time.year)"
  }

  private static func date(_ time: CivilTime) -> String {
    "\(padded(time.year, 4))-\(padded(time.month, 2))-\(padded(time.day, 2))"
  }

  private static func padded(_ number: Int64, _ width: Int) -> String {
    let digits = String(number.magnitude)
    let zeros = String(repeating: "0", count: max(0, width - digits.count))
    return (number < 0 ? "-" : "") + zeros + digits
  }
}
