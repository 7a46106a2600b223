import Testing
import VersoTestSupport

/// What a command does before its own work.
@Suite struct StartTests {
  @Test(arguments: [["status"], ["save", "-q"], ["log"]])
  func `no certificate is read, as git and ssh make all connections`(words: [String]) throws {
    let notes = try Notes()
    let outcome = try run(
      Notes.unblocked + ["strace", "-f", "-qq", "-e", "trace=openat,open", Verso.binary] + words,
      in: notes.path)
    #expect(outcome.error.contains(".git/config"), "\(outcome.error)")
    #expect(!outcome.error.contains("ca-certificates"))
  }
}
