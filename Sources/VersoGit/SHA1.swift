import CCrypto
package import VersoModel

/// SHA-1 by libcrypto, which uses the processor's instructions for it.
///
/// A value: a copy goes on from the same state, so a shared beginning is hashed once.
package struct SHA1 {
  private var state = SHA_CTX()

  package init() { SHA1_Init(&state) }

  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    guard let base = bytes.baseAddress else { return }
    SHA1_Update(&state, base, bytes.count)
  }

  /// The digest of everything so far; the state stays, and more may follow.
  package func finish() -> ObjectID {
    var state = state
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: ObjectID.byteCount) { digest in
      guard let base = digest.baseAddress else { preconditionFailure("20 bytes have an address") }
      SHA1_Final(base, &state)
      return ObjectID(at: base)
    }
  }

  package static func hash(_ bytes: UnsafeRawBufferPointer) -> ObjectID {
    var hash = SHA1()
    hash.update(bytes)
    return hash.finish()
  }

  package static func hash(_ bytes: [UInt8]) -> ObjectID { bytes.withUnsafeBytes { hash($0) } }

  /// The id that git gives an object: the digest of its kind, its size and its bytes.
  package static func id(
    of kind: Repository.ObjectKind, _ bytes: UnsafeRawBufferPointer
  ) -> ObjectID {
    var hash = SHA1()
    withUnsafeTemporaryAllocation(byteCount: 32, alignment: 1) { header in
      hash.update(UnsafeRawBufferPointer(rebasing: header[..<kind.putHeader(bytes.count, header)]))
    }
    hash.update(bytes)
    return hash.finish()
  }

  package static func id(of kind: Repository.ObjectKind, _ bytes: [UInt8]) -> ObjectID {
    bytes.withUnsafeBytes { id(of: kind, $0) }
  }
}

extension Repository.ObjectKind {
  /// Puts what git hashes and stores before an object's bytes: kind, size, and a NUL.
  ///
  /// - Parameter room: Room for 32 bytes.
  /// - Returns: How many were put.
  func putHeader(_ size: Int, _ room: UnsafeMutableRawBufferPointer) -> Int {
    let word = UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
    room.copyMemory(from: word)
    var digits = 1
    var rest = size / 10
    while rest > 0 {
      digits += 1
      rest /= 10
    }
    room[word.count] = UInt8(ascii: " ")
    let end = word.count + 1 + digits
    room[end] = 0
    rest = size
    for place in stride(from: end - 1, to: end - 1 - digits, by: -1) {
      room[place] = UInt8(ascii: "0") + UInt8(rest % 10)
      rest /= 10
    }
    return end + 1
  }

  /// The word that git writes before an object's bytes.
  package var name: StaticString {
    switch self {
    case .commit: "commit"
    case .tree: "tree"
    case .blob: "blob"
    case .tag: "tag"
    }
  }
}

extension ObjectID {
  /// The id of the tree that holds nothing.
  package static let emptyTree = SHA1.id(of: .tree, [])
  /// The id of the file that holds nothing.
  package static let emptyBlob = SHA1.id(of: .blob, [])
}
