/// The address of a repository, taken apart as git does (git-fetch(1), "Git URLs").
package struct RemoteAddress: Hashable, Sendable {
  /// How it is reached.
  package enum Transport: Hashable, Sendable {
    /// A path on this machine.
    case path(String)
    case ssh(SecureShellTarget)
    /// http or https, with the host and port as in the address.
    case web(host: String)
    /// git's own unencrypted protocol.
    case daemon
  }

  /// What an address says about who asks, as it is, percent signs resolved.
  package struct Credentials: Hashable, Sendable {
    package let user: String
    package let password: String

    package init(user: String, password: String) {
      (self.user, self.password) = (user, password)
    }
  }

  package let transport: Transport
  /// The address without the password: for programs, output and logs.
  package let text: String
  /// What was taken out; http and https only.
  package let credentials: Credentials?

  /// Takes an address apart.
  ///
  /// - Throws: ``ExchangeError/Reason/badAddress`` for what could be taken for an option, would run a
  ///   program by itself (`ext::`), or has control characters in it.
  package init(_ address: String) throws(ExchangeError) {
    try Self.check(address, "address")
    if let end = address.firstRange(of: "://"), Self.isScheme(address[..<end.lowerBound]) {
      let scheme = address[..<end.lowerBound].lowercased()
      let rest = String(address[end.upperBound...])
      self = try Self.url(scheme: scheme, rest: rest, whole: address)
      return
    }
    if Self.namesHelper(address) {
      throw Self.refusal("only paths, ssh, https, http and git addresses are used", address)
    }
    let colon = address.firstIndex(of: ":")
    let slash = address.firstIndex(of: "/")
    if let colon, slash.map({ colon < $0 }) ?? true {
      self = try Self.short(address)
    } else {
      (transport, text, credentials) = (.path(address), address, nil)
    }
  }

  private init(_ transport: Transport, _ text: String, _ credentials: Credentials? = nil) {
    (self.transport, self.text, self.credentials) = (transport, text, credentials)
  }

  /// Whether it has a password that others must not see.
  var hasSecret: Bool { credentials != nil }

  var isWeb: Bool { if case .web = transport { true } else { false } }

  // MARK: The forms

  private static func url(
    scheme: String, rest: String, whole: String
  ) throws(ExchangeError) -> RemoteAddress {
    switch scheme {
    case "file":
      let path = try decoded(rest, whole)
      return RemoteAddress(.path(path.hasPrefix("/") ? path : "/" + path), whole)
    case "ssh", "git+ssh", "ssh+git": return try secureShell(rest, whole)
    case "http", "https": return try web(scheme, rest, whole)
    case "git":
      let (host, _) = split(rest)
      try checkHost(try decoded(host, whole), whole)
      return RemoteAddress(.daemon, whole)
    default:
      throw refusal("only paths, ssh, https, http and git addresses are used", whole)
    }
  }

  private static func secureShell(
    _ rest: String, _ whole: String
  ) throws(ExchangeError) -> RemoteAddress {
    let (authority, path) = split(try decoded(rest, whole))
    let (user, place) = splitUser(authority)
    let (host, port) = try splitPort(place, whole)
    if user?.contains(":") == true {
      throw refusal("ssh takes no password from an address", whole)
    }
    // ssh://host/~name is below a home directory: git takes the slash away (connect.c).
    let target = SecureShellTarget(
      user: user, host: host, port: port,
      path: path.hasPrefix("/~") ? String(path.dropFirst()) : path)
    try check(target, whole)
    return RemoteAddress(.ssh(target), whole)
  }

  private static func web(
    _ scheme: String, _ rest: String, _ whole: String
  ) throws(ExchangeError) -> RemoteAddress {
    let (authority, path) = split(rest)
    let (user, host) = splitUser(authority)
    try checkHost(try decoded(host, whole), whole)
    _ = try decoded(path, whole)
    guard let user, let colon = user.firstIndex(of: ":") else {
      return RemoteAddress(.web(host: host), whole)
    }
    let name = String(user[..<colon])
    let credentials = Credentials(
      user: try decoded(name, whole),
      password: try decoded(String(user[user.index(after: colon)...]), whole))
    let text = "\(scheme)://\(name.isEmpty ? "" : name + "@")\(host)\(path)"
    return RemoteAddress(.web(host: host), text, credentials)
  }

  /// `[user@]host:path`, where the host may be in brackets.
  private static func short(_ address: String) throws(ExchangeError) -> RemoteAddress {
    var text = address[...]
    var user: String?
    if let at = text.firstIndex(of: "@"), at < (text.firstIndex(of: ":") ?? text.endIndex) {
      user = String(text[..<at])
      text = text[text.index(after: at)...]
    }
    var host: String
    if text.hasPrefix("["), let close = text.firstRange(of: "]:") {
      host = String(text[text.index(after: text.startIndex)..<close.lowerBound])
      text = text[close.upperBound...]
    } else {
      let colon = text.firstIndex(of: ":") ?? text.endIndex
      host = String(text[..<colon])
      text = text[colon...].dropFirst()
    }
    var port: String?
    // [host:port]:path
    if host.filter({ $0 == ":" }).count == 1 { (host, port) = try splitPort(host, address) }
    let target = SecureShellTarget(user: user, host: host, port: port, path: String(text))
    try check(target, address)
    return RemoteAddress(.ssh(target), address)
  }

  // MARK: Pieces

  /// `ext::…` and its like name a program to run (gitremote-helpers(7)).
  private static func namesHelper(_ address: String) -> Bool {
    guard let colons = address.firstRange(of: "::") else { return false }
    return isScheme(address[..<colons.lowerBound])
  }

  /// What git takes for a scheme or a helper's name (url.c, transport.c).
  private static func isScheme(_ text: Substring) -> Bool {
    text.utf8.allSatisfy {
      switch $0 {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"),
        UInt8(ascii: "."):
        true
      default: false
      }
    }
  }

  private static func split(_ rest: String) -> (authority: String, path: String) {
    let slash = rest.firstIndex(of: "/") ?? rest.endIndex
    return (String(rest[..<slash]), String(rest[slash...]))
  }

  /// The last `@` ends the user, so that a stray one in a password shows nothing of it.
  private static func splitUser(_ authority: String) -> (user: String?, place: String) {
    guard let at = authority.lastIndex(of: "@") else { return (nil, authority) }
    return (String(authority[..<at]), String(authority[authority.index(after: at)...]))
  }

  private static func splitPort(
    _ place: String, _ whole: String
  ) throws(ExchangeError) -> (host: String, port: String?) {
    var (host, port) = (place, "")
    if place.hasPrefix("["), let close = place.firstIndex(of: "]") {
      host = String(place[place.index(after: place.startIndex)..<close])
      port = String(place[place.index(after: close)...])
    } else if let colon = place.lastIndex(of: ":") {
      host = String(place[..<colon])
      port = String(place[colon...])
    }
    if port.hasPrefix(":") { port.removeFirst() }
    guard port.utf8.allSatisfy({ (0x30...0x39).contains($0) }), port.utf8.count <= 5 else {
      throw refusal("its port is no number", whole)
    }
    return (host, port.isEmpty ? nil : port)
  }

  private static func decoded(
    _ text: String, _ whole: String
  ) throws(ExchangeError) -> String {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      let digits = String(decoding: rest.prefix(2), as: UTF8.self)
      if byte == UInt8(ascii: "%"), digits.utf8.count == 2, let value = UInt8(digits, radix: 16) {
        bytes.append(value)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    guard !bytes.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
      throw refusal("it has a control character in it", whole)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  // MARK: Refusals

  static func check(_ text: String, _ what: String) throws(ExchangeError) {
    if text.isEmpty {
      throw ExchangeError(.badAddress, "the \(what) of the remote is empty")
    }
    if text.utf8.first == UInt8(ascii: "-") {
      throw ExchangeError(
        .badAddress,
        "the \(what) '\(Redaction.text(text))' starts with '-' and could be taken for an option")
    }
    if text.unicodeScalars.contains(where: { $0.value < 0x20 || 0x7F...0x9F ~= $0.value }) {
      throw ExchangeError(
        .badAddress, "the \(what) of the remote has a control character in it")
    }
  }

  private static func check(
    _ target: SecureShellTarget, _ whole: String
  ) throws(ExchangeError) {
    try checkHost(target.host, whole)
    if let user = target.user, !isHarmless(user) || user.utf8.first == UInt8(ascii: "-") {
      throw refusal("its user name is none", whole)
    }
    if target.path.isEmpty { throw refusal("it has no path", whole) }
    if target.path.utf8.first == UInt8(ascii: "-") {
      throw refusal("its path starts with '-' and could be taken for an option", whole)
    }
  }

  private static func checkHost(_ host: String, _ whole: String) throws(ExchangeError) {
    if host.isEmpty { throw refusal("it has no host", whole) }
    if host.utf8.first == UInt8(ascii: "-") {
      throw refusal("its host starts with '-' and could be taken for an option", whole)
    }
    if !isHarmless(host) { throw refusal("its host is none", whole) }
  }

  /// What a shell would take for more than a name: a ProxyCommand has these in it (CVE-2023-51385).
  private static func isHarmless(_ name: String) -> Bool {
    !name.utf8.contains { $0 <= 0x20 || $0 == 0x7F || #"'"`$\;&<>|(){}"#.utf8.contains($0) }
  }

  private static func refusal(_ why: String, _ address: String) -> ExchangeError {
    ExchangeError(.badAddress, "the address '\(Redaction.text(address))' is not used: \(why)")
  }
}

/// Where ssh goes, and the repository's path there.
package struct SecureShellTarget: Hashable, Sendable {
  package let user: String?
  package let host: String
  package let port: String?
  package let path: String

  /// ssh's arguments that name the machine.
  var arguments: [String] {
    (port.map { ["-p", $0] } ?? []) + [destination]
  }

  var destination: String { user.map { "\($0)@\(host)" } ?? host }
}
