import Glibc

/// A path below the root of a vault, as the bytes that the file system holds.
///
/// Linux names are byte strings, not text: a name that is not valid UTF-8 round-trips here, and two
/// names that differ only in Unicode normalisation stay two names. The empty path is the root
/// itself. No component is empty, `.` or `..`, and there is no leading or trailing slash.
public struct RelativePath: Hashable, Sendable {
  /// The path's bytes, components separated by `/`.
  public let bytes: [UInt8]

  /// The vault's root.
  public static let root = RelativePath(unchecked: [])

  package init(unchecked bytes: [UInt8]) { self.bytes = bytes }

  /// Makes a path from bytes.
  ///
  /// - Parameter bytes: Components separated by single slashes.
  /// - Returns: `nil` where a component is empty, `.` or `..`, or where a NUL byte occurs.
  public init?(_ bytes: some Sequence<UInt8>) {
    let bytes = Array(bytes)
    self.bytes = bytes
    if bytes.isEmpty { return }
    if bytes.contains(0) { return nil }
    for part in bytes.split(separator: Self.slash, omittingEmptySubsequences: false) {
      if part.isEmpty || part.elementsEqual([Self.dot]) || part.elementsEqual([Self.dot, Self.dot])
      {
        return nil
      }
    }
  }

  /// Makes a path from text, as its UTF-8 bytes; `nil` as for ``init(_:)-(Sequence<UInt8>)``.
  public init?(_ text: String) { self.init(text.utf8) }

  package static let slash = UInt8(ascii: "/")
  private static let dot = UInt8(ascii: ".")

  /// Whether this is the root.
  public var isRoot: Bool { bytes.isEmpty }

  /// The components, from the root down.
  public var components: [ArraySlice<UInt8>] { bytes.split(separator: Self.slash) }

  /// The last component; empty for the root.
  public var name: ArraySlice<UInt8> {
    guard let cut = bytes.lastIndex(of: Self.slash) else { return bytes[...] }
    return bytes[(cut + 1)...]
  }

  /// The folder that holds this path; the root is its own parent.
  public var parent: RelativePath {
    guard let cut = bytes.lastIndex(of: Self.slash) else { return .root }
    return RelativePath(unchecked: Array(bytes[..<cut]))
  }

  /// Every folder above this path, nearest first, without the root.
  package var ancestors: [RelativePath] {
    var found: [RelativePath] = []
    var path = parent
    while !path.isRoot {
      found.append(path)
      path = path.parent
    }
    return found
  }

  /// This path with one more component.
  ///
  /// - Precondition: `name` is a valid component.
  public func appending(_ name: some Collection<UInt8>) -> RelativePath {
    precondition(!name.isEmpty && !name.contains(Self.slash) && !name.contains(0))
    if isRoot { return RelativePath(unchecked: Array(name)) }
    var joined = bytes
    joined.reserveCapacity(bytes.count + 1 + name.count)
    joined.append(Self.slash)
    joined.append(contentsOf: name)
    return RelativePath(unchecked: joined)
  }

  /// The same with a name that the kernel or git's index has given.
  ///
  /// - Precondition: `name` is a valid component.
  package func appending(_ name: UnsafeRawBufferPointer) -> RelativePath {
    guard let start = name.baseAddress, memchr(start, Int32(Self.slash), name.count) == nil,
      memchr(start, 0, name.count) == nil, !name.isEmpty
    else { preconditionFailure("a name is empty or holds a slash or a NUL") }
    let prefix = isRoot ? 0 : bytes.count + 1
    let joined = [UInt8](unsafeUninitializedCapacity: prefix + name.count) { buffer, count in
      let room = UnsafeMutableRawBufferPointer(buffer)
      if prefix > 0 {
        bytes.withUnsafeBytes { room.copyMemory(from: $0) }
        room[prefix - 1] = Self.slash
      }
      UnsafeMutableRawBufferPointer(rebasing: room[prefix...]).copyMemory(from: name)
      count = prefix + name.count
    }
    return RelativePath(unchecked: joined)
  }

  /// Whether `other` is this path or lies below it.
  public func contains(_ other: RelativePath) -> Bool {
    if isRoot { return true }
    guard other.bytes.starts(with: bytes) else { return false }
    return other.bytes.count == bytes.count || other.bytes[bytes.count] == Self.slash
  }

  /// Whether this path lies directly in `folder`.
  package func isDirectly(in folder: RelativePath) -> Bool {
    let start = folder.isRoot ? 0 : folder.bytes.count + 1
    guard bytes.count > start, folder.contains(self) else { return false }
    return !bytes[start...].contains(Self.slash)
  }

  /// The same path with a leading `old` exchanged for `new`; `nil` where `old` does not contain it.
  public func replacing(prefix old: RelativePath, with new: RelativePath) -> RelativePath? {
    guard old.contains(self) else { return nil }
    if bytes.count == old.bytes.count { return new }
    let rest = old.isRoot ? bytes[...] : bytes[(old.bytes.count + 1)...]
    return RelativePath(unchecked: new.isRoot ? Array(rest) : new.bytes + [Self.slash] + rest)
  }

  /// Calls `body` with the path as a C string.
  @inlinable
  package func withCString<R, E: Error>(
    _ body: (UnsafePointer<CChar>) throws(E) -> R
  ) throws(E) -> R {
    try Self.withCString(bytes, body)
  }

  /// Calls `body` with `bytes` as a C string.
  ///
  /// Inlinable, like all that is generic and called for every file: a generic function of another
  /// module is otherwise not specialised, and costs more than the system call.
  @inlinable
  package static func withCString<R, E: Error>(
    _ bytes: [UInt8], _ body: (UnsafePointer<CChar>) throws(E) -> R
  ) throws(E) -> R {
    try withUnsafeTemporaryAllocation(of: CChar.self, capacity: bytes.count + 1) {
      buffer throws(E) in
      bytes.withUnsafeBytes { UnsafeMutableRawBufferPointer(buffer).copyMemory(from: $0) }
      buffer[bytes.count] = 0
      guard let base = buffer.baseAddress else {
        preconditionFailure("a C string has at least its NUL")
      }
      return try body(base)
    }
  }
}

extension RelativePath: Comparable {
  /// Byte order, as git's index has it.
  public static func < (a: RelativePath, b: RelativePath) -> Bool {
    a.bytes.withUnsafeBytes { a in
      b.bytes.withUnsafeBytes { b in
        let shared = min(a.count, b.count)
        guard shared > 0, let first = a.baseAddress, let second = b.baseAddress else {
          return a.count < b.count
        }
        let order = memcmp(first, second, shared)
        return order != 0 ? order < 0 : a.count < b.count
      }
    }
  }
}

extension RelativePath: CustomStringConvertible {
  /// The path as text, invalid UTF-8 repaired: for messages only, never to find the file again.
  public var description: String { isRoot ? "." : String(decoding: bytes, as: UTF8.self) }
}

extension RelativePath: ExpressibleByStringLiteral {
  /// Makes a path from a literal.
  ///
  /// - Precondition: The literal is a valid relative path: a wrong one is a programmer's mistake.
  public init(stringLiteral value: String) {
    guard let path = RelativePath(value) else { preconditionFailure("no relative path: \(value)") }
    self = path
  }
}

extension Set<RelativePath> {
  /// Whether it holds `path` or a folder above it.
  package func covers(_ path: RelativePath) -> Bool {
    contains(path) || contains(.root) || path.ancestors.contains(where: contains)
  }
}
