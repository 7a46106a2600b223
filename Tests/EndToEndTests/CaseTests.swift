import Foundation
import Glibc
import Testing
import VersoTestSupport

/// What went wrong with other tools, and is right here, as far as one machine goes.
@Suite struct CaseTests {
  // MARK: Lost edits

  @Test func `a restore keeps unsaved text first and says where`() throws {
    let notes = try Notes()
    try notes.scratch.write("two\n", to: "note.md")
    #expect(try notes.verso("save").status == 0)
    try notes.scratch.write("never saved\n", to: "note.md")
    let restore = try notes.verso("restore", "note.md", "--at", "~1")
    #expect(restore.status == 0 && notes.scratch.text(of: "note.md") == "one\n")
    let lines = restore.text.split(separator: "\n")
    #expect(lines.count == 2 && lines[0].hasSuffix(" Edit note.md"))
    let id = String(lines[0].split(separator: " ")[1])
    #expect(try notes.verso("show", "note.md", "--at", id).text == "never saved\n")
  }

  @Test func `undo takes back no save, and forgetting a vault touches no file`() throws {
    let notes = try Notes()
    try notes.scratch.write("new\n", to: "new.md")
    #expect(try notes.verso("save").status == 0)
    let undo = try notes.verso("undo")
    #expect(undo.status == 2 && undo.error.contains("nothing to undo"))
    let before = try notes.shell("stat -c '%n %i %Y %Z' *").text
    #expect(try notes.verso("forget").status == 0)
    #expect(try notes.shell("stat -c '%n %i %Y %Z' *").text == before)
    #expect(notes.scratch.text(of: "new.md") == "new\n")
  }

  @Test func `looking at old versions changes neither unsaved text nor the repository`() throws {
    let notes = try Notes()
    try notes.scratch.write("two\n", to: "note.md")
    #expect(try notes.verso("save").status == 0)
    try notes.shell("echo unsaved > note.md; echo new > new.md")
    let look = "find . -type f -o -type d | sort | xargs stat -c '%n %i %s %y %z'"
    let before = try notes.shell(look).text
    for command in [
      ["show", "note.md", "--at", "~1"], ["log", "note.md"], ["diff"], ["diff", "--from", "~1"],
      ["ls", "--at", "HEAD~1"], ["status"], ["save", "--dry-run"],
    ] {
      let outcome = try run([Verso.binary] + command, in: notes.path)
      #expect(outcome.status == 0, "\(command): \(outcome.error)")
    }
    // A dry run takes the vault's lock, which writes the name of its holder.
    func kept(_ text: String) -> [Substring] {
      text.split(separator: "\n").filter { !$0.hasPrefix("./.git/verso") }
    }
    #expect(try kept(notes.shell(look).text) == kept(before))
    #expect(notes.scratch.text(of: "note.md") == "unsaved\n")
  }

  // MARK: Locks

  @Test func `git's lock stops a save with a reason, and one that is ours by proof does not`()
    throws
  {
    let notes = try Notes()
    try notes.scratch.write("two\n", to: "note.md")
    try notes.scratch.write("", to: ".git/index.lock")
    let save = try notes.verso("save", "--wait", "0")
    #expect(save.status == 4 && save.error.contains(".git/index.lock"))
    #expect(save.error.contains("remove that file"))
    #expect(notes.scratch.bytes(of: ".git/index.lock") != nil)
    #expect(try notes.versions().count == 1)
    // A second name of the token is what a killed save of ours leaves.
    try notes.shell("rm .git/index.lock; ln .git/verso/token .git/index.lock")
    #expect(try notes.verso("save", "--wait", "0").status == 0)
    #expect(notes.scratch.bytes(of: ".git/index.lock") == nil)
    #expect(try notes.git("status", "--porcelain") == "")
  }

  @Test func `a save waits for git's lock and goes on when it is let go`() throws {
    let notes = try Notes()
    try notes.scratch.write("two\n", to: "note.md")
    try notes.scratch.write("", to: ".git/index.lock")
    let save = try notes.shell("(sleep 0.7; rm .git/index.lock) & '\(Verso.binary)' save; wait")
    #expect(save.text.hasSuffix(" Edit note.md\n"), "\(save.error)")
    #expect(try notes.git("status", "--porcelain") == "")
  }

  @Test func `commands at the same time take turns, and none fails`() throws {
    let notes = try Notes(["note.md": "one\n", "a.md": "one\n"])
    let script = """
      for i in 1 2 3 4 5; do
        (echo "text $i" > "new$i.md"; exec '\(Verso.binary)' save --wait 60; ) 2>>log$i &
        ('\(Verso.binary)' restore a.md --at HEAD --wait 60 2>>log$i) &
      done
      wait
      """
    try notes.scratch.write("log*\n", to: ".gitignore")
    #expect(try notes.shell(script).status == 0)
    #expect(try notes.shell("cat log*").text == "")
    #expect(try notes.verso("save").status == 0)
    for number in 1...5 {
      #expect(try notes.git("show", "HEAD:new\(number).md") == "text \(number)")
    }
    #expect(try notes.git("status", "--porcelain") == "")
    try notes.git("fsck", "--strict", "--no-dangling")
  }

  @Test(arguments: isFullRun ? [SIGINT, SIGTERM, SIGHUP] : [SIGINT])
  func `a signal ends a save whole or not begun, by that signal, without a lock`(
    _ signal: Int32
  ) throws {
    let calls = "rename,renameat,renameat2,link,linkat,unlink,unlinkat,fsync,fdatasync"
    var number = isFullRun ? 0 : 1
    var wasSignalled = false
    var endings = Set<Int32>()
    repeat {
      number += isFullRun ? 1 : 2
      let notes = try Notes()
      try notes.scratch.write("two\n", to: "note.md")
      let outcome = try run(
        Notes.unblocked + [
          "strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=\(calls)", "-e",
          "inject=\(calls):signal=\(signal):when=\(number)", Verso.binary, "save",
        ], in: notes.path, deadline: 60)
      wasSignalled = outcome.status != 0
      endings.insert(outcome.status < 0 ? -outcome.status : max(0, outcome.status - 128))
      let locks = try notes.shell("find .git -name '*.lock'").text
      #expect(locks == "", "after call \(number)")
      // The user's own git goes on at once, whatever was done.
      try notes.git("commit", "-q", "--allow-empty", "-m", "mine")
      #expect(try notes.verso("save").status == 0)
      #expect(try notes.git("show", "HEAD:note.md") == "two")
      #expect(try notes.git("status", "--porcelain") == "")
    } while wasSignalled && number < 60
    #expect(number > 5 && number < 60)
    #expect(endings == [0, signal])
  }

  // MARK: Half-written files and storms

  @Test func `a file that is rewritten in steps is saved when it stands still`() throws {
    let notes = try Notes(["note.md": "whole\n"])
    // Truncated, and written in two parts: each moment between is one that a save must not keep.
    let script = """
      : > note.md
      (sleep 0.2; echo first >> note.md; sleep 0.2; echo second >> note.md) &
      '\(Verso.binary)' save; wait
      """
    let save = try notes.shell(script)
    #expect(save.status == 0 && save.text.hasSuffix(" Edit note.md\n"))
    #expect(try notes.git("show", "HEAD:note.md") == "first\nsecond")
    #expect(try notes.versions().count == 2)
  }

  @Test func `a note that an editor renames away and back is not deleted between`() throws {
    let notes = try Notes(["note.md": "one\n"])
    let script = """
      mv note.md note.md~; (sleep 0.2; echo two > note.md) &
      '\(Verso.binary)' save; wait
      """
    #expect(try notes.shell(script).text.hasSuffix(" Edit note.md\n"))
    #expect(try notes.git("log", "--diff-filter=D", "--format=%h") == "")
  }

  @Test func `the litter of editors makes no version`() throws {
    let notes = try Notes()
    for name in [".note.md.swp", "note.md~", "#note.md#", ".~lock.note.odt#", ".DS_Store"] {
      try notes.scratch.write("litter\n", to: name)
    }
    let save = try notes.verso("save")
    #expect(save.status == 0 && save.text == "")
    #expect(try notes.versions().count == 1)
    #expect(try notes.git("status", "--porcelain") == "")
    // By name alone nothing is litter: this is what vim calls its probe.
    try notes.scratch.write("a note\n", to: "4913")
    #expect(try notes.verso("save").text.hasSuffix(" Add 4913\n"))
  }

  @Test func `what leaves the content as it is makes no version`() throws {
    let notes = try Notes(["note.md": "one\n", ".gitignore": "*.tmp\n"])
    try notes.shell("touch note.md; cp note.md c; mv c note.md; echo x > a.tmp; mkdir empty")
    for _ in 1...2 {
      let save = try notes.verso("save")
      #expect(save.status == 0 && save.text == "")
    }
    #expect(try notes.versions().count == 1)
    #expect(try notes.git("status", "--porcelain") == "")
  }

  // MARK: Names

  static let names: [[UInt8]] = [
    Array("notizen/Überblick – schön.md".utf8), Array("🦊/🇩🇪 👩‍👩‍👧.md".utf8),
    Array("e\u{301}te\u{301}.md".utf8), [0x62, 0xFF, 0xFE, 0x2E, 0x6D, 0x64],
    Array("line\nbreak\t\"quote\" back\\slash.md".utf8), Array(" leading and trailing ".utf8),
    Array(String(repeating: "n", count: 255).utf8), Array("-rf".utf8), Array("*.md".utf8),
  ]

  @Test(arguments: names)
  func `a name goes into history and comes back byte by byte`(_ name: [UInt8]) throws {
    let notes = try Notes()
    try notes.scratch.write(Array("text\n".utf8), to: name)
    #expect(try notes.verso("save").status == 0)
    #expect(try notes.git("status", "--porcelain") == "")
    let listed = try run(["git", "ls-tree", "-r", "-z", "--name-only", "HEAD"], in: notes.path)
    #expect(listed.output.split(separator: 0).contains { Array($0) == name })
    #expect(
      try notes.git("log", "-1", "--format=%(trailers:key=Verso-Device,valueonly)")
        .split(separator: "\n").count == 1)
    // The name as the only argument of a script: Process would repair it.
    let names = try notes.verso("ls", "-0").output
    let top = name.prefix { $0 != UInt8(ascii: "/") }
    #expect(names.split(separator: 0).contains { $0.elementsEqual(top) })
    try notes.shell("find . -path ./.git -prune -o -type f ! -name note.md -exec rm {} +")
    let restore = try notes.verso("restore", ".", "--at", "HEAD")
    #expect(restore.status == 0, "\(restore.error)")
    let content = try run(
      ["sh", "-c", "find . -path ./.git -prune -o -type f ! -name note.md -print0"],
      in: notes.path)
    #expect(content.output == Array("./".utf8) + name + [0])
  }

  @Test func `twins by Unicode form are two notes, and the doctor warns`() throws {
    let notes = try Notes()
    try notes.scratch.write("composed\n", to: "caf\u{E9}.md")
    try notes.scratch.write("decomposed\n", to: "cafe\u{301}.md")
    #expect(try notes.verso("save").status == 0)
    let names = try notes.git("ls-tree", "--name-only", "HEAD").split(separator: "\n")
    #expect(names.count == 3)
    let doctor = try notes.verso("doctor")
    #expect(doctor.text.contains("look  twins: "))
    #expect(try notes.git("status", "--porcelain") == "")
  }

  // MARK: Kinds, empty folders, nested repositories

  @Test func `files, folders and links take each other's place`() throws {
    let notes = try Notes([
      "a": "file\n", "b/x.md": "folder\n", "c": "file\n", "d/y/z.md": "deep\n",
    ])
    try notes.shell("ln -s a link && '\(Verso.binary)' save -q")
    try notes.shell(
      """
      rm a; mkdir a; echo in > a/note.md; rm -r b; echo now > b; rm c; ln -s b c
      rm link; mkdir link; echo in > link/n.md; rm -r d; ln -s a d
      """)
    #expect(try notes.verso("save").status == 0)
    #expect(try notes.git("status", "--porcelain") == "")
    #expect(try notes.git("show", "HEAD:a/note.md") == "in")
    #expect(try notes.entry("c").hasPrefix("120000") && notes.entry("d").hasPrefix("120000"))
    let restore = try notes.verso("restore", ".", "--at", "HEAD~1", "--exact")
    #expect(restore.status == 0, "\(restore.error)")
    #expect(try notes.git("diff", "HEAD~2", "HEAD", "--stat") == "")
    #expect(
      try notes.shell("cat a b/x.md c d/y/z.md; readlink link").text
        == "file\nfolder\nfile\ndeep\na\n")
    #expect(try notes.git("status", "--porcelain") == "")
  }

  @Test func `an empty folder stays on this device, or is kept where that is asked for`() throws {
    let notes = try Notes()
    try notes.shell("mkdir -p d/empty; '\(Verso.binary)' save")
    #expect(try notes.versions().count == 1)
    try notes.git("config", "verso.keepEmptyFolders", "true")
    #expect(try notes.verso("save").text.hasSuffix(" Add d/empty/.gitkeep\n"))
    #expect(try notes.verso("save").text == "")
    let clone = try Scratch()
    try run(["git", "clone", "-q", notes.path, clone.at("c")])
    #expect(clone.bytes(of: "c/d/empty/.gitkeep") == [])
  }

  @Test func `a nested repository is left alone and named once`() throws {
    let notes = try Notes(["d/note.md": "one\n"])
    try notes.shell("git init -q d/nested; echo x > d/nested/x.md; echo two > d/note.md")
    let save = try notes.verso("save")
    #expect(save.status == 3 && save.error.contains("skipped d/nested: it is a git repository"))
    let before = try notes.shell("find d/nested | sort | xargs stat -c '%n %y'").text
    try notes.scratch.write("three\n", to: "d/note.md")
    let next = try notes.verso("save")
    #expect(next.status == 0 && next.error == "")
    #expect(try notes.git("ls-tree", "-r", "--name-only", "HEAD") == "d/note.md")
    #expect(try notes.shell("find d/nested | sort | xargs stat -c '%n %y'").text == before)
    #expect(try notes.verso("status", "--check").text.contains("d/nested"))
  }

  @Test func `notes in a folder that became a repository stay in history`() throws {
    let notes = try Notes(["d/note.md": "one\n", "d/gone.md": "one\n"])
    try notes.shell("git init -q d; echo two > d/note.md; echo new > d/new.md")
    #expect([0, 3].contains(try notes.verso("save").status))
    #expect(try notes.git("ls-tree", "-r", "--name-only", "HEAD").contains("d/gone.md"))
    #expect(try notes.git("log", "--diff-filter=D", "--format=%h") == "")
  }

  @Test func `a submodule keeps its entry, and is named when it moves`() throws {
    let notes = try Notes(adopting: { scratch in
      try scratch.write("one\n", to: "note.md")
      try run(["git", "init", "-q", scratch.at("sub")])
      try run(["git", "-C", scratch.at("sub"), "commit", "-q", "--allow-empty", "-m", "1"])
      try scratch.git("-c", "advice.addEmbeddedRepo=false", "add", ".")
      try scratch.git("commit", "-qm", "base")
    })
    let before = try notes.entry("sub")
    #expect(before.hasPrefix("160000"))
    try notes.shell("git -C sub commit -q --allow-empty -m 2; echo x > sub/x.md; echo 2 > note.md")
    let save = try notes.verso("save")
    #expect(save.status == 3 && save.error.contains("skipped sub: "))
    #expect(try notes.entry("sub") == before)
    #expect(try notes.verso("save").status == 0)
    #expect(try notes.verso("status").text.contains("  sub: "))
    // What its user records is taken over; what is gone is gone.
    try notes.git("add", "sub")
    #expect(try notes.verso("save").status == 0)
    let now = try notes.entry("sub")
    #expect(now.hasPrefix("160000") && now != before)
    try notes.shell("rm -r sub")
    #expect(try notes.verso("save").text.hasSuffix(" Delete sub\n"))
  }
}
