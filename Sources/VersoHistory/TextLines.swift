import Glibc

/// Going through a text line by line, without copies.
package enum TextLines {
  /// Calls `body` with each line, without its ending, and its number from 0.
  package static func forEach(
    in text: [UInt8], _ body: (UnsafeRawBufferPointer, Int) -> Void
  ) {
    text.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return }
      var (at, number) = (0, 0)
      while at < bytes.count {
        let found = memchr(base + at, 0x0A, bytes.count - at)
        let end = found.map { UnsafeRawPointer($0) - base } ?? bytes.count
        let bare = end > at && bytes[end - 1] == 0x0D ? end - 1 : end
        body(UnsafeRawBufferPointer(rebasing: bytes[at..<bare]), number)
        at = end + 1
        number += 1
      }
    }
  }
}
