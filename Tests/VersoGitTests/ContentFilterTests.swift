import Glibc
import Testing
import VersoDisk
import VersoGit
import VersoModel
import VersoTestSupport

/// A repository whose every conversion can be compared with git's own.
struct FilterFixture {
  let scratch: Scratch
  let environment: [String: String]

  /// Makes it; `program` is a shell script, installed as `git-lfs` in front of `PATH`.
  init(_ attributes: String, config: [String: String] = [:], program: String? = nil) throws {
    scratch = try Scratch()
    try scratch.git("init", "-q", "-b", "main")
    for (key, value) in config { try scratch.git("config", key, value) }
    if !attributes.isEmpty { try scratch.write(attributes + "\n", to: ".gitattributes") }
    var environment = hermeticEnvironment
    if let program {
      chmod(try scratch.write(program, to: ".git/bin/git-lfs"), 0o755)
      environment["PATH"] = "\(scratch.at(".git/bin")):\(environment["PATH"] ?? "")"
    }
    self.environment = environment
  }

  func filter(
    environment changes: [String: String?] = [:], timeLimit: Double = 60
  ) throws -> ContentFilter {
    let variables: [String: String?] = environment.mapValues { $0 }
    return try ContentFilter(
      repository: Repository(at: scratch.path), environment: variables.merging(changes) { $1 },
      timeLimit: timeLimit)
  }

  @discardableResult
  func git(_ arguments: String..., input: [UInt8]? = nil) throws -> [UInt8] {
    let outcome = try run(
      ["git"] + arguments, in: scratch.path, input: input, environment: environment)
    guard outcome.status == 0 else { throw Failure("git \(arguments): \(outcome.error)") }
    return outcome.output
  }

  /// The blob that `git add` makes of a file.
  func added(_ path: String) throws -> ObjectID {
    try git("add", "--", path)
    return try #require(ObjectID(hex: try git("rev-parse", ":\(path)").prefix(40)))
  }

  func blob(_ id: ObjectID) throws -> [UInt8] { try git("cat-file", "blob", id.hex) }

  /// What `git checkout` writes for a path.
  func checkedOut(_ path: String) throws -> [UInt8] {
    unlink(scratch.at(path))
    try git("checkout-index", "-f", "--", path)
    return try #require(scratch.bytes(of: path))
  }

  /// Saves and restores a new file on both ways and compares.
  ///
  /// - Returns: The decision, and the blob.
  func compare(
    _ content: [UInt8], at name: String = "dir/note.md"
  ) throws -> (ContentFilter.Decision, [UInt8]) {
    let path = try #require(RelativePath(name))
    try scratch.write(content, to: path.bytes)
    let filter = try filter()
    let decision = try filter.decision(for: path, hasAttributeFiles: true)
    let cleaned = try filter.clean(content, path: path, tracked: nil, hasAttributeFiles: true)
    let id = try added(name)
    let blob = try blob(id)
    switch cleaned {
    case .bytes(let bytes): #expect(bytes == blob)
    case .stored(let stored): #expect(stored == id)
    }
    let smudged = try filter.smudge(blob, id: id, path: path, hasAttributeFiles: true)
    #expect(try smudged == checkedOut(name))
    // What was restored is what was saved: nothing counts as modified.
    try scratch.write(smudged, to: path.bytes)
    #expect(try added(name) == id)
    return (decision, blob)
  }
}

@Suite struct ContentFilterTests {
  @Test func `without attributes bytes are taken as they are`() throws {
    let fixture = try FilterFixture("")
    let filter = try fixture.filter()
    let bytes = Array("a\r\nb\n".utf8)
    #expect(try filter.decision(for: "a.md", hasAttributeFiles: false) == .raw)
    #expect(
      try filter.clean(bytes, path: "a.md", tracked: nil, hasAttributeFiles: false) == .bytes(bytes)
    )
    #expect(
      try filter.smudge(bytes, id: .zero, path: "a.md", hasAttributeFiles: false) == bytes)
  }

  private func isBuiltIn(_ decision: ContentFilter.Decision) -> Bool {
    if case .builtIn = decision { true } else { false }
  }

  @Test(arguments: [
    ("*.md text=auto", "a\r\nb\r\n", "a\nb\n"),
    ("*.md text=auto", "a\r\n\0\r\n", "a\r\n\0\r\n"),
    ("*.md text eol=crlf", "a\r\nb\n", "a\nb\n"),
    ("*.md eol=crlf", "a\r\nb\r\n", "a\nb\n"),
    ("*.md ident", "$Id: something$ x\n", "$Id$ x\n"),
    ("*.md ident text=auto", "$Id$\r\n", "$Id$\n"),
    ("dir/** text", "a\r\n", "a\n"),
  ])
  func `line ends and keywords become what git makes of them`(
    attributes: String, content: String, blob: String
  ) throws {
    let fixture = try FilterFixture(attributes)
    let (decision, stored) = try fixture.compare(Array(content.utf8))
    #expect(isBuiltIn(decision))
    #expect(stored == Array(blob.utf8))
  }

  @Test func `attributes that say nothing about content decide for the bytes`() throws {
    let fixture = try FilterFixture("*.md diff=x -text\n*.txt merge=union\n*.bin binary")
    for name in ["a.md", "a.txt", "a.bin"] {
      #expect(try fixture.compare(Array("a\r\n".utf8), at: name).0 == .raw)
    }
  }

  @Test(arguments: ["true", "input"])
  func `core autocrlf converts without any attribute file`(value: String) throws {
    let fixture = try FilterFixture("", config: ["core.autocrlf": value])
    let filter = try fixture.filter()
    #expect(try isBuiltIn(filter.decision(for: "a.md", hasAttributeFiles: false)))
    let (decision, blob) = try fixture.compare(Array("a\r\nb\r\n".utf8))
    #expect(isBuiltIn(decision))
    #expect(blob == Array("a\nb\n".utf8))
  }

  @Test func `core safecrlf makes no save fail`() throws {
    let config = ["core.autocrlf": "true", "core.safecrlf": "true"]
    let fixture = try FilterFixture("", config: config)
    defer { withExtendedLifetime(fixture) {} }
    let filter = try fixture.filter()
    let mixed = Array("a\r\nb\n".utf8)
    let cleaned = try filter.clean(mixed, path: "a", tracked: nil, hasAttributeFiles: false)
    #expect(cleaned == .bytes(Array("a\nb\n".utf8)))
  }

  @Test func `attributes in the git directory and in a configured file count`() throws {
    let fixture = try FilterFixture("")
    try fixture.scratch.write("*.md text\n", to: ".git/info/attributes")
    #expect(try isBuiltIn(fixture.filter().decision(for: "a.md", hasAttributeFiles: false)))
    let other = try FilterFixture("")
    let filter = try other.filter()
    try other.scratch.write("*.md text\n", to: ".git/mine")
    try other.scratch.git("config", "core.attributesFile", other.scratch.at(".git/mine"))
    #expect(try filter.decision(for: "a.md", hasAttributeFiles: false) == .raw)
    try filter.refresh()
    #expect(try isBuiltIn(filter.decision(for: "a.md", hasAttributeFiles: false)))
  }

  @Test func `an attribute file that is new or changed counts at once`() throws {
    let fixture = try FilterFixture("*.md text")
    let filter = try fixture.filter()
    try fixture.git("add", ".gitattributes")
    #expect(try isBuiltIn(filter.decision(for: "d/a.md", hasAttributeFiles: true)))
    // The one in the index is older, and git does not look at it.
    try fixture.scratch.write("*.txt text\n", to: ".gitattributes")
    try fixture.scratch.write("*.log text\n", to: "d/.gitattributes")
    #expect(try filter.decision(for: "d/a.md", hasAttributeFiles: true) == .raw)
    #expect(try isBuiltIn(filter.decision(for: "d/a.log", hasAttributeFiles: true)))
    #expect(try isBuiltIn(filter.decision(for: "a.txt", hasAttributeFiles: true)))
  }

  @Test func `attribute files are found in any folder above, links left aside`() throws {
    let fixture = try FilterFixture("")
    let filter = try fixture.filter()
    let root = open(fixture.scratch.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    defer { close(root) }
    try fixture.scratch.write("", to: "a/b/.gitattributes")
    try fixture.scratch.write("", to: "c/x")
    symlink("../a/b/.gitattributes", fixture.scratch.at("c/.gitattributes"))
    #expect(try filter.hasAttributeFiles(above: "a/b/c/d.md", root: root))
    #expect(try filter.hasAttributeFiles(above: "a/b/d.md", root: root))
    #expect(try !filter.hasAttributeFiles(above: "a/d.md", root: root))
    #expect(try !filter.hasAttributeFiles(above: "c/d.md", root: root))
    #expect(try !filter.hasAttributeFiles(above: "gone/away/d.md", root: root))
    try fixture.scratch.write("", to: ".gitattributes")
    #expect(try filter.hasAttributeFiles(above: "c/d.md", root: root))
  }

  @Test func `a file whose blob has CRLF keeps it under text=auto`() throws {
    let fixture = try FilterFixture("")
    let filter = try fixture.filter()
    for (name, content) in [("crlf", "a\r\nb\r\n"), ("lone", "a\rb\n"), ("binary", "\0\r\n")] {
      try fixture.scratch.write(content, to: name)
      let tracked = try fixture.added(name)
      try fixture.scratch.write("* text=auto\n", to: ".gitattributes")
      let new = Array("new\r\nlines\r\n".utf8)
      try fixture.scratch.write(new, to: Array(name.utf8))
      let path = try #require(RelativePath(name))
      let cleaned = try filter.clean(new, path: path, tracked: tracked, hasAttributeFiles: true)
      let blob = try fixture.blob(fixture.added(name))
      #expect(cleaned == .bytes(blob), "\(name)")
      #expect((blob == new) == (name == "crlf"))
      unlink(fixture.scratch.at(".gitattributes"))
    }
  }
}

/// Random contents under every attribute that needs no program, compared with git.
@Suite struct ContentFilterAgainstGitTests {
  private static let attributes = [
    "", "text", "-text", "text=auto", "text eol=crlf", "text eol=lf", "text=auto eol=crlf",
    "text=auto eol=lf", "eol=crlf", "eol=lf", "crlf", "-crlf", "crlf=input", "crlf=auto",
    "text=input",
    "ident", "text=auto ident", "ident eol=crlf", "binary", "!text", "text=other", "-text eol=crlf",
    "text ident eol=lf", "-ident text", "eol=other", "text=auto eol=other", "text=auto -ident",
  ]

  private static func content(_ generator: inout SeededGenerator) -> [UInt8] {
    let common = [
      "a", "word ", "\n", "\r\n", "\r\n", "\n", "$Id$", "$Id: x y$", "$Id: \n$", "$Id", "é", "\t",
      String(repeating: "text ", count: 60),
    ]
    let rare = ["\r", "\0", "\u{1A}", "\u{7F}", "\u{1}\u{2}", "\r\r\n"]
    var text = ""
    let usesRare = generator.chance(3)
    for _ in 0..<Int.random(in: 0...12, using: &generator) {
      let part = (usesRare && generator.chance(4) ? rare : common).randomElement(using: &generator)
      // In `$$Id$`, git's checkout sees no keyword, and `git cat-file --filters` sees one.
      if text.hasSuffix("$"), part?.hasPrefix("$") == true { text += "-" }
      text += part ?? ""
    }
    return Array(text.utf8)
  }

  @Test(arguments: seeds(isFullRun ? 60 : 8))
  func `random contents under random attributes become what git makes of them`(
    seed: UInt64
  ) throws {
    var generator = SeededGenerator(seed: seed)
    var config: [String: String] = [:]
    config["core.autocrlf"] = ["true", "input", "false"].randomElement(using: &generator)
    config["core.eol"] = ["crlf", "lf", "native"].randomElement(using: &generator)
    let names = (0..<(4 * Self.attributes.count)).map { "f\($0)" }
    let lines = names.enumerated().map { "\($1) \(Self.attributes[$0 % Self.attributes.count])" }
    let fixture = try FilterFixture(lines.joined(separator: "\n"), config: config)
    let filter = try fixture.filter()
    var tracked: [String: ObjectID] = [:]
    // The second round finds blobs in the index, some of them stored without conversion.
    for round in 0..<2 {
      var cleaned: [String: [UInt8]] = [:]
      for name in names {
        let content = Self.content(&generator)
        try fixture.scratch.write(content, to: Array(name.utf8))
        let path = try #require(RelativePath(name))
        let result = try filter.clean(
          content, path: path, tracked: tracked[name], hasAttributeFiles: true)
        guard case .bytes(let bytes) = result else { throw Failure("\(name) needs no program") }
        cleaned[name] = bytes
      }
      try fixture.git("add", "-A")
      try check(
        fixture, filter, names, cleaned, "seed \(seed), round \(round), \(config)", &tracked)
      if round == 0 { try storeRaw(fixture, names, &tracked, &generator) }
    }
  }

  /// Compares both directions for every file, and notes what is in the index now.
  private func check(
    _ fixture: FilterFixture, _ filter: ContentFilter, _ names: [String],
    _ cleaned: [String: [UInt8]], _ note: String, _ tracked: inout [String: ObjectID]
  ) throws {
    for row in String(decoding: try fixture.git("ls-files", "-s"), as: UTF8.self).split(
      separator: "\n")
    {
      let fields = row.split { $0 == " " || $0 == "\t" }
      tracked[String(fields[3])] = ObjectID(hex: String(fields[1]))
    }
    for name in names { unlink(fixture.scratch.at(name)) }
    try fixture.git("checkout-index", "-a", "-f", "-q")
    let repository = try Repository(at: fixture.scratch.path)
    for (index, name) in names.enumerated() {
      let rule = Self.attributes[index % Self.attributes.count]
      let id = try #require(tracked[name])
      let blob = try repository.read(id).bytes
      #expect(cleaned[name] == blob, "\(note), \(rule)")
      let smudged = try filter.smudge(
        blob, id: id, path: try #require(RelativePath(name)), hasAttributeFiles: true)
      #expect(smudged == fixture.scratch.bytes(of: name), "\(note), \(rule)")
    }
  }

  /// Puts unconverted contents into the index.
  private func storeRaw(
    _ fixture: FilterFixture, _ names: [String], _ tracked: inout [String: ObjectID],
    _ generator: inout SeededGenerator
  ) throws {
    var rows = ""
    for name in names where generator.chance(3) {
      let bytes = Self.content(&generator)
      let hex = try fixture.git("hash-object", "-w", "--stdin", "--no-filters", input: bytes)
      let id = try #require(ObjectID(hex: hex.prefix(40)))
      tracked[name] = id
      rows += "100644 \(id.hex)\t\(name)\n"
    }
    try fixture.git("update-index", "--index-info", input: Array(rows.utf8))
  }
}
