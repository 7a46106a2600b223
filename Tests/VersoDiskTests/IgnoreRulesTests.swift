import Testing
import VersoDisk
import VersoModel
import VersoTestSupport

@Suite struct IgnoreRulesTests {
  /// Whether one ignore file in the root ignores a path; a slash at the end means a folder.
  private func ignores(_ text: String, _ path: String, ignoringCase: Bool = false) throws -> Bool {
    let isFolder = path.hasSuffix("/")
    let path = try #require(RelativePath(isFolder ? String(path.dropLast()) : path))
    let rules = IgnoreRules(parsing: Array(text.utf8), base: .root, ignoringCase: ignoringCase)
    return IgnoreStack(global: []).isIgnored(path: path, isFolder: isFolder) { folder in
      folder.isRoot ? rules : nil
    }
  }

  struct Row: CustomTestStringConvertible, Sendable {
    let lines: String
    let ignored: [String]
    let kept: [String]
    init(_ lines: String, ignored: [String] = [], kept: [String] = []) {
      (self.lines, self.ignored, self.kept) = (lines, ignored, kept)
    }
    var testDescription: String { lines.debugDescription }
  }

  static let rows: [Row] = [
    Row("", kept: ["a"]),
    Row("# a\na", ignored: ["a", "b/a", "a/b"], kept: ["# a", "ab"]),
    Row("\\#a\n\\!b", ignored: ["#a", "!b"], kept: ["a", "b"]),
    Row("a  \nb\\ \nc\\  \nd\t", ignored: ["a", "b ", "c ", "d\t"], kept: ["a  ", "b", "c", "d"]),
    Row("a \\", kept: ["a", "a ", "a \\"]),
    Row("*.log\n!keep.log\n", ignored: ["x.log", "b/x.log"], kept: ["keep.log", "b/keep.log"]),
    Row("!a\na", ignored: ["a"]),
    Row("a/\n!a/b", ignored: ["a/", "a/b", "c/a/b"], kept: ["a", "c/a"]),
    Row("/a", ignored: ["a", "a/b"], kept: ["b/a"]),
    Row("a/b", ignored: ["a/b", "a/b/c"], kept: ["c/a/b", "b"]),
    Row("/a/", ignored: ["a/"], kept: ["a", "b/a/"]),
    Row("**/a", ignored: ["a", "b/a", "b/c/a"], kept: ["ba"]),
    Row("**/a/b", ignored: ["a/b", "c/a/b"], kept: ["b"]),
    Row("a/**", ignored: ["a/b", "a/b/c", "a/b/"], kept: ["a/", "a", "c/a/b"]),
    Row("a/**/b", ignored: ["a/b", "a/c/b", "a/c/d/b"], kept: ["ab", "a/cb"]),
    // What git does, if nobody relies on it: stars after a literal part cross folders too.
    Row("a**/b", ignored: ["ac/b", "a/b", "ac/d/b", "ab"], kept: ["b"]),
    Row("*a**/b", ignored: ["xa/b"], kept: ["xa/c/b"]),
    Row("a*/b", ignored: ["a/b", "ac/b"], kept: ["ac/d/b"]),
    Row("/*\n!/a", ignored: ["b", "b/c"], kept: ["a", "a/b"]),
    Row("a?c", ignored: ["abc"], kept: ["ac", "a/c"]),
    Row("a[/]c\nx[!y]z/w", ignored: ["xaz/w"], kept: ["a/c", "x/z/w"]),
    Row("[a-c]x", ignored: ["ax", "cx"], kept: ["dx", "-x", "x"]),
    Row("[!a-c]x\n[^d]y", ignored: ["dx", "ay"], kept: ["ax", "dy"]),
    Row("[]a]x\n[!]]y", ignored: ["]x", "ax", "ay"], kept: ["bx", "]y"]),
    Row("[a-]x\n[-b]y\n[a\\-c]z", ignored: ["-x", "-y", "-z", "az", "cz"], kept: ["bx", "bz"]),
    Row("[[:alpha:][:digit:]_]x", ignored: ["ax", "3x", "_x"], kept: ["-x", ":x"]),
    Row("[[:space:]]x\n[[:punct:]]y", ignored: [" x", "\tx", ".y"], kept: ["ax", "\u{B}x", "ay"]),
    Row("[[:nonsense:]]x\n[abc\na\\", kept: ["ax", "a", "[abc", "a\\"]),
    Row("[[:a]x", ignored: ["[x", ":x", "ax"], kept: ["bx"]),
    Row("\\*\na\\?", ignored: ["*", "a?"], kept: ["b", "ab"]),
    Row("a\r\nb c\r\n\r\n", ignored: ["a", "b c"], kept: ["a\r", "\r"]),
    Row("a\r", ignored: ["a"], kept: ["a\r"]),
    Row("\u{FEFF}a\nb", ignored: ["a", "b"], kept: ["\u{FEFF}a"]),
    Row("é*\n*日", ignored: ["étude", "3日"], kept: ["e\u{301}tude", "日3"]),
    Row("/\n//\n!\n!/\n./a\na//b", kept: ["a", "b", "a/b"]),
    Row("*", ignored: ["a", "a/b", ".x"]),
    Row("**", ignored: ["a", "a/b"]),
    Row("a\0b", ignored: ["a"]),
  ]

  @Test(arguments: rows)
  func `a pattern ignores what gitignore says`(row: Row) throws {
    for path in row.ignored { #expect(try ignores(row.lines, path), "\(path)") }
    for path in row.kept { #expect(try !ignores(row.lines, path), "\(path)") }
  }

  @Test func `case is ignored where the repository ignores it`() throws {
    let text = "Readme\n*.TXT\n/Sub/a\n[[:upper:]]1\n[A-C]2\nx?Y\n"
    for path in ["README", "b.txt", "sUB/A", "q1", "b2", "Xzy"] {
      #expect(try ignores(text, path, ignoringCase: true), "\(path)")
      #expect(try !ignores(text, path), "\(path)")
    }
    // git's matcher folds neither an escaped letter nor a single member of a class.
    #expect(try !ignores("\\Ax\n[A]y", "ax", ignoringCase: true))
    #expect(try !ignores("\\Ax\n[A]y", "ay", ignoringCase: true))
  }

  @Test func `a folder's file beats those above, and all of them beat the global ones`() throws {
    func rules(_ text: String, _ base: RelativePath) -> IgnoreRules {
      IgnoreRules(parsing: Array(text.utf8), base: base)
    }
    let stack = IgnoreStack(global: [
      rules("*.a\n*.b\n*.c\n*.d", .root), rules("!*.b\n!*.d", .root),
    ])
    let nested: [RelativePath: IgnoreRules] = [
      .root: rules("!*.c\n/only.x\n/sub/deep.x", .root), "sub": rules("*.d\n/only.y", "sub"),
    ]
    func ignored(_ path: RelativePath) -> Bool {
      stack.isIgnored(path: path, isFolder: false) { nested[$0] }
    }
    #expect(ignored("1.a") && !ignored("1.b") && !ignored("1.c") && !ignored("1.d"))
    #expect(ignored("sub/1.d") && !ignored("sub/1.c"))
    #expect(ignored("only.x") && !ignored("sub/only.x") && ignored("sub/deep.x"))
    #expect(ignored("sub/only.y") && !ignored("only.y") && !ignored("sub/t/only.y"))
  }

  @Test func `rules below an ignored folder are not asked for`() {
    let stack = IgnoreStack(global: [IgnoreRules(parsing: Array("a/".utf8), base: .root)])
    var asked: [RelativePath] = []
    let isIgnored = stack.isIgnored(path: "a/b/c", isFolder: false) { folder in
      asked.append(folder)
      return nil
    }
    #expect(isIgnored)
    #expect(asked == [.root])
  }

  @Test func `a name that is not UTF-8 is matched byte by byte`() throws {
    let rules = IgnoreRules(
      parsing: [0x63, 0xE9, 0x2A, 0x0A, 0x5B, 0x80, 0x2D, 0xFF, 0x5D], base: .root)
    let stack = IgnoreStack(global: [rules])
    func ignored(_ bytes: [UInt8]) throws -> Bool {
      let path = try #require(RelativePath(bytes))
      return stack.isIgnored(path: path, isFolder: false) { _ in nil }
    }
    #expect(try ignored([0x63, 0xE9, 0x64]))
    #expect(try !ignored([0x63, 0xEA, 0x64]))
    #expect(try ignored([0xC3]))
    #expect(try !ignored([0x7F]))
  }

  @Test func `a pattern of many stars is matched in no time`() throws {
    let name = String(repeating: "a", count: 250)
    let pattern = String(repeating: "*a", count: 60) + "b"
    let path = "\(name)/\(name)/\(name)"
    let clock = ContinuousClock()
    let start = clock.now
    #expect(try !ignores(pattern, name))
    #expect(try !ignores(String(repeating: "**/*a", count: 30) + "b", path))
    // Backtracking over every star takes longer than the universe has.
    #expect(clock.now - start < .seconds(5))
  }
}
