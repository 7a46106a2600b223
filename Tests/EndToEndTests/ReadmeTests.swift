import Foundation
import Testing
import VersoTestSupport

@Suite struct ReadmeTests {
  /// The README beside the package.
  private var readme: String {
    get throws { try repositoryText("README.md") }
  }

  /// What a reader cannot compare: ids and times.
  private func masked(_ line: Substring) -> String {
    var words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    words.removeAll { $0.count == 7 && $0.allSatisfy(\.isHexDigit) }
    var text = words.joined(separator: " ")
    while let range = text.range(
      of: #" from \d{4}-\d\d-\d\d \d\d:\d\d"#, options: .regularExpression)
    {
      text.removeSubrange(range)
    }
    return text
  }

  @Test func `D23: the documents that the split view comes from are credited`() throws {
    let text = try readme
    let start = try #require(text.range(of: "## Credits"))
    let credits = text[start.upperBound...]
    for name in [
      "UISplitViewController Tutorial", "raywenderlich.com", "Seaside",
      "Master-Detail Applicationテンプレート", "BDBSplitViewController", "Bradley David Bergeron",
    ] { #expect(credits.contains(name), "\(name)") }
  }

  @Test func `the transcript is what the tool prints`() throws {
    let text = try readme
    let start = try #require(text.range(of: "```console\n"))
    let end = try #require(text.range(of: "```", range: start.upperBound..<text.endIndex))
    let transcript = text[start.upperBound..<end.lowerBound].split(separator: "\n")
    let scratch = try Scratch()
    try scratch.write("- [ ] Mend the gate\n", to: "notes/todo.md")
    try scratch.write("Kittiwake\n", to: "notes/names.md")
    let folder = URL(fileURLWithPath: Verso.binary).deletingLastPathComponent().path
    let path = try #require(hermeticEnvironment["PATH"])
    var printed: [String] = []
    for line in transcript where line.hasPrefix("$ ") {
      printed.append(String(line))
      let outcome = try run(
        ["sh", "-c", String(line.dropFirst(2))], in: scratch.path,
        environment: ["PATH": "\(folder):\(path)"])
      #expect(outcome.status == 0, "\(line): \(outcome.error)")
      printed += outcome.text.replacingOccurrences(of: scratch.path + "/", with: "")
        .split(separator: "\n").map(masked)
    }
    #expect(printed == transcript.map(String.init))
  }
}
