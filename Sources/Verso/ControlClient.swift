import CLinux
import Glibc
package import VersoDisk
import VersoModel

/// Asks the process that watches a vault.
package enum ControlClient {
  /// Seconds that a watcher has to say that it is there.
  static let helloLimit = 1.0

  /// Asks the watcher of a vault, and waits for its answer.
  ///
  /// - Parameters:
  ///   - root: The vault's root, absolute, links resolved.
  ///   - kind: What to ask. A save is asked for only where the watcher's environment makes the same
  ///     commit of it as this process's would.
  ///   - timeout: Seconds to wait for the answer. One that ends meanwhile is noticed at once.
  ///   - environment: Looks a variable up.
  /// - Returns: The answer, never ``ControlReply/failed(_:)``. `nil` where nobody watches, or the one
  ///   that does says nothing within a second, nothing that is understood, or nothing in time: the
  ///   caller then works alone, which is right at any time.
  /// - Throws: What the watcher failed with.
  package static func ask(
    root: String, _ kind: ControlRequest.Kind, timeout: Double,
    environment: (String) -> String?, store: any FileStore = SystemFileStore()
  ) throws(VersoError) -> ControlReply? {
    for path in ControlSocket.candidates(root: root, environment, store: store) {
      guard let connection = ControlConnection(path) else { continue }
      guard case .hello(let watcher) = connection.ask(.hello, tag: 0, timeout: helloLimit),
        watcher.root == root
      else { continue }
      if case .hello = kind { return .hello(watcher) }
      if case .save = kind, watcher.surroundings != Surroundings.key(environment) { return nil }
      let reply = connection.ask(kind, tag: 1, timeout: timeout)
      switch reply {
      case .failed(let error): throw error
      case .status(var report):
        report.watcher = report.watcher ?? watcher
        return .status(report)
      default: return reply
      }
    }
    return nil
  }

  /// Who watches a vault, without asking anything of them: they may be busy.
  package static func watcher(
    root: String, environment: (String) -> String?, store: any FileStore = SystemFileStore()
  ) -> ListeningWatcher? {
    for path in ControlSocket.candidates(root: root, environment, store: store) {
      guard let connection = ControlConnection(path) else { continue }
      return ListeningWatcher(process: connection.process, since: nil, root: root)
    }
    return nil
  }
}

/// A connection to a watcher.
private final class ControlConnection {
  /// The watcher's process.
  let process: Int32
  private let socket: Int32
  private var received: [UInt8] = []

  /// `nil` where nobody listens, or somebody whom this user does not trust.
  init?(_ path: String) {
    let socket = verso_connect(path)
    guard socket >= 0 else { return nil }
    guard let process = ControlSocket.trustedPeer(of: socket) else {
      _ = Glibc.close(socket)
      return nil
    }
    self.socket = socket
    self.process = process
  }

  deinit { _ = Glibc.close(socket) }

  /// `nil` for no answer in time, and for one that is not understood.
  func ask(_ kind: ControlRequest.Kind, tag: UInt32, timeout: Double) -> ControlReply? {
    let deadline = MonotonicTime.now() + timeout
    let limit = ControlWire.requestLimit
    // Longer requests, of very many paths, are carried out alone.
    guard let frame = ControlWire.frame(tag: tag, limit: limit, { $0.put(kind) }),
      send(frame, before: deadline)
    else { return nil }
    while true {
      switch ControlWire.next(in: received, from: 0, limit: ControlWire.replyLimit) {
      case .excessive: return nil
      case .partial: guard receive(before: deadline) else { return nil }
      case .whole(let range):
        let answer = ControlWire.read(received[range]) { r throws(ControlGarbage) in try r.reply() }
        received.removeFirst(range.upperBound)
        guard let answer else { return nil }
        if answer.tag == tag { return answer.value }
      }
    }
  }

  private func send(_ frame: [UInt8], before deadline: Double) -> Bool {
    var sent = 0
    while sent < frame.count {
      let count = frame.withUnsafeBytes { bytes in
        bytes.baseAddress.map { verso_send(socket, $0 + sent, bytes.count - sent) } ?? 0
      }
      if count > 0 {
        sent += count
      } else if count == -Int(EAGAIN) {
        guard wait(for: POLLOUT, before: deadline) else { return false }
      } else if count != -Int(EINTR) {
        return false
      }
    }
    return true
  }

  /// Takes more of what has arrived; whether there may be still more.
  private func receive(before deadline: Double) -> Bool {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = Glibc.recv(socket, &buffer, buffer.count, 0)
      if count > 0 {
        received += buffer[..<count]
        return true
      }
      if count == 0 { return false }
      if errno == EINTR { continue }
      guard errno == EAGAIN, wait(for: POLLIN, before: deadline) else { return false }
    }
  }

  private func wait(for event: Int32, before deadline: Double) -> Bool {
    while true {
      let left = deadline - MonotonicTime.now()
      guard left > 0 else { return false }
      var request = pollfd(fd: socket, events: Int16(event), revents: 0)
      // A suspended machine or a very long wait: in steps, so that no sum overflows.
      let result = poll(&request, 1, Int32(min(left, 3_600) * 1_000) + 1)
      if result > 0 { return true }
      if result < 0, errno != EINTR { return false }
    }
  }
}
