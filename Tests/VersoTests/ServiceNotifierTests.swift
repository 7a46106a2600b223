import CLinux
import Glibc
import Testing
import Verso
import VersoTestSupport

/// A datagram socket as systemd has one.
private final class Listener {
  let socket: Int32

  /// - Parameter name: A path, or `@` and an abstract name.
  init(_ name: String) throws {
    socket = Glibc.socket(
      AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(name.utf8)
    let isAbstract = name.hasPrefix("@")
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    if isAbstract { withUnsafeMutableBytes(of: &address.sun_path) { $0[0] = 0 } }
    let offset = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 0
    let length = socklen_t(offset + bytes.count + (isAbstract ? 0 : 1))
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(socket, $0, length) }
    }
    guard result == 0 else { throw Failure("bind: errno \(errno)") }
  }

  deinit { close(socket) }

  /// The next datagram; `nil` where there is none.
  var next: String? {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = recv(socket, &buffer, buffer.count, 0)
    return count < 0 ? nil : String(decoding: buffer[..<count], as: UTF8.self)
  }
}

@Suite struct ServiceNotifierTests {
  @Test(arguments: [false, true])
  func `systemd hears that a service is ready, alive and stopping`(isAbstract: Bool) throws {
    let scratch = try Scratch("notify")
    let name = (isAbstract ? "@" : "") + scratch.at("notify")
    let listener = try Listener(name)
    let variables = [
      "NOTIFY_SOCKET": name, "WATCHDOG_USEC": "3000000", "WATCHDOG_PID": "\(getpid())",
    ]
    let notifier = ServiceNotifier { variables[$0] }
    #expect(notifier.isAsked)
    #expect(notifier.watchdogInterval == 1.5)
    notifier.ready()
    notifier.status("watching\nREADY=0")
    notifier.watchdog()
    notifier.stopping()
    #expect(listener.next == "READY=1")
    #expect(listener.next == "STATUS=watching READY=0")
    #expect(listener.next == "WATCHDOG=1")
    #expect(listener.next == "STOPPING=1")
    #expect(listener.next == nil)
  }

  @Test func `a watchdog for another process, or a wrong number, is none of ours`() throws {
    let scratch = try Scratch("notify")
    let listener = try Listener(scratch.at("notify"))
    for other in [
      ["WATCHDOG_USEC": "3000000", "WATCHDOG_PID": "1"], ["WATCHDOG_USEC": "soon"],
      ["WATCHDOG_USEC": "0"], [:],
    ] {
      let variables = other.merging(["NOTIFY_SOCKET": scratch.at("notify")]) { $1 }
      let notifier = ServiceNotifier { variables[$0] }
      #expect(notifier.watchdogInterval == nil)
      notifier.watchdog()
    }
    #expect(listener.next == nil)
  }

  @Test func `nobody there is no failure`() throws {
    for name in [
      nil, "", "relative", "vsock:2:1", "/nonexistent/notify", String(repeating: "/x", count: 99),
    ] {
      let notifier = ServiceNotifier { $0 == "NOTIFY_SOCKET" ? name : nil }
      notifier.ready()
      notifier.status("x")
      notifier.stopping()
      #expect(notifier.isAsked == (name?.hasPrefix("/") ?? false))
    }
  }

  @Test func `a listener that has stopped reading costs little time`() throws {
    let scratch = try Scratch("notify")
    let listener = try Listener(scratch.at("notify"))
    let notifier = ServiceNotifier { $0 == "NOTIFY_SOCKET" ? scratch.at("notify") : nil }
    var size: Int32 = 1
    setsockopt(listener.socket, SOL_SOCKET, SO_RCVBUF, &size, 4)
    let clock = ContinuousClock()
    // net.unix.max_dgram_qlen is 10 by default and 512 under systemd.
    var longest = Duration.zero
    for _ in 0..<600 where longest < .milliseconds(100) {
      longest = max(longest, clock.measure { notifier.ready() })
    }
    #expect(Duration.milliseconds(100)..<Duration.seconds(5) ~= longest)
  }
}

@Suite struct SignalPipeTests {
  @Test func `signals become bytes in a pipe, those that are ignored stay so`() async {
    await #expect(processExitsWith: .success) {
      var ends: [Int32] = [-1, -1]
      guard pipe(&ends) == 0 else { exit(1) }
      signal(SIGHUP, SIG_IGN)
      guard verso_catch_signals(ends[1]) == 0 else { exit(2) }
      for number in [SIGINT, SIGHUP, SIGTERM] { kill(getpid(), number) }
      var bytes = [UInt8](repeating: 0, count: 10)
      var count = 0
      while count < 2 {
        let more = read(ends[0], &bytes[count], 1)
        guard more == 1 || errno == EINTR else { exit(3) }
        count += max(0, more)
      }
      guard Set(bytes[..<2]) == [UInt8(SIGINT), UInt8(SIGTERM)] else { exit(4) }
      // Nobody reads: the handler must not hang on a full pipe.
      for _ in 0..<70_000 { raise(SIGTERM) }
      guard verso_catch_signals(-1) == -EBADF else { exit(5) }
    }
  }
}
