import VersoModel
import VersoSync

/// A conflict copy that is still there.
package struct OpenConflict: Hashable, Sendable {
  /// The note beside it; it need not be there any more.
  package let path: RelativePath
  package let copy: RelativePath
  /// What the copy's name says: whose version it is.
  package let device: String
  /// When that was saved there, as its name says: `2027-01-15 08:01`.
  package let time: String

  /// Takes the name of a file apart; `nil` where it is no copy's.
  package init?(_ path: RelativePath) {
    let name = Array(path.name)
    let parts = CopyName(of: name)
    guard parts.digits != nil else { return nil }
    // `stem (conflict DEVICE DATE TIME ID)`: none of the four holds a space.
    let inner = name.dropFirst(parts.stem.count + " (conflict ".utf8.count)
      .prefix { $0 != UInt8(ascii: ")") }
    let words = inner.split(separator: 0x20).map { String(decoding: $0, as: UTF8.self) }
    guard words.count == 4 else { return nil }
    device = words[0]
    time = "\(words[1]) \(words[2].prefix(2)):\(words[2].suffix(2))"
    copy = path
    self.path = path.parent.appending(parts.root)
  }
}
