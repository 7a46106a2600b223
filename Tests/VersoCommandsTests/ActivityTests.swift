import Foundation
import Testing
import VersoCommands
import VersoHistory
import VersoModel
import VersoTestSupport

@Suite struct ActivityTests {
  private static func day(_ year: Int64, _ month: Int64, _ day: Int64) -> Int {
    Activity.day(
      of: CivilTime(year: year, month: month, day: day).seconds(in: .utc), in: .utc)
  }

  private static func text(_ chart: ActivityChart) -> [String] {
    (chart.lines + [chart.legend]).map { $0.rendered(.plain, quotesPaths: false) }
  }

  /// March of 2026, where the first is a Sunday, with more saves on later days.
  private static func march(_ zone: CivilTime.Zone = .utc) -> Activity {
    var activity = Activity(zone: zone)
    for date in 9...20 {
      let time = CivilTime(year: 2026, month: 3, day: Int64(date), hour: 12).seconds(in: zone)
      for _ in 0..<(date - 8) { activity.add(time) }
    }
    return activity
  }

  @Test func `weeks are columns, weekdays rows, and marks go by quarters`() {
    let chart = ActivityChart(
      activity: Self.march(), days: Self.day(2026, 2, 23)...Self.day(2026, 3, 26), columns: nil,
      isColored: false)
    let expected = [
      "    Mar",
      "Mon . . - * .",
      "    . . - * .",
      "Wed . . - # .",
      "    . . + # .",
      "Fri . . + #",
      "    . . + .",
      "Sun . . * .",
      ". none   - 1-3   + 4-6   * 7-9   # 10 or more",
    ]
    #expect(Self.text(chart) == expected)
  }

  @Test func `a narrow terminal gets blocks below each other, the newest one full`() {
    let chart = ActivityChart(
      activity: Self.march(), days: Self.day(2026, 2, 23)...Self.day(2026, 3, 26), columns: 9,
      isColored: false)
    #expect(chart.fitting == 2)
    let text = Self.text(chart)
    #expect(text.count == 3 * 8 + 2 + 1)
    #expect(text[1] == "Mon .")
    #expect(text[10] == "Mon . -")
    #expect(text.allSatisfy { $0.hasPrefix(". none") || $0.count <= 8 })
  }

  @Test func `a colour terminal gets shades`() {
    let chart = ActivityChart(
      activity: Self.march(), days: Self.day(2026, 3, 9)...Self.day(2026, 3, 22), columns: nil,
      isColored: true)
    let first = chart.lines[1].rendered(.colored, quotesPaths: false)
    #expect(first.contains("\u{1B}[32m░\u{1B}[m"))
    #expect(chart.lines[7].rendered(.plain, quotesPaths: false) == "Sun ▓ ·")
  }

  @Test func `a year is named where it begins, and the first week has its month`() {
    let chart = ActivityChart(
      activity: Activity(), days: Self.day(2025, 12, 8)...Self.day(2026, 2, 20), columns: nil,
      isColored: false)
    #expect(Self.text(chart)[0] == "    Dec   2026    Feb")
  }

  @Test func `busiest day and streaks are found`() {
    var activity = Self.march()
    activity.add(CivilTime(year: 2026, month: 3, day: 1).seconds(in: .utc))
    #expect(activity.saves == 79)
    #expect(activity.busiest?.day == Self.day(2026, 3, 20))
    #expect(activity.longestStreak?.count == 12)
    #expect(activity.streak(at: Self.day(2026, 3, 21))?.count == 12)
    #expect(activity.streak(at: Self.day(2026, 3, 22)) == nil)
    #expect(Activity().busiest == nil && Activity().longestStreak == nil)
  }

  @Test func `days are those of the zone`() {
    var activity = Activity(zone: .offset(2 * 3600))
    // 23:30 in universal time is the next day there.
    activity.add(CivilTime(year: 2026, month: 3, day: 1, hour: 23, minute: 30).seconds(in: .utc))
    #expect(Array(activity.days.keys) == [Self.day(2026, 3, 2)])
    #expect(
      Activity.start(of: Self.day(2026, 3, 2), in: .offset(7200))
        == CivilTime(year: 2026, month: 3, day: 1, hour: 22).seconds(in: .utc))
    #expect(Activity.day(of: -1, in: .utc) == -1)
  }

  // MARK: The command

  private func desk() throws -> ReadingDesk {
    let desk = try ReadingDesk()
    try desk.scratch.write("one two\n", to: "a.md")
    try desk.commit("Add", at: noon)
    try desk.scratch.write("one two three\n", to: "a.md")
    try desk.commit("Edit", at: noon + 60)
    try desk.scratch.git("mv", "a.md", "b.md")
    try desk.commit("Rename", at: noon + 86_400)
    try desk.scratch.write("other\n", to: "c.md")
    try desk.commit("Other", at: noon + 3 * 86_400)
    return desk
  }

  @Test func `saves of each day are counted`() throws {
    let desk = try desk()
    let objects = try desk.verso("activity", "--json", "--since", "2026-05-01").objects()
    #expect(
      objects.map { $0["day"] as? String } == ["2026-06-01", "2026-06-02", "2026-06-04"])
    #expect(objects.map { $0["saves"] as? Int } == [2, 1, 1])
    #expect(objects.allSatisfy { $0["event"] as? String == "day" && $0["wordsAdded"] == nil })
    let until = try desk.verso(
      "activity", "--json", "--since", "2026-05-01", "--until", "2026-06-02", "--stat"
    ).objects()
    #expect(until.map { $0["wordsAdded"] as? Int } == [3, 0])
    #expect(until.map { $0["count"] as? Int } == [2, 1])
  }

  @Test func `a note's versions are followed through its rename`() throws {
    let desk = try desk()
    let objects = try desk.verso("activity", "--json", "--since", "2026-05-01", "@b.md").objects()
    #expect(objects.map { $0["saves"] as? Int } == [2, 1])
    let absent = try desk.verso("activity", "--since", "2026-05-01", "@d.md")
    #expect(absent.code == 0 && absent.output.isEmpty)
    #expect(absent.errors.contains("there never was d.md"))
  }

  @Test func `the chart is followed by its figures`() throws {
    let desk = try desk()
    let result = try desk.verso("activity", "--since", "2026-05-01", "--until", "2026-06-07")
    #expect(result.code == 0)
    // From the week of the first save on.
    #expect(
      result.lines == [
        "    Jun", "Mon +", "    -", "Wed .", "    -", "Fri .", "    .", "Sun .",
        ". none   - 1   + 2   * 3   # 4 or more",
        "4 saves on 3 days, 2026-06-01 to 2026-06-07", "busiest day: 2026-06-01, 2",
        "longest streak: 2 days, 2026-06-01 to 2026-06-02",
      ])
    #expect(
      try desk.verso("activity", "--since", "2026-06-07", "--until", "2026-06-01").code == 2)
  }

  @Test func `a vault without versions has an empty calendar`() throws {
    let desk = try ReadingDesk()
    let result = try desk.verso("activity")
    #expect(result.code == 0)
    #expect(result.lines.count == 10)
    #expect(result.lines[9].hasPrefix("0 saves on 0 days"))
  }
}
