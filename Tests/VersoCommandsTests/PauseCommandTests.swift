import Foundation
import Glibc
import Testing
import VersoCommands
import VersoModel
import VersoTestSupport

@testable import Verso

/// A vault, the command line run on it within this process, and a folder for the watcher's socket.
private final class WatchedDesk {
  let vault: Scratch
  let runtime: Scratch

  init() throws {
    vault = try Scratch("watched")
    runtime = try Scratch("run")
    guard chmod(runtime.path, 0o700) == 0 else { throw Failure("chmod: errno \(errno)") }
    try vault.write("one\n", to: "note.md")
    guard try verso("init").code == 0 else { throw Failure("init") }
  }

  func environment(_ name: String) -> String? {
    ["XDG_RUNTIME_DIR", "XDG_STATE_HOME"].contains(name) ? runtime.path : nil
  }

  func verso(_ words: String...) throws -> ReadingDesk.Result {
    let streams = try Scratch("streams")
    let flags = O_RDWR | O_CREAT | O_CLOEXEC
    let output = open(streams.at("out"), flags, 0o600)
    let error = open(streams.at("err"), flags, 0o600)
    defer { for stream in [output, error] { close(stream) } }
    let code = VersoMain.run(
      arguments: ([words[0], "-C", vault.path] + words.dropFirst()).map { Array($0.utf8) },
      standardInput: -1, standardOutput: output, standardError: error,
      environment: environment)
    return ReadingDesk.Result(
      code: code, output: streams.bytes(of: "out") ?? [], errors: streams.text(of: "err") ?? "")
  }

  /// Answers as a watcher does while `body` runs; the vault itself answers what `answer` does not.
  func watched<R>(
    _ answer: @escaping @Sendable (ControlRequest.Kind) -> ControlReply?,
    _ body: () throws -> R
  ) throws -> R {
    let server = try ControlServer(root: vault.path, environment: environment)
    nonisolated(unsafe) let shared = server
    let root = vault.path
    let isOver = DispatchSemaphore(value: 0)
    let hasEnded = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      while isOver.wait(timeout: .now()) == .timedOut {
        var waits = (shared.descriptors).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        waits += shared.wantsWrite.map { pollfd(fd: $0, events: Int16(POLLOUT), revents: 0) }
        _ = poll(&waits, nfds_t(waits.count), 5)
        for request in shared.receive() {
          shared.reply(to: request.id, answer(request.kind) ?? Self.carryOut(request.kind, root))
        }
      }
      shared.close()
      hasEnded.signal()
    }
    defer {
      isOver.signal()
      hasEnded.wait()
    }
    return try body()
  }

  private static func carryOut(_ kind: ControlRequest.Kind, _ root: String) -> ControlReply {
    do throws(VersoError) {
      let engine = try Engine(root: root)
      switch kind {
      case .save(let request): return .saved(try engine.save(request))
      case .status(let paths): return .status(try engine.status(of: paths))
      case .pause(let until): try engine.pause(until: until)
      case .resume: try engine.resume()
      case .hello: break
      }
      return .done
    } catch { return .failed(error) }
  }
}

@Suite struct PauseCommandTests {
  private let desk: WatchedDesk

  init() throws { desk = try WatchedDesk() }

  @Test func `pause and resume say what they did, and status shows it`() throws {
    #expect(try desk.verso("pause").text == "saving by itself is paused until 'verso resume'\n")
    let text = try desk.verso("status").text
    #expect(text.contains("\nsaving by itself is paused until 'verso resume'\n"))
    #expect(try desk.verso("status", "--json").objects()[0]["pausedUntil"] as? String == "forever")
    #expect(try desk.verso("resume").text == "saving goes on\n")
    #expect(try desk.verso("resume").text == "saving was not paused\n")
    #expect(try desk.verso("status", "--json").objects()[0]["pausedUntil"] is NSNull)
    #expect(try !desk.verso("status").text.contains("paused"))

    let paused = try #require(try desk.verso("pause", "1h", "--json").objects().first)
    #expect(paused["event"] as? String == "paused")
    #expect(paused["vault"] as? String == desk.vault.path)
    let until = try #require(paused["until"] as? String)
    let end = try #require(ISO8601DateFormatter().date(from: until))
    #expect(3_500...3_600 ~= end.timeIntervalSinceNow)
    #expect(try desk.verso("status", "--json").objects()[0]["pausedUntil"] as? String == until)
    #expect(try desk.verso("status").text.contains("paused until 20"))
    let resumed = try #require(try desk.verso("resume", "--json").objects().first)
    #expect(resumed["event"] as? String == "resumed")
  }

  @Test func `a pause that is over is none`() throws {
    #expect(try desk.verso("pause", "0").code == 0)
    #expect(try desk.verso("status", "--json").objects()[0]["pausedUntil"] is NSNull)
  }

  @Test func `a dry run pauses and resumes nothing`() throws {
    #expect(try desk.verso("pause", "--dry-run").text.contains("would be paused"))
    #expect(try desk.verso("status", "--json").objects()[0]["pausedUntil"] is NSNull)
    _ = try desk.verso("pause")
    #expect(try desk.verso("resume", "--dry-run").text == "saving would go on\n")
    #expect(try desk.verso("status", "--json").objects()[0]["pausedUntil"] as? String == "forever")
  }

  @Test(arguments: ["5", "soon", "5x", "-1s", ""])
  func `what is no length of time is a usage error`(word: String) throws {
    let result = try desk.verso("pause", "--", word)
    #expect(result.code == 2)
    #expect(result.errors.contains("hint:"))
    #expect(try desk.verso("watch", "--settle", word).code == 2)
    #expect(try desk.verso("watch", "--sync-every", word).code == 2)
  }

  @Test func `a running watcher is told of a pause`() throws {
    let told = LockedList()
    let codes = try desk.watched({ kind in
      switch kind {
      case .pause(let until): told.append(until == nil ? "pause" : "pause until")
      case .resume: told.append("resume")
      default: break
      }
      return nil
    }) {
      [
        try desk.verso("pause").code, try desk.verso("pause", "1h").code,
        try desk.verso("resume").code,
      ]
    }
    #expect(codes == [0, 0, 0])
    #expect(told.values == ["pause", "pause until", "resume"])
  }
}

@Suite struct AskingTests {
  private let desk: WatchedDesk

  init() throws { desk = try WatchedDesk() }

  @Test func `save and status through a watcher print what they print alone`() throws {
    let asked = LockedList()
    for word in ["two", "three"] {
      try desk.vault.write("\(word)\n", to: "note.md")
      let alone = try desk.verso("status").lines
      let lines = try desk.watched({ kind in
        if case .status = kind { asked.append("status") }
        return nil
      }) { try desk.verso("status").lines }
      #expect(lines.filter { $0 != "watched by process \(getpid())" } == alone)
      #expect(lines.count == alone.count + 1)
      let save = try desk.watched({ kind in
        if case .save(let request) = kind { asked.append("save \(request.message ?? "")") }
        return nil
      }) { try desk.verso("save", "-m", "Number \(word)") }
      #expect(save.code == 0)
      #expect(save.text.hasSuffix(" Number \(word)\n"))
    }
    #expect(asked.values == ["status", "save Number two", "status", "save Number three"])
    #expect(try desk.vault.git("log", "--format=%s", "-2") == "Number three\nNumber two")
  }

  @Test func `status names the watcher for programs`() throws {
    let object = try desk.watched({ _ in nil }) {
      try #require(try desk.verso("status", "--json").objects().first)
    }
    let watcher = try #require(object["watcher"] as? [String: Any])
    #expect(watcher["process"] as? Int32 == getpid())
    #expect(watcher["since"] is String)
    let later = try #require(try desk.verso("status", "--json").objects().first)
    #expect(later["watcher"] is NSNull)
  }

  @Test func `exit codes come through: skipped for the first time, held, refused`() throws {
    try desk.vault.git("config", "verso.maxFileSize", "10")
    try desk.vault.write("much more than ten bytes\n", to: "large.md")
    let codes = try desk.watched({ _ in nil }) {
      (try desk.verso("save"), try desk.verso("save"), try desk.verso("status", "--check"))
    }
    #expect(codes.0.code == 3)
    #expect(codes.0.errors.contains("skipped large.md"))
    #expect(codes.1.code == 0)
    #expect(codes.2.code == 3)

    let held = try desk.watched({ kind in
      guard case .save = kind else { return nil }
      var outcome = SaveOutcome()
      outcome.held = [RelativePath(unchecked: [0x61, 0xFF])]
      return .saved(outcome)
    }) { try desk.verso("save") }
    #expect(held.code == 5)
    #expect(held.errors.contains("held back 1 deletions"))

    let refused = try desk.watched({ kind in
      guard case .save = kind else { return nil }
      return .failed(VersoError(.refused, "a merge is open", hint: "finish it"))
    }) { try desk.verso("save") }
    #expect(refused.code == 5)
    #expect(refused.errors == "verso: a merge is open\nhint: finish it\n")
  }

  @Test func `a watcher that is busy or talks nonsense is no hindrance`() throws {
    try desk.vault.write("two\n", to: "note.md")
    let server = try ControlServer(root: desk.vault.path, environment: desk.environment)
    let status = try desk.verso("status", "--json")
    let watcher = try #require(try status.objects().first?["watcher"] as? [String: Any])
    #expect(watcher["process"] as? Int32 == getpid())
    #expect(watcher["since"] is NSNull)
    #expect(try desk.verso("save").code == 0)
    server.close()
    try desk.vault.write("three\n", to: "note.md")
    let save = try desk.watched({ _ in .done }) { try desk.verso("save") }
    #expect(save.code == 0)
    #expect(try desk.vault.git("status", "--porcelain") == "")
  }
}

private final class LockedList: @unchecked Sendable {
  private let lock = NSLock()
  private var list: [String] = []
  func append(_ value: String) { lock.withLock { list.append(value) } }
  var values: [String] { lock.withLock { list } }
}
