import CLinux
import Glibc
package import VersoModel

/// What `statx(2)` says of a path, its links not followed.
package struct FileStatus: Hashable, Sendable {
  package enum Kind: Hashable, Sendable { case folder, file, link, special }

  // In this order nothing is lost to alignment: there may be a million of these.
  package var device: UInt64
  package var inode: UInt64
  /// Bytes.
  package var size: UInt64
  package var modified: Timestamp
  /// The whole `st_mode`.
  package var mode: UInt32
  package var changed: Timestamp
  package var owner: UInt32
  private var birth: Timestamp
  package var group: UInt32
  /// Hard links.
  package var links: UInt32

  /// When the inode was made; `nil` where the file system does not say.
  package var born: Timestamp? {
    get { birth.seconds == Int64.min ? nil : birth }
    set { birth = newValue ?? Timestamp(seconds: Int64.min, nanoseconds: 0) }
  }

  package var kind: Kind {
    switch mode & S_IFMT {
    case S_IFDIR: .folder
    case S_IFREG: .file
    case S_IFLNK: .link
    default: .special
    }
  }

  /// The kind as git records it; `nil` for FIFOs, sockets and devices.
  package var itemKind: Item.Kind? {
    switch kind {
    case .folder: .folder
    case .file: mode & S_IXUSR != 0 ? .executable : .file
    case .link: .link
    case .special: nil
    }
  }

  init(_ s: verso_stat) {
    device = s.device
    inode = s.inode
    size = s.size
    modified = Timestamp(seconds: s.mtime_sec, nanoseconds: s.mtime_nsec)
    changed = Timestamp(seconds: s.ctime_sec, nanoseconds: s.ctime_nsec)
    birth = Timestamp(seconds: s.btime_sec, nanoseconds: s.btime_nsec)
    mode = s.mode
    owner = s.uid
    group = s.gid
    links = s.links
  }

  /// Whether nothing that a writer changes has changed: identity, size, both times, mode.
  package func isUnchanged(since earlier: FileStatus) -> Bool {
    device == earlier.device && inode == earlier.inode && size == earlier.size
      && modified == earlier.modified && changed == earlier.changed && mode == earlier.mode
  }
}

/// A time of the file system's clock.
package struct Timestamp: Hashable, Comparable, Sendable {
  /// Seconds since 1970.
  package var seconds: Int64
  /// 0 to 999,999,999.
  package var nanoseconds: UInt32

  package init(seconds: Int64, nanoseconds: UInt32) {
    self.seconds = seconds
    self.nanoseconds = nanoseconds
  }

  package static func < (a: Timestamp, b: Timestamp) -> Bool {
    (a.seconds, a.nanoseconds) < (b.seconds, b.nanoseconds)
  }

  /// Seconds between two times, negative where `other` is later.
  package func timeInterval(since other: Timestamp) -> Double {
    Double(seconds - other.seconds)
      + (Double(nanoseconds) - Double(other.nanoseconds)) / 1_000_000_000
  }

  /// The real-time clock's present time.
  package static func now() -> Timestamp {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(seconds: Int64(time.tv_sec), nanoseconds: UInt32(time.tv_nsec))
  }
}
