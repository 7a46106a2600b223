package import VersoGit
package import VersoModel

/// How much was saved on which day, by somebody's calendar.
package struct Activity: Hashable, Sendable {
  /// What was saved on a day.
  package struct Day: Hashable, Sendable {
    package var saves = 0
    /// Changes of files, where they were measured.
    package var files = 0
    /// What they wrote and struck out, where it was measured.
    package var size = ChangeSize()
  }

  /// Some days that follow one another.
  package struct Streak: Hashable, Sendable {
    package let first: Int
    package let last: Int
    package var count: Int { last - first + 1 }
  }

  /// Whose calendar it is.
  package let zone: CivilTime.Zone
  /// The days on which anything was saved, by their numbers: 0 is the first of January 1970.
  package private(set) var days: [Int: Day] = [:]

  package init(zone: CivilTime.Zone = .local) { self.zone = zone }

  package mutating func add(
    _ time: Int64, files: Int = 0, size: ChangeSize = ChangeSize()
  ) {
    let number = Self.day(of: time, in: zone)
    days[number, default: Day()].saves += 1
    days[number]?.files += files
    days[number]?.size += size
  }

  // MARK: The calendar

  /// The number of the day that a time is on.
  package static func day(of time: Int64, in zone: CivilTime.Zone) -> Int {
    let midnight = CivilTime(time, in: zone).startOfDay.seconds(in: .utc)
    return Int((Double(midnight) / 86_400).rounded(.down))
  }

  /// The date of a day.
  package static func date(of day: Int) -> CivilTime { CivilTime(Int64(day) * 86_400, in: .utc) }

  /// When a day begins, in seconds since 1970.
  package static func start(of day: Int, in zone: CivilTime.Zone) -> Int64 {
    date(of: day).seconds(in: zone)
  }

  /// 0 for Monday to 6 for Sunday (ISO 8601).
  package static func weekday(of day: Int) -> Int { (date(of: day).weekday + 6) % 7 }

  // MARK: Figures

  package var saves: Int { days.values.reduce(0) { $0 + $1.saves } }

  /// The day with most saves; of several the last.
  package var busiest: (day: Int, saves: Int)? {
    days.map { (day: $0.key, saves: $0.value.saves) }.max {
      ($0.saves, $0.day) < ($1.saves, $1.day)
    }
  }

  /// All days with saves, as streaks, oldest first.
  private var streaks: [Streak] {
    var found: [Streak] = []
    for day in days.keys.sorted() {
      if let last = found.last, last.last == day - 1 {
        found[found.count - 1] = Streak(first: last.first, last: day)
      } else {
        found.append(Streak(first: day, last: day))
      }
    }
    return found
  }

  /// The longest streak; of several the last.
  package var longestStreak: Streak? { streaks.max { ($0.count, $0.first) < ($1.count, $1.first) } }

  /// The streak that today, or yesterday, is the last day of: it may go on.
  package func streak(at today: Int) -> Streak? {
    streaks.last { $0.last == today || $0.last == today - 1 }
  }
}

extension History {
  /// Counts the saves of each day; for a path its versions, followed through renames.
  ///
  /// A merge is no save, unless it made a version of the path. Where `measures` is set, changed files
  /// and words are counted too, for which contents are read.
  package func activity(
    of path: RelativePath? = nil, range: HistoryRange = .init(), zone: CivilTime.Zone = .local,
    measures: Bool = false
  ) throws(GitError) -> Activity {
    var activity = Activity(zone: zone)
    if let path {
      var versions = try versions(of: path, range: range)
      while let version = try versions.next() {
        let size = measures ? try knownSize(of: version) : nil
        activity.add(version.time, files: 1, size: size ?? ChangeSize())
      }
      return activity
    }
    var walk = try commits(range)
    while let id = try walk.nextID() {
      let node = try graph.node(id)
      graph.forget(id)
      guard node.parents.count < 2 else { continue }
      var (files, size) = (0, ChangeSize())
      if measures {
        for change in try changes(in: id) {
          files += 1
          size += try knownSize(of: change) ?? ChangeSize()
        }
      }
      activity.add(node.time, files: files, size: size)
    }
    return activity
  }
}
