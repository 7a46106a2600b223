/// The value of a trailer `Verso-Renamed: old -> new`: a claim, to be checked against the trees.
package struct RenameHint: Hashable, Sendable {
  /// One way to take the text apart.
  package struct Reading: Hashable, Sendable {
    package let old: RelativePath
    package let new: RelativePath
  }

  /// What the text may mean.
  ///
  /// A name with spaces needs no quotes, so ` -> ` may be part of it.
  package let readings: [Reading]

  /// The claim that one path became another.
  package init(from old: RelativePath, to new: RelativePath) {
    readings = [Reading(old: old, new: new)]
  }

  package init(_ text: String) {
    let bytes = Array(text.utf8)
    let arrow = Array(" -> ".utf8)
    readings = bytes.indices.compactMap { at in
      guard bytes[at...].starts(with: arrow),
        let old = QuotedPath.unquote(bytes[..<at]).flatMap(RelativePath.init(_:)),
        let new = QuotedPath.unquote(bytes[(at + arrow.count)...])
          .flatMap(RelativePath.init(_:)),
        !old.isRoot, !new.isRoot
      else { return nil }
      return Reading(old: old, new: new)
    }
  }
}
