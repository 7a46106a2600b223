import Glibc
import Testing
import VersoDisk
import VersoModel
import VersoTestSupport

@testable import Verso

@Suite struct RacyIndexTests {
  /// Waits until the wall clock is well within the first half of a second, or past `second`.
  private static func awaitClock(after second: Int64? = nil) {
    while true {
      let now = Timestamp.now()
      let isReached =
        second.map {
          // The times of files lag up to a tick behind the clock.
          now.timeInterval(since: Timestamp(seconds: $0 + 1, nanoseconds: 0)) > 0.02
        } ?? (50_000_000..<500_000_000).contains(now.nanoseconds)
      if isReached { return }
      MonotonicTime.pause(0.002)
    }
  }

  @Test func `a rewrite of equal size in the second of the read does not look saved to git`()
    async throws
  {
    let scratch = try Scratch()
    try scratch.write("one\n", to: "note.md")
    _ = try await Vault.create(at: scratch.path)
    try scratch.write("two\n", to: "note.md")

    let path = "\(scratch.path)/note.md"
    Self.awaitClock()
    let second = Timestamp.now().seconds
    let store = FailingFileStore { event in
      // The note has been read; somebody writes it again, and the index comes a second later.
      if event.call == .open, event.path.hasSuffix(OwnFile.index) {
        guard let file = fopen(path, "r+") else { return nil }
        fputs("3rd\n", file)
        fclose(file)
        Self.awaitClock(after: second)
      }
      return nil
    }
    try scratch.write("2nd\n", to: "note.md")
    var request = SaveRequest(paths: ["note.md"])
    request.settles = false
    let outcome = try Engine(root: scratch.path, store: store).save(request)
    #expect(outcome.commit != nil)
    #expect(try scratch.git("show", "HEAD:note.md") == "2nd")
    #expect(try scratch.git("status", "--porcelain").hasSuffix("M note.md"))
  }
}
