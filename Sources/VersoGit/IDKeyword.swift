import VersoModel

/// The keyword `$Id$` of the attribute `ident`.
///
/// As `git cat-file --filters` treats it. A checkout by git differs in `$$Id$`, which it leaves alone;
/// both become the same blob again.
enum IDKeyword {
  private static let dollar = UInt8(ascii: "$")
  private static let name = Array("Id".utf8)

  /// Makes `$Id: anything$` plain again.
  static func contracted(_ bytes: [UInt8]) -> [UInt8] {
    replacing(in: bytes, with: Array("Id$".utf8)) { value in value != nil }
  }

  /// Puts the blob's id into each keyword.
  ///
  /// A value that is several words was put there by another system, and stays, as in git.
  static func expanded(_ bytes: [UInt8], id: ObjectID) -> [UInt8] {
    replacing(in: bytes, with: Array("Id: \(id.hex) $".utf8)) { value in
      guard let value else { return true }
      return !value.dropFirst().dropLast().contains(UInt8(ascii: " "))
    }
  }

  /// Replaces what follows the first dollar sign of each keyword that `isMeant` accepts.
  ///
  /// It is given what stands between the colon and the second dollar sign; `nil` for a keyword
  /// without a colon.
  private static func replacing(
    in bytes: [UInt8], with replacement: [UInt8], where isMeant: (ArraySlice<UInt8>?) -> Bool
  ) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var rest = bytes[...]
    while let start = rest.firstIndex(of: dollar) {
      result += rest[...start]
      rest = rest[(start + 1)...]
      guard rest.starts(with: name), let mark = rest.dropFirst(2).first else { continue }
      if mark == dollar {
        guard isMeant(nil) else { continue }
        result += replacement
        rest = rest.dropFirst(3)
      } else if mark == UInt8(ascii: ":") {
        let value = rest.dropFirst(3).prefix { $0 != dollar && $0 != UInt8(ascii: "\n") }
        guard value.endIndex < rest.endIndex, rest[value.endIndex] == dollar, isMeant(value) else {
          continue
        }
        result += replacement
        rest = rest[(value.endIndex + 1)...]
      }
    }
    return result + rest
  }
}
