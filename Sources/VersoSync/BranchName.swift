/// What git allows as the name of a branch (git-check-ref-format(1)).
enum BranchName {
  /// - Throws: ``ExchangeError/Reason/badAddress``; such a name could mean an option or another ref.
  static func check(_ name: String) throws(ExchangeError) {
    try RemoteAddress.check(name, "branch")
    guard isValid(name) else {
      throw ExchangeError(.badAddress, "'\(name)' cannot be the name of a branch")
    }
  }

  private static func isValid(_ name: String) -> Bool {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    return !name.utf8.contains { " ~^:?*[\\".utf8.contains($0) }
      && !name.contains("..") && !name.contains("@{") && !name.hasSuffix(".") && name != "@"
      && parts.allSatisfy { !$0.isEmpty && !$0.hasPrefix(".") && !$0.hasSuffix(".lock") }
  }
}
