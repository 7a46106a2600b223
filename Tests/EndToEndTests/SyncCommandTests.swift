import Foundation
import Testing
import VersoTestSupport

/// `sync`, `clone`, `conflicts` and `init --remote` as scripts and cron see them.
@Suite struct SyncCommandTests {
  /// Two vaults and a hub, tied together by the commands themselves.
  private struct Two {
    let scratch: Scratch
    var hub: String { scratch.at("hub.git") }
    var desk: String { scratch.at("desk") }
    var phone: String { scratch.at("phone") }

    init(_ files: [String: String] = ["note.md": "# T\none\ntwo\n"]) throws {
      scratch = try Scratch("two")
      for (name, text) in files { try scratch.write(text, to: "desk/\(name)") }
      let made = try verso("init", "--device", "desk", "--remote", hub, "--create", desk)
      guard made.status == 0 else { throw Failure("init: \(made.status) \(made.error)") }
      let cloned = try verso("clone", "--device", "phone", hub, phone)
      guard cloned.status == 0 else { throw Failure("clone: \(cloned.status) \(cloned.error)") }
    }

    @discardableResult
    func verso(_ arguments: String..., environment: [String: String] = [:]) throws -> Outcome {
      try run(
        [Verso.binary] + arguments, in: scratch.path,
        environment: ["XDG_STATE_HOME": scratch.at("state"), "XDG_RUNTIME_DIR": scratch.path]
          .merging(environment) { $1 })
    }

    /// The last second's edits are looked at twice: none is so young.
    func write(_ text: String, to name: String) throws {
      try scratch.write(text, to: name)
      try run(["touch", "-d", "1 minute ago", scratch.at(name)])
    }

    func conflict() throws {
      try write("# T\ndesk\ntwo\n", to: "desk/note.md")
      try write("# T\nphone\ntwo\n", to: "phone/note.md")
      #expect(try verso("sync", desk).status == 0)
    }
  }

  @Test func `a remote's path counts from here, and is not taken inside the vault`() throws {
    let scratch = try Scratch()
    try scratch.write("one\n", to: "notes/a.md")
    let inside = try Verso.run(
      "init", "notes", "--remote", "./notes/hub.git", "--create", in: scratch.path)
    #expect(inside.status == 5 && inside.error.contains("in the vault"), "\(inside.error)")
    #expect(!scratch.exists("notes/hub.git"))
    let made = try Verso.run(
      "init", "notes", "--remote", "./hub.git", "--create", in: scratch.path)
    #expect(made.status == 0, "\(made.error)")
    #expect(scratch.exists("hub.git/HEAD") && !scratch.exists("notes/hub.git"))
    #expect(try run(["git", "-C", scratch.at("hub.git"), "rev-parse", "HEAD"]).status == 0)
    // A word is the name of a remote, also where a folder has that name.
    try scratch.write("x\n", to: "backup/x")
    try run(["git", "-C", scratch.at("notes"), "remote", "add", "backup", scratch.at("hub.git")])
    let named = try Verso.run("init", "notes", "--remote", "backup", in: scratch.path)
    #expect(named.status == 0, "\(named.error)")
    try scratch.write("two\n", to: "others/b.md")
    let joined = try Verso.run("init", "--remote", "../hub.git", in: scratch.at("others"))
    #expect(joined.status == 0 && scratch.text(of: "others/a.md") == "one\n", "\(joined.error)")
  }

  @Test(arguments: ["", "  ", "a\nb", "a\u{1B}[2J"])
  func `a device's name is one line that says something`(name: String) throws {
    let scratch = try Scratch()
    try scratch.write("one\n", to: "notes/a.md")
    let made = try Verso.run("init", "--device", name, scratch.at("notes"))
    #expect(made.status == 2 && made.error.contains("--device"))
    #expect(!scratch.exists("notes/.git"))
  }

  @Test func `a conflict has the time at which it was made, not that of the note`() throws {
    let two = try Two()
    try two.conflict()
    let synced = try two.verso("--json", "sync", two.phone)
    #expect(synced.status == 3, "\(synced.error)")
    let listed = try two.verso("--json", "-C", two.phone, "conflicts").text
    let copy = try #require(
      try FileManager.default.contentsOfDirectory(atPath: two.phone).first {
        $0.contains("conflict")
      })
    let time = try run(
      [
        "git", "-C", two.phone, "log", "-1", "--format=%cI", "--diff-filter=A", "-m",
        "--first-parent", "--", copy,
      ])
      .text
    let stamp = try #require(ISO8601DateFormatter().date(from: time.filter { $0 != "\n" }))
    let expected = ISO8601DateFormatter().string(from: stamp)
    #expect(listed.contains("\"time\":\"\(expected)\""), "\(listed) \(time)")
  }

  @Test func `what forget would do is said as a plan`() throws {
    let two = try Two()
    let planned = try two.verso("--json", "forget", "--dry-run", two.desk)
    #expect(planned.text.contains("\"event\":\"planned\"") && !planned.text.contains("forgotten"))
    #expect(try two.verso("status", two.desk).status == 0)
  }

  @Test func `init says before the first push how much goes where, and clone ends with a vault`()
    throws
  {
    let scratch = try Scratch()
    try scratch.write("one\n", to: "notes/a.md")
    let made = try Verso.run(
      "init", "--remote", scratch.at("hub.git"), "--create", scratch.at("notes"))
    #expect(made.status == 0, "\(made.error)")
    #expect(made.text.contains("1 file goes to the branch "))
    #expect(made.text.contains("sent 1 version to origin"))
    let cloned = try Verso.run("clone", scratch.at("hub.git"), in: scratch.path)
    #expect(cloned.status == 0, "\(cloned.error)")
    #expect(scratch.text(of: "hub/a.md") == "one\n")
    #expect(try Verso.run("status", "-C", scratch.at("hub"), "--check").status == 0)
  }

  @Test func `a clone that comes to nothing leaves nothing`() throws {
    let scratch = try Scratch()
    let outcome = try Verso.run("clone", scratch.at("nowhere.git"), scratch.at("x"))
    #expect(outcome.status == 6, "\(outcome.error)")
    #expect(!FileManager.default.fileExists(atPath: scratch.at("x")))
    try scratch.write("mine\n", to: "full/note.md")
    let full = try Verso.run("clone", scratch.at("nowhere.git"), scratch.at("full"))
    #expect(full.status == 1)
    #expect(full.error.contains("init --remote"))
    #expect(scratch.text(of: "full/note.md") == "mine\n")
  }

  @Test func `a clone that is cut off says so to all that comes after, and begins anew`() throws {
    let two = try Two()
    let scratch = two.scratch
    let script = """
      printf 'touch %s; exec sleep 60' "'$1/waits'" > "$1/ssh"
      GIT_SSH_COMMAND="sh '$1/ssh'" "$2" clone ssh://host/r.git "$1/cut" >/dev/null 2>&1 & verso=$!
      until [ -e "$1/waits" ]; do sleep 0.02; done
      kill -KILL $verso; wait $verso; echo $?
      """
    let cut = try run(["sh", "-c", script, "sh", scratch.path, Verso.binary])
    #expect(cut.text == "137\n", "\(cut.error)")
    try scratch.write("new\n", to: "cut/new.md")
    for command in ["sync", "save", "status"] {
      let refused = try two.verso(command, "-C", scratch.at("cut"))
      #expect(refused.status == 5, "\(command)")
      #expect(refused.error.contains("clone of ssh://host/r.git into"))
      #expect(refused.error.contains("verso clone ssh://host/r.git"))
    }
    // What was written meanwhile is not taken away.
    #expect(try two.verso("clone", two.hub, scratch.at("cut")).status == 1)
    #expect(scratch.text(of: "cut/new.md") == "new\n")
    try run(["rm", scratch.at("cut/new.md")])
    #expect(try two.verso("clone", "--dry-run", two.hub, scratch.at("cut")).status == 0)
    let done = try two.verso("clone", two.hub, scratch.at("cut"))
    #expect(done.status == 0, "\(done.error)")
    #expect(try two.verso("sync", scratch.at("cut")).status == 0)
    let config = scratch.text(of: "cut/.git/config") ?? ""
    #expect(config.contains("remote = origin") && !config.lowercased().contains("unfinished"))
  }

  @Test func `programs get an object for what came, what went and each conflict, and 3 once`()
    throws
  {
    let two = try Two()
    try two.conflict()
    let outcome = try two.verso("sync", "--json", two.phone)
    #expect(outcome.status == 3, "\(outcome.error)")
    let objects = try Notes.objects(outcome.text)
    #expect(
      objects.compactMap { $0["type"] as? String } == ["saved", "fetched", "conflict", "pushed"])
    let conflict = try #require(objects.first { $0["type"] as? String == "conflict" })
    #expect(conflict["path"] as? String == "note.md")
    #expect(try two.verso("sync", two.phone).status == 0)
    #expect(try two.verso("status", "--check", "-C", two.phone).status == 3)
    let status = try Notes.objects(two.verso("status", "--json", "-C", two.phone).text)[0]
    #expect(
      (status["conflicts"] as? [[String: Any]])?.first?["copy"] as? String == conflict["copy"]
        as? String)
    #expect(status["ahead"] as? Int == 0 && status["behind"] as? Int == 0)
    #expect(status["remote"] as? String == "origin")
    let listed = try Notes.objects(two.verso("conflicts", "--json", "-C", two.phone).text)
    #expect(listed.first?["copy"] as? String == conflict["copy"] as? String)
    #expect((listed.first?["time"] as? String)?.hasSuffix("Z") == true)
    let done = try two.verso("conflicts", "resolve", two.phone + "/note.md", "--keep", "this")
    #expect(done.status == 0, "\(done.error)")
    #expect(try two.verso("status", "--check", "-C", two.phone).status == 0)
  }

  @Test func `both versions are shown by words, and an editor gets them without markers`() throws {
    let two = try Two()
    try two.conflict()
    #expect(try two.verso("sync", two.phone).status == 3)
    let shown = try two.verso("conflicts", "-C", two.phone)
    #expect(shown.text.contains("desk") && shown.text.contains("phone"))
    #expect(shown.text.contains("verso conflicts resolve"))
    // Off a terminal nobody can edit.
    let blind = try two.verso("conflicts", "resolve", "note.md", "--merge", "-C", two.phone)
    #expect(blind.status == 1)
    try two.scratch.write(
      "#!/bin/sh\ncp \"$1\" '\(two.scratch.at("seen"))'\necho edited >> \"$1\"\n", to: "ed")
    chmod(two.scratch.at("ed"), 0o755)
    let outcome = try run(
      [
        "script", "-qec",
        "'\(Verso.binary)' conflicts resolve note.md --merge -C '\(two.phone)'", "/dev/null",
      ],
      environment: ["EDITOR": two.scratch.at("ed"), "XDG_RUNTIME_DIR": two.scratch.path])
    #expect(outcome.status == 0, "\(outcome.text)")
    let seen = try #require(two.scratch.text(of: "seen"))
    #expect(seen.contains("desk\n") && seen.contains("phone\n"))
    #expect(!seen.contains("<<<") && !seen.contains(">>>"))
    #expect(two.scratch.text(of: "phone/note.md") == seen + "edited\n")
  }

  @Test func `an unreachable remote is 6 with everything saved, and silent for as long as asked`()
    throws
  {
    let two = try Two()
    try FileManager.default.moveItem(atPath: two.hub, toPath: two.hub + ".away")
    try two.write("# T\nalone\n", to: "desk/note.md")
    let outcome = try two.verso("sync", two.desk)
    #expect(outcome.status == 6)
    #expect(outcome.text.contains("Edit note.md"))
    #expect(try run(["git", "-C", two.desk, "status", "--porcelain"]).text == "")
    let patient = try two.verso("sync", "-q", "--grace", "1d", two.desk)
    #expect(patient.status == 0)
    #expect(patient.text == "" && patient.error == "")
    let old = try two.verso("status", "--max-age", "1h", "-C", two.desk)
    #expect(old.status == 0, "the last good one is a moment ago")
    try FileManager.default.moveItem(atPath: two.hub + ".away", toPath: two.hub)
    #expect(try two.verso("sync", two.desk).status == 0)
  }

  @Test func `without a git program it is 6, and says what to install`() throws {
    let two = try Two()
    try two.write("# T\nalone\n", to: "desk/note.md")
    let outcome = try two.verso("sync", two.desk, environment: ["PATH": two.scratch.at("empty")])
    #expect(outcome.status == 6)
    #expect(outcome.error.contains("install"))
    #expect(try run(["git", "-C", two.desk, "log", "-1", "--format=%s"]).text == "Edit note.md\n")
  }

  @Test func `all vaults are synchronised, and one failure does not touch the rest`() throws {
    let two = try Two()
    try two.scratch.write("x\n", to: "third/x.md")
    #expect(try two.verso("init", two.scratch.at("third")).status == 0)
    try FileManager.default.removeItem(atPath: two.scratch.at("third"))
    try two.write("# T\nONE\ntwo\n", to: "desk/note.md")
    let outcome = try two.verso("sync", "--all")
    #expect(outcome.status == 1)
    #expect(outcome.error.contains("third"))
    #expect(try two.verso("sync", "--all").status == 1)
    #expect(two.scratch.text(of: "phone/note.md") == "# T\nONE\ntwo\n")
  }

  @Test func `a remote that was there before is used only when it is named`() throws {
    let scratch = try Scratch()
    try run(["git", "init", "-q", "--bare", "-b", "main", scratch.at("hub.git")])
    try scratch.write("mine\n", to: "notes/note.md")
    for words in [
      ["init", "-q", "-b", "main"], ["remote", "add", "origin", scratch.at("hub.git")],
    ] { try run(["git", "-C", scratch.at("notes")] + words) }
    #expect(try Verso.run("init", scratch.at("notes")).text.contains("remote origin: not used"))
    #expect(try Verso.run("sync", scratch.at("notes")).status == 0)
    #expect(try run(["git", "-C", scratch.at("hub.git"), "for-each-ref"]).text == "")
    let named = try Verso.run("init", "--remote", "origin", scratch.at("notes"))
    #expect(named.status == 0, "\(named.error)")
    #expect(try run(["git", "-C", scratch.at("hub.git"), "show", "main:note.md"]).text == "mine\n")
  }

  @Test func `a join can be counted before it is done, and nothing is changed by that`() throws {
    let two = try Two(["a.md": "same\n", "b.md": "there\n", "c.md": "only there\n"])
    try two.scratch.write("same\n", to: "old/a.md")
    try two.scratch.write("here\n", to: "old/b.md")
    try two.scratch.write("only here\n", to: "old/d.md")
    let before = try run(["find", two.scratch.at("old")]).text
    let plan = try two.verso("init", "--dry-run", "--remote", two.hub, two.scratch.at("old"))
    #expect(plan.status == 0, "\(plan.error)")
    #expect(plan.text.contains("1 file only here, 1 only there, 1 equal"))
    #expect(plan.text.contains("1 differ"))
    #expect(try run(["find", two.scratch.at("old")]).text == before)
  }

  @Test func `usage errors of conflicts say what to type`() throws {
    let two = try Two()
    for words in [
      ["conflicts", "resolve"], ["conflicts", "resolve", "note.md"], ["conflicts", "list", "x"],
      ["conflicts", "resolve", "note.md", "--keep", "this"],
    ] {
      let outcome = try run([Verso.binary] + words + ["-C", two.desk])
      #expect(outcome.status == 2, "\(words): \(outcome.error)")
    }
  }
}
