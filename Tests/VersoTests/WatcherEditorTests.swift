import Glibc
import Testing
import VersoDisk
import VersoModel
import VersoTestSupport
import VersoWatch

@testable import Verso

/// What real programs do when they save, on a real disk and the real clock.
///
/// After each: the versions are those that a careful person would have made, the model was told what
/// really changed, git finds the directory clean.
@Suite struct WatcherEditorTests {
  private static let edited = SavedVersion("Edit note.md", ["note.md": "two\n"])
  private static let modified: Set<LiveChange> = [.modified("note.md")]

  // MARK: vim

  private static let vim = isInstalled("vim") ? "vim" : "vim.tiny"
  /// Without `backupskip`, which makes vim save otherwise below `/tmp`.
  private static func vim(_ commands: String) -> String {
    "\(vim) -N -u NONE -i NONE -es -c 'set backupskip=' \(commands) note.md"
  }

  @Test(
    .enabled(if: isInstalled(vim), "vim is not installed"),
    arguments: ["", "-c 'set backupcopy=yes'", "-c 'set backupcopy=no'", "-c 'set backup'"])
  func `vim's way of saving is one edit`(options: String) async throws {
    try await Scene().play(
      Self.vim("\(options) -c '%s/one/two/' -c wq"), [Self.edited], changes: Self.modified)
  }

  @Test(.enabled(if: isInstalled(vim), "vim is not installed"))
  func `a note that stays open in vim is saved meanwhile, and its swap file never`() async throws {
    let scene = try await Scene()
    let fifo = scene.outside.at("fifo")
    mkfifo(fifo, 0o600)
    let commands = "{ echo '%s/one/two/'; echo w; cat \"$OUT/fifo\"; }"
    async let editor: Void = scene.run("\(commands) | \(Self.vim(""))")
    try await scene.vault.wait("the edit", atMost: 40) { $0.isSaved("Edit note.md") }
    #expect(access("\(scene.root)/.note.md.swp", F_OK) == 0, "vim has ended already")
    try await inBackground {
      let pipe = open(fifo, O_WRONLY | O_CLOEXEC)
      #expect(write(pipe, "q!\n", 3) == 3)
      close(pipe)
    }
    try await editor
    try await scene.vault.expect([Self.edited])
    #expect(scene.vault.distinctChanges == Self.modified)
  }

  // MARK: nano

  @Test(
    .enabled(if: isInstalled("nano", "script"), "nano or script is not installed"),
    arguments: ["-G", "-GB"])
  func `nano's way of saving is one edit`(options: String) async throws {
    // Keys that come before nano is ready are lost, so they are pressed until it has ended.
    let keys = "while [ ! -e \"$OUT/done\" ]; do sleep 0.5; printf '\\030'; done"
    let nano = "nano \(options) -t +1,1 -L note.md; touch \"$OUT/done\""
    try await Scene(["note.md": "two\n"]).play(
      """
      export TERM=xterm OUT
      { sleep 1; printf 'X'; \(keys); } | script -qec '\(nano)' /dev/null > /dev/null
      """,
      [SavedVersion("Edit note.md", ["note.md": "Xtwo\n"])], changes: Self.modified)
  }

  // MARK: emacs

  @Test(
    .enabled(if: isInstalled("emacs"), "emacs is not installed"),
    arguments: ["", "(setq file-precious-flag t)", "(setq backup-by-copying t)"])
  func `emacs's ways of saving are one edit`(setting: String) async throws {
    let program =
      "(progn \(setting) (erase-buffer) (insert \"x\\n\") (save-buffer) (erase-buffer)"
      + " (insert \"two\\n\") (save-buffer))"
    try await Scene(settle: 1).play(
      "HOME=\"$OUT\" emacs -Q -nw --batch note.md --eval '\(program)' 2>&1", [Self.edited],
      changes: Self.modified)
  }

  // MARK: Tools

  @Test(arguments: [
    "sed -i s/one/two/ note.md",
    "echo two > note.md",
    "echo two > \"$OUT/new\"; cp \"$OUT/new\" note.md",
    "echo two > \"$OUT/new\"; mv \"$OUT/new\" note.md",
    "echo two > .note.tmp; mv .note.tmp note.md",
    "echo two > .goutputstream-X; mv .goutputstream-X note.md",
    "echo two > tmpAbC123; ln note.md note.md~; mv tmpAbC123 note.md",
  ])
  func `a rewrite in place or by a temporary file is one edit`(script: String) async throws {
    try await Scene(settle: 1).play(script, [Self.edited])
  }

  @Test(
    .enabled(if: isInstalled("rsync"), "rsync is not installed"),
    arguments: ["", "--inplace", "--delay-updates", "--backup"])
  func `rsync's ways of writing are one edit`(option: String) async throws {
    try await Scene(settle: 1).play(
      "echo two > \"$OUT/note.md\"; rsync -a --checksum \(option) \"$OUT/note.md\" .",
      [Self.edited])
  }

  @Test func `an append is one edit`() async throws {
    try await Scene().play(
      "echo two >> note.md", [SavedVersion("Edit note.md", ["note.md": "one\ntwo\n"])],
      changes: Self.modified)
  }

  @Test func `a backup that is no editor's own is a note of its own, and the note is edited`()
    async throws
  {
    try await Scene().play(
      "sed -i.bak s/one/two/ note.md",
      [SavedVersion("Add 1 note, edit 1", ["note.md": "two\n", "note.md.bak": "one\n"])],
      changes: [.modified("note.md"), .added("note.md.bak", .file)])
  }

  @Test(
    .enabled(if: isInstalled("node"), "node is not installed"))
  func `node's writeFile is one edit and never an empty note`() async throws {
    try await Scene().play(
      "node -e \"require('fs').writeFileSync('note.md', 'two\\n')\"", [Self.edited],
      changes: Self.modified)
  }

  @Test(arguments: [
    "touch note.md", "echo one > note.md", "chmod 600 note.md",
    "cp note.md x; mv x note.md", "mv note.md x; mv x note.md",
    "mkdir d; echo x > d/f; rm -r d", "ln note.md x; rm x",
  ])
  func `what leaves everything as it was makes no version`(script: String) async throws {
    try await Scene(settle: 1).play(script, [])
  }

  @Test func `a program that makes a note executable changes that alone`() async throws {
    try await Scene().play(
      "chmod +x note.md", [SavedVersion("Edit note.md", ["note.md": "x one\n"])],
      changes: Self.modified)
  }

  // MARK: git

  /// Two versions of 200 notes, the second on top.
  private func scene200() async throws -> (Scene, [[String: String]]) {
    var trees: [[String: String]] = [[:], [:]]
    for number in 0..<200 {
      trees[0]["f\(number % 5)/n\(number).md"] = "first \(number)\n"
      trees[1]["f\(number % 5)/n\(number).md"] = "second \(number)\n"
    }
    let scene = try await Scene(trees[0], settle: 1)
    for (name, text) in trees[1] { try scene.vault.scratch.write(text, to: name) }
    try await scene.vault.wait("the second version") { $0.isSaved("Edit 200 notes") }
    return (scene, trees)
  }

  @Test func `files that git checks out from an older version are one version`() async throws {
    let (scene, trees) = try await scene200()
    try await scene.play(
      "git checkout -q HEAD~1 -- .",
      [SavedVersion("Edit 200 notes", trees[1]), SavedVersion("Edit 200 notes", trees[0])])
    let removed = scene.vault.changes.filter { if case .removed = $0 { true } else { false } }
    #expect(removed.isEmpty)
  }

  @Test func `a switch to another branch makes no version`() async throws {
    let (scene, trees) = try await scene200()
    try await scene.run("git switch -q -c old HEAD~1")
    try await scene.vault.waitForRest()
    try await scene.vault.waitForLast()
    scene.vault.finish()
    let tree = trees[0].merging(["last.md": "last\n"]) { $1 }
    #expect(try scene.vault.versions().map(\.subject) == ["Add 200 notes", "Add last.md"])
    #expect(try scene.vault.files(in: "HEAD") == tree)
    #expect(try scene.vault.git("status", "--porcelain").text == "")
  }
}
