import Dispatch
import Testing
import Verso
import VersoBrowser
import VersoModel
import VersoTestSupport

/// The browser on a real vault, with its watcher, while another program changes the disk.
@Suite(.serialized) struct BrowserScriptTests {
  /// Plays a script on a vault; returns what it printed.
  private static func play(
    _ script: String, _ size: CellSize, on scratch: Scratch
  ) async throws -> String {
    let vault = try await Vault.create(at: scratch.path)
    let parsed = try Script(script)
    var browse = Browse(root: vault.root)
    browse.options.vaultName = "notes"
    let ready = browse
    // The browser has a thread of its own, as it has in a process: those of tasks are few.
    return try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global().async {
        continuation.resume(
          with: Result {
            var printed = ""
            try ready.play(parsed, size, environment: { _ in nil }) { printed += $0 }
            return printed
          })
      }
    }
  }

  /// A vault of one note `n.md` that was saved with each of two texts.
  private static func noteInTwoVersions(_ old: String, _ new: String) async throws -> Scratch {
    let scratch = try Scratch()
    try scratch.write(old, to: "n.md")
    let vault = try await Vault.create(at: scratch.path)
    try scratch.write(new, to: "n.md")
    try await vault.saveSettled(["n.md"])
    return scratch
  }

  private static let walk = """
    wait idle
    expect no folders, press A
    key A
    type work
    key Enter
    wait idle
    key Enter
    wait idle
    key a
    type plan.md
    key Enter
    wait idle
    key Enter
    wait idle
    key l
    key i
    type # Plan
    key Enter
    type buy milk
    key Esc
    wait idle
    expect buy milk
    write work/plan.md # Plan\\n\\nsell milk\\n
    wait idle
    expect sell milk
    expect-not buy milk
    move work/plan.md work/renamed.md
    wait idle
    expect renamed.md
    expect sell milk
    move work office
    wait idle
    expect sell milk
    remove office/renamed.md
    wait idle
    expect-not sell milk
    log
    """

  @Test(arguments: [CellSize.phone, CellSize.desk])
  func `A41: the walk, while another program rewrites, renames, moves and deletes`(
    size: CellSize
  ) async throws {
    let scratch = try Scratch()
    let log = try await Self.play(Self.walk, size, on: scratch)
    let lines = log.split(separator: "\n").map(String.init)
    #expect(lines.first == "goto folderSelected work")
    #expect(lines.last == "goto noSelection office")
    #expect(!lines.dropLast().contains { $0.contains("noSelection") })
    let subjects = try scratch.git("log", "--format=%s")
    #expect(subjects.contains("Add work/plan.md"))
    #expect(subjects.contains("Edit work/plan.md"))
    #expect(try scratch.git("status", "--porcelain") == "")
  }

  @Test(arguments: [CellSize.phone, CellSize.desk])
  func `the folder of the selected note is deleted by others: back to the folders in one step`(
    size: CellSize
  ) async throws {
    let scratch = try Scratch()
    try scratch.write("text\n", to: "f/n.md")
    try scratch.write("other\n", to: "g/m.md")
    let log = try await Self.play(
      """
      wait idle
      key j Enter
      wait idle
      key Enter
      wait idle
      expect text
      remove f
      wait idle
      expect-not text
      expect g/
      log
      """, size, on: scratch)
    #expect(
      log == """
        goto folderSelected f
        goto fileSelected f/n.md
        goto noSelection nothing

        """)
  }

  @Test func `operations are versions of their own, and undo takes each back`() async throws {
    let scratch = try Scratch()
    try scratch.write("one\n", to: "f/a.md")
    try scratch.write("two\n", to: "f/b.md")
    _ = try await Self.play(
      """
      wait idle
      key j Enter
      wait idle
      key r
      key Ctrl-W
      type new.md
      key Enter
      wait idle
      key d y
      wait idle
      key u
      wait idle
      key u
      wait idle
      key y
      key p
      wait idle
      """, .desk, on: scratch)
    let subjects = try scratch.git("log", "--format=%s").split(separator: "\n").map(String.init)
    #expect(subjects.first == "Copy f/a.md" || subjects.first == "Copy f/b.md")
    #expect(subjects.count { $0.hasPrefix("Undo") } == 2)
    #expect(scratch.text(of: "f/a.md") == "one\n" && scratch.text(of: "f/b.md") == "two\n")
    try scratch.git("fsck", "--strict")
  }

  @Test func `the timeline shows versions, and a removed passage comes back by one key`()
    async throws
  {
    let scratch = try Scratch()
    try scratch.write("alpha\nbeta\ngamma\n", to: "n.md")
    let vault = try await Vault.create(at: scratch.path)
    try scratch.write("alpha\ngamma\ndelta\n", to: "n.md")
    try await vault.saveSettled(["n.md"])
    let printed = try await Self.play(
      """
      wait idle
      key Enter
      wait idle
      key Enter
      wait idle
      key H
      wait idle
      key Enter
      wait idle
      key j
      wait idle
      frame removed
      expect beta
      key p
      wait idle
      key Esc
      wait idle
      frame restored
      """, .desk, on: scratch)
    #expect(scratch.text(of: "n.md") == "alpha\nbeta\ngamma\ndelta\n", "\(printed)")
    let subject = try scratch.git("log", "-1", "--format=%s")
    #expect(subject.hasPrefix("Restore lines of n.md"))
  }

  @Test func `an old version is restored by one key, and undo takes that back`() async throws {
    let scratch = try await Self.noteInTwoVersions("old\n", "new\n")
    _ = try await Self.play(
      """
      wait idle
      key Enter Enter H
      wait idle
      key Enter
      wait idle
      key G R
      wait idle
      """, .desk, on: scratch)
    #expect(scratch.text(of: "n.md") == "old\n")
    _ = try await Self.play(
      """
      wait idle
      key u
      wait idle
      """, .desk, on: scratch)
    #expect(scratch.text(of: "n.md") == "new\n")
  }

  @Test func `a day of the past is shown read-only, and left with Esc`() async throws {
    let scratch = try Scratch()
    try scratch.write("old\n", to: "n.md")
    let vault = try await Vault.create(at: scratch.path)
    let first = try #require(try await vault.versions(of: "n.md").first)
    try scratch.write("new\n", to: "n.md")
    try scratch.write("later\n", to: "later.md")
    try await vault.save()
    _ = try await Self.play(
      """
      wait idle
      key Enter @
      type \(first.commit.hex)
      key Enter
      wait idle
      expect READ-ONLY
      expect-not later.md
      key j j Enter
      wait idle
      key k k Enter
      wait idle
      key Enter
      wait idle
      expect old
      key a
      expect read-only
      key h
      key Esc
      wait idle
      expect later.md
      expect-not READ-ONLY
      """, .desk, on: scratch)
  }

  @Test func `text that is in no note any more is found, with the version that had it`()
    async throws
  {
    let scratch = try Scratch()
    try scratch.write("the zebra paragraph\nrest\n", to: "n.md")
    let vault = try await Vault.create(at: scratch.path)
    try scratch.write("rest\n", to: "n.md")
    try await vault.saveSettled(["n.md"])
    _ = try await Self.play(
      """
      wait idle
      key F
      type zebra
      wait idle
      expect in no note now
      key Enter
      wait idle
      expect zebra
      """, .desk, on: scratch)
  }

  @Test
  func `a deleted folder whose deletion is undone has its row again, an emptied one keeps it`()
    async throws
  {
    let scratch = try Scratch()
    try scratch.write("a\n", to: "f/a.md")
    try scratch.write("b\n", to: "g/b.md")
    _ = try await Self.play(
      """
      wait idle
      key j d y
      wait idle
      expect-not f/
      key u
      wait idle
      expect f/
      key g g j Enter
      wait idle
      expect a.md
      key d y
      wait idle
      expect no files
      expect f/
      key u
      wait idle
      expect a.md
      """, .desk, on: scratch)
    #expect(scratch.text(of: "f/a.md") == "a\n")
  }

  @Test func `the versions that the history makes are in its list`() async throws {
    let scratch = try await Self.noteInTwoVersions("one\ntwo\n", "one\n")
    _ = try await Self.play(
      """
      wait idle
      key Enter Enter H
      wait idle
      key Enter
      wait idle
      expect 1/2
      key j
      wait idle
      key p
      wait idle
      expect /3
      key u
      wait idle
      expect /4
      """, .desk, on: scratch)
    #expect(scratch.text(of: "n.md") == "one\n")
  }

  @Test func `names of all scripts stay in their columns`() async throws {
    let scratch = try Scratch()
    let names = [
      "日本語のノート.md", "ملاحظات.md", "רשימה.md", "บันทึกประจำวัน.md", "កំណត់ត្រា.md", "👨‍👩‍👧 family.md",
      "e\u{301}te\u{301}.md", "हिन्दी.md",
    ]
    for name in names { try scratch.write("# \(name)\n", to: name) }
    let printed = try await Self.play(
      """
      wait idle
      key Enter
      wait idle
      frame all
      """, .desk, on: scratch)
    let rows = printed.split(separator: "\n").filter { $0.contains("│") }.map(String.init)
    for row in rows {
      let places = Self.columns(of: "│", in: row)
      #expect(places == [25, 51], "\(row)")
    }
    #expect(rows.count == 36)
  }

  private static func columns(of mark: Character, in row: String) -> [Int] {
    var (column, found) = (0, [Int]())
    for character in row {
      if character == mark { found.append(column) }
      column += Glyph(character).columns
    }
    return found
  }
}
