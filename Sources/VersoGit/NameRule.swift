package import VersoModel

/// Which names git refuses to have in a tree, whatever the file system of the machine.
///
/// git checks on Linux too what would be `.git` to Windows and macOS, as trees travel: the rules are
/// those of `git fsck --strict` and, for symbolic links, of `core.protectNTFS`, which is on
/// everywhere. A tree with such a name could be written, but neither pushed nor checked out.
package enum NameRule {
  /// Why git would refuse the path, as the rest of a sentence that begins with it; `nil` where it is
  /// allowed.
  package static func refusal(of path: RelativePath, kind: Item.Kind = .file) -> String? {
    path.bytes.withUnsafeBytes { bytes in
      if bytes.isEmpty { return "has no name" }
      var start = 0
      while start <= bytes.count {
        var end = start
        while end < bytes.count, bytes[end] != RelativePath.slash { end += 1 }
        let isLast = end == bytes.count
        let part = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
        if let reason = refusal(ofPart: part, kind: isLast ? kind : .folder) { return reason }
        start = end + 1
      }
      return nil
    }
  }

  private static func refusal(ofPart part: UnsafeRawBufferPointer, kind: Item.Kind) -> String? {
    guard let first = part.first else { return "has an empty name in it" }
    if part.elementsEqual([dot]) || part.elementsEqual([dot, dot]) {
      return "has a name that stands for a folder itself"
    }
    // Only names that begin with one of these can be a disguise, or go on after a backslash. A short
    // name on NTFS may be nothing but a tilde and a number.
    let mayHide =
      first == dot || first | 0x20 == UInt8(ascii: "g") || first == UInt8(ascii: "~")
      || first >= 0x80
    guard mayHide || part.contains(backslash) else { return nil }
    if isRepository(part) { return "is named like git's own folder, which git does not allow" }
    switch kind {
    case .file, .executable: return nil
    case .link:
      return isModules(part) ? "is a link named .gitmodules, which git does not allow" : nil
    case .folder, .repository:
      // What git reads under these names must be a file (git-fsck(1): gitmodulesBlob).
      if isModules(part) { return "has a folder named .gitmodules, which git does not allow" }
      return isAttributes(part)
        ? "has a folder named .gitattributes, which git does not allow" : nil
    }
  }

  private static let dot = UInt8(ascii: ".")
  private static let backslash = UInt8(ascii: "\\")

  private static func isRepository(_ part: UnsafeRawBufferPointer) -> Bool {
    if HFSName.equal(part, ".git") { return true }
    return NTFSName.tails(part).contains { NTFSName.isRepository($0) }
  }

  private static func isModules(_ part: UnsafeRawBufferPointer) -> Bool {
    if HFSName.equal(part, ".gitmodules") { return true }
    return NTFSName.tails(part).contains { NTFSName.isReserved($0, .modules) }
  }

  private static func isAttributes(_ part: UnsafeRawBufferPointer) -> Bool {
    // Of these git looks at whole names only, not behind a backslash.
    HFSName.equal(part, ".gitattributes") || NTFSName.isReserved(part[...], .attributes)
  }
}

/// Names as NTFS sees them: without regard to case, spaces and dots at the end, or what follows a
/// colon; and by a short name besides.
private enum NTFSName {
  typealias Name = Slice<UnsafeRawBufferPointer>

  /// The name, and what stands behind each backslash in it, which separates folders there.
  static func tails(_ part: UnsafeRawBufferPointer) -> [Name] {
    var tails = [part[...]]
    for (position, byte) in part.enumerated() where byte == UInt8(ascii: "\\") {
      tails.append(part[(position + 1)...])
    }
    return tails
  }

  static func isRepository(_ name: Name) -> Bool {
    for disguise: StaticString in [".git", "git~1"] {
      if let rest = rest(of: name, after: disguise), endsThere(rest, backslashEnds: true) {
        return true
      }
    }
    return false
  }

  /// A file that git reads, by all the names that NTFS may have for it.
  struct Reserved {
    let name: StaticString
    /// Short names keep six letters, for the first four of a kind.
    let short: StaticString
    /// After four of a kind, a short name has two letters and four digits of a hash.
    let hashed: StaticString

    static let modules = Reserved(name: ".gitmodules", short: "gitmod~", hashed: "gi7eba")
    static let attributes = Reserved(
      name: ".gitattributes", short: "gitatt~", hashed: "gi7d29")
  }

  static func isReserved(_ name: Name, _ reserved: Reserved) -> Bool {
    if let rest = rest(of: name, after: reserved.name), endsThere(rest) { return true }
    if let rest = rest(of: name, after: reserved.short), let digit = rest.first,
      (UInt8(ascii: "1")...UInt8(ascii: "4")).contains(digit), endsThere(rest.dropFirst())
    {
      return true
    }
    return isHashedShortName(name, of: reserved)
  }

  /// Whether the name has as much of the hash as leaves room for a growing number: `GI7EBA~1`.
  private static func isHashedShortName(_ name: Name, of reserved: Reserved) -> Bool {
    guard name.count >= 8 else { return false }
    let short = Array(name.prefix(8))
    guard let tilde = short.firstIndex(of: UInt8(ascii: "~")), tilde <= 6,
      rest(of: name, after: reserved.hashed, count: tilde) != nil
    else { return false }
    let digits = short[(tilde + 1)...]
    guard let first = digits.first, (UInt8(ascii: "1")...UInt8(ascii: "9")).contains(first),
      digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    else { return false }
    return endsThere(name.dropFirst(8))
  }

  /// What follows the first `count` bytes of `prefix`, all of them by default; `nil` where the name
  /// begins otherwise.
  private static func rest(
    of name: Name, after prefix: StaticString, count: Int? = nil
  ) -> Name? {
    let count = count ?? prefix.utf8CodeUnitCount
    let prefix = UnsafeBufferPointer(start: prefix.utf8Start, count: count)
    guard name.count >= count, zip(name, prefix).allSatisfy({ lower($0) == $1 }) else {
      return nil
    }
    return name.dropFirst(count)
  }

  /// Whether nothing follows that NTFS would heed.
  private static func endsThere(_ rest: Name, backslashEnds: Bool = false) -> Bool {
    for byte in rest {
      if byte == UInt8(ascii: ":") || backslashEnds && byte == UInt8(ascii: "\\") { return true }
      if byte != UInt8(ascii: " "), byte != UInt8(ascii: ".") { return false }
    }
    return true
  }
}

/// Names as HFS+ sees them: without regard to case and to code points that show nothing.
private enum HFSName {
  static func equal(_ name: UnsafeRawBufferPointer, _ wanted: StaticString) -> Bool {
    var rest = name[...]
    for byte in UnsafeBufferPointer(start: wanted.utf8Start, count: wanted.utf8CodeUnitCount) {
      guard let next = next(&rest), next < 128, lower(UInt8(next)) == byte else { return false }
    }
    return next(&rest) == nil
  }

  /// The next code point that counts; `nil` at the end, and at what is no UTF-8, where git stops
  /// reading too.
  private static func next(_ rest: inout Slice<UnsafeRawBufferPointer>) -> UInt32? {
    while let (point, length) = decode(rest) {
      rest = rest.dropFirst(length)
      switch point {
      case 0x200C...0x200F, 0x202A...0x202E, 0x206A...0x206F, 0xFEFF: continue
      default: return point
      }
    }
    return nil
  }

  private static func decode(
    _ rest: Slice<UnsafeRawBufferPointer>
  ) -> (point: UInt32, length: Int)? {
    guard let first = rest.first else { return nil }
    let length: Int
    var point: UInt32
    switch first {
    case 0..<0x80: return (UInt32(first), 1)
    case 0xC2..<0xE0: (length, point) = (2, UInt32(first & 0x1F))
    case 0xE0..<0xF0: (length, point) = (3, UInt32(first & 0x0F))
    case 0xF0..<0xF5: (length, point) = (4, UInt32(first & 0x07))
    default: return nil
    }
    guard rest.count >= length else { return nil }
    for byte in rest.dropFirst().prefix(length - 1) {
      guard byte & 0xC0 == 0x80 else { return nil }
      point = point << 6 | UInt32(byte & 0x3F)
    }
    let least: UInt32 = length == 2 ? 0x80 : length == 3 ? 0x800 : 0x10000
    switch point {
    case ..<least, 0xD800...0xDFFF, 0xFFFE, 0xFFFF, 0x11_0000...: return nil
    default: return (point, length)
    }
  }
}

private func lower(_ byte: UInt8) -> UInt8 {
  (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
}
