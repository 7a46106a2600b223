import VersoDisk
import VersoHistory
import VersoModel

/// A user's crontab, of which one marked line for each vault is ours and every other byte is not.
package struct CronTable: Hashable, Sendable {
  /// Lines with their ends.
  private var lines: [[UInt8]]

  package init(_ text: [UInt8]) {
    lines = text.split(separator: 0x0A, omittingEmptySubsequences: false).map { $0 + [0x0A] }
    // What follows the last line feed is a line only where something follows.
    if lines.last == [0x0A] { lines.removeLast() }
  }

  package var text: [UInt8] { Array(lines.joined()) }

  // MARK: Our line

  /// The line for a plan, without its end.
  ///
  /// - Throws: ``VersoError/Code/usage`` for a rhythm that crontabs have no words for,
  ///   ``VersoError/Code/refused`` for a path that crons read in different ways.
  static func line(_ plan: SchedulePlan) throws(VersoError) -> String {
    guard case .every(let length) = plan.rhythm else {
      throw VersoError(
        .usage, "a crontab repeats commands and cannot watch",
        hint: "leave --watch out, or use --systemd")
    }
    guard let rhythm = ClockRhythm(length) else {
      let near = ClockRhythm.nearest(to: length).map(\.description).joined(separator: " or ")
      throw VersoError(
        .usage, "--every \(length) divides neither an hour nor a day, which cron needs",
        hint: "give \(near)")
    }
    let words = try ([plan.program] + plan.arguments).map { (word) throws(VersoError) in
      try quoted(word)
    }
    return "\(rhythm.cronFields(spread: plan.spread)) * * * \(words.joined(separator: " "))"
      + " \(mark(Array(plan.root.utf8)))"
  }

  /// To the shell a comment, to us the vault's name.
  private static func mark(_ root: [UInt8]) -> String {
    "# verso schedule \(SystemdUnits.hash(root))"
  }

  /// A word as `/bin/sh` reads it after cron has read it: cron takes a `%` for the end of the command,
  /// and a `\` before it away (crontab(5)).
  private static func quoted(_ word: String) throws(VersoError) -> String {
    if word.unicodeScalars.contains("\\") {
      throw VersoError(
        .refused, "\(word) has a backslash in its name, which crons read in different ways",
        hint: "rename it, or use --systemd")
    }
    if isPlain(word) { return word }
    // By scalars: a combining mark makes another character of a quote, and no other quote.
    var text = "'"
    for scalar in word.unicodeScalars {
      switch scalar {
      case "'": text += "'\"'\"'"
      case "%": text += "\\%"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text + "'"
  }

  /// Whether no shell, no cron and no systemd sees more in a word than its letters.
  static func isPlain(_ word: String) -> Bool {
    !word.isEmpty
      && word.utf8.allSatisfy { byte in
        UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
          || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || "/._-+,:@".utf8.contains(byte)
      }
  }

  /// Puts the line for a vault in the place of the one that is there, or at the end.
  ///
  /// - Returns: Whether that changed anything.
  mutating func set(_ line: String, root: [UInt8]) -> Bool {
    let new = Array(line.utf8) + [0x0A]
    let places = lines.indices.filter { Self.isOurs(lines[$0], root) }
    if places.count == 1, lines[places[0]] == new { return false }
    for place in places.dropFirst().reversed() { lines.remove(at: place) }
    if let place = places.first { lines[place] = new } else { lines.append(new) }
    return true
  }

  /// Takes the line of a vault out.
  ///
  /// - Returns: Whether there was one.
  mutating func remove(root: [UInt8]) -> Bool {
    let before = lines.count
    lines.removeAll { Self.isOurs($0, root) }
    return lines.count != before
  }

  private static func isOurs(_ line: [UInt8], _ root: [UInt8]) -> Bool {
    let mark = Array(" \(mark(root))\n".utf8)
    return line.suffix(mark.count).elementsEqual(mark) && line.first != UInt8(ascii: "#")
  }

  // MARK: Reading

  /// One line of ours, read back.
  struct Entry: Hashable, Sendable {
    let root: [UInt8]
    let program: [UInt8]
    /// The five fields.
    let times: [String]

    /// How often, where the fields are of our making; else the fields.
    var length: String {
      for minutes in ClockRhythm.all {
        let rhythm = ClockRhythm(minutes: minutes)
        for spread in 0..<minutes
        where rhythm.cronFields(spread: spread) == times[0] + " " + times[1] {
          return "\(VersoDuration(milliseconds: Int64(minutes) * 60_000))"
        }
      }
      return times.joined(separator: " ")
    }
  }

  /// Every line of ours.
  var entries: [Entry] {
    lines.compactMap { line in
      let parts = line.dropLast().split(separator: 0x20, maxSplits: 5)
      guard parts.count == 6, let words = Self.words(Array(parts[5])),
        let root = words.last,
        Self.isOurs(line, root)
      else { return nil }
      return Entry(
        root: root, program: words[0],
        times: parts[..<5].map { String(decoding: $0, as: UTF8.self) })
    }
  }

  /// The words before the comment, with our own kind of quotes; `nil` where one is not closed.
  private static func words(_ text: [UInt8]) -> [[UInt8]]? {
    var words: [[UInt8]] = []
    var word: [UInt8]?
    var quote: UInt8?
    var isEscaped = false
    for byte in text {
      if byte == UInt8(ascii: "\\"), !isEscaped {
        isEscaped = true
        continue
      }
      defer { isEscaped = false }
      switch byte {
      case quote: quote = nil
      case UInt8(ascii: "'") where quote == nil, UInt8(ascii: "\"") where quote == nil:
        quote = byte
        word = word ?? []
      case 0x20 where quote == nil:
        if let done = word { words.append(done) }
        word = nil
      case UInt8(ascii: "#") where quote == nil && word == nil: return words
      default: word = (word ?? []) + [byte]
      }
    }
    if let done = word { words.append(done) }
    return quote == nil ? words : nil
  }

  /// When a line runs next; `nil` where its days are restricted, or its fields are not understood.
  ///
  /// - Parameters:
  ///   - times: The five fields.
  ///   - now: Seconds since 1970.
  ///   - zone: Whose clock cron looks at.
  static func next(
    _ times: [String], after now: Int64, in zone: CivilTime.Zone = .local
  ) -> Int64? {
    guard times.count == 5, times[2...] == ["*", "*", "*"], let minutes = numbers(times[0], 59),
      let hours = numbers(times[1], 23)
    else { return nil }
    let start = now / 60 * 60 + 60
    // Clocks that are put forward skip an hour.
    for time in stride(from: start, to: start + 26 * 3600, by: 60) {
      let clock = CivilTime(time, in: zone)
      if minutes.contains(clock.minute), hours.contains(clock.hour) { return time }
    }
    return nil
  }

  private static func numbers(_ field: String, _ limit: Int64) -> Set<Int64>? {
    var found = Set<Int64>()
    for part in field.split(separator: ",", omittingEmptySubsequences: false) {
      let halves = part.split(separator: "/", omittingEmptySubsequences: false)
      guard 1...2 ~= halves.count, let step = halves.count == 2 ? Int64(halves[1]) : 1, step > 0
      else { return nil }
      let ends = halves[0].split(separator: "-", omittingEmptySubsequences: false)
      if halves[0] == "*" {
        found.formUnion(stride(from: 0, through: limit, by: Int64.Stride(step)))
      } else if 1...2 ~= ends.count, let first = Int64(ends[0]),
        let last = Int64(ends[ends.count - 1]),
        0...limit ~= first, first...limit ~= last
      {
        found.formUnion(stride(from: first, through: last, by: Int64.Stride(step)))
      } else {
        return nil
      }
    }
    return found
  }
}
