/// A column of a split view, in reading order.
public enum Column: Int, Sendable, CaseIterable, Comparable {
  /// The outermost list; also called the master, or the sidebar.
  case primary
  /// The list between the other two; only the triple preset has it.
  case supplementary
  /// The detail, which the user mainly looks at.
  case secondary

  public static func < (a: Column, b: Column) -> Bool { a.rawValue < b.rawValue }
}
