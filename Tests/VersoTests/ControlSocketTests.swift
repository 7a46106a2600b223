import CLinux
import Glibc
import Testing
import VersoDisk
import VersoModel
import VersoTestSupport

@testable import Verso

/// Where sockets of a test are, and a server that answers from a thread of its own.
final class ControlDesk: Sendable {
  let scratch: Scratch
  let root = "/nowhere/notes"

  init() throws {
    scratch = try Scratch("ctl")
    try #require(chmod(scratch.path, 0o700) == 0)
  }

  func environment(_ name: String) -> String? {
    name == "XDG_RUNTIME_DIR" ? scratch.path : nil
  }

  func server() throws -> ControlServer {
    try ControlServer(root: root, environment: environment)
  }

  func ask(
    _ kind: ControlRequest.Kind, timeout: Double = 10, environment: ((String) -> String?)? = nil
  ) throws -> ControlReply? {
    try ControlClient.ask(
      root: root, kind, timeout: timeout, environment: environment ?? self.environment)
  }

  /// A raw connection, for bad manners.
  func connect(to server: ControlServer) throws -> Int32 {
    let socket = verso_connect(server.path)
    try #require(socket >= 0)
    return socket
  }
}

/// Answers requests as the loop of a watcher does, until it is dropped.
final class AnsweringLoop: Sendable {
  private let isOver = SharedFlag()
  private let thread: UInt

  init(
    _ server: ControlServer, _ answer: @escaping @Sendable (ControlRequest.Kind) -> ControlReply
  ) {
    let handover = Handover(server)
    let isOver = isOver
    thread = startThread {
      let server = handover.take()
      while !isOver.isSet {
        var requests = server.descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        requests += server.wantsWrite.map { pollfd(fd: $0, events: Int16(POLLOUT), revents: 0) }
        _ = poll(&requests, nfds_t(requests.count), 10)
        for request in server.receive() { server.reply(to: request.id, answer(request.kind)) }
      }
      server.close()
    }
  }

  deinit {
    isOver.set()
    pthread_join(pthread_t(thread), nil)
  }
}

final class SharedFlag: Sendable {
  private let value = Locked(false)
  var isSet: Bool { value.withLock { $0 } }
  func set() { value.withLock { $0 = true } }
}

/// Runs `body` on a new thread.
func startThread(_ body: @escaping @Sendable () -> Void) -> UInt {
  final class Box: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
  var thread = pthread_t()
  let context = Unmanaged.passRetained(Box(body)).toOpaque()
  pthread_create(
    &thread, nil,
    { context in
      if let context { Unmanaged<Box>.fromOpaque(context).takeRetainedValue().body() }
      return nil
    }, context)
  return UInt(thread)
}

@Suite struct ControlSocketTests {
  let desk: ControlDesk

  init() throws { desk = try ControlDesk() }

  @Test func `requests reach the loop, and replies the one that asked`() throws {
    let loop = AnsweringLoop(try desk.server()) { kind in
      switch kind {
      case .save(let request):
        var outcome = SaveOutcome()
        outcome.subject = request.message
        outcome.held = request.paths ?? []
        return .saved(outcome)
      case .status: return .status(StatusReport())
      case .pause: return .failed(VersoError(.refused, "no", hint: "why"))
      default: return .done
      }
    }
    var request = SaveRequest(paths: [RelativePath(unchecked: [0xFF, 0x0A])])
    request.message = "From afar"
    guard case .saved(let outcome) = try desk.ask(.save(request)) else { throw Failure("no reply") }
    #expect(outcome.subject == "From afar")
    #expect(outcome.held == request.paths)
    guard case .status(let report) = try desk.ask(.status(paths: nil)) else {
      throw Failure("no reply")
    }
    #expect(report.watcher?.process == getpid())
    #expect(report.watcher?.since != nil)
    #expect(throws: VersoError(.refused, "no", hint: "why")) {
      try desk.ask(.pause(until: nil))
    }
    guard case .done = try desk.ask(.resume) else { throw Failure("no reply") }
    guard case .hello(let watcher) = try desk.ask(.hello) else { throw Failure("no reply") }
    #expect(watcher.process == getpid())
    withExtendedLifetime(loop) {}
  }

  @Test func `nobody there, a folder that others can enter and a dead socket mean nil`() throws {
    #expect(try desk.ask(.hello) == nil)
    let server = try desk.server()
    let folder = desk.scratch.at("verso")
    try #require(chmod(folder, 0o755) == 0)
    #expect(ControlClient.watcher(root: desk.root, environment: desk.environment) == nil)
    try #require(chmod(folder, 0o700) == 0)
    #expect(
      ControlClient.watcher(root: desk.root, environment: desk.environment)?.process == getpid())
    #expect(ControlClient.watcher(root: "/else", environment: desk.environment) == nil)
    server.close()
    #expect(access(server.path, F_OK) != 0)
    #expect(try desk.ask(.hello) == nil)
  }

  @Test func `the socket is for this user alone`() throws {
    let server = try desk.server()
    var status = stat()
    try #require(lstat(server.path, &status) == 0)
    #expect(status.st_mode & S_IFMT == S_IFSOCK)
    #expect(status.st_mode & 0o777 == 0o600)
    try #require(lstat(desk.scratch.at("verso"), &status) == 0)
    #expect(status.st_mode & 0o777 == 0o700)
  }

  @Test func `a second watcher is refused, and one that died is replaced`() throws {
    let first = try desk.server()
    let error = #expect(throws: VersoError.self) { try desk.server() }
    #expect(error?.code == .locked)
    #expect(error?.message == "another verso watch (process \(getpid())) watches \(desk.root)")
    // Another vault is another matter.
    let other = try ControlServer(root: "/else", environment: desk.environment)
    #expect(other.path != first.path)
    // What a killed process leaves: a socket file that nobody listens at, and a lock nobody holds.
    first.close()
    let left = verso_listen(first.path)
    close(left)
    #expect(access(first.path, F_OK) == 0)
    #expect(try desk.ask(.hello) == nil)
    let second = try desk.server()
    #expect(
      ControlClient.watcher(root: desk.root, environment: desk.environment)?.process == getpid())
    second.close()
  }

  @Test func `a lock that is held is enough, though the socket was deleted`() throws {
    let first = try desk.server()
    unlink(first.path)
    #expect(throws: VersoError.self) { try desk.server() }
    first.close()
    // A process that another test starts shares all locks until it runs its program.
    let end = MonotonicTime.now() + 10
    var server = try? desk.server()
    while server == nil, MonotonicTime.now() < end {
      usleep(1_000)
      server = try? desk.server()
    }
    let made = try #require(server)
    made.close()
  }

  @Test func `closing leaves another's socket alone`() throws {
    let first = try desk.server()
    unlink(first.path)
    let other = verso_listen(first.path)
    first.close()
    #expect(access(first.path, F_OK) == 0)
    close(other)
  }

  @Test func `a path that is too long for a socket falls back to another folder`() throws {
    let long = desk.scratch.at(String(repeating: "x", count: 80))
    mkdir(long, 0o700)
    let environment = { (name: String) in name == "XDG_RUNTIME_DIR" ? long : nil }
    let root = "/nowhere/\(desk.scratch.path)"
    let server = try ControlServer(root: root, environment: environment)
    #expect(!server.path.hasPrefix(long))
    #expect(ControlClient.watcher(root: root, environment: environment) != nil)
    server.close()
    unlink(String(server.path.dropLast(5)) + ".lock")
  }

  @Test func `links and folders of others are no place for a socket`() throws {
    mkdir(desk.scratch.at("elsewhere"), 0o700)
    symlink(desk.scratch.at("elsewhere"), desk.scratch.at("verso"))
    let server = try desk.server()
    #expect(!server.path.hasPrefix(desk.scratch.path))
    server.close()
    unlink(String(server.path.dropLast(5)) + ".lock")
  }

  // MARK: Bad manners

  @Test func `garbage and more than a megabyte are dropped, the others served`() throws {
    let server = try desk.server()
    let garbage = try desk.connect(to: server)
    let endless = try desk.connect(to: server)
    let patient = try desk.connect(to: server)
    defer { for socket in [garbage, endless, patient] { close(socket) } }
    let hello = try #require(ControlWire.frame(tag: 1, limit: .max) { $0.put(.resume) })
    _ = verso_send(patient, hello, hello.count - 1)
    _ = verso_send(garbage, [5, 0, 0, 0, 1, 0, 0, 0, 0, 99], 10)
    _ = verso_send(endless, [0, 0, 0x20, 0], 4)
    #expect(server.receive().isEmpty)
    #expect(server.descriptors.count == 2)
    var byte: UInt8 = 0
    #expect(recv(garbage, &byte, 1, 0) == 0)
    #expect(recv(endless, &byte, 1, 0) == 0)
    _ = verso_send(patient, [hello[hello.count - 1]], 1)
    let requests = server.receive()
    #expect(requests.count == 1)
  }

  @Test(arguments: seeds(3))
  func `noise on the line never harms the server`(seed: UInt64) throws {
    var samples = ControlSamples(random: SeededGenerator(seed: seed))
    let server = try desk.server()
    for _ in 0..<200 {
      let socket = try desk.connect(to: server)
      let kind = samples.request()
      var bytes = try #require(ControlWire.frame(tag: 3, limit: .max) { $0.put(kind) })
      for _ in 0..<Int.random(in: 0...2, using: &samples.random) {
        bytes[Int.random(in: 0..<bytes.count, using: &samples.random)] = UInt8.random(
          in: 0...255, using: &samples.random)
      }
      _ = verso_send(socket, bytes, bytes.count)
      for request in server.receive() { server.reply(to: request.id, samples.reply()) }
      close(socket)
      for request in server.receive() { server.reply(to: request.id, samples.reply()) }
    }
    for request in server.receive() { server.reply(to: request.id, samples.reply()) }
    #expect(server.descriptors.count == 1)
  }

  @Test func `a request of a client that has gone is still carried out, its reply dropped`() throws
  {
    let server = try desk.server()
    let socket = try desk.connect(to: server)
    let bytes = try #require(ControlWire.frame(tag: 1, limit: .max) { $0.put(.resume) })
    _ = verso_send(socket, bytes, bytes.count)
    close(socket)
    let requests = server.receive()
    try #require(requests.count == 1)
    server.reply(to: requests[0].id, .done)
    #expect(server.descriptors.count == 1)
  }

  @Test func `a client that does not read blocks nobody, and gets all of it in the end`() throws {
    let server = try desk.server()
    let socket = try desk.connect(to: server)
    defer { close(socket) }
    let bytes = try #require(ControlWire.frame(tag: 1, limit: .max) { $0.put(.status(paths: nil)) })
    _ = verso_send(socket, bytes, bytes.count)
    let requests = server.receive()
    try #require(requests.count == 1)
    var report = StatusReport()
    report.held = (0..<50_000).map { RelativePath(unchecked: Array("note \($0).md".utf8)) }
    let start = MonotonicTime.now()
    server.reply(to: requests[0].id, .status(report))
    #expect(MonotonicTime.now() - start < 2)
    #expect(server.wantsWrite.count == 1)
    var received: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while !server.wantsWrite.isEmpty {
      let count = recv(socket, &buffer, buffer.count, 0)
      if count > 0 { received += buffer[..<count] }
      _ = server.receive()
    }
    while true {
      let count = recv(socket, &buffer, buffer.count, 0)
      guard count > 0 else { break }
      received += buffer[..<count]
    }
    let answer = ControlWire.read(received.dropFirst(4)) { r throws(ControlGarbage) in
      try r.reply()
    }
    guard case .status(let back) = answer?.value else { throw Failure("no reply") }
    #expect(back.held == report.held)
  }

  @Test func `more than can be served are sent away`() throws {
    let server = try desk.server()
    var sockets: [Int32] = []
    defer { for socket in sockets { close(socket) } }
    for _ in 0..<ControlServer.clientLimit + 3 {
      sockets.append(try desk.connect(to: server))
      _ = server.receive()
    }
    #expect(server.descriptors.count == ControlServer.clientLimit + 1)
  }

  // MARK: A watcher that is no help

  @Test func `a watcher that says nothing is left after a second`() throws {
    let server = try desk.server()
    let start = MonotonicTime.now()
    #expect(try desk.ask(.status(paths: nil)) == nil)
    #expect(1..<20 ~= MonotonicTime.now() - start)
    // It is there all the same.
    #expect(
      ControlClient.watcher(root: desk.root, environment: desk.environment)?.process == getpid())
    withExtendedLifetime(server) {}
  }

  @Test func `a watcher that dies over a request is noticed at once`() throws {
    let server = try desk.server()
    let thread = Handover(server)
    let helper = startThread {
      let server = thread.take()
      var hasRequest = false
      while !hasRequest { hasRequest = !server.receive().isEmpty }
      server.close()
    }
    let start = MonotonicTime.now()
    #expect(try desk.ask(.save(SaveRequest()), timeout: 100) == nil)
    #expect(MonotonicTime.now() - start < 20)
    pthread_join(pthread_t(helper), nil)
  }

  @Test func `a request in another name, or for very many paths, is carried out alone`() throws {
    let loop = AnsweringLoop(try desk.server()) { _ in .saved(SaveOutcome()) }
    let desk = desk
    let other = { (name: String) in
      name == "GIT_AUTHOR_NAME" ? "Bob" : desk.environment(name)
    }
    #expect(try desk.ask(.save(SaveRequest())) != nil)
    #expect(try desk.ask(.save(SaveRequest()), environment: other) == nil)
    let paths = (0..<50_000).map { RelativePath(unchecked: Array("a very long name \($0)".utf8)) }
    #expect(try desk.ask(.save(SaveRequest(paths: paths))) == nil)
    withExtendedLifetime(loop) {}
  }
}

/// Gives a value that is not `Sendable` to one other thread.
final class Handover<Value>: @unchecked Sendable {
  private let value: Value
  init(_ value: Value) { self.value = value }
  func take() -> Value { value }
}
