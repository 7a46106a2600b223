import CLinux
import Glibc

/// A system call that failed, in the C library's words.
package struct SystemError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The `errno`.
  package let code: Int32

  package init(_ code: Int32) { self.code = code }

  package var description: String {
    var buffer = [CChar](repeating: 0, count: 256)
    // Swift sees the POSIX form of strerror_r(3), which fills the buffer and returns a status.
    guard strerror_r(code, &buffer, buffer.count) == 0 else { return "error \(code)" }
    return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}

/// The system calls of terminals and streams.
enum Terminal {
  /// Writes everything, however often the call is interrupted.
  ///
  /// - Returns: The `errno` of a failure; `nil` where all was written.
  static func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32? {
    var done = 0
    while done < bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
      let count = write(descriptor, rest.baseAddress, rest.count)
      if count >= 0 {
        done += count
      } else if errno == EAGAIN {
        // Someone made the stream non-blocking; terminals share that with other processes.
        var poller = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&poller, 1, -1)
      } else if errno != EINTR {
        return errno
      }
    }
    return nil
  }

  /// Columns of a terminal: its own answer, else `COLUMNS`, else 80.
  static func columns(_ descriptor: Int32, _ environment: (String) -> String?) -> Int {
    let own = Int(verso_window_size(descriptor) >> 16)
    if own > 0 { return own }
    let given = environment("COLUMNS").flatMap { Int($0) } ?? 0
    return given > 0 ? given : 80
  }

  /// Opens `/dev/null` in place of a standard stream that was closed.
  ///
  /// Otherwise the next file that is opened would take its number, and messages would be written into
  /// a note. Each is opened the wrong way round, so that using it still fails.
  static func claimStandardStreams() {
    for (descriptor, mode) in [(Int32(0), O_WRONLY), (1, O_RDONLY), (2, O_RDONLY)] {
      guard verso_fcntl(descriptor, F_GETFD, 0) < 0 else { continue }
      // The lowest free number is this one, as those below it are in use.
      _ = open("/dev/null", mode)
    }
  }
}
