import Foundation
import Glibc
import Testing
import VersoModel
import VersoTestSupport

/// `verso sync` on a real terminal, where ssh may ask, and where it must not.
@Suite struct TerminalPromptTests {
  let desk: RemoteDesk
  let server: SecureServer

  init() throws { (desk, server) = try SecureServer.withVault() }

  /// `VERSO_BINARY`, else the debug build beside the tests.
  private static let binary: String =
    ProcessInfo.processInfo.environment["VERSO_BINARY"]
    ?? URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent(".build/debug/verso").path

  /// What a person sees, and how the program ended: its exit code, or the negated signal.
  private struct Session {
    let screen: String
    let status: Int32
  }

  /// Plays a person at a terminal: waits for words, types an answer, and so on.
  ///
  /// - Parameter answers: A return is typed after each that is no control character.
  private func play(
    _ words: [String], _ answers: [(waitingFor: String, answer: String)] = [],
    environment: [String: String] = [:]
  ) throws -> Session {
    try desk.scratch.write(Self.person, to: "person.py")
    let dialogue = answers.flatMap { [$0.waitingFor, $0.answer] }
    var variables = ["GIT_TERMINAL_PROMPT": "1", "HOME": desk.scratch.at("home")]
    for (key, value) in server.environment { variables[key] = value }
    let outcome = try run(
      ["python3", desk.scratch.at("person.py"), "\(answers.count)"] + dialogue + [Self.binary]
        + words, in: desk.scratch.at("a"), environment: variables.merging(environment) { $1 })
    guard outcome.status == 0, let last = outcome.text.split(separator: "\n").last,
      let status = Int32(last)
    else { throw Failure("the terminal: \(outcome.status) \(outcome.error)\n\(outcome.text)") }
    return Session(screen: String(outcome.text.dropLast(last.count + 1)), status: status)
  }

  private static let person = """
    import os, pty, select, signal, sys, time

    count = int(sys.argv[1])
    dialogue = sys.argv[2:2 + 2 * count]
    command = sys.argv[2 + 2 * count:]
    child, terminal = pty.fork()
    if child == 0:
        signal.pthread_sigmask(signal.SIG_SETMASK, [])
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE):
            signal.signal(number, signal.SIG_DFL)
        os.execvp(command[0], command)
    seen, fresh, end = b'', b'', time.monotonic() + 60
    while time.monotonic() < end:
        if not select.select([terminal], [], [], 0.2)[0]:
            continue
        try:
            piece = os.read(terminal, 4096)
        except OSError:
            break
        if not piece:
            break
        seen, fresh = seen + piece, fresh + piece
        if dialogue and dialogue[0].encode() in fresh:
            answer = dialogue[1].encode()
            # ssh drops what is typed before it has turned the echo off.
            time.sleep(0.3)
            os.write(terminal, answer if answer < b' ' else answer + b'\\n')
            dialogue, fresh = dialogue[2:], b''
    else:
        os.kill(child, signal.SIGKILL)
    status = os.waitpid(child, 0)[1]
    sys.stdout.buffer.write(seen.replace(b'\\r\\n', b'\\n') + b'\\n')
    print(os.waitstatus_to_exitcode(status))
    """

  /// Makes the repository a vault whose remote is used, with a note to send.
  private func prepare() throws {
    let made = try run(
      [Self.binary, "init", "-q", desk.scratch.at("a")], environment: ["HOME": "/nonexistent"])
    guard made.status == 0 else { throw Failure("init: \(made.error)") }
    try desk.scratch.git("-C", "a", "config", "verso.remote", "origin")
    try desk.scratch.write("mine\n", to: "a/note.md")
  }

  private func isSent() throws -> Bool { try desk.remoteTip() != nil }

  private func isSaved() throws -> Bool {
    try desk.scratch.git("-C", "a", "status", "--porcelain", "--untracked-files=all").isEmpty
  }

  @Test func `a person may say that an unknown host is the right one`() throws {
    try prepare()
    try server.trust(nil)
    let session = try play(["sync"], [("continue connecting (yes/no", "yes")])
    #expect(session.status == 0, "\(session.screen)")
    #expect(try isSent(), "\(session.screen)")
    let known = desk.scratch.text(of: "ssh/known_hosts") ?? ""
    #expect(known.contains("[127.0.0.1]:\(server.port)"))
    // Known now: nobody is asked again.
    try desk.scratch.write("more\n", to: "a/more.md")
    let again = try play(["sync"])
    #expect(again.status == 0, "\(again.screen)")
    #expect(!again.screen.contains("continue connecting"))
  }

  @Test func `a person may refuse an unknown host, and everything is saved`() throws {
    try prepare()
    try server.trust(nil)
    let session = try play(["sync"], [("continue connecting (yes/no", "no")])
    #expect(session.status == 6, "\(session.screen)")
    #expect(session.screen.contains("ssh does not know the key of"))
    #expect(try !isSent() && isSaved())
    #expect(desk.scratch.text(of: "ssh/known_hosts") == "")
  }

  @Test func `a person may type the passphrase of a key, which nobody sees`() throws {
    try prepare()
    try run(["ssh-keygen", "-q", "-p", "-P", "", "-N", "op3n sesame", "-f", server.path("key")])
    // One connection for each thing that is done, each with the key.
    let prompt = ("Enter passphrase for key", "op3n sesame")
    let session = try play(["sync"], [prompt, prompt, prompt])
    #expect(session.status == 0, "\(session.screen)")
    #expect(try isSent(), "\(session.screen)")
    #expect(!session.screen.contains("sesame"))
  }

  @Test func `Ctrl-C at a prompt ends the command by that signal, with everything saved`() throws {
    try prepare()
    try run(["ssh-keygen", "-q", "-p", "-P", "", "-N", "op3n sesame", "-f", server.path("key")])
    let session = try play(["sync"], [("Enter passphrase for key", "\u{3}")])
    #expect(session.status == -SIGINT, "\(session.screen)")
    #expect(try !isSent() && isSaved())
    try eventually("ssh ends") { processes(with: server.path("config")).isEmpty }
  }

  @Test(arguments: [["-q"], ["--json"]])
  func `who asks for quiet or for objects is never asked, on a terminal either`(
    option: [String]
  ) throws {
    try prepare()
    try server.trust(nil)
    let session = try play(["sync"] + option, [("continue connecting (yes/no", "yes")])
    #expect(session.status == 6, "\(session.screen)")
    #expect(!session.screen.contains("continue connecting"))
    #expect(try !isSent() && isSaved())
  }
}
