import Foundation
import Glibc
import Testing
import VersoTestSupport

/// The safety rules of the command line, each as its user meets it.
@Suite struct SafetyRuleTests {
  // MARK: What is not looked at stays as it is

  @Test func `a tracked file stays versioned though a rule ignores it`() throws {
    let notes = try Notes(adopting: { scratch in
      try scratch.write("one\n", to: "kept.log")
      try scratch.write("*.log\nd/\n", to: ".gitignore")
      try scratch.write("one\n", to: "d/deep.md")
      try scratch.git("add", "-f", "kept.log", "d/deep.md", ".gitignore")
      try scratch.git("commit", "-qm", "base")
    })
    try notes.shell("echo two > kept.log; echo two > d/deep.md; echo x > new.log; echo x > d/x.md")
    #expect(try notes.verso("save").status == 0)
    #expect(try notes.git("show", "HEAD:kept.log") == "two")
    #expect(try notes.git("show", "HEAD:d/deep.md") == "two")
    #expect(try notes.entry("new.log") == "" && notes.entry("d/x.md") == "")
    try notes.shell("rm kept.log")
    #expect(try notes.verso("save").status == 0)
    #expect(try notes.entry("kept.log") == "")
  }

  @Test func `a skip-worktree entry stays, whether its file is gone or other`() throws {
    let notes = try Notes(["gone.md": "one\n", "other.md": "one\n", "note.md": "one\n"])
    let before = try notes.git("ls-tree", "HEAD", "gone.md", "other.md")
    try notes.git("update-index", "--skip-worktree", "gone.md", "other.md")
    try notes.shell("rm gone.md; echo two > other.md; echo two > note.md")
    #expect(try notes.verso("save").text.hasSuffix(" Edit note.md\n"))
    #expect(try notes.git("ls-tree", "HEAD", "gone.md", "other.md") == before)
    #expect(try notes.git("ls-files", "-v", "gone.md").hasPrefix("S "))
  }

  @Test(.enabled(if: Nobody.isAvailable))
  func `what cannot be read keeps its last version until it is seen to be gone`() throws {
    let scratch = try Scratch()
    for name in ["secret.md", "d/a.md", "d/e/b.md", "note.md"] {
      try scratch.write("one\n", to: name)
    }
    try Nobody.own(scratch)
    #expect(try Nobody.verso("init", "-q", in: scratch.path).status == 0)
    try run(["sh", "-c", "echo two > note.md; chmod 0 secret.md d"], in: scratch.path)
    let save = try Nobody.verso("save", in: scratch.path)
    #expect(save.status == 3 && save.text.hasSuffix(" Edit note.md\n"))
    #expect(save.error.contains("skipped secret.md") && save.error.contains("skipped d:"))
    let again = try Nobody.verso("save", in: scratch.path)
    #expect(again.status == 0 && again.error == "")
    #expect(try Nobody.verso("status", "--check", "-q", in: scratch.path).status == 3)
    func names() throws -> String {
      try run(
        ["git", "-c", "safe.directory=*", "ls-tree", "-r", "--name-only", "HEAD"],
        in: scratch.path
      ).text
    }
    #expect(try names() == "d/a.md\nd/e/b.md\nnote.md\nsecret.md\n")
    try run(["sh", "-c", "chmod 700 d; rm -r d; rm -f secret.md"], in: scratch.path)
    #expect(try Nobody.verso("save", in: scratch.path).status == 0)
    #expect(try names() == "note.md\n")
    #expect(try Nobody.verso("status", "--check", "-q", in: scratch.path).status == 0)
  }

  @Test func `a file that grew too large keeps its last version, also when it moves`() throws {
    let notes = try Notes(["large.md": "one\n", "note.md": "one\n"])
    let before = try notes.entry("large.md")
    try notes.git("config", "verso.maxFileSize", "20")
    try notes.shell("seq 1 100 > large.md; echo two > note.md")
    let save = try notes.verso("save")
    #expect(save.status == 3 && save.error.contains("skipped large.md"))
    #expect(try notes.entry("large.md") == before)
    try notes.shell("mkdir d; mv large.md d/moved.md")
    let moved = try notes.verso("save")
    #expect(moved.status == 3 && moved.error.contains("skipped d/moved.md"))
    #expect(try notes.entry("large.md") == before)
    try notes.shell("rm d/moved.md")
    #expect(try notes.verso("save").status == 0)
    #expect(try notes.entry("large.md") == "")
  }

  @Test func `a note that a FIFO took the place of keeps its last version`() throws {
    let notes = try Notes(["note.md": "one\n", "other.md": "one\n"])
    let before = try notes.entry("note.md")
    try notes.shell("rm note.md; mkfifo note.md; echo two > other.md")
    let save = try notes.verso("save")
    #expect(save.status == 3 && save.error.contains("skipped note.md"))
    #expect(try notes.entry("note.md") == before)
    #expect(try notes.git("show", "HEAD:other.md") == "two")
  }

  @Test(.enabled(if: Mounts.areAllowed))
  func `files under a mount keep their last version`() throws {
    let notes = try Notes(["d/a.md": "one\n", "d/b.md": "one\n", "note.md": "one\n"])
    let before = try notes.git("ls-tree", "-r", "HEAD", "d")
    try run(["mount", "-t", "tmpfs", "verso-test", notes.scratch.at("d")])
    defer { _ = try? run(["umount", notes.scratch.at("d")]) }
    try notes.shell("echo new > d/new.md; echo two > note.md")
    let save = try notes.verso("save")
    #expect(save.status == 3 && save.error.contains("skipped d: it is on another file system"))
    #expect(try notes.git("ls-tree", "-r", "HEAD", "d") == before)
    #expect(try notes.verso("save").status == 0)
    try run(["umount", notes.scratch.at("d")])
    #expect(try notes.verso("save").status == 0)
    #expect(try notes.git("ls-tree", "-r", "HEAD", "d") == before)
    #expect(try notes.verso("status", "--check", "-q").status == 0)
  }

  // MARK: Mass deletion

  struct Batch: Sendable, CustomTestStringConvertible {
    let deleted: Int
    let all: Int
    let isHeld: Bool
    var testDescription: String { "\(deleted) of \(all)" }
  }

  static let batches = [
    Batch(deleted: 9, all: 9, isHeld: false), Batch(deleted: 4, all: 10, isHeld: false),
    Batch(deleted: 5, all: 10, isHeld: true), Batch(deleted: 24, all: 49, isHeld: false),
    Batch(deleted: 9, all: 50, isHeld: false), Batch(deleted: 10, all: 50, isHeld: true),
    Batch(deleted: 999, all: 5_010, isHeld: false), Batch(deleted: 1_000, all: 5_010, isHeld: true),
  ]

  @Test(arguments: batches)
  func `a mass deletion is held, and only the deletions`(_ batch: Batch) throws {
    let notes = try Notes([:], numbered: batch.all)
    let gone = (0..<batch.deleted).map(Notes.name)
    try run(["xargs", "rm"], in: notes.path, input: Array(gone.joined(separator: "\n").utf8))
    try notes.scratch.write("new\n", to: "added.md")
    let edited = batch.deleted < batch.all ? Notes.name(batch.all - 1) : nil
    if let edited { try notes.scratch.write("edited\n", to: edited) }
    let save = try notes.verso("save", "--json")
    #expect(save.status == (batch.isHeld ? 5 : 0))
    #expect(try notes.git("show", "HEAD:added.md") == "new")
    if let edited { #expect(try notes.git("show", "HEAD:\(edited)") == "edited") }
    let left = try notes.git("ls-tree", "-r", "--name-only", "HEAD").split(separator: "\n").count
    #expect(left == batch.all + 1 - (batch.isHeld ? 0 : batch.deleted))
    let held = try Notes.objects(save.text).filter { $0["type"] as? String == "held" }
    let paths = held.first?["paths"] as? [String] ?? []
    #expect(Set(paths) == Set(batch.isHeld ? gone : []))
  }

  @Test func `exactly the deletions that were listed are accepted, and other devices told`()
    throws
  {
    let notes = try Notes([:], numbered: 20)
    try notes.shell("rm n/?.md")
    #expect(try notes.verso("save").status == 5)
    // Something goes wrong between the list and the word of the user.
    try notes.shell("rm n/1?.md; echo new > new.md")
    let save = try notes.verso("save", "--allow-mass-delete")
    #expect(save.status == 5)
    let names = try notes.git("ls-tree", "-r", "--name-only", "HEAD").split(separator: "\n")
    #expect(names == (10...19).map { "n/\($0).md" } + ["new.md"])
    #expect(
      try notes.git("log", "-1", "--format=%(trailers:key=Verso-Mass-Delete,valueonly)")
        .hasPrefix("10"))
    #expect(try notes.verso("save", "--allow-mass-delete").status == 0)
    #expect(try notes.git("ls-tree", "-r", "--name-only", "HEAD") == "new.md")
  }

  @Test func `a save of other paths does not widen what was listed`() throws {
    let notes = try Notes(["note.md": "one\n"], numbered: 19)
    try notes.shell("rm n/?.md")
    #expect(try notes.verso("save").status == 5)
    try notes.scratch.write("two\n", to: "note.md")
    #expect(try notes.verso("save", "note.md").status == 0)
    try notes.shell("rm n/1?.md note.md")
    #expect(try notes.verso("save", "--allow-mass-delete").status == 5)
    let names = try notes.git("ls-tree", "-r", "--name-only", "HEAD").split(separator: "\n")
    // The ten listed ones are gone; those that went since were in no list.
    #expect(names == (10...18).map { "n/\($0).md" } + ["note.md"])
  }

  @Test func `moving every note is no mass deletion`() throws {
    let notes = try Notes([:], numbered: 60)
    try notes.shell("mkdir moved; mv n moved/; echo more >> moved/n/1.md")
    #expect(try notes.verso("save").status == 0)
    #expect(try notes.git("ls-tree", "--name-only", "HEAD") == "moved")
    #expect(try notes.git("status", "--porcelain") == "")
  }

  // MARK: The user's own git

  enum Operation: String, CaseIterable, Sendable {
    case merge, rebase, bisect, cherryPick = "cherry-pick", revert

    /// Leaves the operation open in a repository with a version on `main` and one on `side`.
    var start: String {
      switch self {
      case .merge: "git merge -q side"
      case .rebase: "git rebase -q side"
      case .bisect: "git bisect start"
      case .cherryPick: "git cherry-pick side"
      case .revert: "git revert --no-edit HEAD~1"
      }
    }

    var stop: String {
      self == .bisect ? "git bisect reset" : "git \(rawValue) --abort"
    }
  }

  @Test(arguments: Operation.allCases)
  func `nothing is saved while an operation of git is open`(_ operation: Operation) throws {
    let notes = try Notes(["note.md": "base\n", "other.md": "one\n"])
    try notes.git("checkout", "-q", "-b", "side")
    try notes.shell("echo side > note.md; git commit -qam side; git checkout -q main")
    for text in ["ours", "ours again"] {
      try notes.shell("echo \(text) > note.md")
      #expect(try notes.verso("save").status == 0)
    }
    try notes.shell(operation.start)
    try notes.scratch.write("unsaved\n", to: "other.md")
    let before = try notes.shell("git rev-parse HEAD main; cat .git/index | sha1sum").text
    let commands = [["save"], ["restore", "other.md", "--at", "main"], ["undo"], ["redo"]]
    for command in commands {
      let outcome = try run([Verso.binary] + command, in: notes.path)
      #expect(outcome.status == 5, "\(command): \(outcome.error)")
      #expect(outcome.error.contains("a \(operation.rawValue) is open"), "\(outcome.error)")
    }
    #expect(try notes.shell("git rev-parse HEAD main; cat .git/index | sha1sum").text == before)
    #expect(notes.scratch.text(of: "other.md") == "unsaved\n")
    let status = try Notes.objects(notes.verso("status", "--json").text).first
    let held = status?["held"] as? [[String: Any]] ?? []
    #expect(held.contains { $0["reason"] as? String == operation.rawValue })
    try notes.shell(operation.stop)
    try notes.scratch.write("unsaved\n", to: "other.md")
    #expect(try notes.verso("save").status == 0)
    #expect(try notes.git("show", "HEAD:other.md") == "unsaved")
  }

  @Test func `nothing is saved while a commit message is being written`() throws {
    let notes = try Notes(["note.md": "one\n", "mine.md": "one\n"])
    try notes.shell("echo two > mine.md; git add mine.md; echo two > note.md")
    let commit = Process()
    commit.executableURL = URL(fileURLWithPath: "/usr/bin/git")
    commit.arguments = ["-C", notes.path, "commit", "-q"]
    let editor = "sh -c 'until [ -e go ]; do sleep 0.02; done; echo Mine > \"$1\"' -"
    commit.environment = hermeticEnvironment.merging(["GIT_EDITOR": editor]) { $1 }
    try commit.run()
    defer {
      kill(commit.processIdentifier, SIGKILL)
      commit.waitUntilExit()
    }
    try Notes.wait { notes.scratch.bytes(of: ".git/COMMIT_EDITMSG") != nil }
    let save = try notes.verso("save")
    #expect(save.status == 5 && save.error.contains("a commit message is being written"))
    #expect(try notes.versions().count == 1)
    try notes.scratch.write("", to: "go")
    commit.waitUntilExit()
    #expect(commit.terminationStatus == 0)
    #expect(try notes.git("show", "--name-only", "--format=%s") == "Mine\n\nmine.md")
    try notes.shell("rm go")
    #expect(try notes.verso("save").status == 0)
    #expect(try notes.git("show", "HEAD:note.md") == "two")
  }

  @Test func `an abandoned commit message counts for ten minutes at most`() throws {
    let notes = try Notes()
    try notes.scratch.write("two\n", to: "note.md")
    try notes.scratch.write("abandoned\n", to: ".git/COMMIT_EDITMSG")
    // Within one tick of the clock neither would be the newer one.
    try notes.shell("touch -d '-1 minute' .git/logs/HEAD")
    #expect(try notes.verso("save").status == 5)
    try notes.shell("touch -d '-11 minutes' .git/COMMIT_EDITMSG .git/logs/HEAD")
    try notes.shell("touch -d '-12 minutes' .git/logs/HEAD")
    #expect(try notes.verso("save").status == 0)
  }

  @Test func `a detached HEAD is saved to no branch`() throws {
    let notes = try Notes()
    try notes.git("checkout", "-q", "--detach")
    try notes.scratch.write("two\n", to: "note.md")
    let save = try notes.verso("save")
    #expect(save.status == 5 && save.error.contains("HEAD is detached"))
    #expect(try notes.git("rev-list", "--count", "--all") == "1")
    try notes.git("switch", "-q", "main")
    #expect(try notes.verso("save").status == 0)
    #expect(try notes.git("rev-list", "--count", "main") == "2")
  }

  @Test func `unresolved conflicts in the index are left to the user`() throws {
    let notes = try Notes()
    let id = try notes.git("rev-parse", "HEAD:note.md")
    try run(
      ["git", "update-index", "--index-info"], in: notes.path,
      input: Array("0 \(id)\tnote.md\n100644 \(id) 2\tnote.md\n100644 \(id) 3\tnote.md\n".utf8))
    try notes.scratch.write("two\n", to: "note.md")
    let save = try notes.verso("save")
    #expect(save.status == 5 && save.error.contains("note.md"))
    #expect(try notes.git("ls-files", "-u").split(separator: "\n").count == 2)
  }
}

/// Whether this process may mount file systems.
enum Mounts {
  static let areAllowed: Bool = {
    guard geteuid() == 0, let folder = try? Scratch("verso-mount") else { return false }
    guard (try? run(["mount", "-t", "tmpfs", "verso-test", folder.path]))?.status == 0 else {
      return false
    }
    return (try? run(["umount", folder.path]))?.status == 0
  }()
}
