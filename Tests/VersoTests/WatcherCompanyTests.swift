import Glibc
import Testing
import VersoDisk
import VersoModel
import VersoTestSupport
import VersoWatch

@testable import Verso

/// A watcher that is not alone: the user's git, ignore rules that change, other watchers and saves.
@Suite struct WatcherCompanyTests {
  // MARK: Ignore rules

  @Test func `rules that change while it runs set names free, and hide none that are saved`()
    async throws
  {
    let files = [
      ".gitignore": "*.log\nbuild/\n", "note.md": "one\n", "a.log": "log\n",
      "build/x.md": "built\n",
    ]
    let scene = try await Scene(files, settle: 1)
    // The save of the start is over then: it would take what is set free, and leave the rules that are
    // being written for later.
    try await scene.run("echo first > first.md")
    try await scene.vault.wait("the first edit") { $0.subjects.count == 1 }
    let all = files.merging(["first.md": "first\n"]) { $1 }
    let first = all.filter { !["a.log", "build/x.md"].contains($0.key) }
    // By a rename: rules that are being written hold nobody up either.
    try await scene.run("printf '*.tmp\\n' > $OUT/r; mv $OUT/r .gitignore; echo t > t.tmp")
    let free = all.merging([".gitignore": "*.tmp\n"]) { $1 }
    try await scene.vault.wait("what was set free") { $0.subjects.count == 2 }
    try await scene.run("printf 'note.md\\nbuild/\\nnew*\\n' > $OUT/r; mv $OUT/r .gitignore")
    let hidden = free.merging([".gitignore": "note.md\nbuild/\nnew*\n", "t.tmp": "t\n"]) { $1 }
    try await scene.vault.wait("the second edit") { $0.subjects.count == 3 }
    try await scene.play(
      "echo two > note.md; echo built again > build/x.md; echo new > build/y.md; echo new > new.md",
      [
        SavedVersion("Add first.md", first),
        SavedVersion("Add 2 notes, edit 1", free),
        SavedVersion("Add 1 note, edit 1", hidden),
        SavedVersion(
          "Edit 2 notes",
          hidden.merging(["note.md": "two\n", "build/x.md": "built again\n"]) { $1 }),
      ])
  }

  @Test func `rules in the git directory that change are followed by the next audit`()
    async throws
  {
    let scene = try await Scene(
      ["note.md": "one\n", "a.part": "part\n"], adjusting: { $0.auditInterval = 0.5 })
    try await scene.play(
      "sed -i 's/^\\*.part$/*.other/' .git/info/exclude",
      [SavedVersion("Add a.part", ["note.md": "one\n", "a.part": "part\n"])])
  }

  @Test func `ignored folders are not watched`() async throws {
    var files = [".gitignore": "/build/\n", "note.md": "one\n", "a/b/c.md": "two\n"]
    for number in 0..<50 { files["build/\(number)/x/y.md"] = "built\n" }
    let scene = try await Scene(files)
    let started = scene.vault.events.compactMap { event in
      if case .started(let folders) = event { folders } else { nil }
    }
    #expect(started == [3])
    try await scene.play("echo more > build/7/x/y.md; mkdir build/new", [])
    #expect(scene.vault.distinctChanges.isEmpty)
  }

  // MARK: The user's git

  @Test func `what the user commits is not committed again`() async throws {
    let scene = try await Scene(settle: 1.5)
    try await scene.run("echo two > note.md; git commit -qam mine")
    try await scene.vault.waitForLast()
    scene.vault.finish()
    #expect(try scene.vault.versions().map(\.subject) == ["Add note.md", "mine", "Add last.md"])
    #expect(try scene.vault.git("status", "--porcelain").text == "")
  }

  @Test func `a hard reset makes no version, a mixed one leaves an edit to save`() async throws {
    let scene = try await Scene()
    for text in ["two", "three"] {
      try await scene.run("echo \(text) > note.md")
      try await scene.vault.wait("the edit") {
        try $0.files(in: "HEAD") == ["note.md": "\(text)\n"]
      }
    }
    try await scene.run("git reset -q --hard HEAD~1")
    try await scene.vault.waitForLast()
    func subjects() throws -> [String] { try scene.vault.versions().map(\.subject) }
    #expect(try subjects() == ["Add note.md", "Edit note.md", "Add last.md"])
    try await scene.run("git reset -q HEAD~2")
    try await scene.vault.wait("what differs from HEAD") {
      try $0.git("log", "--format=%s").text == "Add 1 note, edit 1\nAdd note.md\n"
    }
    #expect(
      try scene.vault.files(in: "HEAD") == ["note.md": "two\n", "last.md": "last\n"])
    scene.vault.finish()
    #expect(try scene.vault.git("status", "--porcelain").text == "")
  }

  @Test func `a stash takes an unsaved edit away, and gives it back`() async throws {
    let scene = try await Scene(settle: 1.5)
    try await scene.run("echo two > note.md; git stash -q")
    try await scene.vault.waitForLast()
    #expect(scene.vault.subjects == ["Add last.md"])
    try await scene.run("git stash pop -q")
    try await scene.vault.wait("the edit") { $0.isSaved("Edit note.md") }
    try await scene.vault.waitForRest()
    #expect(
      try scene.vault.files(in: "HEAD") == ["note.md": "two\n", "last.md": "last\n"])
    #expect(scene.vault.waits.isEmpty)
  }

  @Test func `nothing is saved while a rebase is open, and everything after`() async throws {
    let scene = try await Scene()
    try await scene.run("echo two > note.md")
    try await scene.vault.wait("the edit") { $0.isSaved("Edit note.md") }
    try await scene.run(
      "GIT_SEQUENCE_EDITOR='sed -i 1s/pick/edit/' git rebase -q -i HEAD~1 2>&1")
    try scene.vault.scratch.write("new\n", to: "new.md")
    try await scene.vault.wait("it to wait") { !$0.waits.isEmpty }
    #expect(scene.vault.waits.map(\.code) == [.refused])
    #expect(scene.vault.waits[0].message.contains("rebase"))
    #expect(scene.vault.subjects == ["Edit note.md"])
    try await scene.run("GIT_EDITOR=true git rebase --continue 2>&1")
    try await scene.vault.wait("the new note") { $0.isSaved("Add new.md") }
    try await scene.vault.expect([
      SavedVersion("Edit note.md", ["note.md": "two\n"]),
      SavedVersion("Add new.md", ["note.md": "two\n", "new.md": "new\n"]),
    ])
  }

  @Test func `nothing is saved while a commit waits in its editor`() async throws {
    let scene = try await Scene()
    try await scene.run("echo two > mine.md")
    try await scene.vault.wait("the note") { $0.isSaved("Add mine.md") }
    let editor = "while [ ! -e \"$OUT/go\" ]; do sleep 0.1; done; echo mine > \"$1\""
    try await scene.run("cat > \"$OUT/editor\" <<'END'\n\(editor)\nEND\n")
    async let commit: Void = scene.run(
      """
      echo three > mine.md; git add mine.md
      export OUT; GIT_EDITOR="sh $OUT/editor" git commit -q
      """)
    try await scene.vault.wait("the editor") { _ in
      access("\(scene.root)/.git/COMMIT_EDITMSG", F_OK) == 0
    }
    try scene.vault.scratch.write("new\n", to: "new.md")
    try await scene.vault.wait("it to wait") { !$0.waits.isEmpty }
    #expect(scene.vault.subjects == ["Add mine.md"])
    try scene.outside.write("", to: "go")
    try await commit
    try await scene.vault.wait("the new note") { $0.isSaved("Add new.md") }
    scene.vault.finish()
    #expect(
      try scene.vault.versions().map(\.subject) == [
        "Add note.md", "Add mine.md", "mine", "Add new.md",
      ])
    #expect(try scene.vault.git("status", "--porcelain").text == "")
  }

  // MARK: More than one

  /// Every commit changes something, and every content is in exactly one that adds it.
  private func checkHistory(_ vault: WatchedVault, contents: [String]) throws {
    let versions = try vault.versions()
    for (earlier, later) in zip(versions, versions.dropFirst()) {
      #expect(earlier.files != later.files, "an empty version: \(later.subject)")
    }
    let patches = try vault.git("log", "-p", "--no-renames", "--format=%s").text
      .split(separator: "\n").filter { $0.hasPrefix("+") }.map(String.init)
    for content in contents {
      #expect(patches.count { $0 == "+" + content } == 1, "\(content)")
    }
    #expect(try vault.git("status", "--porcelain").text == "")
    _ = try vault.git("fsck", "--strict")
  }

  @Test func `two watchers of one vault lose nothing and save nothing twice`() async throws {
    let first = try await Scene(settle: 0.3)
    let second = try await WatchedVault(first.vault.scratch, settle: 0.3)
    var contents: [String] = []
    for number in 0..<12 {
      let text = "edit \(number)"
      contents.append(text)
      try first.vault.scratch.write("\(text)\n", to: "n\(number % 3).md")
      try await first.vault.wait(text) { _ in
        [first.vault, second].contains { vault in
          vault.saves.count { $0.commit != nil } > 0
            && ((try? vault.files(in: "HEAD")["n\(number % 3).md"]) == "\(text)\n")
        }
      }
    }
    unlink("\(first.root)/note.md")
    try await first.vault.wait("the deletion") {
      try $0.files(in: "HEAD")["note.md"] == nil
    }
    try await first.vault.waitForRest()
    first.vault.finish()
    second.finish()
    #expect(first.vault.waits.isEmpty && second.waits.isEmpty)
    try checkHistory(first.vault, contents: contents)
  }

  @Test func `saves by hand beside a watcher lose nothing and save nothing twice`() async throws {
    let scene = try await Scene(settle: 0.3)
    let hand = try await Vault.open(at: scene.root)
    var contents: [String] = []
    for number in 0..<12 {
      contents.append("edit \(number)")
      try scene.vault.scratch.write("edit \(number)\n", to: "n\(number).md")
      try await hand.save()
    }
    try await scene.vault.waitForRest()
    scene.vault.finish()
    #expect(scene.vault.waits.isEmpty)
    try checkHistory(scene.vault, contents: contents)
  }
}
