import CLinux
import Glibc

/// A pipe that ends a wait: by signals, which write their number, and by other threads, which write 0.
///
/// It lives as long as anything that may still write to it.
final class WakePipe: Sendable {
  let reader: Int32
  let writer: Int32

  /// - Throws: The `errno`, where there are no descriptors left.
  init() throws(ScreenError) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw .system("make a pipe", errno) }
    (reader, writer) = (ends[0], ends[1])
    for end in ends {
      _ = verso_fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = verso_fcntl(end, F_SETFL, O_NONBLOCK)
    }
  }

  deinit {
    Glibc.close(reader)
    Glibc.close(writer)
  }

  func wake() {
    var byte: UInt8 = 0
    // A full pipe wakes as well.
    _ = write(writer, &byte, 1)
  }

  /// What was written since this was last asked, each once.
  func drain() -> Set<UInt8> {
    var bytes = [UInt8](repeating: 0, count: 4096)
    var found: Set<UInt8> = []
    while true {
      let count = read(reader, &bytes, bytes.count)
      guard count > 0 else { return found }
      found.formUnion(bytes[..<count])
    }
  }
}
