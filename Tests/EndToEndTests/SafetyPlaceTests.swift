import Foundation
import Glibc
import Testing
import VersoTestSupport

/// The safety rules about owners, places, remotes and hooks.
@Suite struct SafetyPlaceTests {
  // MARK: Whose it is

  @Test(.enabled(if: Nobody.isAvailable))
  func `as root on someone else's directory nothing is written`() throws {
    let scratch = try Scratch()
    try scratch.write("one\n", to: "note.md")
    try Nobody.own(scratch)
    let line = "hint: run: sudo -u nobody verso …\n"
    let made = try Verso.run("init", scratch.path)
    #expect(made.status == 5 && made.error.hasSuffix(line))
    #expect(try Nobody.verso("init", in: scratch.path).status == 0)
    try scratch.write("two\n", to: "note.md")
    try Nobody.own(scratch)
    for command in [
      ["save"], ["undo"], ["redo"], ["forget"], ["restore", "note.md", "--at", "~1"],
    ] {
      let outcome = try run([Verso.binary, "-C", scratch.path] + command)
      #expect(outcome.status == 5, "\(command)")
      #expect(outcome.error.hasSuffix(line), "\(command): \(outcome.error)")
    }
    #expect(try run(["find", scratch.path, "-user", "0"]).text == "")
  }

  @Test(.enabled(if: Nobody.isAvailable))
  func `as root nothing is written though git trusts the place`() throws {
    let scratch = try Scratch()
    try scratch.write("one\n", to: "note.md")
    try Nobody.own(scratch)
    #expect(try Nobody.verso("init", in: scratch.path).status == 0)
    let home = try Scratch()
    try home.write("[safe]\n\tdirectory = *\n", to: ".gitconfig")
    let trusting = ["HOME": home.path, "GIT_CONFIG_GLOBAL": home.at(".gitconfig")]
    let save = try Verso.run("save", in: scratch.path, environment: trusting)
    #expect(save.status == 5 && save.error.contains("run: sudo -u nobody verso …"))
    #expect(try Verso.run("log", in: scratch.path, environment: trusting).status == 0)
    #expect(try run(["find", scratch.path, "-user", "0"]).text == "")
  }

  // MARK: Places nobody should version

  @Test func `init refuses the system, a home and what belongs to another repository`() throws {
    let scratch = try Scratch()
    try run(["mkdir", "-p", "home", "outer/inner"], in: scratch.path)
    try run(["git", "init", "-q", "outer"], in: scratch.path)
    try run(["git", "init", "-q", "--bare", "bare.git"], in: scratch.path)
    try run(["git", "-C", "outer", "commit", "-q", "--allow-empty", "-m", "x"], in: scratch.path)
    try run(["git", "-C", "outer", "worktree", "add", "-q", "../linked"], in: scratch.path)
    let before = try run(["find", scratch.path]).text
    func refused(_ place: String, _ word: String, _ more: String...) throws {
      let outcome = try run(
        [Verso.binary, "init", place] + more, in: scratch.path,
        environment: ["HOME": scratch.at("home")])
      #expect(outcome.status == 5, "\(place)")
      #expect(outcome.error.contains(word), "\(place): \(outcome.error)")
    }
    try refused("/", "the whole system")
    try refused("/", "the whole system", "--force")
    try refused("home", "--force")
    try refused("home/.", "--force")
    try refused("outer/.git", "git directory")
    try refused("outer/.git/refs", "git directory")
    try refused("bare.git", "git directory")
    try refused("bare.git/objects", "git directory")
    try refused("linked", "linked worktree")
    try refused("outer/inner", "--git-dir")
    #expect(try run(["find", scratch.path]).text == before)
    let forced = try run(
      [Verso.binary, "init", "home", "--force"], in: scratch.path,
      environment: ["HOME": scratch.at("home")])
    #expect(forced.status == 0)
  }

  @Test func `inside another repository a vault has its history elsewhere`() throws {
    let scratch = try Scratch()
    try scratch.write("one\n", to: "outer/inner/note.md")
    try run(["git", "init", "-q", "outer"], in: scratch.path)
    let made = try Verso.run(
      "init", "outer/inner", "--git-dir", "kept.git", in: scratch.path)
    #expect(made.status == 0, "\(made.error)")
    #expect(scratch.text(of: "outer/inner/.git")?.hasPrefix("gitdir: ") == true)
    #expect(try run(["stat", "-c", "%a", scratch.at("kept.git")]).text == "700\n")
    try scratch.write("two\n", to: "outer/inner/note.md")
    #expect(try Verso.run("save", in: scratch.at("outer/inner")).status == 0)
    let show = try run(["git", "show", "HEAD:note.md"], in: scratch.at("outer/inner"))
    #expect(show.text == "two\n")
  }

  @Test func `a new git directory is private whatever the umask, an adopted one is left`() throws {
    let scratch = try Scratch()
    try run(["mkdir", "new", "old"], in: scratch.path)
    try run(["sh", "-c", "umask 0; git init -q old; chmod 755 old/.git"], in: scratch.path)
    for name in ["new", "old"] {
      let made = try run(
        ["sh", "-c", "umask 0; exec \"$0\" init \(name)", Verso.binary], in: scratch.path)
      #expect(made.status == 0)
    }
    #expect(try run(["stat", "-c", "%a", scratch.at("new/.git")]).text == "700\n")
    #expect(try run(["stat", "-c", "%a", scratch.at("old/.git")]).text == "755\n")
  }

  @Test func `much is not taken on without a word`() throws {
    let scratch = try Scratch()
    try scratch.write("one\n", to: "small/note.md")
    try run(["mkdir", "big"], in: scratch.path)
    for number in 1...53 {
      try run(["truncate", "-s", "40M", scratch.at("big/\(number).bin")])
    }
    let refused = try Verso.run("init", scratch.path)
    #expect(refused.status == 5)
    #expect(refused.error.contains("54 files, 2.1 GiB; largest: big 2120 MiB, small 0 MiB"))
    #expect(refused.error.contains("--yes"))
    #expect(scratch.bytes(of: ".git/HEAD") == nil)
  }

  // MARK: Remotes and hooks

  @Test func `a remote that was there before is never used`() throws {
    let scratch = try Scratch()
    try scratch.write("one\n", to: "origin/note.md")
    try run(["git", "init", "-q", "-b", "main", "origin"], in: scratch.path)
    try run(["git", "-C", "origin", "add", "."], in: scratch.path)
    try run(["git", "-C", "origin", "commit", "-qm", "base"], in: scratch.path)
    try run(["git", "clone", "-q", "origin", "vault"], in: scratch.path)
    let refs = ["git", "for-each-ref"]
    let before = try run(refs, in: scratch.at("origin")).text
    // Gone from where it was: whoever asked for it would fail.
    try run(["mv", "origin", "away"], in: scratch.path)
    let made = try Verso.run("init", "vault", in: scratch.path)
    #expect(made.status == 0 && made.text.contains("remote origin: not used"))
    try scratch.write("two\n", to: "vault/note.md")
    #expect(try Verso.run("save", in: scratch.at("vault")).status == 0)
    let status = try Verso.run("status", in: scratch.at("vault"))
    #expect(status.text.contains("remote origin: not used"))
    #expect(try run(refs, in: scratch.at("away")).text == before)
    let config = try run(["git", "config", "verso.remote"], in: scratch.at("vault"))
    #expect(config.text == "")
  }

  @Test func `hooks are named once and never run`() throws {
    let scratch = try Scratch()
    try run(["git", "init", "-q", scratch.path])
    for hook in ["pre-commit", "post-commit", "reference-transaction"] {
      try scratch.write("#!/bin/sh\necho \(hook) >> ran\nexit 1\n", to: ".git/hooks/\(hook)")
      try run(["chmod", "755", scratch.at(".git/hooks/\(hook)")])
    }
    try scratch.write("one\n", to: "note.md")
    let made = try Verso.run("init", scratch.path)
    #expect(made.status == 0)
    #expect(
      made.text.contains("hooks that saves do not run: pre-commit, post-commit, reference-transact")
    )
    #expect(try !Verso.run("init", scratch.path).text.contains("hooks"))
    #expect(scratch.bytes(of: "ran") == nil && scratch.bytes(of: ".git/ran") == nil)
  }
}
