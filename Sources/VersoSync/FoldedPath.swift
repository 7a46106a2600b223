package import VersoModel

/// A path as a file system sees it that tells neither case nor Unicode normalisation apart.
///
/// Two names are twins where their folded forms are equal. Each scalar is taken to lower, upper and
/// lower case again by the full mappings of Unicode (`ß` and `ẞ` are `ss`, `ς` is `σ`, `ﬁ` is `fi`,
/// while the dotless `ı` stays itself), which gives the classes of Unicode's full case folding;
/// what is canonically equivalent is equal, as for any `String`. The tables are those of Swift's
/// standard library and the same on every platform; no locale is asked. A component that is not
/// valid UTF-8 is equal only to the same bytes.
package struct FoldedPath: Hashable, Comparable, Sendable {
  let text: String

  package init(_ path: RelativePath) {
    text =
      path.bytes.allSatisfy({ $0 < 0x80 })
      ? Self.lowercased(path.bytes[...])
      : path.components.map(Self.fold).joined(separator: "/")
  }

  /// Folds one component.
  package init(name: some Collection<UInt8>) { text = Self.fold(ArraySlice(name)) }

  package static func < (a: FoldedPath, b: FoldedPath) -> Bool { a.text < b.text }

  private static func lowercased(_ bytes: ArraySlice<UInt8>) -> String {
    String(decoding: bytes.map { $0 &- 0x41 < 26 ? $0 | 0x20 : $0 }, as: UTF8.self)
  }

  private static func fold(_ name: ArraySlice<UInt8>) -> String {
    if name.allSatisfy({ $0 < 0x80 }) { return lowercased(name) }
    guard let text = String(validating: name, as: UTF8.self) else {
      // A NUL is in no name; after it each byte is a scalar of its own.
      var scalars = String.UnicodeScalarView("\0".unicodeScalars)
      scalars.append(contentsOf: name.map { Unicode.Scalar($0) })
      return String(scalars)
    }
    var folded = ""
    for scalar in text.unicodeScalars {
      if scalar.value == 0x131 {
        folded.unicodeScalars.append(scalar)
      } else {
        fold(scalar, &folded)
      }
    }
    return folded
  }

  private static func fold(_ scalar: Unicode.Scalar, _ text: inout String) {
    for lower in scalar.properties.lowercaseMapping.unicodeScalars {
      for upper in lower.properties.uppercaseMapping.unicodeScalars {
        text += upper.properties.lowercaseMapping
      }
    }
  }
}
