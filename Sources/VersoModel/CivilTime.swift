import Glibc

/// A point in time as calendars and clocks write it.
public struct CivilTime: Hashable, Sendable {
  /// Whose clock is read.
  public enum Zone: Hashable, Sendable {
    /// This process's time zone: `TZ`, else `/etc/localtime` (tzset(3)).
    case local
    /// Universal time.
    case utc
    /// A fixed number of seconds east of Greenwich.
    case offset(Int64)
  }

  public var year: Int64
  /// 1 is January.
  public var month: Int64
  /// 1 is the first of the month.
  public var day: Int64
  public var hour: Int64
  public var minute: Int64
  public var second: Int64

  /// Makes a time from its parts; none is checked, see ``isValidDate``.
  public init(
    year: Int64, month: Int64 = 1, day: Int64 = 1, hour: Int64 = 0, minute: Int64 = 0,
    second: Int64 = 0
  ) {
    (self.year, self.month, self.day) = (year, month, day)
    (self.hour, self.minute, self.second) = (hour, minute, second)
  }

  /// The reading of `zone`'s clock at a time.
  ///
  /// - Parameters:
  ///   - seconds: Seconds since 1970 in universal time.
  ///   - zone: Whose clock is read.
  public init(_ seconds: Int64, in zone: Zone) {
    let fields: tm =
      switch zone {
      case .local: Self.localFields(seconds)
      case .utc: Self.utcFields(seconds)
      case .offset(let offset): Self.utcFields(seconds + offset)
      }
    self.init(fields)
  }

  private init(_ fields: tm) {
    year = Int64(fields.tm_year) + 1900
    month = Int64(fields.tm_mon) + 1
    day = Int64(fields.tm_mday)
    hour = Int64(fields.tm_hour)
    minute = Int64(fields.tm_min)
    second = Int64(fields.tm_sec)
  }

  /// Whether the calendar has this day; the clock time is not looked at.
  public var isValidDate: Bool {
    guard 1...12 ~= month, 1...31 ~= day else { return false }
    let date = CivilTime(year: year, month: month, day: day)
    return CivilTime(date.universal, in: .utc) == date
  }

  /// 0 for Sunday to 6 for Saturday.
  public var weekday: Int { Int(Self.utcFields(universal).tm_wday) }

  /// The same clock time some days later, or earlier; months and years follow.
  public func adding(days: Int64) -> CivilTime {
    CivilTime(universal + days * 86_400, in: .utc)
  }

  /// The same clock time some months later, or earlier; the day is the month's last where the month
  /// is too short.
  public func adding(months: Int64) -> CivilTime {
    var moved = self
    let count = year * 12 + (month - 1) + months
    moved.year = Int64((Double(count) / 12).rounded(.down))
    moved.month = count - moved.year * 12 + 1
    while !moved.isValidDate && moved.day > 28 { moved.day -= 1 }
    return moved
  }

  /// Midnight of the same day.
  public var startOfDay: CivilTime { CivilTime(year: year, month: month, day: day) }

  /// Which of two moments is meant where a clock shows the same time twice.
  public enum Choice: Sendable {
    case earlier
    case later
  }

  /// The moment at which `zone`'s clock shows this time.
  ///
  /// Where summer time ends, a clock shows an hour twice, and `choice` decides; where it begins, the
  /// clock skips an hour, and a time in it is read as though the clock had not been put forward
  /// yet. mktime(3) leaves both open, and glibc's answer depends on the calls before.
  ///
  /// - Returns: Seconds since 1970 in universal time.
  public func seconds(in zone: Zone, choosing choice: Choice = .earlier) -> Int64 {
    switch zone {
    case .utc: return universal
    case .offset(let offset): return universal - offset
    case .local: break
    }
    let before = universal - Self.localOffset(at: universal - 86_400)
    let after = universal - Self.localOffset(at: universal + 86_400)
    let normal = CivilTime(universal, in: .utc)
    let shown = Set([before, after]).filter { CivilTime($0, in: .local) == normal }
    return (choice == .earlier ? shown.min() : shown.max()) ?? before
  }

  /// The parts read as universal time; parts out of range carry over, as in timegm(3).
  private var universal: Int64 {
    var fields = tm()
    fields.tm_year = Int32(clamping: year - 1900)
    fields.tm_mon = Int32(clamping: month - 1)
    fields.tm_mday = Int32(clamping: day)
    fields.tm_hour = Int32(clamping: hour)
    fields.tm_min = Int32(clamping: minute)
    fields.tm_sec = Int32(clamping: second)
    return Int64(timegm(&fields))
  }

  /// Seconds that local clocks are ahead of universal time.
  public static func localOffset(at seconds: Int64) -> Int64 {
    Int64(localFields(seconds).tm_gmtoff)
  }

  private static func localFields(_ seconds: Int64) -> tm {
    var (time, fields) = (time_t(seconds), tm())
    localtime_r(&time, &fields)
    return fields
  }

  private static func utcFields(_ seconds: Int64) -> tm {
    var (time, fields) = (time_t(seconds), tm())
    gmtime_r(&time, &fields)
    return fields
  }
}
