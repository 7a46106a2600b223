import Testing
import VersoCommands
import VersoTestSupport

/// Parses words without quotes around any.
private func parse(_ line: String) throws -> Request {
  try Parser.parse(line.split(separator: " ").map { Array($0.utf8) })
}

private func invocation(_ line: String) throws -> Invocation {
  guard case .run(let invocation) = try parse(line) else { throw Failure("no command: \(line)") }
  return invocation
}

private func bytes(_ words: String...) -> [[UInt8]] { words.map { Array($0.utf8) } }

@Suite struct ParserTests {
  @Test func `options stand before and after operands`() throws {
    let expected = try invocation("save -m text --dry-run -- a b")
    #expect(expected.operands == bytes("a", "b"))
    #expect(expected.text(.message) == "text")
    #expect(expected.isDryRun)
    for line in [
      "save a -m text b --dry-run", "save a b -mtext --dry-run",
      "save --message=text a --dry-run b",
      "save --dry-run --message text a b", "save --mess text a --dry b",
    ] {
      #expect(try invocation(line) == expected, "\(line)")
    }
  }

  @Test func `options of every command stand before the command too`() throws {
    let expected = try invocation("status -C dir -q --json --color never")
    for line in [
      "-C dir -q --json --color never status", "-Cdir -q --json status --color=never",
      "-q --js --col=never -C dir status", "-qC dir status --json --color never",
    ] {
      #expect(try invocation(line) == expected, "\(line)")
    }
    #expect(expected.directory == Array("dir".utf8))
    #expect(expected.isQuiet && expected.wantsJSON && expected.color == .never)
  }

  @Test func `two dashes end the options`() throws {
    #expect(try invocation("save -- -m --help").operands == bytes("-m", "--help"))
    #expect(try invocation("show -- -").operands == bytes("-"))
    #expect(try invocation("show -").operands == bytes("-"))
  }

  @Test func `a word that is not UTF-8 arrives as its bytes`() throws {
    let name: [UInt8] = [0x63, 0xE9, 0xFF, 0x0A]
    let words = [Array("show".utf8), name, Array("-C".utf8), name]
    guard case .run(let invocation) = try Parser.parse(words) else { throw Failure("no command") }
    #expect(invocation.operands == [name])
    #expect(invocation.directory == name)
  }

  @Test func `an alias is the command`() throws {
    #expect(try invocation("cat a").command == .show)
  }

  @Test(arguments: [("-C a -C b", "a/b"), ("-C a -C /b", "/b"), ("-C a -C b -C c", "a/b/c")])
  func `several -C follow one another`(line: String, directory: String) throws {
    #expect(try invocation("\(line) save").directory == Array(directory.utf8))
  }

  @Test func `several -m are paragraphs, and of other values the last one counts`() throws {
    #expect(try invocation("save -m a -m b").message == Array("a\n\nb".utf8))
    #expect(try invocation("save").message == nil)
    #expect(try invocation("save --wait 3 --wait 5").wait == 5)
    #expect(try invocation("save").wait == 10)
  }

  @Test func `values are read by their kind`() throws {
    #expect(try invocation("log -n 5").number(.limit) == 5)
    #expect(try invocation("restore a --lines 3-9").lines == 3...9)
    #expect(try invocation("restore a --lines 3").lines == 3...3)
    #expect(try invocation("ls -0").endsNamesWithNUL)
    #expect(try invocation("save -qv").isVerbose == false)
  }

  @Test func `help and version come before every check`() throws {
    #expect(try parse("--version") == .version)
    #expect(try parse("-q --version save") == .version)
    #expect(try parse("--help") == .help(nil))
    #expect(try parse("-h save") == .help(.save))
    #expect(try parse("restore --help") == .help(.restore))
    #expect(try parse("restore a b c -h") == .help(.restore))
  }

  @Test(arguments: [
    ("", "no command given", "run 'verso help' for a list"),
    ("sav", "there is no command 'sav'", "did you mean 'save'?"),
    ("stauts", "there is no command 'stauts'", "did you mean 'status'?"),
    ("compl", "there is no command 'compl'", "did you mean 'completions'?"),
    ("frobnicate", "there is no command 'frobnicate'", "run 'verso help' for a list"),
    ("save --mesage x", "there is no option '--mesage' here", "did you mean '--message'?"),
    ("save --mesage=x", "there is no option '--mesage' here", "did you mean '--message'?"),
    ("save -qx", "there is no option '-x' here", "run 'verso help save'"),
    ("a b --remote", "there is no command 'a'", "run 'verso help' for a list"),
    ("init --mirror x", "there is no option '--mirror' here", "run 'verso help init'"),
    ("save --all", "there is no option '--all' here", "run 'verso help save'"),
    ("init --shared", "there is no option '--shared' here", "run 'verso help init'"),
    ("redo --merge", "there is no option '--merge' here", "run 'verso help redo'"),
    ("undo --all", "there is no option '--all' here", "run 'verso help undo'"),
    ("log --s now", "option '--s' could be --since or --stat", "write more of it"),
    ("log -n", "option -n needs a value, N", "run 'verso help log'"),
    ("save a --message", "option --message needs a value, TEXT", "run 'verso help save'"),
    ("-C", "option -C needs a value, DIR", "run 'verso help'"),
    ("save --dry-run=yes", "option --dry-run takes no value", "run 'verso help save'"),
    (
      "--color", "option --color needs a value, auto|always|never", "run 'verso help'"
    ),
    (
      "--color=alway save", "option --color does not take 'alway'", "did you mean 'always'?"
    ),
    (
      "--wait 3 undo", "option --wait stands before the command",
      "write it after, as in 'verso undo --wait'"
    ),
    (
      "save --wait -1", "option --wait takes a number, not '-1'",
      "write a whole number, 0 or more"
    ),
    (
      "log -n 99999999999999999999", "option -n takes a number, not '99999999999999999999'",
      "write a whole number, 0 or more"
    ),
    (
      "restore a --lines 9-3", "option --lines takes two line numbers, not '9-3'",
      "write the first and the last line, as in 3-9"
    ),
    (
      "restore a --lines 0-3", "option --lines takes two line numbers, not '0-3'",
      "write the first and the last line, as in 3-9"
    ),
    ("show", "'verso show' needs a PATH", "run 'verso help show'"),
    ("show a b", "'b' is one word too many", "run 'verso help show'"),
    ("undo x", "'x' is one word too many", "run 'verso help undo'"),
    ("completions", "'verso completions' needs a SHELL", "run 'verso help completions'"),
    ("completions csh", "SHELL does not take 'csh'", "did you mean 'zsh'?"),
  ])
  func `a usage error says what is wrong and what to type`(
    line: String, message: String, hint: String
  ) throws {
    let error = #expect(throws: UsageError.self) { try parse(line) }
    #expect(error?.message == message)
    #expect(error?.hint == hint)
  }

  @Test func `an empty path is an error`() throws {
    for words in [bytes("save", ""), bytes("save", "-C", "")] {
      #expect(throws: UsageError.self) { try Parser.parse(words) }
    }
  }

  @Test func `command lines are parsed on many threads at once`() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<200 {
        group.addTask {
          let found = try invocation("save a\(index) -m text\(index) b --wait \(index)")
          #expect(found.operands == bytes("a\(index)", "b"))
          #expect(found.text(.message) == "text\(index)")
          #expect(found.wait == index)
        }
      }
      try await group.waitForAll()
    }
  }

  @Test(arguments: seeds(20))
  func `no words whatever make the parser fail otherwise`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let pool =
      bytes(
        "save", "log", "restore", "--", "-", "-C", "-n", "--at", "-q0", "--json=", "--w", "-=", "",
        "a",
        "--=x", "--help=1", "-hx", "-W", "-Wfoo", "\u{FF}") + [
        [0xFF], [0x2D, 0xFF], [0x2D, 0x2D, 0xC3],
      ]
    for _ in 0..<500 {
      let words = (0..<Int.random(in: 0...6, using: &generator)).map { _ in
        pool.randomElement(using: &generator) ?? []
      }
      do throws(UsageError) {
        if case .run(let invocation) = try Parser.parse(words) {
          #expect(invocation.operands.allSatisfy { words.contains($0) }, "seed \(seed)")
        }
      } catch {
        #expect(!error.message.isEmpty && !error.hint.isEmpty, "seed \(seed)")
      }
    }
  }
}

@Suite struct CommandTableTests {
  @Test func `names are unique, and every command is there`() {
    let names = CommandTable.commands.flatMap { [$0.name.rawValue] + $0.aliases }
    #expect(Set(names).count == names.count)
    #expect(Set(CommandTable.commands.map(\.name)) == Set(Command.Name.allCases))
  }

  @Test func `the options of a command have forms of their own`() {
    for command in CommandTable.commands {
      let spellings = command.allFlags.flatMap(\.spellings)
      #expect(Set(spellings).count == spellings.count, "\(command.name)")
      #expect(command.allFlags.allSatisfy { !$0.spellings.isEmpty })
    }
  }

  @Test func `every command that writes waits and can run dry`() throws {
    for command in CommandTable.commands where command.operands.allSatisfy(\.isOptional) {
      let line = "\(command.name.rawValue) --wait 1 --dry-run"
      #expect(((try? parse(line)) != nil) == command.writes, "\(line)")
    }
  }

  @Test func `every example is a command line that is right`() throws {
    for command in CommandTable.commands {
      #expect(!command.examples.isEmpty)
      for example in command.examples {
        // Let the shell split it, with a function in place of the program.
        let script = "verso() { printf '%s\\0' \"$@\"; exit; }; \(example.line)"
        // `eval "$(…)"` would run the printed words.
        let outcome = try run([
          "bash", "-c", script.replacing("eval \"$(", with: "printf '%s' \"$("),
        ])
        guard outcome.output.contains(0) else { continue }
        let words = outcome.output.split(separator: 0, omittingEmptySubsequences: false).dropLast()
        #expect(throws: Never.self, "\(example.line)") { try Parser.parse(words.map(Array.init)) }
      }
    }
  }
}

@Suite struct ExitCodeTests {
  @Test func `of several causes the first of 1, 5, 6, 4, 3 counts`() {
    let order: [ExitCode] = [.failed, .refused, .unreachable, .locked, .attention, .done]
    #expect(order.map(\.rawValue) == [1, 5, 6, 4, 3, 0])
    for (index, code) in order.enumerated() {
      #expect(ExitCode.combined(order[index...].reversed()) == code)
      #expect(ExitCode.combined([code, .done, code]) == code)
    }
    #expect(ExitCode.combined([]) == .done)
    #expect(ExitCode.allCases.map(\.rawValue) == Array(0...6))
  }
}
