/// A shell pattern, matched against bytes as git matches one.
///
/// The rules are those of gitignore(5) and glob(7), and where those are silent, what git 2.39 does.
/// Time grows with the product of both lengths: no pattern makes it exponential.
struct IgnoreGlob {
  typealias Bytes = UnsafeBufferPointer<UInt8>

  /// In a path, `*`, `?` and classes stop at a slash, and `**` may stand for folders.
  let isPath: Bool
  /// Whether ASCII letters match regardless of case (`core.ignoreCase`).
  let ignoringCase: Bool

  /// What a byte does where it stands in a pattern outside a class.
  static func isSpecial(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "*"), UInt8(ascii: "?"), UInt8(ascii: "["), UInt8(ascii: "\\"): true
    default: false
    }
  }

  /// ASCII upper case made lower; other bytes as they are.
  @inline(__always)
  static func folded(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }

  /// Where matching goes on after a wildcard has taken more of the text.
  private struct Resumption {
    var pattern: Int
    var text: Int
  }

  /// Whether `pattern` matches the whole of `text`.
  ///
  /// Only the last `*` and the last `**` are ever extended. That is enough: what stands between two
  /// wildcards has a fixed length, a slash in it pins an earlier `*`, and a later wildcard reaches
  /// whatever an earlier one could have reached by taking more.
  func matches(_ pattern: Bytes, _ text: Bytes) -> Bool {
    var (p, t) = (0, 0)
    var (star, folders): (Resumption?, Resumption?)
    while true {
      if p < pattern.count, pattern[p] == UInt8(ascii: "*") {
        let run = starRun(pattern, at: p)
        p = run.end
        if p == pattern.count, run.crossesSlashes || !contains(text, from: t) { return true }
        if run.crossesSlashes {
          // `**/` also stands for no folder at all, so that what follows may begin right here.
          if isPath, p < pattern.count, pattern[p] == UInt8(ascii: "/") { p += 1 }
          (folders, star) = (Resumption(pattern: p, text: t), nil)
        } else {
          star = Resumption(pattern: p, text: t)
        }
      } else if p == pattern.count, t == text.count {
        return true
      } else if p < pattern.count, t < text.count, let next = step(pattern, at: p, over: text[t]) {
        if next < 0 { return false }
        (p, t) = (next, t + 1)
      } else if let position = extend(&star, in: text) {
        (p, t) = (position.pattern, position.text)
      } else if let position = extendFolders(&folders, pattern, in: text) {
        star = nil
        (p, t) = (position.pattern, position.text)
      } else {
        return false
      }
    }
  }

  /// The end of a run of stars, and whether it may take slashes.
  private func starRun(_ pattern: Bytes, at start: Int) -> (end: Int, crossesSlashes: Bool) {
    var end = start + 1
    while end < pattern.count, pattern[end] == UInt8(ascii: "*") { end += 1 }
    guard isPath else { return (end, true) }
    guard end - start > 1, start == 0 || pattern[start - 1] == UInt8(ascii: "/") else {
      return (end, false)
    }
    if end == pattern.count || pattern[end] == UInt8(ascii: "/") { return (end, true) }
    let isEscapedSlash =
      pattern[end] == UInt8(ascii: "\\") && end + 1 < pattern.count
      && pattern[end + 1] == UInt8(ascii: "/")
    return (end, isEscapedSlash)
  }

  private func contains(_ text: Bytes, from start: Int) -> Bool {
    isPath && text[start...].contains(UInt8(ascii: "/"))
  }

  private func extend(_ star: inout Resumption?, in text: Bytes) -> Resumption? {
    guard let now = star, now.text < text.count, !isPath || text[now.text] != UInt8(ascii: "/")
    else { return nil }
    star = Resumption(pattern: now.pattern, text: now.text + 1)
    return star
  }

  private func extendFolders(
    _ folders: inout Resumption?, _ pattern: Bytes, in text: Bytes
  ) -> Resumption? {
    guard var now = folders, now.text < text.count else { return nil }
    // After `**/`, only the beginnings of components come into question.
    let wantsComponent =
      isPath && now.pattern > 0 && pattern[now.pattern - 1] == UInt8(ascii: "/")
    repeat {
      now.text += 1
    } while wantsComponent && now.text <= text.count
      && text[now.text - 1] != UInt8(ascii: "/")
    folders = now.text <= text.count ? now : nil
    return folders
  }

  /// Matches one byte.
  ///
  /// - Returns: Where the pattern goes on; `nil` where the byte does not match; -1 where the pattern
  ///   is malformed and so matches nothing.
  private func step(_ pattern: Bytes, at position: Int, over byte: UInt8) -> Int? {
    let byte = ignoringCase ? Self.folded(byte) : byte
    switch pattern[position] {
    case UInt8(ascii: "\\"):
      // git does not fold an escaped letter.
      guard position + 1 < pattern.count else { return -1 }
      return pattern[position + 1] == byte ? position + 2 : nil
    case UInt8(ascii: "?"):
      return isPath && byte == UInt8(ascii: "/") ? nil : position + 1
    case UInt8(ascii: "["):
      var set = IgnoreClass(pattern: pattern, position: position + 1, byte: byte)
      set.ignoringCase = ignoringCase
      guard let matched = set.match() else { return -1 }
      return matched && !(isPath && byte == UInt8(ascii: "/")) ? set.position : nil
    case let literal:
      return (ignoringCase ? Self.folded(literal) : literal) == byte ? position + 1 : nil
    }
  }
}

/// A bracket expression such as `[a-z]`, `[!x]` or `[[:alpha:]]`, read while one byte is matched.
private struct IgnoreClass {
  let pattern: IgnoreGlob.Bytes
  /// The next byte to read; at the end, the first after the closing bracket.
  var position: Int
  /// What is looked for; lower case where case is ignored.
  let byte: UInt8
  var ignoringCase = false
  private var found = false

  init(pattern: IgnoreGlob.Bytes, position: Int, byte: UInt8) {
    self.pattern = pattern
    self.position = position
    self.byte = byte
  }

  private func peek(_ distance: Int = 0) -> UInt8? {
    position + distance < pattern.count ? pattern[position + distance] : nil
  }

  /// Whether the class matches; `nil` where it is malformed.
  mutating func match() -> Bool? {
    let isNegated = peek() == UInt8(ascii: "!") || peek() == UInt8(ascii: "^")
    if isNegated { position += 1 }
    // A closing bracket that stands first is a member.
    var isFirst = true
    var previous: UInt8?
    while let member = peek(), isFirst || member != UInt8(ascii: "]") {
      isFirst = false
      if member == UInt8(ascii: "-"), let low = previous, let next = peek(1),
        next != UInt8(ascii: "]")
      {
        position += 1
        guard let high = takeMember() else { return nil }
        test(low: low, high: high)
        previous = nil
      } else if member == UInt8(ascii: "["), peek(1) == UInt8(ascii: ":"), let name = className() {
        guard let contains = Self.contains(byte, name, ignoringCase: ignoringCase) else {
          return nil
        }
        if contains { found = true }
        position += name.count + 4
        previous = nil
      } else {
        // What looks like `[:` but never becomes `:]` is an ordinary member, unless the pattern ends.
        guard let member = takeMember() else { return nil }
        if member == byte { found = true }
        previous = member
      }
    }
    guard peek() != nil else { return nil }
    position += 1
    return found != isNegated
  }

  /// Reads one member, its backslash removed.
  private mutating func takeMember() -> UInt8? {
    if peek() == UInt8(ascii: "\\") { position += 1 }
    guard let member = peek() else { return nil }
    position += 1
    return member
  }

  private mutating func test(low: UInt8, high: UInt8) {
    if low <= byte, byte <= high { found = true }
    guard ignoringCase, byte &- 0x61 < 26 else { return }
    let upper = byte & ~0x20
    if low <= upper, upper <= high { found = true }
  }

  /// The name in `[:name:]`, the reading position being its bracket.
  private func className() -> Slice<IgnoreGlob.Bytes>? {
    let rest = pattern[(position + 2)...]
    guard let close = rest.firstIndex(of: UInt8(ascii: "]")), close > rest.startIndex,
      pattern[close - 1] == UInt8(ascii: ":")
    else { return nil }
    return rest[..<(close - 1)]
  }

  /// Membership in a named class, by ASCII; `nil` where the class is unknown.
  private static func contains(
    _ byte: UInt8, _ name: Slice<IgnoreGlob.Bytes>, ignoringCase: Bool
  ) -> Bool? {
    let isDigit = byte &- 0x30 < 10
    let isLower = byte &- 0x61 < 26
    let isUpper = byte &- 0x41 < 26
    switch String(decoding: name, as: UTF8.self) {
    case "alnum": return isDigit || isLower || isUpper
    case "alpha": return isLower || isUpper
    case "blank": return byte == 0x20 || byte == 0x09
    case "cntrl": return byte < 0x20 || byte == 0x7F
    case "digit": return isDigit
    case "graph": return byte > 0x20 && byte < 0x7F
    case "lower": return isLower
    case "print": return byte >= 0x20 && byte < 0x7F
    case "punct": return byte > 0x20 && byte < 0x7F && !isDigit && !isLower && !isUpper
    // git's own table: neither vertical tab nor form feed.
    case "space": return byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    case "upper": return isUpper || ignoringCase && isLower
    case "xdigit": return isDigit || IgnoreGlob.folded(byte) &- 0x61 < 6
    default: return nil
    }
  }
}
