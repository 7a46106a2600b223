/// git's configuration as git itself sees it, environment and all.
struct GitSettings: Sendable {
  private var values: [String: [String]] = [:]

  /// - Parameter listing: What `git config --null --list` prints.
  init(listing: [UInt8]) {
    for entry in listing.split(separator: 0) {
      let parts = entry.split(
        separator: UInt8(ascii: "\n"), maxSplits: 1, omittingEmptySubsequences: false)
      guard let key = parts.first else { continue }
      // A key without a value is a boolean that is true (git-config(1)).
      let value = parts.count > 1 ? String(decoding: parts[1], as: UTF8.self) : "true"
      values[String(decoding: key, as: UTF8.self), default: []].append(value)
    }
  }

  /// All values of a key, whose section and last part are in lower case.
  func all(_ key: String) -> [String] { values[key] ?? [] }

  /// The value that counts.
  subscript(_ key: String) -> String? { values[key]?.last }

  /// Whether any key starts so.
  func hasKey(startingWith prefix: String) -> Bool {
    values.keys.contains { $0.hasPrefix(prefix) }
  }

  /// The address that git would fetch from, `url.*.insteadOf` applied; `nil` where no remote has that
  /// name.
  func fetchAddress(ofRemote name: String) -> String? {
    all("remote.\(name).url").first.map { rewritten($0) }
  }

  /// The address that git would push to.
  func pushAddress(ofRemote name: String) -> String? {
    if let url = all("remote.\(name).pushurl").first { return rewritten(url) }
    guard let url = all("remote.\(name).url").first else { return nil }
    return rewritten(url, by: "pushinsteadof") ?? rewritten(url)
  }

  func rewritten(_ address: String) -> String { rewritten(address, by: "insteadof") ?? address }

  /// The longest prefix that matches is replaced (git-config(1), `url.<base>.insteadOf`).
  func rewritten(_ address: String, by kind: String) -> String? {
    var (best, base) = ("", "")
    for (key, prefixes) in values where key.hasPrefix("url.") && key.hasSuffix(".\(kind)") {
      for prefix in prefixes where address.hasPrefix(prefix) && prefix.utf8.count > best.utf8.count
      {
        best = prefix
        base = String(key.dropFirst(4).dropLast(kind.count + 1))
      }
    }
    return best.isEmpty ? nil : base + address.dropFirst(best.count)
  }
}
