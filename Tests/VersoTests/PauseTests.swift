import Testing
import VersoDisk
import VersoModel
import VersoTestSupport

@testable import Verso

@Suite struct PauseTests {
  let patient: Patient
  let engine: Engine

  init() throws {
    patient = try Patient()
    engine = try Engine(root: patient.scratch.path)
  }

  @Test func `a pause lasts until its end, or until somebody says so, across processes`() throws {
    let other = try Engine(root: patient.scratch.path)
    #expect(engine.pausedUntil == nil)
    let end = Timestamp(seconds: Timestamp.now().seconds + 60, nanoseconds: 5_000_000)
    try engine.pause(until: end)
    #expect(other.pausedUntil == .until(end))
    #expect(try other.status().pausedUntil == .until(end))
    other.now = { Timestamp(seconds: end.seconds, nanoseconds: end.nanoseconds - 1) }
    #expect(other.pausedUntil == .until(end))
    other.now = { end }
    #expect(other.pausedUntil == nil)

    try engine.pause(until: nil)
    #expect(other.pausedUntil == .untilResumed)
    #expect(try other.resume())
    #expect(engine.pausedUntil == nil)
    #expect(try !engine.resume())
  }

  @Test func `an explicit save saves all the same`() throws {
    try engine.pause(until: nil)
    try patient.scratch.write("new\n", to: "note.md")
    var request = SaveRequest()
    request.settles = false
    #expect(try engine.save(request).subject == "Edit note.md")
    #expect(engine.pausedUntil == .untilResumed)
  }

  @Test func `every time survives its file, and a broken file is no pause`() throws {
    for pause in [
      Pause.untilResumed, .until(Timestamp(seconds: 0, nanoseconds: 0)),
      .until(Timestamp(seconds: 253_402_300_799, nanoseconds: 999_999_999)),
      .until(Timestamp(seconds: 1_796_045_405, nanoseconds: 7)),
    ] {
      #expect(Pause(pause.encoded) == pause)
    }
    for text in [
      "", "\n", "forever", "1\n", "1.5\n", "-1.000000000\n", "9999999999999.000000000\n",
    ] {
      #expect(Pause(Array(text.utf8)) == nil)
      try patient.scratch.write(text, to: ".git/verso/paused")
      #expect(engine.pausedUntil == nil)
    }
  }

  @Test func `a pause beyond all calendars is refused`() throws {
    let error = #expect(throws: VersoError.self) {
      try engine.pause(until: Timestamp(seconds: .max, nanoseconds: 0))
    }
    #expect(error?.code == .usage)
    #expect(engine.pausedUntil == nil)
  }
}
