/// A line of a text, and where it stands.
package struct NumberedLine: Hashable, Sendable {
  /// From 1.
  package let number: Int
  /// Without its ending.
  package let text: [UInt8]

  package init(number: Int, text: [UInt8]) {
    self.number = number
    self.text = text
  }
}
