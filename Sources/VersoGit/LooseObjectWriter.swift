import Glibc
package import VersoDisk
package import VersoModel

/// Writes each object as a file of its own, as git does: right for a few.
///
/// An object is staged under a name that git's own clean-up knows (`tmp_obj_…`), and gets its real
/// name only when its bytes are durable: a power cut leaves no object that is there but empty.
///
/// Unchecked: the mutable parts are touched within `mutex` only.
package final class LooseObjectWriter: ObjectWriter, @unchecked Sendable {
  private struct Staged {
    let id: ObjectID
    let descriptor: Int32
    let name: [UInt8]
  }

  /// So many files wait open at most.
  private static let batch = 64

  private let objects: Int32
  private let store: any FileStore
  private let contains: @Sendable (ObjectID) -> Bool
  private let mutex = SectionLock()
  private let deflater = Deflater(level: 1)
  private var known = Set<ObjectID>()
  private var staged: [Staged] = []
  /// Bytes in the files written so far.
  package private(set) var size = 0

  /// Makes a writer.
  ///
  /// - Parameters:
  ///   - objects: The open folder `objects` of the git directory; the caller keeps it open.
  ///   - contains: Whether the repository has an object already, such as in a pack. Called within
  ///     the writer's lock, and only for what is not loose: that is looked for here.
  package init(
    objects: Int32, store: any FileStore, contains: @escaping @Sendable (ObjectID) -> Bool
  ) {
    self.objects = objects
    self.store = store
    self.contains = contains
  }

  deinit { for file in staged { discard(file) } }

  private func discard(_ file: Staged) {
    store.close(file.descriptor)
    do throws(DiskError) { try store.unlinking(file.name, in: objects) } catch {
      return  // A left temporary is cleared away by the next start, or by git's own gc.
    }
  }

  package func write(
    _ kind: Repository.ObjectKind, _ bytes: UnsafeRawBufferPointer
  ) throws(DiskError) -> ObjectID {
    let id = SHA1.id(of: kind, bytes)
    try mutex.withLock { () throws(DiskError) in
      guard try isNew(id) else { return }
      let header = Array("\(kind.name) \(bytes.count)\0".utf8)
      let room = Deflater.bound(bytes.count + header.count)
      let packed = UnsafeMutableRawPointer.allocate(byteCount: room, alignment: 16)
      defer { packed.deallocate() }
      let count = header.withUnsafeBytes { deflater.whole([$0, bytes], into: packed, room: room) }
      let file = try stage(id)
      do throws(DiskError) {
        try store.writingAll(
          UnsafeRawBufferPointer(start: packed, count: count), to: file.descriptor,
          path: file.name)
      } catch {
        discard(file)
        throw error
      }
      try add(file, size: count)
    }
    return id
  }

  package func writeBlob(from descriptor: Int32, size: Int) throws(DiskError) -> ObjectID? {
    try mutex.withLock { () throws(DiskError) in
      // The name is known only at the end.
      let file = try stage(nil)
      let poured: ObjectID?
      do throws(DiskError) {
        poured = try pour(from: descriptor, size: size, into: file)
      } catch {
        discard(file)
        throw error
      }
      do throws(DiskError) {
        guard let id = poured, try isNew(id) else {
          discard(file)
          return poured
        }
      } catch {
        discard(file)
        throw error
      }
      guard let id = poured else { return nil }
      try add(Staged(id: id, descriptor: file.descriptor, name: file.name), size: size)
      return id
    }
  }

  private func pour(
    from descriptor: Int32, size: Int, into file: Staged
  ) throws(DiskError) -> ObjectID? {
    var hash = SHA1()
    let output = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
    defer { output.deallocate() }
    func emit(_ bytes: UnsafeRawBufferPointer) throws(DiskError) {
      try store.writingAll(bytes, to: file.descriptor, path: file.name)
    }
    let header = Array("blob \(size)\0".utf8)
    header.withUnsafeBytes { hash.update($0) }
    deflater.begin()
    var failure: DiskError?
    header.withUnsafeBytes { bytes in
      do throws(DiskError) {
        try deflater.add(bytes, isLast: false, through: output, emit)
      } catch { failure = error }
    }
    if let failure { throw failure }
    let isWhole = try store.readPieces(of: descriptor, size: size) {
      (piece, isLast) throws(DiskError) in
      hash.update(piece)
      try deflater.add(piece, isLast: isLast, through: output, emit)
    }
    return isWhole ? hash.finish() : nil
  }

  /// Whether an object has to be written.
  ///
  /// One that is loose gets new times, as git does it: it may be an old leftover that nothing refers
  /// to, which a `git gc` that is at work now would delete (git-gc(1), `gc.pruneExpire`). An empty
  /// file is what a power cut leaves of git's own objects; it is written again.
  private func isNew(_ id: ObjectID) throws(DiskError) -> Bool {
    if known.contains(id) { return false }
    let path = Self.path(of: id)
    guard let status = try store.status(of: path, in: objects) else { return !contains(id) }
    if status.size == 0 { return true }
    // An object of another user's refuses new times; its age is that user's affair.
    _ = RelativePath.withCString(path) { store.setModified(objects, $0, Timestamp.now()) }
    return false
  }

  private static func path(of id: ObjectID) -> [UInt8] {
    let hex = Array(id.hex.utf8)
    return hex[..<2] + [RelativePath.slash] + hex[2...]
  }

  private func stage(_ id: ObjectID?) throws(DiskError) -> Staged {
    // Random and not the process's number: in a container, that of a killed process comes again.
    let name = Array("tmp_obj_verso_\(UInt64.random(in: .min ... .max))".utf8)
    let result = RelativePath.withCString(name) {
      store.open(objects, $0, O_RDWR | O_CREAT | O_EXCL, 0o444)
    }
    if result < 0 { throw store.failure(-result, "make", name, in: objects) }
    return Staged(id: id ?? .zero, descriptor: result, name: name)
  }

  private func add(_ file: Staged, size: Int) throws(DiskError) {
    staged.append(file)
    known.insert(file.id)
    self.size += size
    if staged.count >= Self.batch { try publish() }
  }

  package func flush() throws(DiskError) {
    try mutex.withLock { () throws(DiskError) in try publish() }
  }

  package func finish() throws(DiskError) { try flush() }

  /// Gives durable objects their names.
  private func publish() throws(DiskError) {
    try store.syncing(staged.map { (descriptor: $0.descriptor, path: $0.name) })
    var folders = Set<[UInt8]>()
    while let file = staged.last {
      let path = Self.path(of: file.id)
      folders.insert(Array(path[..<2]))
      if try name(file, path) { folders.insert([UInt8(ascii: ".")]) }
      staged.removeLast()
      store.close(file.descriptor)
    }
    try syncFolders(folders)
  }

  /// Gives an object its name; true where its folder had to be made.
  private func name(_ file: Staged, _ path: [UInt8]) throws(DiskError) -> Bool {
    do throws(DiskError) {
      try store.renaming(file.name, in: objects, to: path, in: objects)
      return false
    } catch  where error.code == ENOENT {
      // Tried first and made then, and tried again: git removes folders that it has emptied.
      for _ in 0..<4 {
        try store.makingFolder(Array(path[..<2]), in: objects)
        do throws(DiskError) {
          try store.renaming(file.name, in: objects, to: path, in: objects)
          return true
        } catch  where error.code == ENOENT { continue }
      }
      throw error
    }
  }

  private func syncFolders(_ names: Set<[UInt8]>) throws(DiskError) {
    var folders: [(descriptor: Int32, path: [UInt8])] = []
    defer { for folder in folders { store.close(folder.descriptor) } }
    for name in names {
      let result = RelativePath.withCString(name) {
        store.open(objects, $0, O_RDONLY | O_DIRECTORY, 0)
      }
      if result < 0 { throw store.failure(-result, "open", name, in: objects) }
      folders.append((result, name))
    }
    try store.syncing(folders)
  }
}
