import Testing
import VersoTestSupport

@testable import Verso

@Suite struct SyncRecordTests {
  private let failure = SyncRecord.Failure(.unreachable, "no route\nto \"ü\"")

  @Test func `a record is read as it was written`() throws {
    let good = SyncRecord.success(at: 100)
    let bad = SyncRecord.failure(failure, at: 200, after: good)
    for record in [good, bad, bad.reporting(at: 300), .failure(failure, at: 5, after: nil)] {
      #expect(SyncRecord(record.encoded) == record)
    }
    #expect(
      String(decoding: good.encoded, as: UTF8.self) == """
        verso-sync 1
        attempted 100
        succeeded 100

        """)
    #expect(
      String(decoding: bad.encoded, as: UTF8.self) == """
        verso-sync 1
        attempted 200
        succeeded 100
        failing 200
        failure unreachable "no route\\nto \\"\\303\\274\\""

        """)
  }

  @Test func `words that are not known are passed over, a file that is cut off means nothing`() {
    let known = SyncRecord(Array("verso-sync 1\nlater x y z\nattempted 7\nsucceeded 7\n".utf8))
    #expect(known == .success(at: 7))
    let bytes = SyncRecord.failure(failure, at: 9, after: .success(at: 8)).encoded
    for count in 0..<bytes.count {
      let cut = SyncRecord(Array(bytes[..<count]))
      // Cut after a whole line it may be a record with less in it; half a number never counts.
      #expect(cut == nil || bytes[count - 1] == 0x0A)
    }
    #expect(SyncRecord(Array("verso-sync 2\nattempted 7\n".utf8)) == nil)
    #expect(SyncRecord([]) == nil)
  }

  @Test func `failures begin with the first since the last success`() {
    let good = SyncRecord.success(at: 100)
    let first = SyncRecord.failure(failure, at: 200, after: good)
    let second = SyncRecord.failure(failure, at: 300, after: first.reporting(at: 250))
    #expect(second.failingSince == 200 && second.succeeded == 100 && second.attempted == 300)
    #expect(second.reported == 250)
    // A clock that was set back.
    #expect(SyncRecord.failure(failure, at: 150, after: first).failingSince == 150)
    let mended = SyncRecord.success(at: 400)
    #expect(mended.failingSince == nil && mended.reported == nil && mended.failure == nil)
  }

  @Test func `an engine keeps it, and forget takes it away`() throws {
    let scratch = try Scratch()
    try scratch.write("one\n", to: "note.md")
    _ = try Initialiser(directory: scratch.path) { _ in nil }.run()
    let engine = try Engine.open(above: scratch.path)
    #expect(engine.lastSync == nil)
    let record = SyncRecord.failure(failure, at: 200, after: .success(at: 100))
    try engine.recordSync(record)
    #expect(engine.lastSync == record)
    try scratch.write("nonsense", to: ".git/verso/synced")
    #expect(engine.lastSync == nil)
    try engine.forget(isDryRun: false, wait: 1)
    #expect(scratch.bytes(of: ".git/verso/synced") == nil)
  }
}

@Suite struct GraceRuleTests {
  private let failure = SyncRecord.Failure(.unreachable, "no route")
  private let hour: Int64 = 3600

  /// Runs a command every so often for which the remote is never there.
  private func reports(
    every interval: Int64, grace: Int64, for length: Int64, after start: SyncRecord? = nil
  ) -> [Int64] {
    var record = start
    var reports: [Int64] = []
    for now in stride(from: 1_000_000, to: 1_000_000 + length, by: Int64.Stride(interval)) {
      let failed = SyncRecord.failure(failure, at: now, after: record)
      let decision = GraceRule.decide(failed, now: now, grace: grace)
      if decision == .report { reports.append(now - 1_000_000) }
      record = decision == .report ? failed.reporting(at: now) : failed
    }
    return reports
  }

  @Test func `silent for the grace, then once a day`() {
    let found = reports(every: 600, grace: 24 * hour, for: 4 * 24 * hour)
    #expect(found == [24 * hour, 47 * hour, 70 * hour, 93 * hour])
  }

  @Test func `a command that runs once a day, not quite on time, reports each day`() {
    #expect(reports(every: 24 * hour - 40, grace: 24 * hour, for: 5 * 24 * hour).count == 4)
    #expect(reports(every: 24 * hour, grace: 0, for: 5 * 24 * hour).count == 5)
  }

  @Test func `a success begins anew`() {
    let old = SyncRecord.failure(failure, at: 10, after: nil).reporting(at: 20)
    #expect(GraceRule.decide(old, now: 30 * hour, grace: hour) == .report)
    let mended = SyncRecord.failure(failure, at: 30 * hour, after: .success(at: 29 * hour))
    #expect(GraceRule.decide(mended, now: 30 * hour, grace: hour) == .silence)
  }

  @Test func `the first failure counts, not the last success`() {
    // A laptop that slept for a week.
    let slept = SyncRecord.failure(failure, at: 200 * hour, after: .success(at: hour))
    #expect(GraceRule.decide(slept, now: 200 * hour, grace: 24 * hour) == .silence)
  }

  @Test func `a clock that was wrong neither reports too often nor never again`() {
    let future = SyncRecord.failure(failure, at: 10, after: nil).reporting(at: 1_000 * hour)
    #expect(GraceRule.decide(future, now: 50 * hour, grace: hour) == .report)
    let begun = SyncRecord.failure(failure, at: 1_000 * hour, after: nil)
    let back = SyncRecord.failure(failure, at: hour, after: begun)
    #expect(GraceRule.decide(back, now: 3 * hour, grace: hour) == .report)
  }
}

@Suite struct AgeRuleTests {
  private func report(_ change: (inout StatusReport) -> Void = { _ in }) -> StatusReport {
    var report = StatusReport()
    change(&report)
    return report
  }

  private let change = PathChange(.modified, "a.md")

  @Test func `with a remote the last good synchronisation counts and nothing else`() {
    let all = report()
    #expect(AgeRule.lastGood(all, nil, hasRemote: true, now: 50) == nil)
    #expect(AgeRule.lastGood(all, .success(at: 7), hasRemote: true, now: 50) == 7)
  }

  @Test func `without one, a vault with nothing to save or that is watched is well now`() throws {
    #expect(AgeRule.lastGood(report(), nil, hasRemote: false, now: 50) == 50)
    let changed = report { $0.changes = [change] }
    #expect(AgeRule.lastGood(changed, nil, hasRemote: false, now: 50) == nil)
    #expect(AgeRule.lastGood(changed, .success(at: 7), hasRemote: false, now: 50) == 7)
    let watched = report {
      $0.changes = [change]
      $0.watcher = ListeningWatcher(process: 1, since: nil, root: "/")
    }
    #expect(AgeRule.lastGood(watched, nil, hasRemote: false, now: 50) == 50)
    for hindrance in [
      { (report: inout StatusReport) in report.blocked = VersoError(.refused, "merge") },
      { $0.held = ["a"] }, { $0.pausedUntil = .untilResumed },
    ] {
      #expect(AgeRule.lastGood(report(hindrance), nil, hasRemote: false, now: 50) == nil)
    }
  }

  @Test func `never, too long ago and the future are too old`() {
    #expect(AgeRule.isTooOld(nil, now: 5_000, limit: 100))
    #expect(AgeRule.isTooOld(4_899, now: 5_000, limit: 100))
    #expect(!AgeRule.isTooOld(4_900, now: 5_000, limit: 100))
    #expect(!AgeRule.isTooOld(5_500, now: 5_000, limit: 100))
    #expect(AgeRule.isTooOld(5_601, now: 5_000, limit: 100))
  }
}
