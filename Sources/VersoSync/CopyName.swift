package import VersoGit
package import VersoModel

/// The name of a conflict copy: `n (conflict phone 2027-01-15 0801 850c244).md` beside `n.md`.
///
/// The seven digits are those of the blob, so that one text has one name on every device and
/// `git show 850c244` shows it.
package struct CopyName: Hashable, Sendable {
  /// The note's own name up to its extension; the root of a copy of a copy.
  package let stem: [UInt8]
  /// With its dot; may be empty.
  package let suffix: [UInt8]
  /// The digits of the blob where the name is one of a copy, else `nil`.
  package let digits: [UInt8]?

  /// The longest name that file systems take.
  static let longestName = 255
  /// What is longer after the last dot is no extension.
  private static let longestSuffix = 64

  /// Takes the last component of a path apart.
  package init(of name: some Collection<UInt8>) {
    let name = Array(name)
    if let parts = Self.parse(name) {
      (stem, suffix, digits) = parts
    } else {
      let cut = Self.cut(name)
      (stem, suffix, digits) = (Array(name[..<cut]), Array(name[cut...]), nil)
    }
  }

  /// The name that the note itself has or had.
  package var root: [UInt8] { stem + suffix }

  /// Whether the name says that the copy holds this blob.
  package func isNamed(after blob: ObjectID) -> Bool {
    digits?.elementsEqual(blob.short.utf8) ?? false
  }

  private static func cut(_ name: [UInt8]) -> Int {
    guard let dot = name.lastIndex(of: UInt8(ascii: ".")), dot > 0,
      name.count - dot <= longestSuffix
    else { return name.count }
    return dot
  }

  /// A file name for a copy.
  ///
  /// - Parameters:
  ///   - device: Where the losing version was written; what could be mistaken in a link or on
  ///     another system is replaced, and no more than 24 characters are taken.
  ///   - time: When, by the clock and the zone of that device.
  ///   - blob: The content.
  ///   - number: From 2 on where the name is taken by other bytes.
  package func name(
    device: String, time: ZonedTime, blob: ObjectID, number: Int = 1
  ) -> [UInt8] {
    // Years with four digits, whatever a commit says.
    let seconds = min(max(time.seconds + Int64(time.zone) * 60, 0), 253_402_300_799)
    let clock = CivilTime(seconds, in: .utc)
    func digits(_ value: Int64, _ count: Int) -> String {
      let text = String(value)
      return String(repeating: "0", count: max(0, count - text.count)) + text
    }
    let day = [digits(clock.year, 4), digits(clock.month, 2), digits(clock.day, 2)]
    var text = " (conflict \(Self.reduced(device)) \(day.joined(separator: "-")) "
    text += digits(clock.hour, 2) + digits(clock.minute, 2) + " \(blob.short))"
    if number > 1 { text += " \(number)" }
    let tail = Array(text.utf8) + suffix
    return Self.shortened(stem, to: Self.longestName - tail.count) + tail
  }

  /// A device's name as it may stand in a file name.
  package static func reduced(_ device: String) -> String {
    let kept = device.unicodeScalars.prefix(24).map { scalar -> Character in
      let isPlain =
        scalar.isASCII
        && (scalar.properties.isAlphabetic || 0x30...0x39 ~= scalar.value
          || ".-_".unicodeScalars.contains(scalar))
      return isPlain ? Character(scalar) : "-"
    }
    return kept.isEmpty ? "unknown" : String(kept)
  }

  /// As much of a name as fits, whole characters.
  private static func shortened(_ stem: [UInt8], to room: Int) -> [UInt8] {
    if stem.count <= room { return stem }
    guard let text = String(validating: stem, as: UTF8.self) else {
      return Array(stem.prefix(max(room, 1)))
    }
    var kept: [UInt8] = []
    for character in text {
      let bytes = character.utf8
      if kept.count + bytes.count > room { break }
      kept += bytes
    }
    // A single character may be longer than any name.
    return kept.isEmpty ? Array("note".utf8) : kept
  }

  /// Reads ` (conflict DEVICE YYYY-MM-DD HHMM ID7)` or the same with ` N` after it, before an
  /// extension; the first place that fits.
  private static func parse(
    _ name: [UInt8]
  ) -> (stem: [UInt8], suffix: [UInt8], digits: [UInt8]?)? {
    let mark = Array(" (conflict ".utf8)
    for start in name.indices where name[start...].starts(with: mark) {
      let inner = name[(start + mark.count)...]
      guard let close = inner.firstIndex(of: UInt8(ascii: ")")),
        !inner[..<close].contains(UInt8(ascii: "(")),
        let digits = digits(in: inner[..<close])
      else { continue }
      var rest = name[(close + 1)...]
      if rest.first == 0x20 {
        let number = rest.dropFirst().prefix(while: TextLine.isDigit)
        if number.isEmpty { continue }
        rest = rest[number.endIndex...]
      }
      let isSuffix =
        rest.isEmpty
        || rest.first == UInt8(ascii: ".") && !rest.dropFirst().contains(UInt8(ascii: "."))
      if isSuffix { return (Array(name[..<start]), Array(rest), digits) }
    }
    return nil
  }

  /// The blob's digits at the end of `DEVICE YYYY-MM-DD HHMM ID7`; `nil` for other text.
  private static func digits(in text: ArraySlice<UInt8>) -> [UInt8]? {
    let tail = Array(text.suffix(24))
    guard tail.count == 24 else { return nil }
    for (byte, wanted) in zip(tail, " dddd-dd-dd dddd hhhhhhh".utf8) {
      let fits =
        switch wanted {
        case UInt8(ascii: "d"): TextLine.isDigit(byte)
        case UInt8(ascii: "h"): TextLine.isDigit(byte) || byte &- 0x61 < 6
        default: byte == wanted
        }
      if !fits { return nil }
    }
    return Array(tail.suffix(7))
  }
}
