import Glibc

/// Times as people read them.
package enum LocalTime {
  /// `2026-11-28 14:30`, in the local zone.
  ///
  /// - Parameter seconds: Since 1970.
  package static func text(_ seconds: Int64) -> String {
    let parts = parts(seconds)
    func two(_ value: Int32) -> String { value < 10 ? "0\(value)" : "\(value)" }
    return "\(parts.tm_year + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday)) "
      + "\(two(parts.tm_hour)):\(two(parts.tm_min))"
  }

  static func parts(_ seconds: Int64) -> tm {
    var time = time_t(seconds)
    var parts = tm()
    localtime_r(&time, &parts)
    return parts
  }
}
