import Foundation
import Glibc
import Testing
import VersoCommands
import VersoTestSupport

/// Two streams that end up in files, so that nothing blocks.
private final class Streams {
  let scratch: Scratch
  let output: Int32
  let error: Int32

  init() throws {
    scratch = try Scratch("streams")
    output = open(scratch.at("out"), O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    error = open(scratch.at("err"), O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
  }

  deinit {
    close(output)
    close(error)
  }

  var text: String { scratch.text(of: "out") ?? "" }
  var errors: String { scratch.text(of: "err") ?? "" }

  func make(_ settings: Output.Settings = .init()) -> Output {
    Output(standardOutput: output, standardError: error, settings: settings) { _ in nil }
  }

  func run(_ line: String) -> Int32 {
    VersoMain.run(
      arguments: line.split(separator: " ").map { Array($0.utf8) }, standardOutput: output,
      standardError: error, environment: { _ in nil })
  }
}

/// A pseudo-terminal: what is written to `slave` is read from `master`.
private final class PseudoTerminal {
  private(set) var master: Int32 = -1
  private(set) var slave: Int32 = -1

  init(columns: UInt16 = 40) throws {
    var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    guard openpty(&master, &slave, nil, nil, &size) == 0 else { throw Failure("openpty: \(errno)") }
    for descriptor in [master, slave] { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
  }

  deinit {
    close(master)
    if slave >= 0 { close(slave) }
  }

  /// Everything written so far; the terminal cannot be written to any more.
  func finish() -> String {
    close(slave)
    slave = -1
    var text: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      // EIO tells that nobody has the other side open.
      let count = read(master, &buffer, buffer.count)
      if count <= 0 { break }
      text += buffer[..<count]
    }
    // The terminal puts a carriage return before each line feed.
    return String(decoding: text, as: UTF8.self).replacing("\r\n", with: "\n")
  }
}

@Suite struct OutputTests {
  @Test func `each kind of line goes where it belongs`() throws {
    let streams = try Streams()
    let output = streams.make()
    output.print("listed \(path: Array("a b".utf8))")
    output.say("saved")
    output.note("detail")
    output.warn("odd", hint: "look")
    output.report(CommandFailure(.failed, "broken", hint: "mend"))
    #expect(output.finish(.done) == .done)
    #expect(streams.text == "listed a b\nsaved\n")
    #expect(streams.errors == "warning: odd\nhint: look\nverso: broken\nhint: mend\n")
  }

  @Test func `quiet leaves errors and what was asked for`() throws {
    let streams = try Streams()
    let output = streams.make(.init(isQuiet: true, isVerbose: false))
    output.print("listed")
    output.say("saved")
    output.warn("odd")
    output.report(CommandFailure(.failed, "broken"))
    _ = output.finish(.done)
    #expect(streams.text == "listed\n")
    #expect(streams.errors == "verso: broken\n")
  }

  @Test func `verbose says more`() throws {
    let streams = try Streams()
    streams.make(.init(isVerbose: true)).note("detail")
    #expect(streams.errors == "detail\n")
  }

  @Test func `with JSON a failure is an object and nothing else is said`() throws {
    let streams = try Streams()
    let output = streams.make(.init(wantsJSON: true))
    output.say("saved")
    output.warn("odd")
    output.print(JSONObject(.event, ["event": .text("created")]))
    // Flushed at once.
    #expect(streams.text == "{\"type\":\"event\",\"event\":\"created\"}\n")
    output.report(
      CommandFailure(.locked, "cannot \(path: [0xFF])", path: [0xFF], hint: "wait"))
    #expect(
      streams.errors == """
        {"type":"error","code":4,"message":"cannot \u{FFFD}","path":{"bytes":"/w=="},"hint":"wait"}\n
        """)
  }

  @Test func `names are quoted for programs and made safe for people`() throws {
    let streams = try Streams()
    let output = streams.make()
    let name = Array("ä\u{1B}\n".utf8)
    output.print("\(path: name) \("\u{1B}]0;x\u{07}")")
    output.warn("\(path: name)")
    output.writeNUL(name)
    output.writeContent([0x1B, 0xFF])
    _ = output.finish(.done)
    #expect(
      streams.scratch.bytes(of: "out")
        == Array("\"\\303\\244\\033\\n\" ␛]0;x␇\n".utf8) + name + [0, 0x1B, 0xFF])
    #expect(streams.errors == "warning: ä␛␊\n")
  }

  @Test func `a terminal gets colour and safe content`() throws {
    let terminal = try PseudoTerminal()
    let output = Output(
      standardOutput: terminal.slave, standardError: terminal.slave, settings: .init(),
      environment: { ["TERM": "xterm"][$0] })
    #expect(output.isTerminal && output.isErrorTerminal)
    #expect(output.columns == 40)
    output.print("\(path: Array("ä\u{1B}".utf8))")
    output.writeContent(Array("x\u{1B}\ty\n".utf8))
    #expect(output.finish(.done) == .done)
    #expect(terminal.finish() == "\u{1B}[36mä␛\u{1B}[m\nx␛\ty\n")
  }

  @Test func `a full disk is a failure that says so`() throws {
    let streams = try Streams()
    let full = open("/dev/full", O_WRONLY | O_CLOEXEC)
    defer { close(full) }
    let output = Output(
      standardOutput: full, standardError: streams.error, settings: .init()
    ) { _ in nil }
    output.print("x")
    #expect(!output.isClosed)
    #expect(output.finish(.done) == .failed)
    #expect(output.isClosed)
    #expect(streams.errors == "verso: cannot write to standard output: No space left on device\n")
  }

  @Test func `a reader that has gone ends it quietly, with the code so far`() async {
    await #expect(processExitsWith: .success) {
      signal(SIGPIPE, SIG_IGN)
      var ends: [Int32] = [-1, -1]
      guard pipe(&ends) == 0 else { exit(1) }
      close(ends[0])
      let streams = try Streams()
      let output = Output(
        standardOutput: ends[1], standardError: streams.error, settings: .init()
      ) { _ in nil }
      for _ in 0..<100_000 where !output.isClosed { output.print("a line of a long listing") }
      guard output.isClosed, output.finish(.attention) == .attention, streams.errors == "" else {
        exit(2)
      }
    }
  }

  @Test func `a reader that is slow on a non-blocking pipe gets everything`() throws {
    let scratch = try Scratch("slow")
    var ends: [Int32] = [-1, -1]
    #expect(pipe(&ends) == 0)
    defer { close(ends[0]) }
    _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
    let (reader, writer) = (ends[0], ends[1])
    let thread = Thread {
      let output = Output(standardOutput: writer, settings: .init()) { _ in nil }
      output.write([UInt8](repeating: 0x61, count: 1 << 20))
      _ = output.finish(.done)
      close(writer)
    }
    thread.start()
    var count = 0
    var buffer = [UInt8](repeating: 0, count: 10_000)
    while case let next = read(reader, &buffer, buffer.count), next > 0 { count += next }
    #expect(count == 1 << 20)
    _ = scratch
  }
}

@Suite struct VersoMainTests {
  @Test func `version, help and completions need nothing else`() throws {
    let streams = try Streams()
    #expect(streams.run("--version") == 0)
    #expect(streams.text == "verso \(versoVersion)\n")
    for line in [
      "help", "--help", "help save", "save --help", "help cat", "help json", "help when",
    ] {
      #expect(streams.run(line) == 0, "\(line)")
    }
    #expect(streams.run("completions bash") == 0)
    #expect(streams.text.contains("complete -F _verso verso"))
    #expect(streams.run("help man") == 0)
    #expect(streams.text.contains(".TH VERSO 1"))
    #expect(streams.errors == "")
  }

  @Test func `a usage error is 2, on standard error`() throws {
    let streams = try Streams()
    #expect(streams.run("sav") == 2)
    #expect(streams.run("help sav") == 2)
    #expect(streams.run("") == 2)
    #expect(streams.text == "")
    #expect(
      streams.errors == """
        verso: there is no command 'sav'
        hint: did you mean 'save'?
        verso: there is no help on 'sav'
        hint: did you mean 'verso help save'?
        verso: no command given
        hint: run 'verso help' for a list\n
        """)
  }

  @Test func `a usage error is an object too`() throws {
    let streams = try Streams()
    #expect(streams.run("sav --json") == 2)
    #expect(streams.errors.hasPrefix("{\"type\":\"error\",\"code\":2,"))
  }

  @Test func `a hostile word cannot reach the terminal in a message`() throws {
    let streams = try Streams()
    #expect(streams.run("\u{1B}]0;x\u{07}") == 2)
    #expect(streams.errors.hasPrefix("verso: there is no command '␛]0;x␇'\n"))
  }
}

@Suite struct ProgressTests {
  @Test func `it is drawn ten times a second at most, and taken away`() throws {
    let terminal = try PseudoTerminal()
    let progress = Progress(
      title: "Reading", unit: "files", descriptor: terminal.slave, columns: 40)
    let start = ContinuousClock.now
    for step in 0..<1_000 {
      progress.update(step * 10, of: 20_000, now: start + .milliseconds(step))
    }
    progress.finish()
    progress.update(1, of: nil, now: start + .seconds(10))
    let drawn = terminal.finish().split(separator: "\r")
    #expect(drawn.count == 11)
    #expect(drawn[1] == "Reading 1,000 of 20,000 files\u{1B}[K")
    #expect(drawn.last == "\u{1B}[K")
  }

  @Test func `it fits the terminal`() throws {
    let terminal = try PseudoTerminal()
    Progress(title: "Reading", unit: "files", descriptor: terminal.slave, columns: 12).update(
      123_456)
    #expect(terminal.finish() == "\rReading 12…\u{1B}[K")
  }

  @Test func `a message takes its place, and quiet, JSON and files never see it`() throws {
    let terminal = try PseudoTerminal()
    let streams = try Streams()
    for settings in [Output.Settings(isQuiet: true), .init(wantsJSON: true)] {
      Output(
        standardOutput: streams.output, standardError: terminal.slave, settings: settings,
        environment: { _ in nil }
      ).startProgress("Reading", unit: "files").update(1)
    }
    streams.make().startProgress("Reading", unit: "files").update(1)
    let output = Output(
      standardOutput: streams.output, standardError: terminal.slave, settings: .init(),
      environment: { _ in nil })
    output.startProgress("Reading", unit: "files").update(1)
    output.warn("odd")
    #expect(output.finish(.done) == .done)
    #expect(terminal.finish() == "\rReading 1 files\u{1B}[K\r\u{1B}[Kwarning: odd\n")
    #expect(streams.errors == "")
  }
}

/// Each in a process of its own: a pager changes signals and descriptors.
@Suite struct PagerTests {
  @Test func `output goes through the pager of git's choice, and its end is waited for`() async {
    await #expect(processExitsWith: .success) {
      let cases: [([String: String], String?, String)] = [
        (["GIT_PAGER": "sed s/^/1:/", "PAGER": "sed s/^/3:/"], "sed s/^/2:/", "1:a\n1:b\n"),
        (["PAGER": "sed s/^/3:/"], "sed s/^/2:/", "2:a\n2:b\n"),
        (["PAGER": "sed s/^/3:/"], nil, "3:a\n3:b\n"),
        (["GIT_PAGER": "", "PAGER": "sed s/^/3:/"], nil, "a\nb\n"),
        (["PAGER": "cat"], nil, "a\nb\n"),
        (["PATH": "/nonexistent"], nil, "a\nb\n"),
        (["PAGER": "echo $LESS $LV; cat -"], nil, "FRX -c\na\nb\n"),
        (["PAGER": "sleep 0.2; cat -; echo end"], nil, "a\nb\nend\n"),
      ]
      unsetenv("LESS")
      unsetenv("LV")
      for (environment, configured, expected) in cases {
        let terminal = try PseudoTerminal()
        let output = Output(
          standardOutput: terminal.slave, standardError: terminal.slave, settings: .init(),
          environment: { environment[$0] })
        output.usePager { configured }
        output.print("a")
        output.print("b")
        guard output.finish(.done) == .done else { exit(1) }
        let text = terminal.finish()
        guard text == expected else {
          print("expected \(expected.debugDescription), found \(text.debugDescription)")
          exit(2)
        }
      }
    }
  }

  @Test func `an error before any output is shown without the pager`() async {
    await #expect(processExitsWith: .success) {
      let terminal = try PseudoTerminal()
      let output = Output(
        standardOutput: terminal.slave, standardError: terminal.slave, settings: .init(),
        environment: { ["PAGER": "sed s/^/P:/"][$0] })
      output.usePager { nil }
      output.report(CommandFailure(.failed, "broken"))
      guard output.finish(.failed) == .failed, terminal.finish() == "verso: broken\n" else {
        exit(1)
      }
    }
  }

  @Test func `quiet, JSON and a file take no pager, and core.pager is not looked up`() async {
    await #expect(processExitsWith: .success) {
      for settings in [Output.Settings(isQuiet: true), .init(wantsJSON: true)] {
        let terminal = try PseudoTerminal()
        let output = Output(
          standardOutput: terminal.slave, standardError: terminal.slave, settings: settings,
          environment: { ["PAGER": "sed s/^/P:/"][$0] })
        output.usePager { exit(3) }
        output.print("a")
        guard output.finish(.done) == .done, terminal.finish() == "a\n" else { exit(1) }
      }
      let streams = try Streams()
      let output = streams.make()
      output.usePager { exit(3) }
      output.print("a")
      guard output.finish(.done) == .done, streams.text == "a\n" else { exit(2) }
    }
  }

  @Test func `a pager that is left early, or not there, ends the output quietly`() async {
    await #expect(processExitsWith: .success) {
      signal(SIGPIPE, SIG_IGN)
      let terminal = try PseudoTerminal()
      let output = Output(
        standardOutput: terminal.slave, standardError: terminal.slave, settings: .init(),
        environment: { ["PAGER": "head -n 1"][$0] })
      output.usePager { nil }
      for _ in 0..<1_000_000 where !output.isClosed { output.print("a line of a long listing") }
      guard output.isClosed, output.finish(.done) == .done else { exit(1) }
      guard terminal.finish() == "a line of a long listing\n" else { exit(2) }

      let other = try PseudoTerminal()
      let lost = Output(
        standardOutput: other.slave, standardError: other.slave, settings: .init(),
        environment: { ["PAGER": "no-such-pager"][$0] })
      lost.usePager { nil }
      lost.print("a")
      guard lost.finish(.done) == .done else { exit(3) }
      guard other.finish().contains("the pager no-such-pager could not be run") else { exit(4) }
    }
  }

  @Test func `the pager does not inherit ignored signals, which are put back afterwards`() async {
    await #expect(processExitsWith: .success) {
      signal(SIGPIPE, SIG_IGN)
      let terminal = try PseudoTerminal()
      let output = Output(
        standardOutput: terminal.slave, standardError: terminal.slave, settings: .init(),
        environment: { ["PAGER": "grep SigIgn /proc/self/status"][$0] })
      output.usePager { nil }
      output.print("a")
      _ = output.finish(.done)
      // Bits 2, 3 and 13 are SIGINT, SIGQUIT and SIGPIPE.
      let ignored = terminal.finish().split(separator: "\t").last.flatMap {
        UInt64($0.trimmingCharacters(in: .whitespacesAndNewlines), radix: 16)
      }
      guard let ignored, ignored & (1 << 1 | 1 << 2 | 1 << 12) == 0 else { exit(1) }
      guard signal(SIGINT, SIG_DFL) == nil else { exit(2) }
    }
  }
}
