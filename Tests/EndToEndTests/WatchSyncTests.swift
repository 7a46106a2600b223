import Foundation
import Testing
import VersoTestSupport

/// Watched vaults of several devices, with a bare repository between them.
@Suite struct WatchSyncTests {
  /// Two vaults with one note, each watched.
  private struct Pair {
    let hub: Scratch
    let desk: Watching
    let phone: Watching

    init(options: String = "--json --settle 400ms") throws {
      hub = try Scratch("hub")
      try run(["git", "init", "-q", "--bare", "-b", "main", hub.path])
      let (a, b) = (try Scratch("desk"), try Scratch("phone"))
      try a.write("# Log\n", to: "log.md")
      for (scratch, name) in [(a, "desk"), (b, "phone")] {
        let made = try Verso.run(
          "init", "-q", "--device", name, "--remote", hub.path, scratch.path,
          environment: ["XDG_RUNTIME_DIR": hub.path])
        guard made.status == 0 else { throw Failure("init: \(made.status) \(made.error)") }
      }
      desk = try Watching(a, options: options)
      phone = try Watching(b, options: options)
    }

    func start() async throws {
      for side in [desk, phone] {
        try await side.wait("the start") { !side.events("started").isEmpty }
      }
      try await phone.wait("the first note") { phone.scratch.text(of: "log.md") == "# Log\n" }
    }

    func finish() async throws {
      try await desk.finish()
      try await phone.finish()
    }
  }

  @Test func `an edit of one device gets to the other by itself, and both ways`() async throws {
    let pair = try Pair()
    try await pair.start()
    try pair.desk.scratch.write("# Log\n10:05 desk\n", to: "log.md")
    try await pair.phone.wait("the line of the desk") {
      pair.phone.scratch.text(of: "log.md") == "# Log\n10:05 desk\n"
    }
    try pair.phone.scratch.write("new\n", to: "sub/new.md")
    try await pair.desk.wait("the note of the phone") {
      pair.desk.scratch.text(of: "sub/new.md") == "new\n"
    }
    // What came is no edit of anybody's here.
    let saved = pair.phone.lines.filter { $0.contains("\"type\":\"saved\"") }
    #expect(saved.count == 1, "\(saved)")
    try await pair.finish()
    let subjects = try pair.desk.subjects()
    #expect(subjects.filter { $0 == "Edit log.md" }.count == 1)
  }

  @Test func `edits at one moment meet without markers and without a lost line`() async throws {
    let pair = try Pair()
    try await pair.start()
    for number in 0..<3 {
      let (desk, phone) = (pair.desk.scratch, pair.phone.scratch)
      try desk.write((desk.text(of: "log.md") ?? "") + "desk \(number)\n", to: "log.md")
      try phone.write((phone.text(of: "log.md") ?? "") + "phone \(number)\n", to: "log.md")
      try await pair.desk.wait("both lines everywhere", atMost: 90) {
        [desk, phone].allSatisfy { side in
          let text = side.text(of: "log.md") ?? ""
          return text.contains("desk \(number)\n") && text.contains("phone \(number)\n")
        }
      }
    }
    try await pair.finish()
    let text = try #require(pair.desk.scratch.text(of: "log.md"))
    #expect(text.split(separator: "\n").count == 7)
    #expect(text == pair.phone.scratch.text(of: "log.md"))
  }

  @Test func `a remote that is away is said once, and everything goes there when it is back`()
    async throws
  {
    let pair = try Pair()
    try await pair.start()
    let away = pair.hub.path + ".away"
    try FileManager.default.moveItem(atPath: pair.hub.path, toPath: away)
    try pair.desk.scratch.write("# Log\nalone\n", to: "log.md")
    try await pair.desk.wait("the version") { try pair.desk.subjects().first == "Edit log.md" }
    try await pair.desk.wait("the failure", atMost: 90) { !pair.desk.events("unsynced").isEmpty }
    try FileManager.default.moveItem(atPath: away, toPath: pair.hub.path)
    try await pair.phone.wait("the line, by a later attempt", atMost: 120) {
      pair.phone.scratch.text(of: "log.md") == "# Log\nalone\n"
    }
    #expect(pair.desk.events("unsynced").count == 1)
    try await pair.finish()
  }

  @Test func `what was saved last goes out before it ends`() async throws {
    let pair = try Pair(options: "--json --settle 200ms")
    try await pair.start()
    // So soon after a sync it would wait five seconds.
    try pair.desk.scratch.write("# Log\nlast words\n", to: "log.md")
    try await pair.desk.wait("the version") { try pair.desk.subjects().first == "Edit log.md" }
    try await pair.desk.finish()
    let text = try run(["git", "-C", pair.hub.path, "show", "main:log.md"]).text
    #expect(text == "# Log\nlast words\n")
    try await pair.phone.finish()
  }

  @Test func `with never, nothing is exchanged`() async throws {
    let pair = try Pair(options: "--json --settle 200ms --sync-every never")
    for side in [pair.desk, pair.phone] {
      try await side.wait("the start") { !side.events("started").isEmpty }
    }
    try pair.desk.scratch.write("# Log\nmine\n", to: "log.md")
    try await pair.desk.wait("the version") { try pair.desk.subjects().first == "Edit log.md" }
    try await pair.finish()
    #expect(try run(["git", "-C", pair.hub.path, "show", "main:log.md"]).text == "# Log\n")
    #expect(pair.desk.lines.allSatisfy { !$0.contains("\"type\":\"pushed\"") })
  }
}
