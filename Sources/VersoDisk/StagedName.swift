/// The name of a file in the staging folder: what a start after a kill has to go by.
///
/// `OPERATION-NUMBER-INODE-BORN.new` is a complete staged copy, or what it was exchanged for;
/// `OPERATION-NUMBER.part` a staged copy being made; `OPERATION-NUMBER.old` a file of the user's that
/// was renamed aside.
struct StagedName: Hashable {
  enum Role: Hashable {
    case part
    case new(Mark)
    case old
  }

  /// By what a staged copy knows itself again.
  ///
  /// The time of birth is there for file systems that show inodes of several disks as one
  /// (overlayfs), where two files may have the same number.
  struct Mark: Hashable {
    let inode: UInt64
    /// Nanoseconds since 1970; 0 where unknown.
    let born: UInt64

    init(inode: UInt64, born: UInt64) {
      self.inode = inode
      self.born = born
    }

    init(_ status: FileStatus) {
      inode = status.inode
      born =
        status.born.map {
          UInt64(truncatingIfNeeded: $0.seconds) &* 1_000_000_000 &+ UInt64($0.nanoseconds)
        } ?? 0
    }
  }

  let operation: [UInt8]
  let number: Int
  let role: Role

  var bytes: [UInt8] {
    let start = operation + Array("-\(number)".utf8)
    return switch role {
    case .part: start + Array(".part".utf8)
    case .new(let mark): start + Array("-\(mark.inode)-\(mark.born).new".utf8)
    case .old: start + Array(".old".utf8)
    }
  }

  init(operation: [UInt8], number: Int, role: Role) {
    self.operation = operation
    self.number = number
    self.role = role
  }

  /// Reads a name; `nil` for one that is none of ours.
  init?(_ bytes: [UInt8]) {
    guard let dot = bytes.lastIndex(of: UInt8(ascii: ".")) else { return nil }
    let parts = bytes[..<dot].split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    guard parts.count >= 2, Self.isOperation(Array(parts[0])),
      let number = Int(String(decoding: parts[1], as: UTF8.self))
    else { return nil }
    switch (String(decoding: bytes[dot...], as: UTF8.self), parts.count) {
    case (".part", 2): role = .part
    case (".old", 2): role = .old
    case (".new", 4):
      guard let inode = UInt64(String(decoding: parts[2], as: UTF8.self)),
        let born = UInt64(String(decoding: parts[3], as: UTF8.self))
      else { return nil }
      role = .new(Mark(inode: inode, born: born))
    default: return nil
    }
    operation = Array(parts[0])
    self.number = number
    // "+1" and "01" read as numbers too, but are no names that we wrote.
    guard self.bytes == bytes else { return nil }
  }

  static func isOperation(_ bytes: [UInt8]) -> Bool {
    1...40 ~= bytes.count
      && bytes.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
          UInt8(ascii: "A")...UInt8(ascii: "Z"):
          true
        default: false
        }
      }
  }
}
