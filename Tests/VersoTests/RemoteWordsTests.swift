import Testing
import VersoSync
import VersoTestSupport

@testable import Verso

/// What people are told of a push that was refused.
@Suite struct RemoteWordsTests {
  private static let git = "error: failed to push some refs to '/r.git'"

  @Test(arguments: [
    (["remote: quota exceeded", "remote: ask Bob", git], ": quota exceeded; ask Bob"),
    (["remote: 1", "remote: 2", "remote: 3", "remote: 4", git], ": 2; 3; 4"),
    (["fatal: no", git], ": fatal: no"), ([git], ""), ([], ""),
  ])
  func `a hook is quoted, and what git adds is not`(lines: [String], said: String) {
    let error = ExchangeError(.rejectedByHook, "a hook refused the push", detail: lines)
    #expect(VersoError(error).message == "a hook refused the push\(said)")
  }

  @Test func `the words of a hook reach who syncs`() throws {
    let fleet = try Fleet(["here"])
    let hook = "\(fleet.remote)/hooks/pre-receive"
    let script =
      "mkdir -p \"${1%/*}\"; printf '#!/bin/sh\\necho quota exceeded, ask Bob >&2; exit 1' >\"$1\""
    try run(["sh", "-c", script + "; chmod +x \"$1\"", "sh", hook])
    fleet["here"].write("text\n", "a.md")
    let error = #expect(throws: VersoError.self) { try fleet["here"].sync() }
    #expect(error?.message.hasSuffix("refused the push: quota exceeded, ask Bob") == true)
  }
}
