import Glibc
import VersoDisk

/// How many folders the kernel watches for one user, `fs.inotify.max_user_watches` of inotify(7).
struct WatchLimit {
  let watches: Int

  init(watches: Int) { self.watches = watches }

  /// Reads it.
  ///
  /// - Returns: `nil` where the kernel says no number.
  /// - Throws: Where there is no such file, as in a kernel without inotify.
  static func present(_ store: any FileStore) throws(DiskError) -> WatchLimit? {
    let path = Array("/proc/sys/fs/inotify/max_user_watches".utf8)
    // A file in /proc says that it has no bytes: it is read to its end.
    let file = try store.opening(path, in: AT_FDCWD, flags: O_RDONLY)
    let bytes = try store.readingAll(file.number, expected: 64, path: path)
    return Int(String(decoding: bytes, as: UTF8.self).filter(\.isNumber)).map(WatchLimit.init)
  }

  /// The command that allows enough, with room for more folders and for what other programs watch.
  ///
  /// - Parameters:
  ///   - folders: How many there are.
  ///   - present: The limit that was not enough; the command never lowers it.
  static func command(toWatch folders: Int, insteadOf present: WatchLimit?) -> String {
    var limit = 65_536
    while limit < folders * 4 || limit <= present?.watches ?? 0 { limit *= 2 }
    return "sudo sysctl fs.inotify.max_user_watches=\(limit)"
  }
}
