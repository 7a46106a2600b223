import Glibc

/// This machine and this user, as far as history and messages name them.
enum Host {
  /// The host's name, up to its first dot; `localhost` where it has none.
  static var name: String {
    var buffer = [CChar](repeating: 0, count: 256)
    guard gethostname(&buffer, buffer.count - 1) == 0 else { return "localhost" }
    let name = String(
      decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    let short = name.split(separator: ".").first.map(String.init) ?? ""
    return short.isEmpty ? "localhost" : short
  }

  /// An environment variable; `nil` where unset or empty.
  static func environment(_ name: String) -> String? {
    guard let value = getenv(name) else { return nil }
    let text = String(cString: value)
    return text.isEmpty ? nil : text
  }

  /// The user's home directory by the environment, else by the user database (cron and systemd may
  /// give none).
  static var home: String? { environment("HOME") ?? user(geteuid())?.home }

  /// `core.excludesFile`'s default (gitignore(5)).
  static var defaultExcludesFile: String? {
    if let base = environment("XDG_CONFIG_HOME") { return base + "/git/ignore" }
    return home.map { $0 + "/.config/git/ignore" }
  }

  /// What the user database says of a user.
  static func user(_ id: uid_t) -> (name: String, home: String)? {
    var record = passwd()
    var found: UnsafeMutablePointer<passwd>?
    var buffer = [CChar](repeating: 0, count: 16384)
    guard getpwuid_r(id, &record, &buffer, buffer.count, &found) == 0, found != nil else {
      return nil
    }
    return (String(cString: record.pw_name), String(cString: record.pw_dir))
  }
}
