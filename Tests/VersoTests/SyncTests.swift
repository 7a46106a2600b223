import Glibc
import Testing
import VersoGit
import VersoModel
import VersoTestSupport

@testable import Verso

@Suite struct SyncTests {
  @Test func `edits of two devices to one note are joined, and a second sync has nothing to do`()
    throws
  {
    let devices = try Devices("desk", "phone")
    try devices.write("# T\nONE\ntwo\nthree\n", to: "note.md", on: "desk")
    try devices.write("# T\none\ntwo\nTHREE\n", to: "note.md", on: "phone")
    try devices.settle()
    #expect(devices.text("note.md", on: "desk") == "# T\nONE\ntwo\nTHREE\n")
    #expect(devices.text("note.md", on: "phone") == "# T\nONE\ntwo\nTHREE\n")
    #expect(try devices.problems() == [])
    let again = try devices.sync("desk")
    #expect(again.save.commit == nil && again.fetched == nil && again.pushed == nil)
  }

  @Test func `lines that both changed leave one version in the note and the other beside it`()
    throws
  {
    let devices = try Devices("desk", "phone")
    try devices.write("# T\none desk\ntwo\nthree\n", to: "note.md", on: "desk")
    try devices.write("# T\none phone\ntwo\nthree\n", to: "note.md", on: "phone")
    try devices.sync("desk")
    let outcome = try devices.sync("phone")
    let conflict = try #require(outcome.conflicts.first)
    #expect(conflict.path == "note.md")
    try devices.settle()
    let texts = try devices.files(on: "desk").map { devices.text($0, on: "desk") }
    #expect(texts.contains("# T\none desk\ntwo\nthree\n"))
    #expect(texts.contains("# T\none phone\ntwo\nthree\n"))
    #expect(try devices.problems() == [])
    let open = try devices.engine("desk").openConflicts()
    #expect(open.map(\.copy) == [conflict.copy])
    #expect(open.first?.device == conflict.device)
  }

  @Test(arguments: [ConflictChoice.this, .copy, .both, .joined, .text(Array("both\n".utf8))])
  func `a conflict ends by a version of its own, on every device`(_ choice: ConflictChoice) throws {
    let devices = try Devices("desk", "phone")
    try devices.write("desk\n", to: "note.md", on: "desk")
    try devices.write("phone\n", to: "note.md", on: "phone")
    try devices.settle()
    let engine = try devices.engine("desk")
    let conflict = try #require(try engine.openConflicts().first)
    let (note, copy) = try engine.contents(of: conflict)
    _ = try engine.resolve(conflict, by: choice, isDryRun: false, wait: 5)
    try devices.settle()
    #expect(try devices.engine("phone").openConflicts() == [])
    let text = Array((devices.text("note.md", on: "phone") ?? "").utf8)
    switch choice {
    case .this: #expect(text == note)
    case .copy: #expect(text == copy)
    case .both:
      #expect(text == note)
      #expect(
        devices.text("note (\(conflict.device)).md", on: "phone").map { Array($0.utf8) } == copy)
    case .joined: #expect(text == note + copy)
    case .text(let bytes): #expect(text == bytes)
    }
    #expect(try devices.problems() == [])
    _ = try devices.engine("desk").undo(redoing: false, isDryRun: false, wait: 5)
    #expect(try devices.engine("desk").openConflicts().map(\.copy) == [conflict.copy])
  }

  @Test func `a file from another device has the time of its version`() throws {
    let devices = try Devices("desk", "phone")
    try devices.write("new\n", to: "new.md", on: "desk")
    try devices.git("desk", "add", "new.md")
    try run(
      ["git", "-C", devices.scratch.at("desk"), "commit", "-qm", "x"],
      environment: [
        "GIT_COMMITTER_DATE": "1700000000 +0000", "GIT_AUTHOR_DATE": "1700000000 +0000",
      ]
    ).check()
    try devices.settle()
    var status = stat()
    #expect(stat(devices.scratch.at("phone/new.md"), &status) == 0)
    #expect(status.st_mtim.tv_sec == 1_700_000_000)
    #expect(try devices.git("phone", "status", "--porcelain") == "")
  }

  // MARK: Joining

  @Test func `last month's copy of the folder joins without conflict copies`() throws {
    let devices = try Devices("desk", files: ["a.md": "1\n", "b.md": "x\ny\n", "c.md": "same\n"])
    for text in ["1\n2\n", "one\ntwo\n"] {
      try devices.write(text, to: "a.md", on: "desk")
      try devices.sync("desk")
    }
    let laptop = try Scratch()
    _ = laptop
    // An earlier version, one with all the lines, the same, and one that only it has.
    try devices.write("1\n2\n", to: "a.md", on: "laptop")
    try devices.write("x\nmore\ny\n", to: "b.md", on: "laptop")
    try devices.write("same\n", to: "c.md", on: "laptop")
    try devices.write("own\n", to: "d.md", on: "laptop")
    let outcome = try devices.join("laptop")
    #expect(outcome.conflicts == [])
    try devices.sync("desk")
    for name in ["desk", "laptop"] {
      #expect(devices.text("a.md", on: name) == "one\ntwo\n")
      #expect(devices.text("b.md", on: name) == "x\nmore\ny\n")
      #expect(devices.text("d.md", on: name) == "own\n")
      #expect(try devices.files(on: name) == ["a.md", "b.md", "c.md", "d.md"])
    }
  }

  @Test func `a branch that was never shared takes the name of the remote's`() throws {
    let devices = try Devices("desk")
    try devices.git("desk", "push", "-q", devices.hub, "main:refs/heads/notes")
    try run(["git", "-C", devices.hub, "symbolic-ref", "HEAD", "refs/heads/notes"]).check()
    try run(["git", "-C", devices.hub, "update-ref", "-d", "refs/heads/main"]).check()
    try devices.write("own\n", to: "d.md", on: "laptop")
    try devices.join("laptop")
    #expect(try devices.git("laptop", "symbolic-ref", "HEAD") == "refs/heads/notes")
    #expect(try devices.files(on: "laptop") == ["d.md", "note.md"])
  }

  // MARK: What is not taken over

  @Test func `a remote whose history was rewritten is left alone, and both tips are kept`() throws {
    let devices = try Devices("desk", "phone")
    try devices.write("more\n", to: "more.md", on: "desk")
    try devices.settle()
    let before = try devices.git("phone", "rev-parse", "HEAD")
    try devices.git("desk", "commit", "-q", "--amend", "-m", "other")
    try devices.git("desk", "push", "-q", "--force", devices.hub, "main")
    let error = #expect(throws: VersoError.self) { try devices.sync("phone") }
    #expect(error?.code == .refused)
    #expect(try devices.git("phone", "rev-parse", "HEAD") == before)
    let kept = try devices.git(
      "phone", "for-each-ref", "--format=%(objectname)", "refs/verso/rewritten")
    let rewritten = try devices.git("desk", "rev-parse", "HEAD")
    #expect(Set(kept.split(separator: "\n").map(String.init)) == [before, rewritten])
  }

  @Test func `an emptied remote gets everything again, a deleted branch is left alone`() throws {
    let devices = try Devices("desk")
    try run(["git", "-C", devices.hub, "update-ref", "refs/heads/other", "refs/heads/main"]).check()
    try run(["git", "-C", devices.hub, "update-ref", "-d", "refs/heads/main"]).check()
    let error = #expect(throws: VersoError.self) { try devices.sync("desk") }
    #expect(error?.code == .refused)
    try run(["git", "-C", devices.hub, "update-ref", "-d", "refs/heads/other"]).check()
    #expect(try devices.sync("desk").pushed != nil)
  }

  @Test func `only the branch of the vault is synchronised`() throws {
    let devices = try Devices("desk")
    try devices.git("desk", "switch", "-qc", "draft")
    let error = #expect(throws: VersoError.self) { try devices.sync("desk") }
    #expect(error?.code == .refused)
    #expect(error?.message.contains("draft") == true)
    #expect(try devices.engine("desk").syncStanding().otherBranch != nil)
  }

  // MARK: Deletions of others

  static let many = Dictionary(uniqueKeysWithValues: (0..<20).map { ("n\($0).md", "text \($0)\n") })

  @Test func `many deletions by a strange commit are held, and everything else is joined`() throws {
    let devices = try Devices("desk", "phone", files: Self.many)
    for number in 0..<12 { try devices.remove("n\(number).md", on: "desk") }
    try devices.write("edited\n", to: "n15.md", on: "desk")
    try devices.git("desk", "commit", "-qam", "careless")
    try devices.sync("desk")
    let outcome = try devices.sync("phone")
    #expect(outcome.held.count == 12)
    #expect(try devices.files(on: "phone").count == 20)
    #expect(devices.text("n15.md", on: "phone") == "edited\n")
    // They are neither saved again nor sent.
    try devices.write("new\n", to: "new.md", on: "phone")
    try devices.sync("phone")
    #expect(
      try devices.git("phone", "ls-tree", "-r", "--name-only", "HEAD").split(separator: "\n").count
        == 9)
    #expect(try devices.engine("phone").syncStanding().kept.count == 12)
    // One is brought back for all, the others go.
    _ = try devices.engine("phone").restore(RestoreRequest(path: "n3.md"))
    try devices.sync("phone") { $0.allowsMassDeletion = true }
    #expect(try devices.files(on: "phone").count == 10)
    try devices.settle()
    #expect(devices.text("n3.md", on: "desk") == "text 3\n")
    #expect(try devices.problems() == [])
  }

  @Test func `deletions that a person agreed to are taken over by other devices`() throws {
    let devices = try Devices("desk", "phone", files: Self.many)
    for number in 0..<12 { try devices.remove("n\(number).md", on: "desk") }
    #expect(try devices.sync("desk").save.held.count == 12)
    try devices.sync("desk") { $0.allowsMassDeletion = true }
    let outcome = try devices.sync("phone")
    #expect(outcome.held == [])
    #expect(try devices.files(on: "phone").count == 8)
  }

  @Test func `a submodule of another device is no deletion here`() throws {
    let devices = try Devices("desk", "phone")
    let inner = try Scratch("inner")
    try inner.git("init", "-q")
    try inner.git("commit", "-q", "--allow-empty", "-m", "x")
    try run(
      [
        "git", "-C", devices.scratch.at("desk"), "-c", "protocol.file.allow=always", "submodule",
        "-q", "add", inner.path, "inner",
      ]
    ).check()
    try devices.git("desk", "commit", "-qm", "submodule")
    try devices.settle()
    #expect(try devices.save("phone").commit == nil)
    #expect(try devices.git("phone", "ls-tree", "HEAD", "inner").hasPrefix("160000 commit"))
    #expect(try devices.problems() == [])
  }

  @Test func `a join that was cut off goes on with its own branch only`() throws {
    let devices = try Devices("desk", "phone")
    try devices.write("theirs\n", to: "new.md", on: "desk")
    try devices.sync("desk")
    let journal = devices.scratch.at("phone/.git/verso/journal")
    let store = FailingFileStore { event in
      // The branch is not to be moved: all files are there, and the journal.
      event.call == .rename && event.path == "index" && access(journal, F_OK) == 0 ? EIO : nil
    }
    let engine = try Engine(root: devices.root("phone"), store: store)
    #expect(throws: VersoError.self) {
      try engine.sync(SyncRequest()) { _ throws(VersoError) in SaveOutcome() }
    }
    #expect(access(journal, F_OK) == 0)
    try devices.git("phone", "symbolic-ref", "HEAD", "refs/heads/other")
    try devices.git("phone", "branch", "other", "main")
    let error = #expect(throws: VersoError.self) { try devices.save("phone") }
    #expect(error?.code == .refused)
    try devices.git("phone", "symbolic-ref", "HEAD", "refs/heads/main")
    try devices.settle()
    #expect(devices.text("new.md", on: "phone") == "theirs\n")
    #expect(try devices.problems() == [])
  }

  // MARK: What a user does meanwhile

  @Test func `a note that a program has open is written when it lets go, and loses nothing`() throws
  {
    let devices = try Devices("desk", "phone")
    let file = open(devices.scratch.at("phone/note.md"), O_WRONLY | O_APPEND | O_CLOEXEC)
    try devices.write("# T\nONE\ntwo\nthree\n", to: "note.md", on: "desk")
    try devices.sync("desk")
    #expect(try devices.sync("phone").pending.map(\.path) == ["note.md"])
    #expect(devices.text("note.md", on: "phone") == "# T\none\ntwo\nthree\n")
    // What it writes is an edit of what it saw, not of what came.
    #expect(write(file, "four\n", 5) == 5)
    try closeForGood(file, devices.scratch.at("phone/note.md"))
    try devices.settle()
    #expect(devices.text("note.md", on: "phone") == "# T\nONE\ntwo\nthree\nfour\n")
    #expect(devices.text("note.md", on: "desk") == "# T\nONE\ntwo\nthree\nfour\n")
    #expect(try devices.problems() == [])
  }

  @Test func `what is being edited is neither saved nor written, and is joined afterwards`() throws
  {
    let devices = try Devices("desk", "phone")
    try devices.write("# T\nONE\ntwo\nthree\n", to: "note.md", on: "desk")
    try devices.sync("desk")
    try devices.write("# T\none\ntwo\nthr", to: "note.md", on: "phone")
    let engine = try devices.engine("phone")
    var request = SyncRequest()
    request.restless = { ["note.md"] }
    let outcome = try engine.sync(request) { _ throws(VersoError) in SaveOutcome() }
    #expect(outcome.pending.map(\.path) == ["note.md"])
    #expect(devices.text("note.md", on: "phone") == "# T\none\ntwo\nthr")
    try devices.write("# T\none\ntwo\nthree\nfour\n", to: "note.md", on: "phone")
    try devices.settle()
    #expect(devices.text("note.md", on: "desk") == "# T\nONE\ntwo\nthree\nfour\n")
    #expect(try !devices.git("desk", "log", "-p", "--format=").contains("+thr\n"))
    #expect(try devices.problems() == [])
  }

  @Test func `an ignored file in the way stays, and is told of`() throws {
    let devices = try Devices("desk", "phone")
    try devices.write("*.log\n", to: ".git/info/exclude", on: "phone")
    try devices.write("own\n", to: "x.log", on: "phone")
    try devices.write("other\n", to: "x.log", on: "desk")
    try devices.settle()
    #expect(devices.text("x.log", on: "phone") == "own\n")
    #expect(try devices.engine("phone").syncStanding().pending == ["x.log"])
    #expect(devices.text("x.log", on: "desk") == "other\n")
    try devices.remove("x.log", on: "phone")
    try devices.settle()
    #expect(devices.text("x.log", on: "phone") == "other\n")
  }

  @Test func `a lost race is joined again without a trace of the first try`() throws {
    let devices = try Devices("desk", "phone", "tablet")
    for name in devices.names { try devices.write("\(name)\n", to: "\(name).md", on: name) }
    try devices.sync("desk")
    // The hub lets nobody in while the phone joins, and the tablet is faster afterwards.
    let hook = devices.scratch.at("hub.git/hooks/pre-receive")
    try devices.scratch.write("#!/bin/sh\nexit 1\n", to: "hub.git/hooks/pre-receive")
    chmod(hook, 0o755)
    #expect(throws: VersoError.self) { try devices.sync("phone") }
    unlink(hook)
    try devices.sync("tablet")
    try devices.settle()
    #expect(try devices.problems() == [])
    #expect(
      try devices.git("desk", "rev-list", "--merges", "HEAD").split(separator: "\n").count == 2)
  }

  @Test func `what came last is taken back by name, and by name only`() throws {
    let devices = try Devices("desk", "phone")
    try devices.write("changed\n", to: "note.md", on: "desk")
    try devices.sync("desk")
    try devices.sync("phone")
    let engine = try devices.engine("phone")
    #expect(throws: VersoError.self) {
      try engine.undoMerge(isDryRun: false, wait: 5) { _ in nil }
    }
    _ = try engine.undoMerge(isDryRun: false, wait: 5) { $0 == ["note.md"] }
    try devices.settle()
    #expect(devices.text("note.md", on: "desk") == "# T\none\ntwo\nthree\n")
    #expect(try devices.problems() == [])
  }
}
