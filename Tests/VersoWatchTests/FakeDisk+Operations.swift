import Glibc
import VersoModel
import VersoWatch

/// What programs do to a fake disk.
extension FakeDisk {
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
