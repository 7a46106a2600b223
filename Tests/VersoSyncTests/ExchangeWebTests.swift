import Testing
import VersoModel
import VersoSync
import VersoTestSupport

@Suite struct ExchangeWebTests {
  let desk: RemoteDesk

  init() throws { desk = try RemoteDesk() }

  /// Everything that an error shows.
  private func words(_ error: ExchangeError) -> String {
    ([error.message, error.byHand ?? ""] + error.detail).joined(separator: "\n")
  }

  @Test func `the user's credential helper is asked, and nobody else`() throws {
    let server = try WebServer(desk)
    try desk.vault("a", remote: server.address())
    let helper =
      "!f() { echo $1 >> \(desk.scratch.at("helped")); test $1 = get && "
      + "printf 'username=\(WebServer.user)\\npassword=\(WebServer.password)\\n'; }; f"
    try desk.scratch.git("-C", "a", "config", "credential.helper", helper)
    let commit = try desk.commit("one")
    let exchange = try desk.exchange()
    #expect(try exchange.push(commit) == .pushed)
    #expect(try exchange.fetch().after == commit)
    #expect(try desk.remoteTip() == commit)
    #expect(desk.scratch.text(of: "helped")?.contains("get\nstore\n") == true)
  }

  @Test func `without credentials nobody is asked, and what to run by hand is said`() throws {
    let server = try WebServer(desk)
    try desk.vault("a", remote: server.address())
    let askpass = try desk.shim("askpass", "touch \(desk.scratch.at("asked")); echo x")
    try desk.scratch.git("-C", "a", "config", "core.askPass", desk.scratch.at("bin/askpass"))
    let error = try failure {
      try desk.exchange(
        environment: askpass.merging([
          "GIT_ASKPASS": desk.scratch.at("bin/askpass"),
          "SSH_ASKPASS": desk.scratch.at("bin/askpass"),
        ]) { $1 }
      ).tips()
    }
    #expect(error.reason == .authentication)
    #expect(error.byHand == "git -C \(desk.scratch.at("a")) fetch origin")
    #expect(desk.scratch.bytes(of: "asked") == nil)
  }

  @Test(arguments: ["remote", "address", "pushurl"])
  func `a password in an address works and is seen nowhere`(place: String) throws {
    let server = try WebServer(desk)
    let secret = server.address("\(WebServer.user):\(WebServer.encoded)@")
    try desk.vault("a", remote: place == "pushurl" ? desk.bare : secret)
    // A helper must not get to keep it.
    try desk.scratch.git(
      "-C", "a", "config", "credential.helper", "!echo >> \(desk.scratch.at("helped"))")
    if place == "pushurl" {
      try desk.scratch.git("-C", "a", "config", "remote.origin.pushurl", secret)
    }
    let commit = try desk.commit("one")
    let exchange = try desk.exchange(remote: place == "address" ? secret : "origin")
    #expect(try exchange.push(commit) == .pushed)
    #expect(try exchange.push(commit) == .upToDate)
    #expect(try exchange.tips().branch == commit)
    #expect(try exchange.fetch().after == commit)
    #expect(!exchange.address.contains("ss%40"))
    #expect(server.seen.requests >= 3)
    #expect(server.seen.secrets == 0)
    #expect(desk.scratch.bytes(of: "helped") == nil)
    #expect(!exchange.references.fetched.contains("pa"))
  }

  @Test func `a password that is wrong is not in what the failure says`() throws {
    let server = try WebServer(desk)
    try desk.vault("a", remote: server.address("ada:n0t-th1s@"))
    let error = try failure { try desk.exchange().tips() }
    #expect(error.reason == .authentication)
    #expect(!words(error).contains("n0t-th1s"))
    let port = try Listener.freePort()
    let gone = try failure {
      try desk.exchange(remote: "http://ada:n0t-th1s@127.0.0.1:\(port)/x.git").tips()
    }
    #expect(gone.reason == .unreachable)
    #expect(gone.isTransient)
    #expect(!words(gone).contains("n0t-th1s"))
    let bad = try failure { try desk.exchange(remote: "ftp://ada:n0t-th1s@host/x.git") }
    #expect(bad.reason == .badAddress)
    #expect(!words(bad).contains("n0t-th1s"))
  }

  @Test(arguments: [
    (403, ExchangeError.Reason.noAccess), (404, .notFound), (413, .tooLarge), (503, .unreachable),
  ])
  func `what a web server answers is understood`(
    status: Int, reason: ExchangeError.Reason
  ) throws {
    let server = try WebServer(desk, status: status)
    try desk.vault("a", remote: server.address())
    #expect(try failure { try desk.exchange().tips() }.reason == reason)
  }

  @Test func `a web server that takes the connection and never answers is given up`() throws {
    let silent = try Listener()
    try desk.vault("a", remote: "http://127.0.0.1:\(silent.port)/x.git")
    let error = try failure { try desk.exchange(limits: ExchangeLimits(connect: 1)).tips() }
    #expect(error.reason == .timedOut(.connecting))
    try eventually("git ends") { processes(with: ":\(silent.port)/x.git").isEmpty }
  }

  @Test func `the limit for all of it counts, and so does taking it back`() throws {
    let silent = try Listener()
    try desk.vault("a", remote: "http://127.0.0.1:\(silent.port)/x.git")
    let late = try failure { try desk.exchange(limits: ExchangeLimits(total: 0.5)).tips() }
    #expect(late.reason == .timedOut(.whole))
    let clock = ContinuousClock()
    let end = clock.now + .milliseconds(300)
    let cancelled = try failure { try desk.exchange(isCancelled: { clock.now > end }).tips() }
    guard case .interrupted = cancelled.reason else {
      Issue.record("\(cancelled.reason)")
      return
    }
    try eventually("git ends") { processes(with: ":\(silent.port)/x.git").isEmpty }
  }

  @Test func `no repository is made over http`() throws {
    let server = try WebServer(desk, status: 404)
    try desk.vault("a", remote: server.address())
    #expect(try failure { try desk.exchange().createRepository() }.reason == .cannotCreate)
  }
}
