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
  private var freed: [UInt64] = []
  private var lastInode: UInt64 = 100
  private var lastWatch: Int32 = 0
  private var lastCookie: UInt32 = 0
  private var ticks: Int64 = 0

  init(hasBirthTimes: Bool = true, reusesInodes: Bool = true) {
    self.hasBirthTimes = hasBirthTimes
    self.reusesInodes = reusesInodes
    root = Inode(99, born: hasBirthTimes ? 1 : nil, mode: S_IFDIR | 0o755, at: 1)
  }

  // MARK: Events

  private func post(_ event: WatchEvent) {
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

  private func tellOfItself(_ inode: Inode, _ mask: WatchEvent.Mask) {
    if let watch = inode.watch { post(WatchEvent(watch: watch, mask: mask)) }
  }

  /// The first events of the queue, or all.
  func takeEvents(_ count: Int = .max) -> [WatchEvent] {
    let taken = Array(queue.prefix(count))
    queue.removeFirst(taken.count)
    return taken
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

  private func forget(_ inode: Inode) {
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

  private func stamp() -> Int64 {
    ticks += 1
    return Int64(now * 1_000_000) * 1000 + ticks
  }

  fileprivate func stampContent(_ inode: Inode) {
    inode.modified = stamp()
    inode.changed = inode.modified
  }

  private func make(_ mode: UInt32) -> Inode {
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

  // MARK: Operations

  private func place(_ path: String) -> (folder: Inode, name: [UInt8]) {
    let path = RelativePath(stringLiteral: path)
    guard let folder = inode(path.parent), folder.isFolder else {
      preconditionFailure("no folder for \(path)")
    }
    return (folder, Array(path.name))
  }

  private func create(_ path: String, _ mode: UInt32) -> Entry {
    let (folder, name) = place(path)
    precondition(folder.entries[name] == nil, "\(path) is there")
    let entry = Entry(make(mode), in: folder, as: name)
    folder.entries[name] = entry
    stampContent(folder)
    tell(entry, .created)
    return entry
  }

  /// Opens a file for writing at its end, and makes it where it is not there.
  func open(_ path: String, truncating: Bool = false) -> OpenFile {
    let file = OpenFile(self, entry(path) ?? create(path, S_IFREG | 0o644))
    if truncating { file.truncate() }
    return file
  }

  /// What a shell's `>` does.
  func write(_ path: String, _ text: String) {
    let file = open(path, truncating: true)
    if !text.isEmpty { file.write(text) }
    file.close()
  }

  /// What a shell's `>>` does.
  func append(_ path: String, _ text: String) {
    let file = open(path)
    file.write(text)
    file.close()
  }

  func touch(_ path: String) {
    guard let entry = entry(path) else { return write(path, "") }
    stampContent(entry.inode)
    tell(entry, .attributes)
    tell(entry, .closed)
  }

  func setMode(_ path: String, _ mode: UInt32) {
    guard let entry = entry(path) else { preconditionFailure("\(path) is not there") }
    entry.inode.mode = entry.inode.mode & S_IFMT | mode
    entry.inode.isReadable = mode & 0o400 != 0
    entry.inode.changed = stamp()
    tell(entry, .attributes)
    tellOfItself(entry.inode, [.attributes, .isFolder])
  }

  func makeFolder(_ path: String) { _ = create(path, S_IFDIR | 0o755) }

  func makeFolders(_ path: String) {
    var made = ""
    for part in path.split(separator: "/") {
      made += made.isEmpty ? String(part) : "/\(part)"
      if entry(made) == nil { makeFolder(made) }
    }
  }

  func makeLink(_ path: String, to target: String) {
    create(path, S_IFLNK | 0o777).inode.content = Array(target.utf8)
  }

  func makeFIFO(_ path: String) { _ = create(path, S_IFIFO | 0o644) }

  func hardLink(_ path: String, as new: String) {
    guard let old = entry(path) else { preconditionFailure("\(path) is not there") }
    let (folder, name) = place(new)
    let entry = Entry(old.inode, in: folder, as: name)
    folder.entries[name] = entry
    old.inode.links += 1
    old.inode.changed = stamp()
    stampContent(folder)
    tell(entry, .created)
  }

  private func drop(_ entry: Entry) {
    entry.inode.links -= 1
    entry.inode.changed = stamp()
    entry.folder = nil
    if entry.inode.links > 0, !entry.inode.isFolder { return }
    if entry.inode.watch != nil {
      tellOfItself(entry.inode, .selfDeleted)
      tellOfItself(entry.inode, .ignored)
      forget(entry.inode)
    }
    if entry.inode.writers == 0 { freed.append(entry.inode.number) }
  }

  /// What `rm` and `rmdir` do.
  func remove(_ path: String) {
    guard let entry = entry(path), let folder = entry.folder else {
      preconditionFailure("\(path) is not there")
    }
    precondition(entry.inode.entries.isEmpty, "\(path) is not empty")
    tell(entry, .deleted)
    folder.entries[entry.name] = nil
    stampContent(folder)
    drop(entry)
  }

  /// What `rm -r` does.
  func removeAll(_ path: String) {
    let names = (entry(path)?.inode.entries.keys).map(Array.init) ?? []
    for name in names.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
      removeAll(path + "/" + String(decoding: name, as: UTF8.self))
    }
    remove(path)
  }

  /// What `mv` does, replacing a file or an empty folder.
  func rename(_ old: String, _ new: String) {
    guard let entry = entry(old), let from = entry.folder else {
      preconditionFailure("\(old) is not there")
    }
    let (to, name) = place(new)
    lastCookie += 1
    tell(entry, .movedFrom, cookie: lastCookie)
    from.entries[entry.name] = nil
    let replaced = to.entries[name]
    (entry.folder, entry.name) = (to, name)
    to.entries[name] = entry
    stampContent(from)
    stampContent(to)
    entry.inode.changed = stamp()
    tell(entry, .movedTo, cookie: lastCookie)
    if entry.inode.isFolder { tellOfItself(entry.inode, .selfMoved) }
    if let replaced { drop(replaced) }
  }

  /// What renameat2(2) does with `RENAME_EXCHANGE`.
  func exchange(_ a: String, _ b: String) {
    guard let first = entry(a), let second = entry(b), let one = first.folder,
      let other = second.folder
    else { preconditionFailure("\(a) or \(b) is not there") }
    lastCookie += 2
    tell(first, .movedFrom, cookie: lastCookie)
    (first.folder, second.folder) = (second.folder, first.folder)
    (first.name, second.name) = (second.name, first.name)
    one.entries[second.name] = second
    other.entries[first.name] = first
    for inode in [one, other] { stampContent(inode) }
    for entry in [first, second] { entry.inode.changed = stamp() }
    tell(first, .movedTo, cookie: lastCookie)
    if first.inode.isFolder { tellOfItself(first.inode, .selfMoved) }
    // The other half: the kernel tells of it with a cookie of its own.
    let name = first.name
    if let watch = other.watch {
      let mask: WatchEvent.Mask = second.inode.isFolder ? [.movedFrom, .isFolder] : .movedFrom
      post(WatchEvent(watch: watch, mask: mask, cookie: lastCookie - 1, name: name))
    }
    tell(second, .movedTo, cookie: lastCookie - 1)
    if second.inode.isFolder { tellOfItself(second.inode, .selfMoved) }
  }

  /// Moves something out of the tree: half a rename.
  func moveOut(_ path: String) -> Entry {
    guard let entry = entry(path), let folder = entry.folder else {
      preconditionFailure("\(path) is not there")
    }
    lastCookie += 1
    tell(entry, .movedFrom, cookie: lastCookie)
    folder.entries[entry.name] = nil
    stampContent(folder)
    entry.folder = nil
    entry.inode.changed = stamp()
    if entry.inode.isFolder { tellOfItself(entry.inode, .selfMoved) }
    return entry
  }

  /// Moves something in from elsewhere: the other half.
  func moveIn(_ entry: Entry, _ path: String) {
    let (folder, name) = place(path)
    lastCookie += 1
    (entry.folder, entry.name) = (folder, name)
    folder.entries[name] = entry
    stampContent(folder)
    entry.inode.changed = stamp()
    tell(entry, .movedTo, cookie: lastCookie)
    if entry.inode.isFolder { tellOfItself(entry.inode, .selfMoved) }
  }

  /// A store through a mapping, of which nobody is told.
  func storeByMapping(_ path: String, _ text: String) {
    guard let entry = entry(path) else { preconditionFailure("\(path) is not there") }
    entry.inode.content = Array(text.utf8)
    stampContent(entry.inode)
  }

  /// Mounts another file system over a folder; gives back what is hidden.
  func mount(over path: String) -> Entry {
    guard let hidden = entry(path), let folder = hidden.folder else {
      preconditionFailure("\(path) is not there")
    }
    let inode = make(S_IFDIR | 0o755)
    inode.device = 2
    folder.entries[hidden.name] = Entry(inode, in: folder, as: hidden.name)
    return hidden
  }

  /// Unmounts it.
  func unmount(_ hidden: Entry) { hidden.folder?.entries[hidden.name] = hidden }
}
