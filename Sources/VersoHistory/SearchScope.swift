package import VersoModel

/// Where and when a search looks.
package struct SearchScope: Hashable, Sendable {
  /// Only here and below.
  package let path: RelativePath
  /// Only text that was there at or after this time, in seconds since 1970.
  package let since: Int64?
  /// Only text that was there at or before this time.
  package let until: Int64?

  package init(path: RelativePath = .root, since: Int64? = nil, until: Int64? = nil) {
    self.path = path
    self.since = since
    self.until = until
  }

  /// Whether something that was there from one time to another is meant; `nil` is the present.
  func meets(from first: Int64, to last: Int64?) -> Bool {
    first <= until ?? .max && last ?? .max >= since ?? .min
  }
}
