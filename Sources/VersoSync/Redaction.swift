/// Takes credentials out of text.
struct Redaction: Hashable, Sendable {
  private let secrets: [String]

  /// - Parameter addresses: Their passwords must not be seen, in either spelling.
  init(_ addresses: [(text: String, parsed: RemoteAddress)]) {
    var secrets: [String] = []
    for (text, address) in addresses {
      guard let credentials = address.credentials else { continue }
      secrets += [credentials.password, Self.rawPassword(of: text)]
      // Some services take the token as the user's name, with any password.
      if credentials.password.isEmpty || credentials.password == "x-oauth-basic" {
        secrets.append(credentials.user)
      }
    }
    // One letter stands everywhere, and tells nothing.
    self.secrets = secrets.filter { $0.utf8.count > 2 }
  }

  /// `text` without the passwords, and without any in an address.
  func callAsFunction(_ text: String) -> String {
    var text = text
    for secret in secrets { text.replace(secret, with: "***") }
    return Self.text(text)
  }

  private static func rawPassword(of address: String) -> String {
    guard let start = address.firstRange(of: "://"),
      let end = address[start.upperBound...].prefix(while: { $0 != "/" }).lastIndex(of: "@"),
      let colon = address[start.upperBound..<end].firstIndex(of: ":")
    else { return "" }
    return String(address[address.index(after: colon)..<end])
  }

  /// `text` with the user's part of each address that has a password gone.
  static func text(_ text: String) -> String {
    var (result, rest) = ("", text[...])
    while let start = rest.firstRange(of: "://") {
      result += rest[..<start.upperBound]
      rest = rest[start.upperBound...]
      let authority = rest.prefix { !"/ \t'\"<>\n".contains($0) }
      if let at = authority.lastIndex(of: "@"), authority[..<at].contains(":") {
        rest = rest[rest.index(after: at)...]
      }
    }
    return result + rest
  }
}
