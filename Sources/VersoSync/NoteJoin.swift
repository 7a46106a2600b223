/// Joining two texts of a note that a person is to look at: nothing of either is left out.
package enum NoteJoin {
  /// What two sides made of `base`, in one text.
  ///
  /// What only one side changed is as that side has it; where both changed the same lines, the lines of
  /// both stand, mine first.
  package static func text(base: [UInt8], mine: [UInt8], theirs: [UInt8]) -> [UInt8] {
    TextMerge(base: base, x: mine, y: theirs, style: .union) { true }.text
  }
}
