/// How many colours a terminal has.
package enum ColorDepth: Sendable, CaseIterable, Comparable {
  case none
  case eight
  case sixteen
  /// The palette of 256.
  case palette
  /// Red, green and blue.
  case full

  /// What colours to use.
  ///
  /// - Parameters:
  ///   - allowed: The choice of `--color`: always, never, or `nil` to let `NO_COLOR` and the terminal
  ///     decide.
  ///   - terminal: How many colours the terminal's entry in the terminfo database has.
  ///   - environment: Looks a variable up.
  package init(allowed: Bool?, terminal: Int, environment: (String) -> String?) {
    let isRefused = allowed.map { !$0 } ?? (environment("NO_COLOR").map { $0 != "" } ?? false)
    guard !isRefused else {
      self = .none
      return
    }
    // The database has no entry for this; terminals agreed on the variable.
    if ["truecolor", "24bit"].contains(environment("COLORTERM") ?? "") {
      self = .full
      return
    }
    switch terminal {
    case 0x100_0000...: self = .full
    case 256...: self = .palette
    case 16...: self = .sixteen
    case 8...: self = .eight
    default: self = allowed == true ? .eight : .none
    }
  }
}

extension Theme {
  /// The colour of the palette of 256 that is nearest; the first 16 are the user's own and not used.
  static func nearest(to color: RGB) -> UInt8 {
    let levels = [0, 95, 135, 175, 215, 255]
    func level(_ value: UInt8) -> Int {
      value < 48 ? 0 : value < 115 ? 1 : (Int(value) - 35) / 40
    }
    let (r, g, b) = (level(color.red), level(color.green), level(color.blue))
    let cube = RGB(
      red: UInt8(levels[r]), green: UInt8(levels[g]), blue: UInt8(levels[b]))
    let mean = (Int(color.red) + Int(color.green) + Int(color.blue)) / 3
    let step = max(0, min(23, (mean - 3) / 10))
    let gray = RGB(
      red: UInt8(8 + step * 10), green: UInt8(8 + step * 10), blue: UInt8(8 + step * 10))
    return distance(color, gray) < distance(color, cube)
      ? UInt8(232 + step) : UInt8(16 + 36 * r + 6 * g + b)
  }

  private static func distance(_ a: RGB, _ b: RGB) -> Int {
    func square(_ x: UInt8, _ y: UInt8) -> Int { (Int(x) - Int(y)) * (Int(x) - Int(y)) }
    return square(a.red, b.red) + square(a.green, b.green) + square(a.blue, b.blue)
  }
}
