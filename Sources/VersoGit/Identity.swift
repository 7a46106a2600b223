import Glibc

/// In whose name versions are made.
package struct Identity: Hashable, Sendable {
  package var name: String
  package var email: String
  /// Whether nobody has told git a name or an address, so that both were guessed from the account.
  /// To be said once, as the guess will stand in the history.
  package var isMadeUp: Bool

  /// Whose name is asked for.
  package enum Role: Sendable {
    case author, committer

    fileprivate var variable: String { self == .author ? "GIT_AUTHOR_" : "GIT_COMMITTER_" }
    fileprivate var section: String { self == .author ? "author" : "committer" }
  }

  /// Finds a name where git looks: the role's environment variables, its section in the
  /// configuration, then `user`, then `EMAIL`; else makes one of the account. Never fails: a save
  /// without a proper name is better than none.
  ///
  /// - Parameter environment: The value of an environment variable.
  package init(
    _ role: Role, in repository: Repository, environment: (String) -> String? = Self.variable
  ) {
    func setting(_ key: String) -> String? {
      // An unreadable configuration has stopped the command earlier; here it only costs the name.
      do throws(GitError) { return try repository.setting(key) } catch { return nil }
    }
    func first(_ candidates: String?...) -> String? {
      candidates.lazy.compactMap { $0 }.first { !CommitStamp.cleaned($0).isEmpty }
    }
    let name = first(
      environment(role.variable + "NAME"), setting("\(role.section).name"), setting("user.name"))
    let email = first(
      environment(role.variable + "EMAIL"), setting("\(role.section).email"),
      setting("user.email"), environment("EMAIL"))
    let account = first(environment("USER"), environment("LOGNAME")) ?? Self.account
    self.name = name ?? account
    self.email = email ?? "\(account)@\(Self.hostName)"
    isMadeUp = name == nil || email == nil
  }

  /// A variable of the process's environment.
  package static func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }

  private static var account: String {
    guard let entry = getpwuid(getuid()), let name = entry.pointee.pw_name else {
      return "user\(getuid())"
    }
    return String(cString: name)
  }

  /// The name that this machine goes by, in full.
  static var hostName: String {
    var buffer = [CChar](repeating: 0, count: 256)
    guard gethostname(&buffer, buffer.count - 1) == 0 else { return "localhost" }
    let name = String(
      decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return name.isEmpty ? "localhost" : name
  }

  /// The time to stamp: the role's `DATE` variable where git would take it, else the present.
  ///
  /// Of git's many forms those are read that scripts use: seconds (with or without `@`) and a zone,
  /// and `2024-05-01T12:00:00+0200`. Other text is ignored. A time before 1970, as a clock without a
  /// battery may have it, is taken for 1970: a commit with such a time counts as broken
  /// (`badDateOverflow` of `git fsck`), and servers refuse it for ever.
  package static func time(
    _ role: Role, environment: (String) -> String? = Self.variable
  ) -> ZonedTime {
    var time = environment(role.variable + "DATE").flatMap { ZonedTime(gitDate: $0) } ?? .now()
    time.seconds = max(0, time.seconds)
    return time
  }

  /// The stamp to put on a commit now.
  package func stamp(at time: ZonedTime) -> CommitStamp {
    CommitStamp(name: name, email: email, time: time)
  }
}

extension ZonedTime {
  /// Reads a date as scripts give one to git; `nil` for anything else.
  init?(gitDate text: String) {
    let words = text.split { $0 == " " || $0 == "T" }.map(String.init)
    guard let first = words.first else { return nil }
    let number = first.hasPrefix("@") ? String(first.dropFirst()) : first
    if let seconds = Int64(number), first.hasPrefix("@") || seconds >= 100_000_000 {
      guard words.count <= 2, let zone = words.count == 2 ? Self.zone(words[1]) : 0 else {
        return nil
      }
      self.init(seconds: seconds, zone: zone)
      return
    }
    let day = first.split(separator: "-").compactMap { Int32($0) }
    guard day.count == 3, words.count >= 2 else { return nil }
    var clock = words[1]
    var zone = words.count > 2 ? words[2] : nil
    if let cut = clock.firstIndex(where: { $0 == "+" || $0 == "-" || $0 == "Z" }) {
      zone = String(clock[cut...])
      clock = String(clock[..<cut])
    }
    let parts = clock.split(separator: ":").compactMap { Int32($0) }
    guard parts.count == 3 || parts.count == 2 else { return nil }
    var fields = tm()
    (fields.tm_year, fields.tm_mon, fields.tm_mday) = (day[0] - 1900, day[1] - 1, day[2])
    (fields.tm_hour, fields.tm_min) = (parts[0], parts[1])
    fields.tm_sec = parts.count == 3 ? parts[2] : 0
    if let zone {
      guard let minutes = Self.zone(zone) else { return nil }
      self.init(seconds: Int64(timegm(&fields)) - Int64(minutes) * 60, zone: minutes)
    } else {
      fields.tm_isdst = -1
      let seconds = mktime(&fields)
      self.init(seconds: Int64(seconds), zone: fields.tm_gmtoff / 60)
    }
  }

  private static func zone(_ text: String) -> Int? {
    if text == "Z" { return 0 }
    let digits = text.dropFirst().filter { $0 != ":" }
    guard let sign = text.first, sign == "+" || sign == "-", digits.count == 4,
      let value = Int(digits)
    else { return nil }
    let minutes = value / 100 * 60 + value % 100
    return sign == "-" ? -minutes : minutes
  }
}
