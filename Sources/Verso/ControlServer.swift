import CLinux
import Glibc
package import VersoDisk

/// The end of the socket where a vault is watched: others ask, the watcher's loop answers.
///
/// For one thread, and without threads of its own: the loop waits for ``descriptors`` with poll(2)
/// and calls ``receive()``. Nothing here ever blocks.
package final class ControlServer {
  /// How many may be connected at once; who comes later works alone.
  static let clientLimit = 64
  /// Seconds after which a client that does not read its reply is dropped.
  static let patience = 30.0

  /// The path of the socket.
  package let path: String
  private let hello: ListeningWatcher
  private let store: any FileStore
  private var listener: Int32
  /// Held as long as the server is there: who has it may take the socket's path over.
  private var lock: Descriptor?
  private var clients: [UInt64: ControlPeer] = [:]
  private var nextClient: UInt64 = 0
  /// What the socket's file is, so that ``close()`` removes no other.
  private let identity: FileStatus?

  /// Starts to listen for one vault.
  ///
  /// - Parameters:
  ///   - root: The vault's root, absolute, links resolved.
  ///   - environment: Looks a variable up.
  /// - Throws: ``VersoError/Code/locked`` where another process watches this vault.
  package init(
    root: String, environment: (String) -> String?, store: any FileStore = SystemFileStore()
  ) throws(VersoError) {
    // A watcher that was started with another environment listens somewhere else.
    if let other = ControlClient.watcher(root: root, environment: environment, store: store) {
      throw Self.taken(root, by: other.process)
    }
    let folder = try ControlSocket.makeFolder(root: root, environment, store: store)
    let base = "\(folder)/\(ControlSocket.name(root: root))"
    lock = try Self.takeLock("\(base).lock", root: root, store: store)
    path = "\(base).sock"
    // The lock is ours, so whoever made this socket has gone.
    do throws(DiskError) {
      try store.unlinking(Array(path.utf8), in: AT_FDCWD)
    } catch { throw VersoError(error) }
    listener = verso_listen(path)
    guard listener >= 0 else {
      throw VersoError(
        DiskError(code: -listener, operation: "listen at", path: Array(path.utf8)))
    }
    do throws(DiskError) {
      identity = try store.status(of: Array(path.utf8), in: AT_FDCWD)
    } catch { identity = nil }
    self.store = store
    hello = ListeningWatcher(
      process: getpid(), since: .now(), root: root, surroundings: Surroundings.key(environment))
  }

  deinit { close() }

  private static func taken(_ root: String, by process: Int32?) -> VersoError {
    let name = process.map { " (process \($0))" } ?? ""
    return VersoError(
      .locked, "another verso watch\(name) watches \(root)",
      hint: "let it go on, or end it first")
  }

  private static func takeLock(
    _ path: String, root: String, store: any FileStore
  ) throws(VersoError) -> Descriptor {
    let lock: Descriptor
    do throws(DiskError) {
      lock = try store.opening(
        Array(path.utf8), in: AT_FDCWD, flags: O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK,
        mode: 0o600)
    } catch { throw VersoError(error) }
    let result = store.tryLock(lock.number)
    if result == -EAGAIN { throw taken(root, by: nil) }
    if result < 0 {
      throw VersoError(DiskError(code: -result, operation: "lock", path: Array(path.utf8)))
    }
    return lock
  }

  // MARK: For the loop

  /// What to wait for with `POLLIN`; changes with every call of ``receive()``.
  package var descriptors: [Int32] {
    listener < 0 ? [] : [listener] + clients.values.map(\.socket)
  }

  /// Those of ``descriptors`` to wait for with `POLLOUT` too: a reply is on its way there.
  package var wantsWrite: [Int32] { clients.values.filter(\.hasUnsent).map(\.socket) }

  /// Takes whatever has arrived, and sends on what is unsent.
  ///
  /// Who sends garbage or more than a megabyte is dropped, and so is another user but root.
  ///
  /// - Returns: Complete requests, those of one client in its order. Each is owed one reply.
  package func receive() -> [ControlRequest] {
    guard listener >= 0 else { return [] }
    acceptClients()
    var requests: [ControlRequest] = []
    for (number, client) in clients.sorted(by: { $0.key < $1.key }) {
      let kinds = client.receive()
      for (tag, kind) in kinds {
        let id = ControlRequest.ID(client: number, tag: tag)
        if case .hello = kind {
          client.send(.hello(hello), tag: tag)
        } else {
          requests.append(ControlRequest(id: id, kind: kind))
        }
      }
      client.sendOn()
      if client.isGone { clients[number] = nil }
    }
    return requests
  }

  /// Answers a request. One whose client has gone is no error.
  package func reply(to id: ControlRequest.ID, _ reply: ControlReply) {
    guard let client = clients[id.client] else { return }
    client.send(reply, tag: id.tag)
    client.sendOn()
    if client.isGone { clients[id.client] = nil }
  }

  /// Stops listening, drops every client and removes the socket's file.
  package func close() {
    guard listener >= 0 else { return }
    do throws(DiskError) {
      let bytes = Array(path.utf8)
      if let there = try store.status(of: bytes, in: AT_FDCWD), let identity,
        there.inode == identity.inode, there.device == identity.device
      {
        try store.unlinking(bytes, in: AT_FDCWD)
      }
    } catch {
      // A socket that nobody listens at is as good as none, and the next watcher replaces it.
    }
    clients.removeAll()
    _ = Glibc.close(listener)
    listener = -1
    lock = nil
  }

  private func acceptClients() {
    while true {
      let socket = verso_accept(listener)
      if socket == -EINTR || socket == -ECONNABORTED { continue }
      guard socket >= 0 else { return }
      guard clients.count < Self.clientLimit, ControlSocket.trustedPeer(of: socket) != nil else {
        _ = Glibc.close(socket)
        continue
      }
      clients[nextClient] = ControlPeer(socket: socket)
      nextClient += 1
    }
  }
}
