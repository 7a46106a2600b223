import Foundation
import Testing
import VersoTestSupport

/// `verso browse` in a real terminal: tmux, which draws as terminals do.
@Suite(.serialized) struct BrowseTests {
  static let sizes = ["59x22", "70x22", "80x24", "100x40", "200x60"]

  /// A window of a tmux server of its own.
  struct Window {
    let socket = "verso-\(UUID().uuidString.prefix(8))"
    let scratch: Scratch

    init(
      _ size: String, _ command: String, in scratch: Scratch, editor: String = "false"
    ) throws {
      self.scratch = scratch
      let parts = size.split(separator: "x").map(String.init)
      // The window stays when its program has ended, so that its last words can be read.
      let line = "\(command); echo ended with $?; exec cat"
      let environment = [
        "-e", "PATH=\(hermeticEnvironment["PATH"] ?? "")", "-e", "LC_ALL=C.UTF-8", "-e", "TZ=UTC",
        "-e", "HOME=/nonexistent", "-e", "GIT_CONFIG_GLOBAL=/dev/null", "-e",
        "GIT_CONFIG_NOSYSTEM=1", "-e", "GIT_AUTHOR_NAME=Ada", "-e",
        "GIT_AUTHOR_EMAIL=ada@example.invalid", "-e", "GIT_COMMITTER_NAME=Ada", "-e",
        "GIT_COMMITTER_EMAIL=ada@example.invalid", "-e", "EDITOR=\(editor)",
      ]
      let outcome = try tmux(
        ["new-session", "-d", "-c", scratch.path, "-x", parts[0], "-y", parts[1]] + environment + [
          "sh -c '\(line)'"
        ])
      guard outcome.status == 0 else { throw Failure("tmux: \(outcome.error)") }
    }

    /// Starts a program with no signal blocked and no descriptor of this process: a server that keeps
    /// one would be waited for.
    private static let alone = [
      "perl", "-MPOSIX", "-e",
      "sigprocmask(SIG_SETMASK, POSIX::SigSet->new());"
        + "$SIG{$_} = 'DEFAULT' for qw(INT TERM HUP); POSIX::close($_) for 3..255; exec @ARGV",
    ]

    @discardableResult
    func tmux(_ arguments: [String]) throws -> Outcome {
      try run(
        Self.alone + ["tmux", "-L", socket, "-f", "/dev/null"] + arguments, in: "/",
        environment: ["TERM": "xterm-256color"])
    }

    func press(_ keys: String...) throws { try tmux(["send-keys"] + keys) }
    func type(_ text: String) throws { try tmux(["send-keys", "-l", text]) }

    func screen() throws -> String { try tmux(["capture-pane", "-p"]).text }

    /// Waits until the screen shows one thing and not another.
    func expect(_ text: String, without other: String? = nil, _ line: Int = #line) throws {
      let end = Date().addingTimeInterval(20)
      while true {
        let screen = try screen()
        if screen.contains(text), other.map({ !screen.contains($0) }) ?? true { return }
        guard Date() < end else {
          throw Failure(
            "line \(line): no “\(text)”\(other.map { ", or still “\($0)”" } ?? ""):\n\(screen)")
        }
        usleep(20_000)
      }
    }

    /// Sends a signal to the program in the window, which is the child of the window's shell.
    func send(_ signal: String) throws {
      let shell = try tmux(["display-message", "-p", "#{pane_pid}"]).text.split(separator: "\n")[0]
      let child = try run(["ps", "-o", "pid=", "--ppid", String(shell)]).text
        .split(whereSeparator: \.isWhitespace)
      guard let child = child.first else { throw Failure("the shell has no child") }
      try run(["kill", "-\(signal)", String(child)])
    }

    func close() { _ = try? tmux(["kill-server"]) }
  }

  /// Says so where the test cannot be made, as tmux is missing.
  static var hasTmux: Bool {
    (try? run(["tmux", "-V"]).status) == 0
  }

  private static func vault() throws -> Notes {
    try Notes(["ideas/todo.md": "# Todo\n\nmilk\n", "root.md": "root\n"])
  }

  @Test(.enabled(if: hasTmux, "tmux is not installed"), arguments: sizes)
  func `A41: the walk in a terminal, while another program changes the note and its folder`(
    size: String
  ) throws {
    let notes = try Self.vault()
    let window = try Window(size, "\(Verso.binary) browse", in: notes.scratch)
    defer { window.close() }
    let isCompact = size == "59x22"
    try window.expect("ideas/")
    try window.press("A")
    try window.expect("New folder")
    try window.type("work")
    try window.press("Enter")
    try window.expect("> work/")
    try window.press("Enter")
    try window.expect("no files, press a")
    try window.press("a")
    try window.type("plan.md")
    try window.press("Enter")
    try window.expect("> plan.md")
    try window.press("Enter")
    if !isCompact { try window.press("l") }
    try window.expect("Enter edits it")
    try window.press("i")
    try window.expect("EDIT")
    try window.type("buy milk")
    try window.press("Escape")
    try window.expect("buy milk", without: "EDIT")
    try Notes.wait { notes.scratch.text(of: "work/plan.md") == "buy milk" }

    try notes.scratch.write("sell milk\n", to: "work/plan.md")
    try window.expect("sell milk", without: "buy milk")
    try notes.shell("mv work/plan.md work/renamed.md")
    try window.expect("plan.md is now renamed.md")
    try notes.shell("mv work office")
    try window.expect("sell milk")
    try notes.shell("rm office/renamed.md")
    try window.expect("renamed.md is gone", without: "sell milk")
    try window.press("q")
    try window.expect("ended with 0")
    // A deletion is no version before two seconds have shown that it is no half of a rename.
    try notes.verso("save", "-q")
    #expect(try notes.git("status", "--porcelain") == "")
    try notes.git("fsck", "--strict")
  }

  @Test(.enabled(if: hasTmux, "tmux is not installed"))
  func `the terminal is as it was found after q, a signal, and the end of the terminal`() throws {
    let notes = try Self.vault()
    for signal in ["TERM", "HUP", "INT"] {
      let window = try Window("80x24", "\(Verso.binary) browse", in: notes.scratch)
      defer { window.close() }
      try window.expect("ideas/")
      try window.press("Enter", "Enter", "l", "i")
      try window.expect("EDIT")
      try window.type("\(signal) ")
      try window.expect("\(signal) ")
      try window.send(signal)
      try window.expect("ended with 0")
      #expect(try !window.screen().contains("ideas/"))
      #expect(notes.scratch.text(of: "root.md")?.contains("\(signal) ") ?? false)
    }
  }

  @Test(.enabled(if: hasTmux, "tmux is not installed"))
  func `the editor of one’s own gets the terminal, and what it wrote is seen`() throws {
    let notes = try Self.vault()
    let tools = try Scratch()
    let editor = try tools.write("#!/bin/sh\necho edited >> \"$1\"\n", to: "editor.sh")
    try run(["chmod", "+x", editor])
    let window = try Window(
      "100x40", "\(Verso.binary) browse", in: notes.scratch, editor: editor)
    defer { window.close() }
    try window.expect("ideas/")
    try window.press("Enter")
    try window.expect("> root.md")
    try window.press("Enter")
    try window.expect("•root.md")
    try window.press("e")
    try window.expect("root edited")
    #expect(notes.scratch.text(of: "root.md") == "root\nedited\n")
  }

  @Test func `without a terminal it says what to do, with exit code 2`() throws {
    let notes = try Self.vault()
    let outcome = try notes.verso("browse")
    #expect(outcome.status == 2)
    #expect(outcome.error.contains("needs a terminal") && outcome.error.contains("--dump"))
  }

  @Test(.enabled(if: hasTmux, "tmux is not installed"))
  func `a terminal that cannot place its cursor gets lines, and sends them`() throws {
    let notes = try Self.vault()
    let window = try Window(
      "80x40", "TERM=dumb \(Verso.binary) browse", in: notes.scratch, editor: "echo ours >>")
    defer { window.close() }
    func enter(_ text: String) throws {
      try window.type(text)
      try window.press("Enter")
    }
    try window.expect("   2   ideas/")
    try enter("2")
    try window.expect("   1 > todo.md")
    try enter("1")
    try window.expect("milk")
    try enter("edit")
    try window.expect("\n+")
    try enter("bread")
    try enter(".")
    try Notes.wait { notes.scratch.text(of: "ideas/todo.md") == "# Todo\n\nmilk\nbread\n" }
    try enter("history")
    try window.expect("History of todo.md")
    try enter("..")
    try enter("e")
    try window.expect("ours")
    try notes.shell("rm ideas/todo.md")
    try window.expect("todo.md is gone, folder ideas, 0 items")
    try enter("q")
    try window.expect("ended with 0")
    #expect(try !window.screen().contains("\u{1B}"))
  }

  @Test(.enabled(if: hasTmux, "tmux is not installed"), arguments: ["TERM", "HUP", "INT"])
  func `a browser of lines ends by a signal and by the end of its input`(signal: String) throws {
    let notes = try Self.vault()
    let window = try Window("80x40", "TERM=dumb \(Verso.binary) browse", in: notes.scratch)
    defer { window.close() }
    try window.expect("   2   ideas/")
    if signal == "HUP" { try window.press("C-d") } else { try window.send(signal) }
    try window.expect("ended with 0")
  }

  @Test(.enabled(if: hasTmux, "tmux is not installed"))
  func `lines that are pasted wait for what the line before them leads to`() throws {
    let notes = try Notes(["a.md": "a\n"])
    let window = try Window("80x40", "TERM=dumb \(Verso.binary) browse", in: notes.scratch)
    defer { window.close() }
    try window.expect("   1 > ")
    try window.type("1\nnew-file\nx.md\ndelete\ny\n")
    try window.expect("x.md deleted")
    #expect(notes.scratch.text(of: "a.md") == "a\n" && notes.scratch.text(of: "x.md") == nil)
    // A last line without an end is a line.
    try window.type("1\nedit\nlast words")
    try window.press("C-d")
    try window.press("C-d")
    try window.expect("ended with 0")
    #expect(notes.scratch.text(of: "a.md") == "a\nlast words\n")
  }

  @Test(.enabled(if: hasTmux, "tmux is not installed"))
  func `row 29: a vault that is moved away and back is followed again, and loses no text`() throws {
    let notes = try Self.vault()
    let window = try Window("100x30", "\(Verso.binary) browse", in: notes.scratch)
    defer { window.close() }
    try window.expect("ideas/")
    try window.press("j", "Enter")
    try window.expect("> todo.md")
    try window.press("Enter", "l")
    try window.expect("milk")
    try window.press("i")
    try window.expect("EDIT")
    try window.type("UNSAVED ")
    try window.expect("UNSAVED")
    let path = notes.scratch.path
    _ = try run(["mv", path, path + ".away"], in: "/")
    try window.expect("The vault is not there")
    _ = try run(["mv", path + ".away", path], in: "/")
    try window.expect("ideas/", without: "The vault is not there")
    try notes.shell("mkdir outer; echo x > outer/x.md")
    try window.expect("outer/")
    try window.press("U")
    try window.expect("> ideas/todo.md")
    try window.press("Enter")
    try window.expect("UNSAVED")
    try window.press("C-s")
    try Notes.wait { notes.scratch.text(of: "ideas/todo.md")?.contains("UNSAVED") ?? false }
    try window.press("q")
    try window.expect("ended with 0")
  }

  @Test(.enabled(if: Nobody.isAvailable, "tests of permissions need root"))
  func `U10 and U15: text that may not be written stays in the editor, and is a draft at the end`()
    throws
  {
    let notes = try Self.vault()
    try Nobody.own(notes.scratch)
    try notes.shell("chmod 555 ideas")
    let tools = try Scratch()
    let script = try tools.write(
      """
      wait idle
      key j Enter Enter l
      wait idle
      key i
      type PRECIOUS
      key Ctrl-S
      wait idle
      expect PRECIOUS
      expect modified
      frame
      key Esc
      end

      """, to: "script")
    try run(["chmod", "-R", "a+rX", tools.path])
    let played = try Nobody.verso("browse", "--script", script, in: notes.path)
    #expect(played.status == 0, "\(played.error)\(played.text)")
    #expect(played.text.contains("ermission denied"), "\(played.text)")
    let safe = ["-c", "safe.directory=*"]
    let drafts = try notes.git(
      safe[0], safe[1], "for-each-ref", "--format=%(objectname)", "refs/verso/drafts")
    #expect(!drafts.isEmpty)
    let text = try notes.git(
      safe[0], safe[1], "show", "\(drafts.split(separator: "\n")[0]):ideas/todo.md")
    #expect(text.contains("PRECIOUS"))
  }

  @Test func `one frame is printed with --dump`() throws {
    let notes = try Self.vault()
    let outcome = try notes.verso("browse", "--dump", "80x12")
    #expect(outcome.status == 0, "\(outcome.error)")
    let rows = outcome.text.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(rows.count == 13)
    #expect(outcome.text.contains("ideas/") && outcome.text.contains("Choose a folder"))
    #expect(!outcome.text.contains("\u{1B}"))
    #expect(try notes.verso("browse", "--dump", "80").status == 2)
    let colored = try notes.verso("browse", "--dump", "80x12", "--color=always")
    #expect(colored.text.contains("\u{1B}["))
    // To look is not to save.
    try notes.scratch.write("edited\n", to: "root.md")
    #expect(try notes.verso("browse", "--dump", "80x12").status == 0)
    #expect(try notes.git("status", "--porcelain") == " M root.md")
  }

  @Test func `the options of the command line reach the screen`() throws {
    let notes = try Self.vault()
    func dump(_ arguments: String...) throws -> String {
      let outcome = try run(
        [Verso.binary, "browse", "--dump", "100x20"] + arguments, in: notes.path)
      #expect(outcome.status == 0, "\(arguments) \(outcome.error)")
      return outcome.text
    }
    let plain = try dump("--color=never")
    #expect(plain.contains("│") && !plain.contains("\u{1B}"))
    let dark = try dump("--color=always")
    let light = try dump("--color=always", "--theme", "light")
    #expect(dark != light && light.contains("\u{1B}[") && light.contains("48;2;"))
    // Columns run from the right: the folders' title is the last word of its row.
    let mirrored = try dump("--rtl").split(separator: "\n")
    #expect(mirrored[2].hasSuffix("<"), "\(mirrored[2])")
    let arabic = try run(
      [Verso.binary, "browse", "--dump", "100x20"], in: notes.path,
      environment: ["LC_ALL": "ar_EG.UTF-8"])
    #expect(arabic.text.split(separator: "\n")[2].hasSuffix("<"))
    let accessible = try dump("--accessible")
    #expect(!accessible.contains("│") && accessible.contains("ideas/"))
    #expect(try dump("--debug-layout").contains("asked automatic, used"))
    #expect(try dump("--no-animation", "--no-mouse") == plain)
    #expect(try notes.verso("browse", "--dump", "80x24", "--theme", "none").status == 2)
  }

  @Test func `a script that expects what is not there fails with its line`() throws {
    let notes = try Self.vault()
    let tools = try Scratch()
    let script = try tools.write("wait idle\nexpect no such thing\n", to: "script")
    let outcome = try notes.verso("browse", "--script", script)
    #expect(outcome.status == 1)
    #expect(outcome.error.contains("line 2") && outcome.error.contains("no such thing"))
  }
}

/// The page of screens in the documentation.
@Suite struct ScreenPageTests {
  @Test func `the screens are what the browser draws`() throws {
    let outcome = try run(
      ["Tests/screens", "--check"], in: repositoryRoot, environment: ["VERSO_BINARY": Verso.binary])
    #expect(outcome.status == 0, "\(outcome.text)\(outcome.error)")
  }
}
