/// A number and what it counts.
enum Counted {
  /// `1 note`, `2 notes`.
  static func text(_ number: Int, _ noun: String) -> String {
    number == 1 ? "1 \(noun)" : "\(number) \(noun)s"
  }
}
