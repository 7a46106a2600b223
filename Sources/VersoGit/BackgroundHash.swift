import Glibc
import VersoDisk
import VersoModel

/// SHA-1 on a thread of its own, so that one file's bytes are hashed while they are written.
///
/// Pieces are hashed in the order in which they are added. For one thread that adds and waits.
struct BackgroundHash: ~Copyable {
  /// What both threads touch, within `lock` only, but for `hash`, which is the helper's until it has
  /// ended.
  ///
  /// Unchecked: see above.
  private final class Shared: @unchecked Sendable {
    let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    let news = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    var pieces: [UnsafeRawBufferPointer] = []
    /// How many pieces have been hashed.
    var done = 0
    var isEnding = false
    var hash = SHA1()

    init() {
      pthread_mutex_init(lock, nil)
      pthread_cond_init(news, nil)
    }

    deinit {
      pthread_cond_destroy(news)
      pthread_mutex_destroy(lock)
      news.deallocate()
      lock.deallocate()
    }

    func withLock<R>(_ body: () -> R) -> R {
      pthread_mutex_lock(lock)
      defer { pthread_mutex_unlock(lock) }
      return body()
    }

    /// Hashes until there is no more to come.
    func run() {
      while let piece = next() {
        hash.update(piece)
        withLock {
          done += 1
          _ = pthread_cond_broadcast(news)
        }
      }
    }

    private func next() -> UnsafeRawBufferPointer? {
      withLock {
        while pieces.count == done, !isEnding { pthread_cond_wait(news, lock) }
        return pieces.count == done ? nil : pieces[done]
      }
    }

    func wait(for count: Int) {
      withLock { while done < count { pthread_cond_wait(news, lock) } }
    }
  }

  private let shared: Shared
  private let thread: Threads.Handle

  /// Starts the thread; `nil` where the system gives none.
  init?() {
    let shared = Shared()
    guard let thread = Threads.start({ shared.run() }) else { return nil }
    self.shared = shared
    self.thread = thread
  }

  deinit { end() }

  private func end() {
    shared.withLock {
      shared.isEnding = true
      _ = pthread_cond_broadcast(shared.news)
    }
    thread.join()
  }

  /// Adds a piece, whose memory must stay as it is until it has been hashed.
  ///
  /// - Returns: How many pieces there are now, for ``wait(for:)``.
  func add(_ piece: UnsafeRawBufferPointer) -> Int {
    shared.withLock {
      shared.pieces.append(piece)
      _ = pthread_cond_broadcast(shared.news)
      return shared.pieces.count
    }
  }

  /// Waits until the first `count` pieces are hashed.
  func wait(for count: Int) { shared.wait(for: count) }

  /// The digest of all pieces.
  consuming func finish() -> ObjectID {
    let shared = shared
    shared.wait(for: shared.withLock { shared.pieces.count })
    return shared.withLock { shared.hash.finish() }
  }
}
