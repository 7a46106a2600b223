import Glibc
package import VersoDisk
package import VersoModel

/// git's index (`.git/index`), versions 2 to 4, mapped and read in place.
///
/// git and Verso replace the file by renaming, so a mapping keeps what was there when it was
/// opened. Nothing here writes: ``IndexPatch`` makes the next index beside it.
package final class IndexFile {
  /// A reason why the entries alone are not the whole truth of what is tracked or expected on disk.
  package enum Obstacle: Hashable, Sendable, CustomStringConvertible {
    /// The rest lies in a `sharedindex.*` file (extension `link`); the table is empty then.
    case splitIndex
    /// Whole folders stand as one entry each, their names ending in a slash (extension `sdir`).
    case sparseIndex
    /// Some path is not expected on disk (`git sparse-checkout`).
    case skipWorktree
    /// An extension that must be understood, and is not.
    case unknownExtension(String)

    package var description: String {
      switch self {
      case .splitIndex: "it is split (`git update-index --no-split-index` joins it)"
      case .sparseIndex: "it is sparse (`git sparse-checkout disable` makes it whole)"
      case .skipWorktree:
        "it hides paths from the work tree (`git sparse-checkout disable` brings them back)"
      case .unknownExtension(let name): "it uses the extension \(name), which Verso does not know"
      }
    }
  }

  /// An extension's four letters.
  struct Signature: RawRepresentable, Hashable {
    let rawValue: UInt32
    static let cacheTree = Signature(rawValue: 0x5452_4545)  // TREE
    static let resolveUndo = Signature(rawValue: 0x5245_5543)  // REUC
    static let untrackedCache = Signature(rawValue: 0x554E_5452)  // UNTR
    static let monitor = Signature(rawValue: 0x4653_4D4E)  // FSMN
    static let endOfEntries = Signature(rawValue: 0x454F_4945)  // EOIE
    static let entryOffsets = Signature(rawValue: 0x4945_4F54)  // IEOT
    static let splitIndex = Signature(rawValue: 0x6C69_6E6B)  // link
    static let sparseIndex = Signature(rawValue: 0x7364_6972)  // sdir

    /// Whether a reader may skip what it does not know: the first letter is a capital.
    var isOptional: Bool { (0x41...0x5A).contains(rawValue >> 24) }

    var name: String {
      withUnsafeBytes(of: rawValue.bigEndian) { String(decoding: $0, as: UTF8.self) }
    }
  }

  struct Extension {
    let signature: Signature
    let bytes: UnsafeRawBufferPointer
  }

  static let headerSize = 12
  static let trailerSize = ObjectID.byteCount

  /// 2, 3 or 4.
  package let version: UInt32
  /// The entries, each name followed by a NUL.
  package let table: StatTable
  /// What a preflight must look at; empty for an ordinary index.
  package let obstacles: [Obstacle]
  /// The whole file.
  let bytes: UnsafeRawBufferPointer
  /// The first byte of the file.
  let base: UnsafeRawPointer
  /// Where the last entry ends.
  let entriesEnd: Int
  let extensions: [Extension]
  /// The rows that may have changed since the index was written without their stat showing it.
  let racy: ContiguousArray<UInt32>
  private let hasStages: Bool
  private let owner: AnyObject

  /// The folders' cached tree ids; `nil` where the file has none.
  private(set) lazy var cacheTree: CacheTree? = extensions.first { $0.signature == .cacheTree }
    .flatMap { CacheTree($0.bytes) }

  /// Opens the index of a git directory.
  ///
  /// - Parameters:
  ///   - directory: The git directory's path; a linked work tree has one of its own.
  ///   - store: Reads the file.
  /// - Returns: `nil` where there is no index, as before the first `git add`.
  /// - Throws: ``IndexError``; what ``obstacles`` lists is no error here. The checksum is not
  ///   looked at, as git does not either: see ``verifyChecksum()``.
  package static func open(
    directory: String, store: any FileStore
  ) throws(IndexError) -> IndexFile? {
    let path = Array((directory + "/index").utf8)
    let mapping: Mapping
    do {
      mapping = try Mapping(path: path, store: store)
    } catch {
      if error.isAbsence { return nil }
      throw .disk(error)
    }
    return try IndexFile(bytes: mapping.bytes, written: mapping.modified, owner: mapping)
  }

  /// Reads an index that lies in memory.
  ///
  /// - Parameters:
  ///   - bytes: The whole file; nothing may change it.
  ///   - written: The file's modification time.
  ///   - owner: Keeps `bytes` alive.
  /// - Throws: ``IndexError``, as for ``open(directory:store:)``.
  package init(
    bytes: UnsafeRawBufferPointer, written: Timestamp, owner: AnyObject
  ) throws(IndexError) {
    guard let base = bytes.baseAddress, bytes.count >= Self.headerSize + Self.trailerSize else {
      throw .damaged("it is only \(bytes.count) bytes long")
    }
    func word(_ at: Int) -> UInt32 {
      UInt32(bigEndian: base.loadUnaligned(fromByteOffset: at, as: UInt32.self))
    }
    guard word(0) == 0x4449_5243 else { throw .damaged("it does not begin with DIRC") }
    version = word(4)
    guard (2...4).contains(version) else {
      throw .unsupported("it is of version \(version); versions 2 to 4 are known")
    }
    let content = UnsafeRawBufferPointer(rebasing: bytes.dropLast(Self.trailerSize))
    let arena = NameArena()
    let reader = IndexEntryReader(
      bytes: content, base: base, version: version,
      written: UInt32(truncatingIfNeeded: written.seconds), arena: arena)
    let entries = try reader.read(count: Int(word(8)))
    extensions = try Self.extensions(in: content, from: entries.end)
    obstacles = Self.obstacles(extensions, entries)
    let isSplit = obstacles.contains(.splitIndex)
    if entries.disorder >= 0, !isSplit {
      throw .damaged("entry \(entries.disorder) is out of order or has no name")
    }
    table = StatTable(
      rows: isSplit ? [] : entries.rows, written: written, owner: Owners(owner, arena))
    racy = isSplit ? [] : entries.racy
    entriesEnd = entries.end
    hasStages = entries.hasStages
    (self.bytes, self.base, self.owner) = (bytes, base, owner)
  }

  private static func extensions(
    in bytes: UnsafeRawBufferPointer, from start: Int
  ) throws(IndexError) -> [Extension] {
    var found: [Extension] = []
    var at = start
    while at < bytes.count {
      guard at + 8 <= bytes.count else { throw .damaged("bytes follow its last extension") }
      let signature = bytes.loadUnaligned(fromByteOffset: at, as: UInt32.self)
      let length = bytes.loadUnaligned(fromByteOffset: at + 4, as: UInt32.self)
      let size = Int(UInt32(bigEndian: length))
      guard size <= bytes.count - at - 8 else {
        throw .damaged("an extension runs past the end")
      }
      let range = (at + 8)..<(at + 8 + size)
      found.append(
        Extension(
          signature: Signature(rawValue: UInt32(bigEndian: signature)),
          bytes: UnsafeRawBufferPointer(rebasing: bytes[range])))
      at = range.upperBound
    }
    return found
  }

  private static func obstacles(_ extensions: [Extension], _ entries: IndexEntries) -> [Obstacle] {
    var found: [Obstacle] = extensions.compactMap { item in
      switch item.signature {
      case .splitIndex: .splitIndex
      case .sparseIndex: .sparseIndex
      case let other: other.isOptional ? nil : .unknownExtension(other.name)
      }
    }
    if entries.hasSkipWorktree { found.append(.skipWorktree) }
    return found
  }

  // MARK: Asking

  /// Whether the trailer is the checksum of the rest, or all zero (`index.skipHash`).
  package func verifyChecksum() -> Bool {
    let content = UnsafeRawBufferPointer(rebasing: bytes.dropLast(Self.trailerSize))
    let trailer = ObjectID(at: base + content.count)
    return trailer == .zero || trailer == SHA1.hash(content)
  }

  /// The id of the tree that `git write-tree` would write, where the index knows it.
  package var cacheTreeRoot: ObjectID? { cachedTree(of: .root) }

  /// The id of the tree that the entries below a folder make up, where the index knows it.
  package func cachedTree(of path: RelativePath) -> ObjectID? {
    guard let cacheTree, let node = cacheTree.node(at: path) else { return nil }
    return cacheTree.id(node)
  }

  /// The names of the extensions, in the file's order; for `doctor` and tests.
  package var extensionNames: [String] { extensions.map(\.signature.name) }

  /// The paths with a merge left open, each once.
  package var unmergedPaths: [RelativePath] {
    if !hasStages { return [] }
    var paths: [RelativePath] = []
    for row in table.rows where row.flags.contains(.unmerged) {
      let path = row.path
      if paths.last != path { paths.append(path) }
    }
    return paths
  }
}

/// Keeps several objects alive.
private final class Owners {
  let objects: [AnyObject]
  init(_ objects: AnyObject...) { self.objects = objects }
}

/// A file mapped for reading.
private final class Mapping {
  let bytes: UnsafeRawBufferPointer
  let modified: Timestamp

  init(path: [UInt8], store: any FileStore) throws(DiskError) {
    let file = try store.opening(path, in: AT_FDCWD, flags: O_RDONLY)
    let status = try store.status(of: file.number)
    modified = status.modified
    guard status.kind == .file else {
      throw DiskError(code: status.kind == .folder ? EISDIR : EINVAL, operation: "read", path: path)
    }
    if status.size == 0 {
      bytes = UnsafeRawBufferPointer(start: nil, count: 0)
      return
    }
    // All of it is read at once: filling the page table beforehand saves a fault per 64 KB.
    let start = mmap(
      nil, Int(status.size), PROT_READ, MAP_PRIVATE | MAP_POPULATE, file.number, 0)
    guard let start, start != MAP_FAILED else {
      throw DiskError(code: errno, operation: "map", path: path)
    }
    bytes = UnsafeRawBufferPointer(start: start, count: Int(status.size))
  }

  deinit {
    guard let start = bytes.baseAddress else { return }
    let (address, size) = (UInt(bitPattern: start), bytes.count)
    let unmap: @Sendable () -> Void = { munmap(UnsafeMutableRawPointer(bitPattern: address), size) }
    // The file was replaced and goes with its mapping, which takes milliseconds: nobody need wait.
    if size < 1 << 20 { unmap() } else { Threads.detach(unmap) }
  }
}
