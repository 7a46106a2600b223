import Foundation
import Testing
import VersoTestSupport

@Suite struct ExportInterruptTests {
  @Test func `an interrupted export takes back what it wrote and ends by the signal`() throws {
    let notes = try Notes(numbered: 200)
    let place = try Scratch("place")
    // The signal comes while some file gets its time, and is heeded a little later.
    let words = [
      "strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=utimensat", "-e",
      "inject=utimensat:signal=INT:when=70", Verso.binary, "export", place.at("new/out"),
    ]
    let outcome = try run(Notes.unblocked + words, in: notes.path)
    #expect([-2, 130].contains(outcome.status), "\(outcome.status) \(outcome.error)")
    #expect(try run(["ls", "-A", place.path]).text == "")
    // Killed outright, it leaves what is there, and nothing is written over it later.
    let killed = try run(
      Notes.unblocked + words.map { $0.replacing("signal=INT", with: "signal=KILL") },
      in: notes.path)
    #expect(killed.status != 0)
    let again = try notes.verso("export", place.at("new/out"))
    #expect(again.status == 1 && again.error.contains("is not empty"))
    #expect(try notes.verso("export", "-q", place.at("other")).output.isEmpty)
    #expect(try run(["sh", "-c", "ls other/n | wc -l"], in: place.path).text == "200\n")
  }

  @Test func `an export onto a full disk leaves nothing`() throws {
    let notes = try Notes(numbered: 80)
    let place = try Scratch("place")
    let words = [
      "strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=write", "-P",
      place.at("out/n/79.md"), "-e", "inject=write:error=ENOSPC", Verso.binary, "export",
      place.at("out"),
    ]
    let outcome = try run(words, in: notes.path)
    #expect(outcome.status == 1, "\(outcome.status) \(outcome.error)")
    #expect(outcome.error.contains("No space left on device"))
    #expect(try run(["ls", "-A", place.path]).text == "")
  }
}
