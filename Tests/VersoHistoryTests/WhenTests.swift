import Glibc
import Testing
import VersoHistory
import VersoModel

/// Saturday, 28 November 2026, 15:04:05 in universal time.
private let now: Int64 = 1_795_878_245

/// Reads `text` with the clock at `now` and writes the result as RFC 3339, or what else it is.
private func read(
  _ text: String, _ role: When.Role = .end, at now: Int64 = now, in zone: CivilTime.Zone = .utc
) -> String {
  do {
    switch try When(parsing: text, role: role, now: now, zone: zone) {
    case .time(let seconds): return TimeText.rfc3339(seconds)
    case .back(let count): return "back \(count)"
    case .id(let digits): return "id \(digits)"
    case .revision(let name): return "revision \(name)"
    }
  } catch {
    return "error: \(error)"
  }
}

private func setZone(_ name: String) {
  setenv("TZ", name, 1)
  tzset()
}

private func universal(_ text: String) -> Int64 {
  guard case .time(let seconds) = try? When(parsing: text, role: .end, now: 0, zone: .utc) else {
    preconditionFailure("no time: \(text)")
  }
  return seconds
}

@Suite struct WhenTests {
  @Test(arguments: [
    ("2026-11-28", "2026-11-28T00:00:00Z", "2026-11-28T23:59:59Z"),
    ("2024-02-29", "2024-02-29T00:00:00Z", "2024-02-29T23:59:59Z"),
    ("2026-12-31", "2026-12-31T00:00:00Z", "2026-12-31T23:59:59Z"),
    ("2026-1-5", "2026-01-05T00:00:00Z", "2026-01-05T23:59:59Z"),
    ("1969-12-31", "1969-12-31T00:00:00Z", "1969-12-31T23:59:59Z"),
    ("9999-12-31", "9999-12-31T00:00:00Z", "9999-12-31T23:59:59Z"),
    ("2026-02", "2026-02-01T00:00:00Z", "2026-02-28T23:59:59Z"),
    ("2026", "2026-01-01T00:00:00Z", "2026-12-31T23:59:59Z"),
    ("20261128", "2026-11-28T00:00:00Z", "2026-11-28T23:59:59Z"),
    ("today", "2026-11-28T00:00:00Z", "2026-11-28T23:59:59Z"),
    ("Yesterday", "2026-11-27T00:00:00Z", "2026-11-27T23:59:59Z"),
    ("friday", "2026-11-27T00:00:00Z", "2026-11-27T23:59:59Z"),
    ("Monday", "2026-11-23T00:00:00Z", "2026-11-23T23:59:59Z"),
    ("sunday", "2026-11-22T00:00:00Z", "2026-11-22T23:59:59Z"),
    // Saturday is today; the name means the one before.
    ("SATURDAY", "2026-11-21T00:00:00Z", "2026-11-21T23:59:59Z"),
  ])
  func `a day, month or year means its start or its end`(text: String, start: String, end: String) {
    #expect(read(text, .start) == start)
    #expect(read(text, .end) == end)
  }

  @Test(arguments: [
    ("now", "2026-11-28T15:04:05Z"),
    ("2026-11-28 14:30", "2026-11-28T14:30:00Z"),
    ("2026-11-28 9:30", "2026-11-28T09:30:00Z"),
    ("2026-11-28 14:30:05", "2026-11-28T14:30:05Z"),
    ("2026-11-28T14:30:05", "2026-11-28T14:30:05Z"),
    ("2026-11-28T14:30:05Z", "2026-11-28T14:30:05Z"),
    ("2026-11-28t14:30:05.987z", "2026-11-28T14:30:05Z"),
    ("2026-11-28T14:30:05+01:00", "2026-11-28T13:30:05Z"),
    ("2026-11-28T00:30:00.5-09:30", "2026-11-28T10:00:00Z"),
    ("2026-11-28 14:30:05 +0100", "2026-11-28T13:30:05Z"),
    ("2016-12-31T23:59:60Z", "2017-01-01T00:00:00Z"),
    ("0 seconds ago", "2026-11-28T15:04:05Z"),
    ("1 second ago", "2026-11-28T15:04:04Z"),
    ("a minute ago", "2026-11-28T15:03:05Z"),
    ("an hour ago", "2026-11-28T14:04:05Z"),
    ("3 hours ago", "2026-11-28T12:04:05Z"),
    ("3  Hours  AGO", "2026-11-28T12:04:05Z"),
    ("100 hours ago", "2026-11-24T11:04:05Z"),
    ("1 day ago", "2026-11-27T15:04:05Z"),
    ("2 weeks ago", "2026-11-14T15:04:05Z"),
    ("9 months ago", "2026-02-28T15:04:05Z"),
    ("11 months ago", "2025-12-28T15:04:05Z"),
    ("1 year ago", "2025-11-28T15:04:05Z"),
  ])
  func `a moment is the same at either end`(text: String, moment: String) {
    #expect(read(text, .start) == moment)
    #expect(read(text, .end) == moment)
  }

  @Test(arguments: [
    ("1 month ago", "2026-03-31T12:00:00Z", "2026-02-28T12:00:00Z"),
    ("1 month ago", "2024-03-31T12:00:00Z", "2024-02-29T12:00:00Z"),
    ("1 year ago", "2024-02-29T12:00:00Z", "2023-02-28T12:00:00Z"),
    ("4 years ago", "2024-02-29T12:00:00Z", "2020-02-29T12:00:00Z"),
    ("13 months ago", "2026-01-15T12:00:00Z", "2024-12-15T12:00:00Z"),
    ("yesterday", "2024-03-01T12:00:00Z", "2024-02-29T23:59:59Z"),
    ("yesterday", "2026-01-01T00:00:00Z", "2025-12-31T23:59:59Z"),
    ("thursday", "2026-01-02T00:00:00Z", "2026-01-01T23:59:59Z"),
  ])
  func `a short month gives its last day`(text: String, at: String, expected: String) {
    #expect(read(text, at: universal(at)) == expected)
  }

  @Test(arguments: [
    "2026-02-30", "2026-02-29", "2026-13-01", "2026-00-10", "2026-11-00", "2026-11-31", "2026-13",
    "2026-11-28 24:00", "2026-11-28 14:60", "2026-11-28 14:30:60", "2026-02-30 12:00",
    "2026-11-28T25:00:00Z",
  ])
  func `a date or time that does not exist is refused and not moved`(text: String) {
    #expect(read(text).hasPrefix("error: there is no such "))
    #expect(read(text).contains(text))
  }

  @Test(arguments: [
    ("", "error: an empty text is no time"),
    ("last week", "error: 'last week' reads as no time"),
    ("3 fortnights ago", "error: '3 fortnights ago' has an unknown unit"),
    ("three hours ago", "error: 'three hours ago' has no number"),
    ("-3 hours ago", "error: '-3 hours ago' has no number"),
    ("99999999999999999999 hours ago", "error: '99999999999999999999 hours ago' is too long ago"),
    ("5000 years ago", "error: '5000 years ago' is too long ago"),
    ("9223372036854775807 days ago", "error: '9223372036854775807 days ago' is too long ago"),
    ("~x", "error: '~x' names no version"),
    ("~-1", "error: '~-1' names no version"),
    ("~99999999999999999999", "error: '~99999999999999999999' names no version"),
    ("id:", "error: 'id:' is no id"),
    ("id:20g6", "error: 'id:20g6' is no id"),
    ("2026-11-28 14", "error: '2026-11-28 14' reads as no time"),
    ("2026-11-28 14:30 o'clock", "error: '2026-11-28 14:30 o'clock' reads as no time"),
    ("2026-11-28 14:30 +1", "error: '2026-11-28 14:30 +1' reads as no time"),
  ])
  func `an error says what is wrong`(text: String, message: String) {
    #expect(read(text) == message)
  }

  @Test(arguments: [
    ("~", "back 1"), ("~0", "back 0"), ("~1", "back 1"), ("~25", "back 25"),
    ("id:2026", "id 2026"), ("id:DEADbeef", "id deadbeef"),
    ("HEAD", "revision HEAD"), ("HEAD~2", "revision HEAD~2"), ("main", "revision main"),
    ("HEAD@{yesterday}", "revision HEAD@{yesterday}"),
    ("HEAD@{2 days ago}", "revision HEAD@{2 days ago}"),
    (":/fix the list", "revision :/fix the list"), ("HEAD:a b", "revision HEAD:a b"),
    ("2026-11-28-backup", "revision 2026-11-28-backup"),
    ("deadbeef", "revision deadbeef"), ("1234567", "revision 1234567"),
    // Eight digits that make no day, four that make no likely year.
    ("20261399", "revision 20261399"), ("1234", "revision 1234"), ("9999", "revision 9999"),
    ("tags/2026-11-28", "revision tags/2026-11-28"), ("14:30", "revision 14:30"),
    ("monday-notes", "revision monday-notes"), ("3 hours", "error: '3 hours' reads as no time"),
  ])
  func `everything else is for git to know`(text: String, expected: String) {
    #expect(read(text) == expected)
  }

  @Test func `days follow the clock of Berlin, which are 23 or 25 hours long twice a year`() async {
    // In a process of its own, for the time zone belongs to the whole process.
    await #expect(processExitsWith: .success) {
      setZone("Europe/Berlin")
      let local = { (text: String, role: When.Role, at: Int64) in
        read(text, role, at: at, in: .local)
      }
      let check = { (found: String, expected: String) in
        #expect(found == expected)
        if found != expected { exit(1) }
      }
      check(local("2026-03-29", .start, 0), "2026-03-28T23:00:00Z")
      check(local("2026-03-29", .end, 0), "2026-03-29T21:59:59Z")
      check(local("2026-10-25", .start, 0), "2026-10-24T22:00:00Z")
      check(local("2026-10-25", .end, 0), "2026-10-25T22:59:59Z")
      // The skipped hour, and the one that is there twice.
      check(local("2026-03-29 02:30", .end, 0), "2026-03-29T01:30:00Z")
      check(local("2026-10-25 02:30", .start, 0), "2026-10-25T00:30:00Z")
      check(local("2026-10-25 02:30", .end, 0), "2026-10-25T01:30:00Z")
      check(local("2026-10-25 02:30:00+02:00", .end, 0), "2026-10-25T00:30:00Z")
      // Monday, 26 October 2026, 12:00 in Berlin.
      let monday = universal("2026-10-26T11:00:00Z")
      check(local("yesterday", .start, monday), "2026-10-24T22:00:00Z")
      check(local("yesterday", .end, monday), "2026-10-25T22:59:59Z")
      check(local("sunday", .end, monday), "2026-10-25T22:59:59Z")
      check(local("2 days ago", .end, monday), "2026-10-24T10:00:00Z")
      check(local("48 hours ago", .end, monday), "2026-10-24T11:00:00Z")
      check(local("2026-12-31", .end, 0), "2026-12-31T22:59:59Z")
      // In Berlin it is tomorrow already.
      check(local("today", .start, universal("2026-11-28T23:30:00Z")), "2026-11-28T23:00:00Z")
      check(TimeText.minute(monday), "2026-10-26 12:00")
    }
  }

  @Test func `a day that has no midnight begins with its first second`() async {
    await #expect(processExitsWith: .success) {
      // Havana puts its clocks forward at midnight and back from one o'clock to midnight.
      setZone("America/Havana")
      let found = [
        read("2024-03-10", .start, in: .local), read("2024-03-09", .end, in: .local),
        read("2024-11-03", .start, in: .local), read("2024-11-03", .end, in: .local),
      ]
      let expected = [
        "2024-03-10T05:00:00Z", "2024-03-10T04:59:59Z", "2024-11-03T04:00:00Z",
        "2024-11-04T04:59:59Z",
      ]
      #expect(found == expected)
      if found != expected { exit(1) }
    }
  }

  @Test func `every hour of some years in odd zones reads back as itself`() async {
    await #expect(processExitsWith: .success) {
      for name in [
        "Australia/Lord_Howe", "Asia/Kathmandu", "America/St_Johns", "Africa/Casablanca",
      ] {
        setZone(name)
        for hour in Int64(450_000)..<480_000 {
          let shown = CivilTime(hour * 3_600, in: .local)
          let moments = [shown.seconds(in: .local), shown.seconds(in: .local, choosing: .later)]
          if !moments.contains(hour * 3_600) { exit(1) }
        }
      }
    }
  }
}

@Suite struct VersoDurationTests {
  @Test(
    arguments: [
      ("500ms", 500), ("2s", 2_000), ("5m", 300_000), ("1h", 3_600_000), ("7d", 604_800_000),
      ("0", 0), ("0s", 0), ("90s", 90_000), ("007m", 420_000),
    ] as [(String, Int64)])
  func `a number and a unit are a length of time`(text: String, milliseconds: Int64) throws {
    let read = try VersoDuration(parsing: text)
    #expect(read.milliseconds == milliseconds)
    #expect(try VersoDuration(parsing: read.description) == read)
    #expect(read.duration == .milliseconds(milliseconds))
  }

  @Test(arguments: [
    ("", "'' is no length of time"), ("s", "'s' is no length of time"),
    ("-1s", "'-1s' is no length of time"), ("5", "'5' needs a unit"),
    ("5w", "'5w' has an unknown unit"), ("5M", "'5M' has an unknown unit"),
    ("1h30m", "'1h30m' has an unknown unit"), ("1.5h", "'1.5h' has an unknown unit"),
    ("5 m", "'5 m' has an unknown unit"), ("٣s", "'٣s' is no length of time"),
    ("99999999999999999999d", "'99999999999999999999d' is too long"),
    ("999999999d", "'999999999d' is too long"),
  ])
  func `anything else is refused`(text: String, message: String) {
    let error = #expect(throws: WhenError.self) { try VersoDuration(parsing: text) }
    #expect(error?.description == message)
  }

  @Test func `the largest fitting unit is written`() {
    #expect(VersoDuration(milliseconds: 90_000).description == "90s")
    #expect(VersoDuration(milliseconds: 7_200_000).description == "2h")
    #expect(VersoDuration(milliseconds: 1_500).description == "1500ms")
    #expect(VersoDuration(milliseconds: 0).description == "0s")
  }
}

@Suite struct TimeTextTests {
  @Test func `times are written for people and for programs`() {
    #expect(TimeText.rfc3339(now) == "2026-11-28T15:04:05Z")
    #expect(TimeText.rfc3339(-1) == "1969-12-31T23:59:59Z")
    #expect(TimeText.minute(now, in: .utc) == "2026-11-28 15:04")
    #expect(TimeText.minute(now, in: .offset(3_600)) == "2026-11-28 16:04")
    #expect(TimeText.day(now, in: .utc) == "2026-11-28")
    #expect(TimeText.clock(now, in: .utc) == "15:04")
  }
}
