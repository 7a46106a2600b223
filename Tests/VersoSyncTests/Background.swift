import Foundation
import Glibc
import VersoTestSupport

/// A program that runs beside a test, ended with its last reference.
///
/// Not Foundation's `Process`, which can only be waited for from the thread that started it.
final class Background: Sendable {
  let identifier: Int32
  private let log: String

  init(_ arguments: [String], log: String, environment: [String: String] = [:]) throws {
    self.log = log
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    posix_spawn_file_actions_adddup2(&actions, 1, 2)
    let variables = hermeticEnvironment.merging(environment) { $1 }.map { "\($0)=\($1)" }
    let words = (["/usr/bin/env"] + arguments).map { strdup($0) } + [nil]
    let settings = variables.map { strdup($0) } + [nil]
    defer { for text in words + settings { free(text) } }
    // Threads of the tests have signals blocked, and so would what they start.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    var process: pid_t = 0
    let status = posix_spawn(&process, "/usr/bin/env", &actions, &attributes, words, settings)
    guard status == 0 else { throw Failure("\(arguments): errno \(status)") }
    identifier = process
  }

  deinit {
    kill(identifier, SIGTERM)
    waitpid(identifier, nil, 0)
  }

  /// What it has written.
  var words: String {
    FileManager.default.contents(atPath: log).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }
}

/// Waits until something is so.
func eventually(_ what: String, within seconds: Double = 20, _ isSo: () throws -> Bool) throws {
  let clock = ContinuousClock()
  let end = clock.now + .seconds(seconds)
  while try !isSo() {
    guard clock.now < end else { throw Failure("not within \(seconds) s: \(what)") }
    usleep(5000)
  }
}

/// A socket on the loopback that is listened on.
final class Listener {
  private let number: Int32
  let port: Int

  init() throws {
    number = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let size = length
    let listener = number
    let status = withUnsafeMutableBytes(of: &address) { bytes -> Int32 in
      guard let base = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return -1 }
      guard bind(listener, base, size) == 0, listen(listener, 16) == 0 else { return -1 }
      return getsockname(listener, base, &length)
    }
    guard status == 0 else { throw Failure("no socket: errno \(errno)") }
    port = Int(UInt16(bigEndian: address.sin_port))
  }

  deinit { close(number) }

  /// A port that nobody listens on.
  static func freePort() throws -> Int { try Listener().port }

  /// Whether somebody listens on a port.
  static func answers(_ port: Int) -> Bool {
    let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(number) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    address.sin_port = in_port_t(port).bigEndian
    return withUnsafeBytes(of: &address) { bytes in
      guard let base = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else {
        return false
      }
      return connect(number, base, socklen_t(bytes.count)) == 0
    }
  }
}

/// The ids of running processes whose arguments, joined by spaces, contain `text`.
func processes(with text: String) -> [Int32] {
  let folders = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
  return folders.compactMap { Int32($0) }.filter { id in
    guard let bytes = FileManager.default.contents(atPath: "/proc/\(id)/cmdline") else {
      return false
    }
    return String(decoding: bytes.map { $0 == 0 ? 32 : $0 }, as: UTF8.self).contains(text)
  }
}
