import Foundation
import Testing
import VersoTestSupport

/// What cli.md promises and a stranger would try first.
@Suite struct ContractTests {
  private func vault(_ files: [String: String] = ["note.md": "one\n"]) throws -> Scratch {
    let scratch = try Scratch()
    for (name, text) in files { try scratch.write(text, to: name) }
    #expect(try Verso.run("init", "-q", scratch.path).status == 0)
    return scratch
  }

  private func objects(_ text: String) throws -> [[String: Any]] {
    try text.split(separator: "\n").map { line in
      let parsed = try JSONSerialization.jsonObject(with: Data(line.utf8))
      return try #require(parsed as? [String: Any])
    }
  }

  // MARK: Taking on

  @Test func `an empty directory becomes a vault without an empty version`() throws {
    let scratch = try Scratch()
    let made = try Verso.run("init", scratch.path)
    #expect(made.status == 0 && !made.text.contains("saved"))
    let status = try Verso.run("status", in: scratch.path)
    #expect(status.status == 0 && status.text.contains("nothing has been saved yet"))
    #expect(try Verso.run("log", in: scratch.path).status == 0)
    try scratch.write("one\n", to: "note.md")
    #expect(try Verso.run("save", in: scratch.path).text.hasSuffix(" Add note.md\n"))
    #expect(try scratch.git("rev-list", "--count", "HEAD") == "1")
  }

  @Test func `forget leaves nothing of verso in the configuration`() throws {
    let scratch = try vault()
    try scratch.git("config", "verso.device", "desk")
    try scratch.git("config", "core.pager", "cat")
    let before = try scratch.git("rev-parse", "HEAD")
    #expect(try Verso.run("forget", scratch.path).status == 0)
    let config = try #require(scratch.text(of: ".git/config"))
    #expect(!config.contains("verso") && config.contains("pager = cat"))
    #expect(scratch.text(of: ".git/info/exclude")?.contains("verso") == false)
    #expect(try scratch.git("rev-parse", "HEAD") == before)
    #expect(try Verso.run("save", in: scratch.path).status == 1)
  }

  @Test func `a directory whose name is not UTF-8 is refused and no other one made`() throws {
    let scratch = try Scratch()
    let outcome = try run(
      ["sh", "-c", "\"$0\" init \"$(printf 'bad\\377')\"", Verso.binary], in: scratch.path)
    #expect(outcome.status == 1 && outcome.error.contains("UTF-8"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path).isEmpty)
  }

  @Test func `paths count from a current directory whose name is not UTF-8`() throws {
    let scratch = try vault()
    try scratch.write(Array("in\n".utf8), to: [0xFF] + Array("/note.md".utf8))
    #expect(try Verso.run("save", in: scratch.path).status == 0)
    let script = "cd \"$(printf '\\377')\" && \"$0\" show note.md"
    let shown = try run(["sh", "-c", script, Verso.binary], in: scratch.path)
    #expect(shown.status == 0 && shown.text == "in\n")
  }

  // MARK: Saving

  @Test func `a made-up name is told once and is no failure`() throws {
    let scratch = try vault()
    let bare = [
      "env", "-u", "GIT_AUTHOR_NAME", "-u", "GIT_AUTHOR_EMAIL", "-u", "GIT_COMMITTER_NAME", "-u",
      "GIT_COMMITTER_EMAIL", Verso.binary, "save",
    ]
    var told: [Bool] = []
    for round in 1...3 {
      try scratch.write("round \(round)\n", to: "note.md")
      let outcome = try run(bare, in: scratch.path)
      #expect(outcome.status == 0)
      told.append(outcome.error.contains("git knows no name for you"))
    }
    #expect(told == [true, false, false])
  }

  @Test func `a version that cannot be signed is told once with 3`() throws {
    let scratch = try vault()
    try scratch.git("config", "commit.gpgSign", "true")
    try scratch.git("config", "gpg.program", "/nonexistent/gpg")
    var codes: [Int32] = []
    for round in 1...2 {
      try scratch.write("round \(round)\n", to: "note.md")
      let outcome = try Verso.run("save", "--json", in: scratch.path)
      codes.append(outcome.status)
      let events = try objects(outcome.text).compactMap { $0["event"] as? String }
      #expect(events == (round == 1 ? ["unsigned"] : []))
    }
    #expect(codes == [3, 0])
    #expect(try scratch.git("rev-list", "--count", "HEAD") == "3")
  }

  @Test func `a path that nothing is at cannot be saved`() throws {
    let scratch = try vault()
    let outcome = try Verso.run("save", "nte.md", in: scratch.path)
    #expect(outcome.status == 1 && outcome.error.contains("nte.md"))
    #expect(outcome.error.contains("did you mean note.md?"))
    try run(["rm", scratch.at("note.md")])
    #expect(try Verso.run("save", "note.md", in: scratch.path).status == 0)
  }

  @Test func `the first line of a message of several names the save everywhere`() throws {
    let scratch = try vault()
    try scratch.write("two\n", to: "note.md")
    let outcome = try Verso.run("save", "--json", "-m", "Title", "-m", "More", in: scratch.path)
    #expect(try objects(outcome.text).first?["subject"] as? String == "Title")
    #expect(try scratch.git("log", "-1", "--format=%s") == "Title")
    #expect(try scratch.git("reflog", "-1", "--format=%gs") == "verso: Title")
    #expect(scratch.text(of: ".git/logs/HEAD")?.split(separator: "\n").count == 2)
  }

  @Test func `what does not stop changing is named each time, and 3 the first time only`() throws {
    let scratch = try vault()
    let writer = Process()
    writer.executableURL = URL(fileURLWithPath: "/bin/sh")
    // A writer that holds the file open: the lease probe sees it, however slow the machine.
    writer.arguments = ["-c", "exec 3>>'\(scratch.at("busy.md"))'; echo x >&3; exec sleep 60"]
    try writer.run()
    defer {
      kill(writer.processIdentifier, SIGKILL)
      writer.waitUntilExit()
    }
    let end = Date().addingTimeInterval(10)
    while scratch.text(of: "busy.md") != "x\n", Date() < end { usleep(10_000) }
    let first = try Verso.run("save", in: scratch.path)
    let second = try Verso.run("save", in: scratch.path)
    #expect(first.status == 3 && second.status == 0)
    #expect(first.error.contains("skipped busy.md") && second.error.contains("skipped busy.md"))
  }

  @Test func `a dry run tells programs what it would do`() throws {
    let scratch = try vault()
    try scratch.write("two\n", to: "note.md")
    let head = try scratch.git("rev-parse", "HEAD")
    let save = try objects(Verso.run("save", "--dry-run", "--json", in: scratch.path).text)
    #expect(save.compactMap { $0["event"] as? String } == ["planned", "planned"])
    #expect(save.last?["path"] as? String == "note.md")
    #expect(try Verso.run("save", in: scratch.path).status == 0)
    let restore = try objects(
      Verso.run("restore", "note.md", "--at", "~1", "--dry-run", "--json", in: scratch.path).text)
    #expect(restore.map { $0["path"] as? String } == ["note.md"])
    #expect(scratch.text(of: "note.md") == "two\n")
    #expect(try scratch.git("rev-parse", "HEAD~1") == head)
  }

  // MARK: Looking

  @Test func `status names a detached HEAD, to programs in one word`() throws {
    let scratch = try vault()
    try scratch.git("checkout", "-q", "--detach")
    let text = try Verso.run("status", in: scratch.path)
    #expect(text.text.hasPrefix("vault \(scratch.path) with a detached HEAD\n"))
    let object = try objects(Verso.run("status", "--json", in: scratch.path).text).first
    let held = try #require(object?["held"] as? [[String: Any]])
    #expect(held.map { $0["reason"] as? String } == ["head"])
    #expect(object?["branch"] is NSNull)
  }

  // MARK: Bringing back

  @Test func `a note deleted just now comes back without a time`() throws {
    let scratch = try vault(["note.md": "one\n", "d/other.md": "two\n"])
    try run(["rm", "-r", scratch.at("note.md"), scratch.at("d")])
    let dry = try Verso.run("restore", "note.md", "--dry-run", in: scratch.path)
    #expect(dry.status == 0 && dry.text.contains("would write note.md"))
    #expect(try Verso.run("restore", "note.md", in: scratch.path).status == 0)
    #expect(scratch.text(of: "note.md") == "one\n")
    #expect(try Verso.run("restore", "d", in: scratch.path).status == 0)
    #expect(scratch.text(of: "d/other.md") == "two\n")
    #expect(try scratch.git("status", "--porcelain") == "")
  }

  @Test func `notes whose deletion is held come back`() throws {
    var files: [String: String] = [:]
    for number in 1...12 { files["n/\(number).md"] = "text \(number)\n" }
    let scratch = try vault(files)
    try run(["sh", "-c", "rm n/[1-9].md"], in: scratch.path)
    #expect(try Verso.run("save", in: scratch.path).status == 5)
    let one = try Verso.run("restore", "n/1.md", in: scratch.path)
    #expect(one.text.contains("brought back n/1.md"))
    #expect(scratch.text(of: "n/1.md") == "text 1\n")
    let rest = try Verso.run("restore", "n", "--at", "HEAD", "--json", in: scratch.path)
    #expect(rest.status == 0)
    #expect(try objects(rest.text).contains { $0["event"] as? String == "restored" })
    for (name, text) in files { #expect(scratch.text(of: name) == text) }
    let save = try Verso.run("save", in: scratch.path)
    #expect(save.status == 0)
    #expect(try scratch.git("rev-list", "--count", "HEAD") == "1")
  }

  @Test func `the commands that restore offers can be pasted where it was typed`() throws {
    let name = "it's an odd $name"
    let scratch = try vault(["sub/\(name).md": "one\n"])
    try scratch.write("two\n", to: "sub/\(name).md")
    #expect(try Verso.run("save", in: scratch.path).status == 0)
    let offer = try Verso.run("restore", "\(name).md", in: scratch.at("sub"))
    #expect(offer.status == 2)
    let lines = offer.text.split(separator: "\n")
    #expect(lines.count == 2)
    let line = try #require(lines.last)
    let start = try #require(line.range(of: "verso restore "))
    let end = try #require(line.range(of: "  Add "))
    let command = line[start.lowerBound..<end.lowerBound].dropFirst("verso".count)
    let done = try run(["sh", "-c", "\"$0\"\(command)", Verso.binary], in: scratch.at("sub"))
    #expect(done.status == 0, "\(command): \(done.error)")
    #expect(scratch.text(of: "sub/\(name).md") == "one\n")
  }

  @Test func `restore offers programs objects`() throws {
    let scratch = try vault()
    let offer = try Verso.run("restore", "note.md", "--json", in: scratch.path)
    #expect(offer.status == 2)
    #expect(try objects(offer.text).map { $0["type"] as? String } == ["version"])
    #expect(try objects(offer.error).map { $0["type"] as? String } == ["error"])
  }

  @Test func `the whole vault is restored by its own path`() throws {
    let scratch = try vault(["a.md": "one\n", "d/b.md": "two\n"])
    try run(["rm", "-r", scratch.at("d")])
    try scratch.write("edited\n", to: "a.md")
    try scratch.write("newer\n", to: "c.md")
    #expect(try Verso.run("save", in: scratch.path).status == 0)
    let done = try Verso.run("restore", ".", "--at", "~1", in: scratch.path)
    #expect(done.status == 0, "\(done.error)")
    #expect(scratch.text(of: "a.md") == "one\n" && scratch.text(of: "d/b.md") == "two\n")
    #expect(scratch.text(of: "c.md") == "newer\n")
    #expect(try Verso.run("restore", ".", in: scratch.path).status == 2)
  }

  @Test func `an exact restore lists what goes, and needs nobody to ask`() throws {
    let scratch = try vault(["d/a.md": "one\n"])
    try scratch.write("newer\n", to: "d/new.md")
    #expect(try Verso.run("save", in: scratch.path).status == 0)
    let done = try Verso.run("restore", "d", "--at", "HEAD~1", "--exact", in: scratch.path)
    #expect(done.status == 0 && done.error.contains("removes d/new.md"))
    #expect(scratch.bytes(of: "d/new.md") == nil && scratch.text(of: "d/a.md") == "one\n")
    #expect(try Verso.run("undo", in: scratch.path).status == 0)
    #expect(scratch.text(of: "d/new.md") == "newer\n")
  }

  @Test func `a restore to another name wants a free one, an empty folder included`() throws {
    let scratch = try vault()
    try run(["mkdir", scratch.at("taken")])
    for name in ["taken", "note.md"] {
      let refused = try Verso.run(
        "restore", "note.md", "--at", "HEAD", "--as", name, in: scratch.path)
      #expect(refused.status == 2 && refused.error.contains("\(name) is there already"))
    }
  }

  @Test(.enabled(if: Nobody.isAvailable))
  func `what cannot be written is a failure of its own, also to programs and when quiet`() throws {
    let scratch = try Scratch()
    try scratch.write("one\n", to: "d/note.md")
    try Nobody.own(scratch)
    #expect(try Nobody.verso("init", in: scratch.path).status == 0)
    try scratch.write("two\n", to: "d/note.md")
    #expect(try Nobody.verso("save", in: scratch.path).status == 0)
    try run(["chmod", "555", scratch.at("d")])
    let quiet = try Nobody.verso("restore", "-q", "d/note.md", "--at", "~1", in: scratch.path)
    #expect(quiet.status == 1 && quiet.error.contains("d/note.md was left as it is"))
    let told = try Nobody.verso("restore", "--json", "d/note.md", "--at", "~1", in: scratch.path)
    let object = try objects(told.error).first
    #expect(object?["type"] as? String == "error" && object?["path"] as? String == "d/note.md")
    #expect(scratch.text(of: "d/note.md") == "two\n")
    try run(["chmod", "755", scratch.at("d")])
    #expect(try Nobody.verso("restore", "d/note.md", "--at", "~1", in: scratch.path).status == 0)
    #expect(scratch.text(of: "d/note.md") == "one\n")
  }
}
