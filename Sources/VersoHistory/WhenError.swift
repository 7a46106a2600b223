/// A text that reads as no time: what is wrong with it, and what would be right.
package struct WhenError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong, naming the text.
  package let message: String
  /// What to write instead; `nil` where the message says all.
  package let hint: String?

  package init(_ message: String, hint: String? = nil) {
    self.message = message
    self.hint = hint
  }

  package var description: String { message }
}
