import CLinux
import Glibc
import VersoDisk

/// One client of a ``ControlServer``: its socket, and what is half received or half sent.
final class ControlPeer {
  /// Bytes taken from one client before it is the others' turn.
  private static let share = 1 << 18
  /// Bytes that may wait while a further reply is asked for.
  private static let unsentLimit = 1 << 20

  let socket: Int32
  private(set) var isGone = false
  private var received: [UInt8] = []
  private var unsent: [UInt8] = []
  private var sent = 0
  private var lastProgress = MonotonicTime.now()

  init(socket: Int32) { self.socket = socket }

  deinit { _ = Glibc.close(socket) }

  var hasUnsent: Bool { sent < unsent.count }

  /// The requests that are complete now.
  func receive() -> [(tag: UInt32, kind: ControlRequest.Kind)] {
    var hasEnded = false
    var taken = 0
    var buffer = [UInt8](repeating: 0, count: 1 << 14)
    while taken < Self.share {
      let count = Glibc.recv(socket, &buffer, buffer.count, 0)
      if count > 0 {
        received += buffer[..<count]
        taken += count
      } else if count == 0 {
        hasEnded = true
        break
      } else if errno != EINTR {
        hasEnded = errno != EAGAIN
        break
      }
    }
    // What was asked before the end is still done: the asker may only have been impatient.
    let requests = complete()
    if hasEnded { isGone = true }
    return requests
  }

  private func complete() -> [(tag: UInt32, kind: ControlRequest.Kind)] {
    var requests: [(tag: UInt32, kind: ControlRequest.Kind)] = []
    var start = 0
    while !isGone {
      switch ControlWire.next(in: received, from: start, limit: ControlWire.requestLimit) {
      case .partial:
        received.removeFirst(start)
        return requests
      case .excessive: isGone = true
      case .whole(let range):
        let request = ControlWire.read(received[range]) { r throws(ControlGarbage) in
          try r.kind()
        }
        guard let request else {
          isGone = true
          break
        }
        requests.append((request.tag, request.value))
        start = range.upperBound
      }
    }
    return requests
  }

  /// Puts a reply in line; a client that has left too much unread is given up.
  func send(_ reply: ControlReply, tag: UInt32) {
    if unsent.count - sent > Self.unsentLimit { isGone = true }
    if isGone { return }
    let limit = ControlWire.replyLimit
    guard let frame = ControlWire.frame(tag: tag, limit: limit, { $0.put(reply) }) else {
      // Beyond any vault; without an answer the client works alone.
      isGone = true
      return
    }
    if !hasUnsent { lastProgress = MonotonicTime.now() }
    unsent.removeFirst(sent)
    sent = 0
    unsent += frame
  }

  /// Sends what the socket takes now.
  func sendOn() {
    while hasUnsent, !isGone {
      let count = unsent.withUnsafeBytes { bytes in
        bytes.baseAddress.map { verso_send(socket, $0 + sent, bytes.count - sent) } ?? 0
      }
      if count > 0 {
        sent += count
        lastProgress = MonotonicTime.now()
      } else if count == -Int(EAGAIN) {
        isGone = MonotonicTime.now() - lastProgress > ControlServer.patience
        return
      } else if count != -Int(EINTR) {
        isGone = true
      }
    }
    if !hasUnsent {
      unsent.removeAll()
      sent = 0
    }
  }
}
