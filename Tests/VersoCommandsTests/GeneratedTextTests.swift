import Foundation
import Testing
import VersoCommands
import VersoTestSupport

@Suite struct GeneratedTextTests {
  @Test func `help is as recorded`() throws {
    try expectSnapshot(HelpText().overview, "help.txt")
    try expectSnapshot(HelpText().when, "help-when.txt")
    try expectSnapshot(HelpText().json, "help-json.txt")
    for command in CommandTable.commands {
      try expectSnapshot(HelpText().page(of: command), "help-\(command.name.rawValue).txt")
    }
  }

  @Test func `manual and completions are as recorded`() throws {
    try expectSnapshot(ManualPage.source, "verso.1")
    for shell in Shell.allCases {
      try expectSnapshot(shell.completionScript, "completions.\(shell.rawValue)")
    }
  }

  @Test func `everything generated is ASCII, and help fits 80 columns`() {
    let pages =
      [HelpText().overview, HelpText().when] + CommandTable.commands.map(HelpText().page(of:))
    for page in pages { #expect(page.split(separator: "\n").allSatisfy { $0.count <= 80 }) }
    let texts =
      pages + [HelpText().json, ManualPage.source] + Shell.allCases.map(\.completionScript)
    for text in texts { #expect(text.utf8.allSatisfy { $0 == 0x0A || 0x20..<0x7F ~= $0 }) }
  }

  @Test func `colour adds nothing but escape sequences to help`() {
    let colored = HelpText(.colored).overview
    #expect(colored.contains("\u{1B}[1mCommands:\u{1B}[m"))
    #expect(colored.replacing(/\u{1B}\[[0-9;]*m/, with: "") == HelpText().overview)
  }

  @Test func `the manual is roff without warnings`() throws {
    guard installed("groff") != nil else {
      print("groff is not installed: the manual was not checked")
      return
    }
    let outcome = try run(
      ["groff", "-man", "-ww", "-z", "-Tutf8"], input: Array(ManualPage.source.utf8))
    #expect(outcome.status == 0)
    #expect(outcome.error == "")
  }

  @Test func `man shows the manual with every command and option`() throws {
    guard installed("man") != nil else {
      print("man is not installed: the manual was not shown")
      return
    }
    let scratch = try Scratch("manual")
    try scratch.write(ManualPage.source, to: "verso.1")
    let outcome = try run(
      ["man", "-l", scratch.at("verso.1")],
      environment: ["MANWIDTH": "80", "MAN_KEEP_FORMATTING": "", "PAGER": "cat"])
    #expect(outcome.status == 0)
    for command in CommandTable.commands {
      #expect(outcome.text.contains("verso \(command.name.rawValue)"))
      for spelling in command.allFlags.flatMap(\.spellings) {
        #expect(outcome.text.contains(spelling), "\(spelling)")
      }
    }
    // What roff would have swallowed or changed.
    #expect(outcome.text.contains("~1"))
    #expect(outcome.text.contains("\"$(verso completions bash)\""))
  }
}

@Suite struct JSONTypeTests {
  @Test func `each example is an object with exactly the fields described, in order`() throws {
    #expect(JSONType.all.map(\.name) == JSONType.Name.allCases)
    for type in JSONType.all {
      let parsed = try JSONSerialization.jsonObject(with: Data(type.example.utf8))
      let object = try #require(parsed as? [String: Any])
      #expect(object["type"] as? String == type.name.rawValue)
      #expect(Set(object.keys) == Set(["type"] + type.fields.map(\.name)), "\(type.name)")
      let places = type.fields.map { type.example.firstRange(of: "\"\($0.name)\":")?.lowerBound }
      #expect(places.compactMap(\.self) == places.compactMap(\.self).sorted(), "\(type.name)")
      #expect(!type.example.contains("\n"))
    }
  }
}

@Suite struct CompletionTests {
  /// What bash offers for the last of `words`, as its own readline would ask.
  private static func offers(_ words: [String], in folder: String) throws -> [String] {
    let script = """
      source /dev/stdin
      COMP_WORDS=("$@")
      COMP_CWORD=$(($# - 1))
      _verso
      printf '%s\\n' "${COMPREPLY[@]}"
      """
    let outcome = try run(
      ["bash", "-c", script, "bash"] + words, in: folder,
      input: Array(Shell.bash.completionScript.utf8))
    #expect(outcome.error == "")
    return outcome.text.split(separator: "\n").map(String.init).sorted()
  }

  @Test(arguments: [
    (["sa"], ["save"]), (["c"], ["cat", "clone", "compact", "completions", "conflicts"]),
    (["st", ""], []),
    (["-C", "no"], ["notes"]), (["-C", "notes", "sh"], ["show"]), (["--version", "und"], ["undo"]),
    (["save", "n"], ["note one.md", "notes"]), (["save", "--al"], ["--allow-mass-delete"]),
    (["cat", "--r"], ["--raw"]), (["init", "n"], ["notes"]),
    (["init", "--git-dir", "n"], ["notes"]), (["init", "--git-dir", "=", "n"], ["notes"]),
    (["save", "--color", "a"], ["always", "auto"]),
    (["save", "--color", "="], ["always", "auto", "never"]),
    (["--color", "=", "never", "stat"], ["status"]), (["--color", "never", "stat"], ["status"]),
    (["completions", ""], ["bash", "fish", "zsh"]), (["help", "j"], ["json"]),
    (["help", "red"], ["redo"]), (["save", "-m", "n"], []), (["log", "note\\ o"], ["note one.md"]),
    (["log", "\"note o"], ["note one.md"]),
    (["restore", "a", "--as", "note"], ["note one.md", "notes"]), (["undo", "n"], []),
    (["log", "--since", "y"], ["yesterday"]), (["nothing", "--"], []),
  ])
  func `bash completes commands, options, choices and paths`(
    words: [String], expected: [String]
  ) throws {
    let scratch = try Scratch("completion")
    try scratch.write("", to: "note one.md")
    try scratch.write("", to: "notes/a")
    #expect(try Self.offers(["verso"] + words, in: scratch.path) == expected)
  }

  @Test func `bash reads the script`() throws {
    let outcome = try run(["bash", "-n"], input: Array(Shell.bash.completionScript.utf8))
    #expect(outcome.status == 0)
    #expect(outcome.error == "")
  }

  @Test func `zsh and fish read their scripts`() throws {
    for shell in [Shell.zsh, .fish] {
      guard let program = installed(shell.rawValue) else {
        print("\(shell.rawValue) is not installed: its script was not read")
        continue
      }
      let scratch = try Scratch("completion")
      let script = try scratch.write(shell.completionScript, to: "script")
      let outcome = try run([program, "-n", script])
      #expect(outcome.status == 0)
      #expect(outcome.error == "")
    }
  }

  @Test func `fish completes commands, options and choices`() throws {
    guard let fish = installed("fish") else {
      print("fish is not installed: its completions were not tried")
      return
    }
    let scratch = try Scratch("completion")
    try scratch.write(Shell.fish.completionScript, to: "verso.fish")
    for (line, expected) in [
      ("verso sa", "save"), ("verso save --al", "--allow-mass-delete"),
      ("verso status --color ne", "never"), ("verso completions z", "zsh"),
    ] {
      let outcome = try run(
        [fish, "-N", "-c", "source verso.fish; complete -C '\(line)'"], in: scratch.path,
        environment: ["HOME": scratch.path])
      #expect(outcome.text.split(separator: "\n").contains { $0.hasPrefix(expected) }, "\(line)")
    }
  }
}
