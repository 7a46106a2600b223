import CLinux
import Glibc
import VersoModel
import VersoWatch

@testable import VersoDisk

/// A disk in memory that tells of every operation what inotify would: which events, in which order,
/// from which watch. Paths are text, with slashes, relative to the root.
final class FakeDisk {
  final class Inode {
    let number: UInt64
    let born: Int64?
    var mode: UInt32
    var content: [UInt8] = []
    var modified: Int64
    var changed: Int64
    var links = 1
    var writers = 0
    var device: UInt64 = 1
    var isReadable = true
    var entries: [[UInt8]: Entry] = [:]
    var watch: Int32?

    init(_ number: UInt64, born: Int64?, mode: UInt32, at time: Int64) {
      self.number = number
      self.born = born
      self.mode = mode
      modified = time
      changed = time
    }

    var isFolder: Bool { mode & S_IFMT == S_IFDIR }
  }

  /// A name of an inode, which a descriptor that was opened by it follows.
  final class Entry {
    let inode: Inode
    var folder: Inode?
    var name: [UInt8]

    init(_ inode: Inode, in folder: Inode, as name: [UInt8]) {
      self.inode = inode
      self.folder = folder
      self.name = name
    }
  }

  /// A descriptor that is open for writing.
  final class OpenFile {
    let disk: FakeDisk
    let entry: Entry
    private(set) var isOpen = true

    init(_ disk: FakeDisk, _ entry: Entry) {
      self.disk = disk
      self.entry = entry
      entry.inode.writers += 1
    }

    func write(_ text: String) {
      entry.inode.content += Array(text.utf8)
      disk.stampContent(entry.inode)
      disk.tell(entry, .modified)
    }

    func truncate() {
      if entry.inode.content.isEmpty { return }
      entry.inode.content = []
      disk.stampContent(entry.inode)
      disk.tell(entry, .modified)
    }

    func close() {
      if !isOpen { return }
      isOpen = false
      entry.inode.writers -= 1
      disk.tell(entry, .closed)
    }
  }

  /// Seconds.
  var now = FakeDisk.begin
  static let begin = 1_000_000.0
  let hasBirthTimes: Bool
  /// As on ext4, where the next file gets the number of the one just deleted.
  let reusesInodes: Bool
  var isMounted = true
  var queueLimit = 16_384
  var watchLimit = Int.max
  private(set) var root: Inode
  private(set) var queue: [WatchEvent] = []
  private(set) var watches: [Int32: Inode] = [:]
  var freed: [UInt64] = []
  private var lastInode: UInt64 = 100
  private var lastWatch: Int32 = 0
  var lastCookie: UInt32 = 0
  private var ticks: Int64 = 0

  init(hasBirthTimes: Bool = true, reusesInodes: Bool = true) {
    self.hasBirthTimes = hasBirthTimes
    self.reusesInodes = reusesInodes
    root = Inode(99, born: hasBirthTimes ? 1 : nil, mode: S_IFDIR | 0o755, at: 1)
  }

  // MARK: Events

  func post(_ event: WatchEvent) {
    if queue.last == event { return }
    if queue.count > queueLimit { return }
    if queue.count == queueLimit { return queue.append(WatchEvent(watch: -1, mask: .overflowed)) }
    queue.append(event)
  }

  func tell(_ entry: Entry, _ mask: WatchEvent.Mask, cookie: UInt32 = 0) {
    guard let watch = entry.folder?.watch else { return }
    let mask = entry.inode.isFolder ? mask.union(.isFolder) : mask
    post(WatchEvent(watch: watch, mask: mask, cookie: cookie, name: entry.name))
  }

  func tellOfItself(_ inode: Inode, _ mask: WatchEvent.Mask) {
    if let watch = inode.watch { post(WatchEvent(watch: watch, mask: mask)) }
  }

  /// The first events of the queue, or all.
  func takeEvents(_ count: Int = .max) -> [WatchEvent] {
    let taken = Array(queue.prefix(count))
    queue.removeFirst(taken.count)
    return taken
  }

  /// Tells once more of something that was told of and not read yet.
  func repeatEvent(_ index: Int) {
    if queue.indices.contains(index) { queue.append(queue[index]) }
  }

  /// Loses all events that wait, as when too many came.
  func loseEvents(after kept: Int = 0) {
    queue = Array(queue.prefix(kept)) + [WatchEvent(watch: -1, mask: .overflowed)]
  }

  /// Watches a folder, as inotify_add_watch(2); `nil` at the limit.
  func watch(_ folder: Inode) -> Int32? {
    if let watch = folder.watch { return watch }
    if watches.count >= watchLimit { return nil }
    lastWatch += 1
    folder.watch = lastWatch
    watches[lastWatch] = folder
    return lastWatch
  }

  func unwatch(_ watch: Int32) {
    guard let inode = watches[watch] else { return }
    post(WatchEvent(watch: watch, mask: .ignored))
    forget(inode)
  }

  func forget(_ inode: Inode) {
    if let watch = inode.watch { watches[watch] = nil }
    inode.watch = nil
  }

  /// What closing the inotify descriptor does.
  func dropWatches() {
    for inode in watches.values { inode.watch = nil }
    watches = [:]
    queue = []
    lastWatch = 0
  }

  /// Unmounts the root, with or without the events that a plain `umount` makes.
  func unmount(silently: Bool = false) {
    isMounted = false
    if silently { return }
    for (watch, _) in watches.sorted(by: { $0.key < $1.key }) {
      post(WatchEvent(watch: watch, mask: .unmounted))
      post(WatchEvent(watch: watch, mask: .ignored))
    }
    for inode in watches.values { inode.watch = nil }
    watches = [:]
  }

  // MARK: Finding

  func entry(_ path: String) -> Entry? { entry(RelativePath(stringLiteral: path)) }

  func entry(_ path: RelativePath) -> Entry? {
    guard let folder = inode(path.parent), !path.isRoot else { return nil }
    return folder.entries[Array(path.name)]
  }

  func inode(_ path: RelativePath) -> Inode? {
    var inode = root
    for part in path.components {
      guard inode.isFolder, let next = inode.entries[Array(part)] else { return nil }
      inode = next.inode
    }
    return inode
  }

  func text(_ path: String) -> String? {
    entry(path).map { String(decoding: $0.inode.content, as: UTF8.self) }
  }

  /// All files and folders, by path.
  var everything: [RelativePath: Inode] {
    var found: [RelativePath: Inode] = [:]
    func collect(_ folder: Inode, _ path: RelativePath) {
      for (name, entry) in folder.entries {
        let below = path.appending(name)
        found[below] = entry.inode
        if entry.inode.isFolder { collect(entry.inode, below) }
      }
    }
    collect(root, .root)
    return found
  }

  // MARK: Times and numbers

  func stamp() -> Int64 {
    ticks += 1
    return Int64(now * 1_000_000) * 1000 + ticks
  }

  func stampContent(_ inode: Inode) {
    inode.modified = stamp()
    inode.changed = inode.modified
  }

  func make(_ mode: UInt32) -> Inode {
    let time = stamp()
    let number: UInt64
    if reusesInodes, let last = freed.popLast() {
      number = last
    } else {
      lastInode += 1
      number = lastInode
    }
    return Inode(number, born: hasBirthTimes ? time : nil, mode: mode, at: time)
  }

  static func status(_ inode: Inode) -> FileStatus {
    var s = verso_stat()
    s.device = inode.device
    s.inode = inode.number
    s.mode = inode.mode
    s.size = UInt64(inode.content.count)
    s.links = UInt32(inode.links)
    let billion: Int64 = 1_000_000_000
    (s.mtime_sec, s.mtime_nsec) = (inode.modified / billion, UInt32(inode.modified % billion))
    (s.ctime_sec, s.ctime_nsec) = (inode.changed / billion, UInt32(inode.changed % billion))
    (s.btime_sec, s.btime_nsec) = (Int64.min, 0)
    if let born = inode.born {
      (s.btime_sec, s.btime_nsec) = (born / billion, UInt32(born % billion))
    }
    return FileStatus(s)
  }
}
