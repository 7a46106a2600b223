import Foundation
import Testing
import VersoTestSupport

/// Names and contents that would like to be more than that.
@Suite struct HostileTests {
  // MARK: On a terminal

  /// What would act on a terminal, or deceive its reader.
  private static let weapons: [[UInt8]] =
    [
      "\u{1B}]0;title\u{7}", "\u{1B}[2J\u{1B}[5mx", "new\nline", "cr\rback\u{8}\u{8}",
      "\u{202E}txt.exe\u{202C}", "\u{2066}iso\u{2069}", "\u{9B}5mc1\u{85}", "zero\u{200B}\u{FEFF}w",
      "\u{200F}mark\u{61C}", "del\u{7F}", "tab\tbell\u{7}", "\u{2028}ls\u{2029}", "\u{E0041}tag",
    ].map { Array($0.utf8) } + [
      [0x9B, 0x35, 0x6D], [0x1B, 0x50, 0xFF, 0x1B, 0x5C], Array(repeating: 0x1B, count: 255),
      Array(repeating: 0xE2, count: 255),
      Array("\u{202E}".utf8) + Array(repeating: 0x78, count: 252),
    ]

  /// The words of a shell that mean exactly these bytes.
  private static func quoted(_ name: [UInt8]) -> [UInt8] {
    let escaped = name.split(separator: 0x27, omittingEmptySubsequences: false)
      .joined(separator: Array(#"'\''"#.utf8))
    return [0x27] + Array(escaped) + [0x27]
  }

  /// Runs verso on a pseudo-terminal; standard error goes there, too.
  private static func onTerminal(
    _ words: [[UInt8]], in scratch: Scratch, deadline: Double = 60
  ) throws -> [UInt8] {
    let line = words.map(quoted).joined(separator: [0x20])
    try scratch.write(
      Array("cd \(scratch.at("vault")) && exec \(Verso.binary) ".utf8) + line, to: Array("do".utf8))
    let environment = ["TERM": "xterm", "GIT_PAGER": "cat", "COLUMNS": "80"]
    let outcome = try run(
      ["script", "-qc", "sh \(scratch.at("do"))", "/dev/null"], environment: environment,
      deadline: deadline)
    #expect(outcome.status >= 0, "\(words.map { String(decoding: $0, as: UTF8.self) }) was killed")
    return outcome.output
  }

  /// What in a terminal's input is not text, apart from Verso's own colours.
  private static func dangers(in output: [UInt8]) -> [String] {
    var dangers = Set<String>()
    let colors = ["", "1", "2", "31", "32", "33", "34", "36", "1;31", "1;33", "1;7;31", "1;7;32"]
    let own = Set(colors.map { Array("\u{1B}[\($0)m".utf8) })
    var rest = output[...]
    var text: [UInt8] = []
    while let byte = rest.first {
      if byte == 0x1B, let sequence = own.first(where: { rest.starts(with: $0) }) {
        rest = rest.dropFirst(sequence.count)
        continue
      }
      text.append(byte)
      rest = rest.dropFirst()
    }
    guard let valid = String(validating: text, as: UTF8.self) else { return ["invalid UTF-8"] }
    for scalar in valid.unicodeScalars {
      switch scalar.value {
      case 0x09, 0x0A, 0x0D, 0x20..<0x7F: continue
      case 0..<0x20, 0x7F..<0xA0, 0x61C, 0x200B, 0x200E, 0x200F, 0x2028...0x202E, 0x2060...0x2069,
        0xFEFF, 0xE0000...0xE007F:
        dangers.insert(String(scalar.value, radix: 16))
      default: continue
      }
    }
    // A carriage return comes from the terminal itself, before each line feed.
    if valid.unicodeScalars.split(separator: "\n").contains(where: { $0.dropLast().contains("\r") })
    {
      dangers.insert("a carriage return within a line")
    }
    return dangers.sorted()
  }

  @Test func `no byte of a name or a content acts on the terminal`() throws {
    let scratch = try Scratch()
    for (number, weapon) in Self.weapons.enumerated() {
      let name = Array("vault/".utf8) + weapon
      try scratch.write(weapon + [0x0A] + Array("old \(number)\n".utf8), to: name)
      try scratch.write(weapon, to: Array("vault/sub \(number)/n".utf8))
    }
    try run(["find", scratch.at("vault"), "-exec", "touch", "-h", "-d", "1 hour ago", "{}", "+"])
    #expect(try Verso.run("init", "-q", in: scratch.at("vault")).status == 0)
    for (number, weapon) in Self.weapons.enumerated() {
      let name = Array("vault/".utf8) + weapon
      try scratch.write(Array("new \(number) ".utf8) + weapon + [0x0A] + weapon, to: name)
      try scratch.write([0x78], to: Array("vault/new ".utf8) + weapon.prefix(200))
    }
    // What is skipped is named, too.
    try scratch.write([0x78], to: Array("vault/git~1/\u{1B}[5m\u{202E}".utf8))
    func words(_ text: String) -> [[UInt8]] { text.split(separator: " ").map { Array($0.utf8) } }
    var commands = [
      "status", "diff", "diff --words", "save --dry-run", "save", "status -v", "log", "log --names",
      "log --stat --all", "diff --from ~1", "diff --from ~1 --words", "ls", "ls --at HEAD~1",
      "restore . --at HEAD~1", "undo", "redo", "doctor", "log no/such", "save nowhere",
    ].map(words)
    for weapon in Self.weapons {
      commands += [words("show") + [weapon], words("log -n 2") + [weapon]]
      commands.append(words("show") + [Array("none ".utf8) + weapon.prefix(200)])
    }
    commands += [
      words("show --at") + [Self.weapons[0]] + words("x"), [Self.weapons[1]],
      words("diff") + [Self.weapons[4]] + words("--from HEAD~1"),
      words("restore") + [Self.weapons[2]] + words("--at HEAD~1"),
      words("restore") + [Self.weapons[6]], words("save -m") + [Self.weapons[1]],
    ]
    for (number, command) in commands.enumerated() {
      let color = number % 2 == 0 ? "always" : "never"
      let output = try Self.onTerminal(
        command.prefix(1) + words("--color \(color)") + command.dropFirst(), in: scratch)
      let text = command.map { String(decoding: $0, as: UTF8.self) }
      #expect(Self.dangers(in: output) == [], "\(text)")
      #expect(!output.isEmpty || text.first == "save", "\(text) printed nothing")
    }
    #expect(try run(["git", "fsck", "--strict"], in: scratch.at("vault")).status == 0)
  }

  @Test func `the test of danger sees what it should`() {
    for weapon in Self.weapons where weapon != Array("new\nline".utf8) {
      #expect(Self.dangers(in: weapon) != [], "\(weapon)")
    }
    #expect(Self.dangers(in: Array("\u{1B}[1;31mred\u{1B}[m plain ü\r\n".utf8)) == [])
  }

  // MARK: Sizes

  @Test func `a line of ten megabytes is shown and compared in seconds`() throws {
    let scratch = try Scratch()
    var line = Array(repeating: Array("word, ".utf8), count: 1_750_000).flatMap { $0 }
    try scratch.write(line, to: Array("vault/long.md".utf8))
    try run(["touch", "-d", "1 hour ago", scratch.at("vault/long.md")])
    let vault = scratch.at("vault")
    #expect(try Verso.run("init", "-q", in: vault).status == 0)
    line.replaceSubrange(5_000_000..<5_000_004, with: Array("WORD".utf8))
    try scratch.write(line + Array("\n".utf8), to: Array("vault/long.md".utf8))
    let began = Date()
    let shown = try Verso.run("show", "long.md", in: vault)
    #expect(shown.output.count == 10_500_000)
    let diff = try Verso.run("diff", in: vault)
    #expect(diff.status == 0 && diff.output.count > 21_000_000)
    let words = try Verso.run("diff", "--words", "--color", "always", in: vault)
    #expect(words.status == 0 && words.text.contains("WORD"))
    for command in ["diff", "show long.md"] {
      let output = try Self.onTerminal(
        command.split(separator: " ").map { Array($0.utf8) }, in: scratch)
      #expect(output.count > 5_000, "\(command)")
      #expect(Self.dangers(in: Array(output.prefix(10_000))) == [])
    }
    #expect(try Verso.run("save", "-q", in: vault).status == 0)
    #expect(try Verso.run("log", "--stat", "long.md", in: vault).status == 0)
    let seconds = Date().timeIntervalSince(began)
    print("a line of 10 MB: \(seconds) s for seven commands")
    #expect(seconds < 60)
  }

  @Test func `a sparse file of two gigabytes is left alone and named, once`() throws {
    let scratch = try Scratch()
    try scratch.write("note\n", to: "vault/note.md")
    let vault = scratch.at("vault")
    #expect(try Verso.run("init", "-q", in: vault).status == 0)
    try run(["truncate", "-s", "2G", scratch.at("vault/huge.bin")])
    try run(["touch", "-d", "1 hour ago", scratch.at("vault/huge.bin")])
    let began = Date()
    let first = try Verso.run("save", in: vault)
    #expect(first.status == 3)
    #expect(first.error.contains("huge.bin") && first.error.contains("2147483648"))
    #expect(try Verso.run("save", in: vault).status == 0)
    let status = try Verso.run("status", "--check", in: vault)
    #expect(status.status == 3 && status.text.contains("huge.bin"))
    #expect(try run(["git", "ls-files"], in: vault).text == "note.md\n")
    #expect(Date().timeIntervalSince(began) < 20)
    // A tracked note that grows so large keeps its last version.
    try run(["truncate", "-s", "2G", scratch.at("vault/note.md")])
    #expect(try Verso.run("save", in: vault).status == 3)
    #expect(try run(["git", "show", "HEAD:note.md"], in: vault).text == "note\n")
  }

  @Test func `a folder of very many notes is saved, listed and searched in seconds`() throws {
    let count = isFullRun ? 50_000 : 5_000
    let scratch = try Scratch()
    for number in 0..<count { try scratch.write("note \(number)\n", to: "vault/all/\(number).md") }
    let vault = scratch.at("vault")
    try run(["find", vault, "-exec", "touch", "-d", "1 hour ago", "{}", "+"])
    #expect(try Verso.run("init", "-q", in: vault, deadline: 120).status == 0)
    let began = Date()
    try scratch.write("changed\n", to: "vault/all/77.md")
    let save = try Verso.run("save", in: vault)
    #expect(save.status == 0 && save.text.hasSuffix("Edit all/77.md\n"), "\(save.text)")
    #expect(try run(["git", "status", "--porcelain"], in: vault).text == "")
    #expect(try Verso.run("ls", "all", in: vault).text.split(separator: "\n").count == count)
    #expect(
      try Verso.run("log", "all/77.md", "--all", in: vault).text.split(separator: "\n").count == 2)
    #expect(try Verso.run("show", "all/77.md", "--at", "~1", in: vault).text == "note 77\n")
    try run(["rm", scratch.at("vault/all/5.md")])
    #expect(try Verso.run("restore", "all/5.md", in: vault).status == 0)
    #expect(scratch.text(of: "vault/all/5.md") == "note 5\n")
    let seconds = Date().timeIntervalSince(began)
    print("\(count) notes in one folder: \(seconds) s for five commands")
    #expect(seconds < (isFullRun ? 60 : 20))
    // All of them gone at once waits for a person.
    try run(["rm", "-r", scratch.at("vault/all")])
    #expect(try Verso.run("save", in: vault).status == 5)
    #expect(try run(["git", "ls-files"], in: vault).text.split(separator: "\n").count == count)
  }

  // MARK: Git's own folder

  /// Names that git, NTFS or HFS+ would take for `.git`.
  private static let disguises = [
    ".GIT", ".Git", ".git ", ".git.", ".git. .", ".git:stream", ".git::$INDEX_ALLOCATION", "git~1",
    "GIT~1", "Git~1 ", "git~1.", "git~1:x", ".g\u{200C}it", ".gi\u{200D}t", "\u{200E}.git",
    ".git\u{200F}", ".gi\u{202A}T", "\u{202E}.git", "\u{FEFF}.GIT", ".\u{206A}git\u{206F}",
    "x\\.git", "x\\GIT~1", ".git\\x",
  ]

  @Test func `git's own folder is in no version, in whatever disguise, and that is said`() throws {
    let scratch = try Scratch()
    try scratch.write("note\n", to: "vault/note.md")
    let vault = scratch.at("vault")
    #expect(try Verso.run("init", "-q", in: vault).status == 0)
    var expected = Set<String>()
    for (number, name) in Self.disguises.enumerated() {
      // As a folder, as a file below one, and as a link.
      try scratch.write("[core]\n", to: "vault/\(name)/config")
      try scratch.write("x\n", to: "vault/files \(number)/\(name)")
      try scratch.write("ok\n", to: "vault/files \(number)/beside.md")
      try run(["mkdir", scratch.at("vault/links \(number)")])
      try run(["ln", "-s", "/etc", scratch.at("vault/links \(number)/\(name)")])
      expected.formUnion([
        "\(name)/config", "files \(number)/\(name)", "links \(number)/\(name)",
      ])
    }
    // Two that are only alike.
    try scratch.write("x\n", to: "vault/git~2")
    try scratch.write("x\n", to: "vault/.gitx")
    try run([
      "find", vault, "-path", "\(vault)/.git", "-prune", "-o", "-exec", "touch", "-h", "-d",
      "1 hour ago", "{}", "+",
    ])
    let save = try Verso.run("save", "--json", in: vault)
    #expect(save.status == 3)
    #expect(try paths(in: save, type: "skipped") == expected)
    let status = try Verso.run("status", "--json", in: vault)
    let report = try JSONSerialization.jsonObject(with: Data(status.output)) as? [String: Any]
    let skipped = report?["skipped"] as? [[String: Any]] ?? []
    #expect(Set(skipped.compactMap { $0["path"] as? String }) == expected)
    #expect(try Verso.run("save", in: vault).status == 0)

    let tree = try run(["git", "ls-tree", "-r", "-z", "--name-only", "HEAD"], in: vault).text
    var kept = Set(Self.disguises.indices.map { "files \($0)/beside.md" })
    kept.formUnion(["note.md", "git~2", ".gitx"])
    #expect(Set(tree.split(separator: "\0").map(String.init)) == kept)
    #expect(try run(["git", "fsck", "--strict"], in: vault).status == 0)
    // And what is left out is all still there.
    for name in Self.disguises { #expect(scratch.text(of: "vault/\(name)/config") == "[core]\n") }
  }

  /// The paths of the objects of one type.
  private func paths(in outcome: Outcome, type: String) throws -> Set<String> {
    var found = Set<String>()
    for line in outcome.text.split(separator: "\n") {
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      guard object?["type"] as? String == type, let path = object?["path"] as? String else {
        continue
      }
      found.insert(path)
    }
    return found
  }
}
