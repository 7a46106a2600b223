import VersoDisk
import VersoModel
import VersoWatch

/// The watcher of a ``Vault`` on its own thread, and those who listen to it.
///
/// Unchecked: the state is touched under `lock` only.
final class VaultWatch: @unchecked Sendable {
  private let lock = SectionLock()
  private var mailboxes: [Int: Listener] = [:]
  private var nextNumber = 0
  private var handle: WatcherHandle?
  private var thread: Threads.Handle?

  private struct Listener { weak var mailbox: EventMailbox? }

  /// Starts a thread that watches.
  static func start(root: String, rules: Reconciler.Rules, saves: Bool) -> VaultWatch {
    let watch = VaultWatch()
    let thread = Threads.start { [weak watch] in
      guard let watch else { return }
      watch.run(root, rules, saves: saves)
    }
    watch.lock.withLock { watch.thread = thread }
    if thread == nil {
      watch.end(VersoError(.failed, "no thread is to be had to watch \(root)"))
    }
    return watch
  }

  private func run(_ root: String, _ rules: Reconciler.Rules, saves: Bool) {
    var options = Watcher.Options()
    options.rules = rules
    options.saves = saves
    do throws(VersoError) {
      let watcher = try Watcher(root: root, options: options) { self.post($0) }
      let isWanted = lock.withLock { () -> Bool in
        handle = watcher.handle
        return !isEnded
      }
      if isWanted { try watcher.run() }
      end(nil)
    } catch { end(error) }
  }

  private var isEnded = false

  /// A new reader's events; a snapshot comes first.
  func listen() -> VaultEvents {
    let number = lock.withLock { () -> Int in
      nextNumber += 1
      return nextNumber
    }
    let mailbox = EventMailbox { [weak self] in self?.forget(number) }
    let isOver = lock.withLock { () -> Bool in
      mailboxes[number] = Listener(mailbox: mailbox)
      return isEnded
    }
    if isOver { mailbox.finish() } else { askForSnapshot() }
    return VaultEvents(mailbox: mailbox)
  }

  private func forget(_ number: Int) {
    let isLast = lock.withLock { () -> Bool in
      mailboxes[number] = nil
      return mailboxes.isEmpty
    }
    // Nobody listens: watching is work for nothing, and would hold the vault.
    if isLast { stop(waits: false) }
  }

  /// Takes in everything that happened on the disk before this call, and tells it.
  ///
  /// - Returns: What the watcher answered; it does not before it has begun, and after its end.
  func passBarrier() -> Vault.Barrier {
    let handle = lock.withLock { self.handle }
    return handle?.ask(within: 10) { watcher in
      guard watcher.hasStarted else { return .unanswered }
      watcher.passBarrier()
      watcher.publish()
      return watcher.reconciler.restlessPaths.isEmpty ? .quiet : .restless
    } ?? .unanswered
  }

  var isOver: Bool { lock.withLock { isEnded } }

  /// Ends the watching; what has settled is saved.
  func stop(waits: Bool = true) {
    let (handle, thread) = lock.withLock { () -> (WatcherHandle?, Threads.Handle?) in
      isEnded = true
      defer { self.thread = nil }
      return (self.handle, self.thread)
    }
    handle?.stop()
    if waits { thread?.join() } else if let thread { Threads.detach { thread.join() } }
  }

  private func end(_ error: VersoError?) {
    let all = lock.withLock { () -> [EventMailbox] in
      isEnded = true
      return mailboxes.values.compactMap(\.mailbox)
    }
    for mailbox in all {
      if let error { _ = mailbox.post(.failed(error)) }
      mailbox.finish()
    }
  }

  // MARK: Events

  private func post(_ event: Watcher.Event) {
    if case .started = event { return askForSnapshot() }
    guard let event = VaultEvent(event) else { return }
    let all = lock.withLock { mailboxes.values.compactMap(\.mailbox) }
    var isWanted = false
    for mailbox in all where mailbox.post(event) { isWanted = true }
    if case .online = event {
      // What is there now may be anything, and nobody could be told of it meanwhile.
      for mailbox in all { mailbox.fallBehind() }
      isWanted = true
    }
    if isWanted { askForSnapshot() }
  }

  private func askForSnapshot() {
    let handle = lock.withLock { self.handle }
    handle?.perform { watcher in
      guard watcher.hasStarted else { return }
      self.deliverSnapshot(of: watcher.reconciler)
    }
  }

  private func deliverSnapshot(of reconciler: Reconciler) {
    let behind = lock.withLock { mailboxes.values.compactMap(\.mailbox) }.filter(\.wantsSnapshot)
    if behind.isEmpty { return }
    let snapshot = VaultEvent.Snapshot(items: reconciler.root.items)
    for mailbox in behind { _ = mailbox.post(.snapshot(snapshot)) }
  }
}

extension EventMailbox {
  var wantsSnapshot: Bool { lock.withLock { isBehind && !isFinished } }
}

extension VaultEvent {
  /// What an embedding program is told of it; `nil` where that is nothing.
  init?(_ event: Watcher.Event) {
    switch event {
    case .started, .rescan, .stopped: return nil
    case .saved(let outcome): self = .saved(Vault.Save(outcome))
    case .changed(let changes): self = .changed(Changes(changes))
    case .waiting(let error): self = .waiting(error)
    case .resumed: self = .resumed
    case .offline(let reason): self = .offline(reason)
    case .online: self = .online
    case .limited(let message): self = .limited(message)
    case .synced(let outcome): self = .synced(Vault.Sync(outcome))
    case .unsynced(let error): self = .unsynced(error)
    case .paused(let pause):
      var text = "saving is paused"
      if case .until(let time) = pause { text += " until \(TimeText.minute(time.seconds))" }
      self = .waiting(VersoError(.refused, text, hint: "run: verso resume"))
    }
  }
}

extension VaultEvent.Changes {
  init(_ changes: [LiveChange]) {
    for change in changes {
      switch change {
      case .removed(let path): removed.append(path)
      case .addedFolder(let path): added.append(Item(path: path, kind: .folder, content: nil))
      case .added(let path, let kind): added.append(Item(path: path, kind: kind, content: nil))
      case .renamed(let from, let to): renamed.append(VaultEvent.Rename(old: from, new: to))
      case .modified(let path): modified.append(path)
      }
    }
  }
}

extension LiveFolder {
  /// Everything below, each folder before what it holds, in byte order.
  var items: [Item] {
    var found: [Item] = []
    collect(into: &found, path: path)
    return found
  }

  private func collect(into items: inout [Item], path: RelativePath) {
    let names = files.keys.map { ($0, false) } + folders.keys.map { ($0, true) }
    for (name, isFolder) in names.sorted(by: { $0.0.lexicographicallyPrecedes($1.0) }) {
      let below = path.appending(name)
      if isFolder {
        items.append(Item(path: below, kind: .folder, content: nil))
        folders[name]?.collect(into: &items, path: below)
      } else if let file = files[name] {
        items.append(Item(path: below, kind: file.kind, content: nil))
      }
    }
  }
}
