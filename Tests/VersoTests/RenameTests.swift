import Glibc
import Testing
import VersoHistory
import VersoModel
import VersoTestSupport

@testable import Verso

/// What a save says of files that moved.
@Suite struct RenameTests {
  private struct Desk {
    let scratch: Scratch

    init(_ files: [String: String]) throws {
      scratch = try Scratch()
      for (name, text) in files { try scratch.write(text, to: name) }
      _ = try Initialiser(directory: scratch.path) { _ in nil }.run()
      try scratch.git("config", "user.name", "Ada")
      try scratch.git("config", "user.email", "ada@example.invalid")
    }

    @discardableResult
    func save() throws -> SaveOutcome {
      var request = SaveRequest()
      request.settles = false
      request.allowsMassDeletion = true
      return try Engine(root: scratch.path).save(request)
    }

    func move(_ old: [UInt8], _ new: [UInt8]) throws {
      func full(_ name: [UInt8]) -> [UInt8] { Array("\(scratch.path)/".utf8) + name }
      let status = full(old).withCString { old in full(new).withCString { rename(old, $0) } }
      guard status == 0 else { throw Failure("rename: errno \(errno)") }
    }

    func move(_ old: String, _ new: String) throws {
      try move(Array(old.utf8), Array(new.utf8))
    }

    /// The trailers of the last commit, as git reads them.
    func trailers(_ key: String = "Verso-Renamed") throws -> [String] {
      try scratch.git("log", "-1", "--format=%(trailers:key=\(key),valueonly)")
        .split(separator: "\n").map(String.init)
    }

    /// The names that a note had, newest first, as its history is followed.
    func names(of path: RelativePath) throws -> [String] {
      var history = try Engine(root: scratch.path).history().versions(of: path)
      return try history.all().map(\.path.description)
    }
  }

  private static let essay = (0..<40).map { "line \($0) of an essay\n" }.joined()

  @Test func `a rename with a small edit needs no trailer: git sees it`() throws {
    let desk = try Desk(["a.md": Self.essay])
    try desk.move("a.md", "b.md")
    try desk.scratch.write(Self.essay + "one more\n", to: "b.md")
    let outcome = try desk.save()
    #expect(outcome.changes == [PathChange(.renamed, "b.md", from: "a.md")])
    #expect(outcome.subject == "Rename a.md to b.md")
    #expect(try desk.trailers() == [])
    #expect(try desk.scratch.git("log", "-1", "--format=", "--name-status", "-M").hasPrefix("R"))
    #expect(try desk.names(of: "b.md") == ["b.md", "a.md"])
  }

  @Test func `a note that moved and was written anew is one note, by a trailer`() throws {
    let desk = try Desk(["a.md": Self.essay])
    try desk.move("a.md", "b.md")
    try desk.scratch.write("nothing of the old\n", to: "b.md")
    let outcome = try desk.save()
    #expect(outcome.changes == [PathChange(.renamed, "b.md", from: "a.md")])
    #expect(try desk.trailers() == ["a.md -> b.md"])
    #expect(try desk.names(of: "b.md") == ["b.md", "a.md"])
  }

  @Test func `an emptied note that moved is one note, too`() throws {
    let desk = try Desk(["a.md": Self.essay])
    try desk.move("a.md", "b.md")
    try desk.scratch.write("", to: "b.md")
    try desk.save()
    #expect(try desk.trailers() == ["a.md -> b.md"])
  }

  @Test func `a folder that moved takes its notes along, those written anew by trailers`() throws {
    let desk = try Desk(["f/a.md": Self.essay, "f/g/b.md": Self.essay + "b", "top.md": "top\n"])
    try desk.move("f", "h")
    try desk.scratch.write("anew\n", to: "h/g/b.md")
    let outcome = try desk.save()
    #expect(
      outcome.changes == [
        PathChange(.renamed, "h/a.md", from: "f/a.md"),
        PathChange(.renamed, "h/g/b.md", from: "f/g/b.md"),
      ])
    #expect(try desk.trailers() == ["f/g/b.md -> h/g/b.md"])
    #expect(try desk.names(of: "h/g/b.md") == ["h/g/b.md", "f/g/b.md"])
  }

  @Test func `two notes that changed places with new texts are two edits`() throws {
    let desk = try Desk(["a.md": Self.essay, "b.md": "short\n"])
    try desk.move("a.md", "c")
    try desk.move("b.md", "a.md")
    try desk.move("c", "b.md")
    try desk.scratch.write("anew\n", to: "b.md")
    let outcome = try desk.save()
    #expect(outcome.changes == [PathChange(.modified, "a.md"), PathChange(.modified, "b.md")])
    #expect(try desk.trailers() == [])
  }

  @Test func `a new note is no rename, though it gets the number of the deleted one's inode`()
    throws
  {
    var reused = 0
    let desk = try Desk(["keep.md": "keep\n", "0.md": Self.essay])
    for round in 0..<8 {
      let (old, new) = ("\(round).md", "\(round + 1).md")
      let before = Walk.status(of: Array(desk.scratch.at(old).utf8))?.st_ino
      try run(["rm", desk.scratch.at(old)])
      try desk.scratch.write("another \(round)\n", to: new)
      if Walk.status(of: Array(desk.scratch.at(new).utf8))?.st_ino == before { reused += 1 }
      let outcome = try desk.save()
      // The short texts of later rounds are alike, so git itself may call them renamed.
      #expect(try desk.trailers() == [], "round \(round)")
      if round == 0 {
        #expect(
          outcome.changes == [PathChange(.deleted, "0.md"), PathChange(.added, "1.md")])
      }
    }
    print("inode numbers given again: \(reused) of 8")
  }

  @Test func `a further name of a note whose old name goes is a rename`() throws {
    let desk = try Desk(["a.md": Self.essay])
    #expect(link(desk.scratch.at("a.md"), desk.scratch.at("b.md")) == 0)
    try run(["rm", desk.scratch.at("a.md")])
    try desk.scratch.write("anew\n", to: "b.md")
    try desk.save()
    #expect(try desk.trailers() == ["a.md -> b.md"])
  }

  /// Names that would like to be more than a name.
  private static let hostile: [[UInt8]] =
    [
      "x\nVerso-Mass-Delete: 99", "x\n\nVerso-Renamed: keep.md -> gone.md", "a -> b",
      "\" -> keep.md\nVerso-Action: restore", "\"quoted\"", "tab\t -> \r\nVerso-Device: other",
      "Verso-Renamed: keep.md -> y", "-->", " ", "back\\\" -> slash", "\u{2028}Verso-Device: z",
    ].map { Array($0.utf8) } + [[0xFF, 0x0A, 0x56, 0x3A, 0x20], [0x85, 0x0B, 0x0C, 0x1B]]

  @Test(arguments: hostile.indices)
  func `no name can forge a trailer, and each is followed through its rename`(
    number: Int
  ) throws {
    let name = Self.hostile[number]
    let desk = try Desk(["keep.md": "keep\n"])
    try desk.scratch.write(Array(Self.essay.utf8), to: name)
    let added = try desk.save()
    #expect(try desk.trailers("Verso-Mass-Delete").count <= 1)
    #expect(added.changes.count == 1)
    try desk.move(name, Array("new ".utf8) + name)
    try desk.scratch.write(Array("anew\n".utf8), to: Array("new ".utf8) + name)
    try desk.save()
    let message = try desk.scratch.git("log", "-1", "--format=%B")
    let parsed = try run(
      ["git", "interpret-trailers", "--parse"], in: desk.scratch.path, input: Array(message.utf8)
    ).text
    let keys = parsed.split(separator: "\n").map { $0.prefix { $0 != ":" } }
    #expect(keys == ["Verso-Device", "Verso-Renamed", "Verso-Mass-Delete"], "\(message)")
    #expect(try desk.trailers("Verso-Mass-Delete") == ["1"])
    #expect(try desk.trailers("Verso-Device") == [Engine.hostName])
    let path = try #require(RelativePath(Array("new ".utf8) + name))
    var versions = try Engine(root: desk.scratch.path).history().versions(of: path)
    #expect(try versions.all().map(\.path.bytes) == [path.bytes, name])
    try desk.scratch.git("fsck", "--strict", "--no-dangling")
  }
}
