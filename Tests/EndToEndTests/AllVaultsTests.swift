import Foundation
import Testing
import VersoTestSupport

/// Several vaults of one user, whose list lies in a folder of the test's own.
struct Household {
  let scratch: Scratch
  let environment: [String: String]

  /// Makes vaults of these names.
  init(_ names: String...) throws {
    scratch = try Scratch("household")
    environment = ["XDG_STATE_HOME": scratch.at("state")]
    for name in names {
      try scratch.write("one\n", to: "\(name)/note.md")
      let made = try verso("init", "-q", scratch.at(name))
      guard made.status == 0 else { throw Failure("init: \(made.error)") }
    }
  }

  @discardableResult
  func verso(_ arguments: String...) throws -> Outcome {
    try run([Verso.binary] + arguments, in: scratch.path, environment: environment)
  }

  var listed: String { scratch.text(of: "state/verso/vaults") ?? "" }
}

@Suite struct AllVaultsTests {
  @Test func `init notes a vault once, forget takes it out`() throws {
    let home = try Household("a", "b c")
    #expect(home.listed == "\(home.scratch.at("a"))\n\(home.scratch.at("b c"))\n")
    try home.verso("init", "-q", "a")
    try home.verso("init", "-q", "--dry-run", "new")
    #expect(home.listed.split(separator: "\n").count == 2)
    #expect(try home.verso("forget", "a", "--dry-run").status == 0)
    #expect(home.listed.split(separator: "\n").count == 2)
    #expect(try home.verso("forget", "a").status == 0)
    #expect(home.listed == "\(home.scratch.at("b c"))\n")
  }

  @Test func `a list that cannot be written is said in one line and fails nothing`() throws {
    let scratch = try Scratch()
    try scratch.write("", to: "state")
    let made = try run(
      [Verso.binary, "init", scratch.at("vault")],
      environment: ["XDG_STATE_HOME": scratch.at("state")])
    #expect(made.status == 0)
    let lines = made.error.split(separator: "\n").filter { $0.contains("--all") }
    #expect(lines.count == 1 && lines[0].hasPrefix("warning: "))
  }

  @Test func `parallel inits lose none`() throws {
    let home = try Household()
    let script = """
      for n in $(seq 12); do "$1" init -q v$n & done; wait
      """
    let done = try run(
      Notes.unblocked + ["sh", "-c", script, "sh", Verso.binary], in: home.scratch.path,
      environment: home.environment)
    #expect(done.status == 0)
    let expected = (1...12).map { home.scratch.at("v\($0)") }
    #expect(Set(home.listed.split(separator: "\n").map(String.init)) == Set(expected))
  }

  @Test func `status --all is a line per vault, and one that is gone does not hide the rest`()
    throws
  {
    let home = try Household("a", "b", "c")
    try home.scratch.write("two\n", to: "c/note.md")
    try run(["mv", home.scratch.at("b"), home.scratch.at("elsewhere")])
    let all = try home.verso("status", "--all")
    let lines = all.text.split(separator: "\n")
    #expect(lines.count == 2)
    #expect(lines[0].hasPrefix("ok    \(home.scratch.at("a"))  everything is saved, last save "))
    #expect(lines[1].hasPrefix("ok    \(home.scratch.at("c"))  1 not saved, last save "))
    #expect(all.status == 1)
    #expect(all.error.contains("the vault \(home.scratch.at("b")) is missing: No such file"))
    #expect(all.error.contains("verso forget \(home.scratch.at("b"))"))
    #expect(home.listed.contains("/b\n"))
    // What is gone can be taken out by its name, and only then is it.
    #expect(try home.verso("forget", home.scratch.at("b")).status == 0)
    #expect(try home.verso("forget", home.scratch.at("b")).status == 1)
    #expect(try home.verso("status", "--all").status == 0)
    #expect(home.listed.split(separator: "\n").count == 2)
  }

  @Test func `programs get an object per vault`() throws {
    let home = try Household("a", "b")
    try run(["rm", "-r", home.scratch.at("b")])
    let all = try home.verso("status", "--all", "--json")
    let objects = try Notes.objects(all.text)
    #expect(objects.map { $0["vault"] as? String } == [home.scratch.at("a")])
    #expect(objects[0]["type"] as? String == "status")
    let error = try #require(try Notes.objects(all.error).first)
    #expect(error["type"] as? String == "error" && error["path"] as? String == home.scratch.at("b"))
  }

  @Test func `the first of 1, 5, 6, 4 and 3 decides`() throws {
    let home = try Household("a", "b")
    try run(["mkfifo", home.scratch.at("a/pipe")])
    #expect(try home.verso("status", "--all").status == 0)
    #expect(try home.verso("status", "--all", "--check", "-q").status == 3)
    try home.scratch.write("nonsense", to: "b/.git/config")
    let both = try home.verso("status", "--all", "--check", "-q")
    #expect(both.status == 1 && both.text == "")
    #expect(both.error.contains(home.scratch.at("b")))
  }

  @Test func `--all takes no path, and no vault at all is no failure`() throws {
    let home = try Household()
    let none = try home.verso("status", "--all")
    #expect(none.status == 0 && none.text.contains("verso init"))
    #expect(try home.verso("status", "--all", "x").status == 2)
    #expect(try home.verso("status", "--all", "-0").status == 2)
  }

  // MARK: --max-age

  @Test func `without a remote a good save counts, and nothing to save is never too old`() throws {
    let home = try Household("a")
    let vault = home.scratch.at("a")
    #expect(try home.verso("-C", vault, "status", "--max-age", "1h", "-q").status == 0)
    try home.scratch.write("two\n", to: "a/note.md")
    // The first version is new enough.
    #expect(try home.verso("-C", vault, "status", "--max-age", "1h", "-q").status == 0)
    try run(
      ["git", "-C", vault, "commit", "-q", "--allow-empty", "--amend", "-m", "old"],
      environment: ["GIT_COMMITTER_DATE": "@1000000000 +0000"])
    try run(["rm", "-f", "\(vault)/.git/verso/synced"])
    let old = try home.verso("-C", vault, "status", "--max-age", "1h", "-q")
    #expect(old.status == 1 && old.text == "")
    #expect(old.error.contains("the last good save of \(vault) was 2001-09-09"))
    #expect(old.error.contains("hint: run: verso save -C \(vault)"))
    let all = try home.verso("status", "--all", "--max-age", "1h", "-q")
    #expect(all.status == 1 && all.error == old.error)
    #expect(try home.verso("-C", vault, "save", "-q").status == 0)
    try home.scratch.write("three\n", to: "a/note.md")
    #expect(try home.verso("-C", vault, "status", "--max-age", "1h", "-q").status == 0)
  }

  @Test func `with a remote only a good synchronisation counts`() throws {
    let home = try Household("a")
    let vault = home.scratch.at("a")
    try run(["git", "-C", vault, "config", "verso.remote", "origin"])
    let never = try home.verso("-C", vault, "status", "--max-age", "1h")
    #expect(never.status == 1)
    #expect(never.error.contains("has no good synchronisation yet"))
    let now = Int(Date().timeIntervalSince1970)
    func record(_ lines: String...) throws {
      let text = (["verso-sync 1"] + lines).joined(separator: "\n") + "\n"
      try home.scratch.write(text, to: "a/.git/verso/synced")
    }
    try record("attempted \(now)", "succeeded \(now - 60)")
    let good = try home.verso("-C", vault, "status", "--max-age", "1h")
    #expect(good.status == 0 && good.text.contains("\nlast sync 20"))
    try record(
      "attempted \(now)", "succeeded \(now - 7200)", "failing \(now - 3600)",
      "failure unreachable \"no\\trou\\033[31mte\"")
    let bad = try home.verso("-C", vault, "status", "--max-age", "1h")
    #expect(bad.status == 1 && bad.error.contains(": no␉rou␛[31mte\n"))
    #expect(bad.text.contains("; it fails since 20"))
    // A save is no synchronisation here.
    #expect(try home.verso("-C", vault, "save", "-q").status == 0)
    #expect(try home.verso("-C", vault, "status", "--max-age", "1h").status == 1)
    let object = try #require(
      try Notes.objects(home.verso("-C", vault, "status", "--json").text).first)
    let failure = try #require(object["syncFailure"] as? [String: Any])
    #expect(failure["code"] as? Int == 6 && failure["since"] is String)
    #expect(object["remote"] as? String == "origin" && object["lastSync"] is String)
  }
}
