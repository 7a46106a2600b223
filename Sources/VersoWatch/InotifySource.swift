import CLinux
import Glibc
package import VersoDisk

/// The kernel's event queue, emptied by a thread of its own that does nothing else.
///
/// The queue holds 16,384 events, which a busy disk makes in 60 ms: whoever looks at files between
/// two reads loses some. The thread appends to a list, and wakes the one who polls
/// ``wakeDescriptor``.
///
/// Unchecked: `queue` and `isStopped` are touched under `lock` only; the descriptors are open from
/// beginning to end.
package final class InotifySource: @unchecked Sendable {
  private let descriptor: Int32
  /// Readable when events wait to be taken.
  package let wakeDescriptor: Int32
  private let stopDescriptor: Int32
  private let lock = SectionLock()
  private var queue: [WatchEvent] = []
  private var thread: Threads.Handle?

  private static let bufferSize = 256 << 10

  /// Starts listening; nothing is watched yet.
  ///
  /// - Throws: ``DiskError``: `EMFILE` where the user has too many inotify instances
  ///   (`fs.inotify.max_user_instances`), and whatever else inotify_init(2) says.
  package init() throws(DiskError) {
    descriptor = verso_inotify()
    if descriptor < 0 {
      throw DiskError(code: -descriptor, operation: "listen to", path: Array("inotify".utf8))
    }
    wakeDescriptor = verso_event_counter()
    stopDescriptor = verso_event_counter()
    thread = Threads.start { [weak self] in self?.readAlways() }
    guard wakeDescriptor >= 0, stopDescriptor >= 0, thread != nil else {
      throw DiskError(code: EMFILE, operation: "listen to", path: Array("inotify".utf8))
    }
  }

  /// Ends the thread and all watches.
  package func stop() {
    guard
      let thread = lock.withLock({ () -> Threads.Handle? in
        defer { self.thread = nil }
        return self.thread
      })
    else { return }
    Self.wake(stopDescriptor)
    thread.join()
  }

  deinit {
    for number in [descriptor, wakeDescriptor, stopDescriptor] where number >= 0 { close(number) }
  }

  // MARK: Watches

  /// Watches a folder that is open, whatever its path leads to by now.
  ///
  /// - Returns: The watch. A folder that is watched already has the same one still, wherever it was
  ///   moved to: that is how a move that made no event is found.
  /// - Throws: ``DiskError``: `ENOSPC` at the limit of watches (`fs.inotify.max_user_watches`).
  package func watch(_ folder: Int32) throws(DiskError) -> Int32 {
    let result = verso_inotify_add(descriptor, folder, WatchEvent.Mask.wanted.rawValue)
    if result < 0 { throw DiskError(code: -result, operation: "watch", path: [UInt8]()) }
    return result
  }

  /// Ends a watch; one that has ended already is no error.
  package func unwatch(_ watch: Int32) {
    _ = verso_inotify_remove(descriptor, watch)
  }

  // MARK: Events

  /// Everything that happened before this call, and has not been taken before.
  ///
  /// The kernel queues an event before the call that makes it returns, so reading the queue to its end
  /// is a barrier: whatever any program had finished before is in the result.
  package func takeAll() -> [WatchEvent] {
    lock.withLock {
      readAvailable()
      var count: UInt64 = 0
      _ = read(wakeDescriptor, &count, 8)
      defer { queue = [] }
      return queue
    }
  }

  private func readAlways() {
    var waits = [
      pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: stopDescriptor, events: Int16(POLLIN), revents: 0),
    ]
    while true {
      _ = poll(&waits, 2, -1)
      if waits[1].revents != 0 { return }
      if waits[0].revents == 0 { continue }
      let isFirst = lock.withLock {
        let wasEmpty = queue.isEmpty
        readAvailable()
        return wasEmpty && !queue.isEmpty
      }
      if isFirst { Self.wake(wakeDescriptor) }
    }
  }

  /// Reads the kernel's queue to its end; call it under the lock, so that the order stays.
  private func readAvailable() {
    withUnsafeTemporaryAllocation(byteCount: Self.bufferSize, alignment: 8) { buffer in
      guard let base = buffer.baseAddress else { return }
      while true {
        let count = read(descriptor, base, Self.bufferSize)
        if count < 0, errno == EINTR { continue }
        if count <= 0 { return }
        Self.parse(UnsafeRawBufferPointer(start: base, count: count), into: &queue)
      }
    }
  }

  /// The records of a buffer as inotify(7) lays them out.
  static func parse(_ bytes: UnsafeRawBufferPointer, into events: inout [WatchEvent]) {
    var offset = 0
    while offset + 16 <= bytes.count {
      func word(_ at: Int) -> UInt32 {
        bytes.loadUnaligned(fromByteOffset: offset + at, as: UInt32.self)
      }
      let length = Int(word(12))
      let name = bytes[(offset + 16)..<min(bytes.count, offset + 16 + length)]
      events.append(
        WatchEvent(
          watch: Int32(bitPattern: word(0)), mask: .init(rawValue: word(4)), cookie: word(8),
          name: Array(name.prefix { $0 != 0 })))
      offset += 16 + length
    }
  }

  private static func wake(_ descriptor: Int32) {
    var one: UInt64 = 1
    _ = write(descriptor, &one, 8)
  }
}
