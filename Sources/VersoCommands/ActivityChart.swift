package import VersoHistory
import VersoModel

/// A calendar of saves: a column for each week, a row for each weekday.
package struct ActivityChart {
  let activity: Activity
  /// The days that are shown, by number.
  let days: ClosedRange<Int>
  /// Columns of the terminal; `nil` for as many as there are weeks.
  let columns: Int?
  /// Whether shades are drawn; else letters of any typewriter.
  let isColored: Bool

  package init(activity: Activity, days: ClosedRange<Int>, columns: Int?, isColored: Bool) {
    self.activity = activity
    self.days = days
    self.columns = columns
    self.isColored = isColored
  }

  private static let label = 4
  private static let weekdays = ["Mon", "", "Wed", "", "Fri", "", "Sun"]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]
  private static let plain = [".", "-", "+", "*", "#"]
  private static let shades = ["·", "░", "▒", "▓", "█"]

  /// How many weeks fit beside each other; at least one.
  package var fitting: Int { columns.map { max(1, ($0 - Self.label) / 2) } ?? .max }

  /// The Mondays of the weeks, oldest first.
  private var weeks: [Int] {
    let first = days.lowerBound - Activity.weekday(of: days.lowerBound)
    return Array(stride(from: first, through: days.upperBound, by: 7))
  }

  /// The chart in blocks that fit the terminal, one below the other.
  package var lines: [Line] {
    let weeks = weeks
    let size = min(fitting, weeks.count)
    // The newest block is full, and the oldest has what is left.
    let rest = weeks.count % size
    var lines: [Line] = []
    for start in stride(from: rest == 0 ? 0 : rest - size, to: weeks.count, by: size) {
      if !lines.isEmpty { lines.append("") }
      lines += block(Array(weeks[max(0, start)..<(start + size)]))
    }
    return lines
  }

  private func block(_ weeks: [Int]) -> [Line] {
    [header(weeks)] + (0..<7).map { row($0, weeks) }
  }

  /// The months, each above the week that its first day is in, and the month of the first week.
  private func header(_ weeks: [Int]) -> Line {
    var text = String(repeating: " ", count: Self.label)
    for (number, week) in weeks.enumerated() {
      let place = Self.label + 2 * number
      guard text.count <= place, let month = month(beginningIn: week, isFirst: number == 0) else {
        continue
      }
      text += String(repeating: " ", count: place - text.count) + month + " "
    }
    while text.last == " " { text.removeLast() }
    return "\(text, .faint)"
  }

  private func month(beginningIn week: Int, isFirst: Bool) -> String? {
    let dates = (0..<7).map { Activity.date(of: week + $0) }
    guard let date = dates.first(where: { $0.day == 1 }) ?? (isFirst ? dates.first : nil) else {
      return nil
    }
    // A year begins with its number.
    return date.month == 1 && date.day == 1 ? "\(date.year)" : Self.months[Int(date.month) - 1]
  }

  private func row(_ weekday: Int, _ weeks: [Int]) -> Line {
    var line = Line(Self.weekdays[weekday], .faint)
    var width = Self.weekdays[weekday].count
    for (number, week) in weeks.enumerated() where days.contains(week + weekday) {
      let place = Self.label + 2 * number
      line = line + Line(String(repeating: " ", count: place - width))
      line = line + mark(activity.days[week + weekday]?.saves ?? 0)
      width = place + 1
    }
    return line
  }

  // MARK: Shades

  /// The least saves for each shade but the one for none: by quarters of the days with saves.
  private var thresholds: [Int] {
    let counts = days.compactMap { activity.days[$0]?.saves }.sorted()
    if counts.isEmpty { return [1, 2, 3, 4] }
    var found = [1]
    for quarter in 1...3 {
      let least = counts[min(counts.count - 1, quarter * counts.count / 4)]
      found.append(max(found[found.count - 1] + 1, least))
    }
    return found
  }

  private func mark(_ saves: Int) -> Line {
    shade(saves == 0 ? 0 : thresholds.count { $0 <= saves })
  }

  private func shade(_ level: Int) -> Line {
    let text = isColored ? Self.shades[level] : Self.plain[level]
    return Line(text, level == 0 ? .faint : .added)
  }

  /// What the marks mean: `. 0  - 1-2  + 3-5  * 6-9  # 10 and more`.
  package var legend: Line {
    let thresholds = thresholds
    var line: Line = "\(shade(0)) none"
    for level in 1...4 {
      let least = thresholds[level - 1]
      let most = level < 4 ? thresholds[level] - 1 : nil
      let text = most.map { $0 <= least ? "\(least)" : "\(least)-\($0)" } ?? "\(least) or more"
      line = line + "   " + shade(level) + Line(" \(text)")
    }
    return line
  }
}
