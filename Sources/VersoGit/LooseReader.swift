import CGit2
import CLinux
import CZlib
import Glibc

/// Reads loose objects in libgit2's place, which never comes to an end of one that is cut off: its
/// inflating goes on until all bytes are there (libgit2 1.5, `git_zstream_get_output`).
///
/// It stands behind the packs and before libgit2's own reader, which still gets what is not in the
/// format that git has written since 2005 (gitformat-loose(5)). Objects of alternates are libgit2's.
enum LooseReader {
  /// The backend that libgit2 keeps, and what it needs; the first must be first.
  private struct Backend {
    var parent: git_odb_backend
    var folder: UnsafeMutablePointer<CChar>
  }

  /// As that of packs (`GIT_PACKED_PRIORITY`): among equals, who comes later is asked later.
  private static let priority: Int32 = 2

  /// Adds the reader to a repository's objects.
  static func install(in database: OpaquePointer, objects folder: UnsafePointer<CChar>) -> Int32 {
    guard let copy = strdup(folder) else { return GIT_ERROR.rawValue }
    let backend = UnsafeMutablePointer<Backend>.allocate(capacity: 1)
    backend.initialize(to: Backend(parent: git_odb_backend(), folder: copy))
    let raw = UnsafeMutableRawPointer(backend)
    let parent = raw.assumingMemoryBound(to: git_odb_backend.self)
    git_odb_init_backend(parent, UInt32(GIT_ODB_BACKEND_VERSION))
    parent.pointee.read = { data, size, type, backend, id in
      LooseReader.read(data, size, type, backend, id)
    }
    parent.pointee.read_header = { size, type, backend, id in
      LooseReader.read(nil, size, type, backend, id)
    }
    parent.pointee.foreach = { _, _, _ in 0 }
    parent.pointee.free = { backend in
      let own = UnsafeMutableRawPointer(backend)?.assumingMemoryBound(to: Backend.self)
      Glibc.free(own?.pointee.folder)
      own?.deallocate()
    }
    let status = git_odb_add_backend(database, parent, priority)
    if status < 0 { parent.pointee.free(parent) }
    return status
  }

  /// Reads an object, or its head alone where no place for its bytes is given.
  private static func read(
    _ data: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ size: UnsafeMutablePointer<Int>?,
    _ type: UnsafeMutablePointer<git_object_t>?, _ backend: UnsafeMutablePointer<git_odb_backend>?,
    _ id: UnsafePointer<git_oid>?
  ) -> Int32 {
    guard let backend, let id, let size, let type else { return GIT_PASSTHROUGH.rawValue }
    let folder = UnsafeMutableRawPointer(backend).assumingMemoryBound(to: Backend.self)
      .pointee.folder
    var name = [CChar](repeating: 0, count: 42)
    git_oid_pathfmt(&name, id)
    var path = Array(UnsafeBufferPointer(start: folder, count: strlen(folder)))
    if path.last != CChar(bitPattern: 0x2F) { path.append(CChar(bitPattern: 0x2F)) }
    let file = open(path + name, O_RDONLY | O_CLOEXEC | O_NOCTTY)
    // Whatever else is wrong with it, libgit2's own reader says so.
    guard file >= 0 else { return GIT_PASSTHROUGH.rawValue }
    defer { close(file) }
    guard var stream = LooseStream(file) else { return GIT_PASSTHROUGH.rawValue }
    defer { stream.end() }
    guard let head = stream.head() else { return damaged(name) }
    (size.pointee, type.pointee) = (head.size, head.type)
    guard let data else { return 0 }
    // libgit2 reads objects as text that ends with a zero.
    guard let bytes = git_odb_backend_data_alloc(backend, head.size + 1) else {
      return GIT_ERROR.rawValue
    }
    let room = UnsafeMutableRawBufferPointer(start: bytes, count: head.size + 1)
    guard stream.fill(UnsafeMutableRawBufferPointer(rebasing: room.dropLast())) else {
      git_odb_backend_data_free(backend, bytes)
      return damaged(name)
    }
    room[head.size] = 0
    data.pointee = bytes
    return 0
  }

  private static func damaged(_ name: [CChar]) -> Int32 {
    let id = name.filter { $0 != 0 && $0 != CChar(bitPattern: 0x2F) }.map { UInt8(bitPattern: $0) }
    git_error_set_str(
      Int32(GIT_ERROR_ODB.rawValue),
      "the object \(String(decoding: id, as: UTF8.self)) is cut off or damaged (see verso doctor)")
    return GIT_ERROR.rawValue
  }
}

/// What comes out of a loose object's file.
private struct LooseStream {
  private let file: Int32
  private let stream: UnsafeMutablePointer<z_stream>
  private let input: UnsafeMutableRawBufferPointer
  /// What came out behind the head.
  private var rest: [UInt8] = []
  private var isAtEnd = false

  private static let step = 1 << 16
  /// `commit`, a space, a size of 20 digits, a zero.
  private static let longestHead = 32

  /// - Returns: `nil` for what does not begin as zlib's streams do (RFC 1950).
  init?(_ file: Int32) {
    self.file = file
    input = .allocate(byteCount: Self.step, alignment: 16)
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    let count = Glibc.read(file, input.baseAddress, input.count)
    let isStream =
      count >= 2 && input[0] & 0x8F == 0x08 && (Int(input[0]) << 8 | Int(input[1])) % 31 == 0
    guard isStream, verso_inflate_init(stream) == Z_OK else {
      input.deallocate()
      stream.deallocate()
      return nil
    }
    take(count)
  }

  func end() {
    inflateEnd(stream)
    stream.deallocate()
    input.deallocate()
  }

  private func take(_ count: Int) {
    stream.pointee.next_in = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
    stream.pointee.avail_in = UInt32(count)
  }

  /// Inflates into all of `room`, or up to the end of the stream.
  ///
  /// - Returns: How many bytes came; `nil` where the stream is damaged or ends too early.
  private mutating func inflate(into room: UnsafeMutableRawBufferPointer) -> Int? {
    var done = 0
    while done < room.count, !isAtEnd {
      if stream.pointee.avail_in == 0 {
        let count = Glibc.read(file, input.baseAddress, input.count)
        guard count > 0 else { return nil }
        take(count)
      }
      let part = min(room.count - done, 1 << 30)
      stream.pointee.next_out = room.baseAddress?.advanced(by: done)
        .assumingMemoryBound(to: UInt8.self)
      stream.pointee.avail_out = UInt32(part)
      let status = CZlib.inflate(stream, Z_NO_FLUSH)
      done += part - Int(stream.pointee.avail_out)
      switch status {
      case Z_STREAM_END: isAtEnd = true
      case Z_OK, Z_BUF_ERROR: continue
      default: return nil
      }
    }
    return done
  }

  /// Reads the kind and the size; `nil` where they make no sense.
  mutating func head() -> (type: git_object_t, size: Int)? {
    var bytes = [UInt8](repeating: 0, count: Self.longestHead)
    guard let count = bytes.withUnsafeMutableBytes({ inflate(into: $0) }),
      let end = bytes[..<count].firstIndex(of: 0)
    else { return nil }
    let words = bytes[..<end].split(separator: 0x20, omittingEmptySubsequences: false)
    guard words.count == 2, let size = Int(String(decoding: words[1], as: UTF8.self)), size >= 0
    else { return nil }
    let type = git_object_string2type(String(decoding: words[0], as: UTF8.self))
    guard type.rawValue > 0 else { return nil }
    rest = Array(bytes[(end + 1)..<count])
    return (type, size)
  }

  /// Reads the content; `false` where there is less or more of it, or its checksum is wrong.
  mutating func fill(_ room: UnsafeMutableRawBufferPointer) -> Bool {
    guard rest.count <= room.count else { return false }
    room.copyBytes(from: rest)
    let open = UnsafeMutableRawBufferPointer(rebasing: room[rest.count...])
    guard let count = inflate(into: open), count == open.count else { return false }
    if isAtEnd { return true }
    // Only the end may follow.
    var more: [UInt8] = [0]
    return more.withUnsafeMutableBytes { inflate(into: $0) } == 0 && isAtEnd
  }
}
