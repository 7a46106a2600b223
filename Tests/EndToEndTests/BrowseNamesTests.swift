import Foundation
import Testing
import VersoTestSupport

/// Names of all scripts in a real terminal: its own idea of how wide they are must not move a column.
///
/// What tmux holds is compared with the frame that was drawn: a glyph that it takes for wider or
/// narrower would push what stands behind it in its row.
@Suite(.serialized) struct BrowseNamesTests {
  private static let names = [
    "日本語のノート.md", "中文筆記.md", "한국어 노트.md", "ملاحظات.md", "רשימה.md", "บันทึกประจำวัน.md",
    "កំណត់ត្រា.md", "हिन्दी.md", "নোট.md", "👨‍👩‍👧 family.md", "🇳🇴 flag.md", "❤️ heart.md",
    "e\u{301}te\u{301}.md", "żółw.md",
  ]

  /// Opens folders one after the other, and compares what a terminal shows with what was drawn.
  private static func compare(_ folders: [String], _ notes: Notes, size: String) throws {
    let tools = try Scratch()
    var steps = ["wait idle"]
    for folder in folders {
      steps += ["key /", "type \(folder)/", "key Enter", "key Enter", "wait idle"]
      steps += ["key j j", "wait idle", "frame \(folder)", "key h"]
    }
    let script = try tools.write(steps.map { $0 + "\n" }.joined(), to: "script")
    let played = try notes.verso("browse", "--script", script, "--dump", size)
    guard played.status == 0 else { throw Failure("\(played.error)\(played.text)") }
    let frames = played.text.split(separator: "\n", omittingEmptySubsequences: false)
      .split { $0.hasPrefix("-- ") }.filter { !$0.isEmpty }.map { $0.map(String.init) }
    #expect(frames.count == folders.count)

    let window = try BrowseTests.Window(size, "\(Verso.binary) browse", in: notes.scratch)
    defer { window.close() }
    try window.expect("Choose a folder")
    for (folder, frame) in zip(folders, frames) {
      try window.press("/")
      try window.type("\(folder)/")
      try window.press("Enter")
      try window.press("Enter")
      try window.press("j", "j")
      try expect(rows(of: frame), in: window, "\(folder) at \(size)")
      try window.press("h")
    }
    try window.press("q")
    try window.expect("ended with 0")
  }

  /// All rows but those of title and status, without the blanks at their ends.
  private static func rows(of frame: [String]) -> [String] {
    frame.dropFirst().prefix(frame.count - 3).map { row in
      String(row.reversed().drop { $0 == " " }.reversed())
    }
  }

  private static func expect(
    _ rows: [String], in window: BrowseTests.Window, _ comment: String
  ) throws {
    let end = Date().addingTimeInterval(20)
    var shown: [String] = []
    while Date() < end {
      let lines = try window.screen().split(separator: "\n", omittingEmptySubsequences: false)
      shown = Self.rows(of: lines.map(String.init))
      if Array(shown.prefix(rows.count)) == rows { return }
      usleep(50_000)
    }
    let differing = zip(rows, shown).filter { $0 != $1 }
    let text = differing.map { "drawn «\($0)»\nshown «\($1)»" }.joined(separator: "\n")
    throw Failure("\(comment): \(differing.count) rows\n\(text)")
  }

  @Test(.enabled(if: BrowseTests.hasTmux, "tmux is not installed"), arguments: ["80x24", "200x60"])
  func `names of all scripts stay in their columns in a terminal`(size: String) throws {
    var files: [String: String] = [:]
    for name in Self.names {
      files["all/\(name)"] = "# \(name)\n\n- \(name) \(name)\n"
      files["all/\(name) folder/x.md"] = "x\n"
    }
    let notes = try Notes(files)
    try Self.compare(["all"], notes, size: size)
  }

  /// A real vault in many languages, as a bundle named by `VERSO_SAMPLE_BUNDLE`.
  @Test(.enabled(if: BrowseTests.hasTmux, "tmux is not installed"))
  func `a real vault in many languages is browsed`() throws {
    guard let bundle = ProcessInfo.processInfo.environment["VERSO_SAMPLE_BUNDLE"] else {
      print("no real vault was browsed: VERSO_SAMPLE_BUNDLE names no bundle")
      return
    }
    let scratch = try Scratch("sample")
    try scratch.git("clone", "-q", "-b", "main", bundle, ".")
    let notes = try Notes(in: scratch)
    let folders = ["ar", "bn", "fa", "he", "ja", "km", "ko", "ru", "th", "vi", "zh-TW"]
    for size in ["80x24", "100x40"] { try Self.compare(folders, notes, size: size) }
  }
}
