import Testing
import VersoDisk
import VersoModel
import VersoTestSupport

@Suite struct IgnoreDefaultsTests {
  private static let block = DefaultExcludes.lines.joined(separator: "\n") + "\n"

  private static func adding(_ text: String) -> String {
    String(decoding: DefaultExcludes.adding(to: Array(text.utf8)), as: UTF8.self)
  }

  private static func removing(_ text: String) -> String {
    String(decoding: DefaultExcludes.removing(from: Array(text.utf8)), as: UTF8.self)
  }

  @Test(arguments: ["", "a\n", "a", "\n\n", "# x\r\n!b\r\n", "\u{FEFF}a\n", "caf\u{E9} \\ \n"])
  func `the block is added once and taken out without a trace`(text: String) {
    let once = Self.adding(text)
    #expect(once != text)
    #expect(Self.adding(once) == once)
    #expect(Self.removing(once) == text)
    #expect(Self.removing(text) == text)
  }

  @Test func `bytes that are not text stay`() {
    let bytes: [UInt8] = [0xFF, 0x0A, 0xC3, 0x28]
    #expect(DefaultExcludes.removing(from: DefaultExcludes.adding(to: bytes)) == bytes)
  }

  @Test func `what a user took out or put in stays when the block is added again`() {
    let edited = Self.adding("mine\n").replacing("*.part\n", with: "*.bak\n")
    #expect(Self.adding(edited) == edited)
    #expect(Self.removing(edited) == "mine\n")
  }

  @Test func `without an end marker only known lines go`() {
    let end = DefaultExcludes.end + "\n"
    let broken = Self.block.replacing(end, with: "") + "mine\n*.part\n"
    #expect(Self.removing(broken) == "mine\n*.part\n")
    #expect(Self.removing(end) == end)
  }

  @Test func `line ends and trailing spaces do not hide the markers`() {
    let windows = Self.block.replacing("\n", with: "\r\n")
    #expect(Self.adding(windows) == windows)
    #expect(Self.removing(windows + "a\r\n") == "a\r\n")
    #expect(Self.removing("\(DefaultExcludes.begin)  \nx\n\(DefaultExcludes.end)\t") == "")
  }

  @Test func `the defaults leave out litter and keep notes`() throws {
    let rules = IgnoreRules(parsing: Array(Self.block.utf8), base: .root)
    let stack = IgnoreStack(global: [rules])
    func ignores(_ text: String) throws -> Bool {
      let path = try #require(RelativePath(text))
      return stack.isIgnored(path: path, isFolder: false) { _ in nil }
    }
    let litter = [
      ".note.md.swp", "a/.x.swo", "note.md~", ".#note.md", "#note.md#", "n.kate-swp",
      ".~lock.a.odt#", "~$a.docx", ".goutputstream-X1", "a.vsctmp", ".syncthing.a.md.tmp",
      "~syncthing~a.md.tmp", ".stfolder/x", ".stversions/a.md", ".dropbox", ".dropbox.cache/x",
      ".unison.a", "film.part", "x.crdownload", "x.filepart", ".nfs0001", ".fuse_hidden0001",
      ".Trash-1000/a", ".DS_Store", "a/Thumbs.db", "desktop.ini", ".obsidian/workspace.json",
      ".obsidian/workspace-mobile.json", ".obsidian/cache", ".trash/a.md",
    ]
    for path in litter { #expect(try ignores(path), "\(path)") }
    let notes = [
      "4913", "sedA1b2C3", "tmpabc", "note.md", "#todo", "todo#", "swp", "a.swp", "part",
      "workspace.json", ".obsidian/app.json", ".gitignore", "# verso: begin",
    ]
    for path in notes { #expect(try !ignores(path), "\(path)") }
  }
}
