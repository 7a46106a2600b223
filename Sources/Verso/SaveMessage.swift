import VersoModel

/// What a save is called: a subject, a line for each path, and trailers.
struct SaveMessage {
  /// Characters in a subject, as git's own tools expect.
  static let subjectLimit = 72
  /// Paths named in the body; the rest is counted.
  static let pathLimit = 100
  /// Renames recorded as trailers.
  static let trailerLimit = 1000

  var subject: String
  /// The first line, which names the save wherever there is one line for it.
  var title: String { subject.split(whereSeparator: \.isNewline).first.map(String.init) ?? "" }
  var changes: [PathChange]
  var trailers: [(key: String, value: String)] = []

  /// A message for `changes`, in words.
  init(_ changes: [PathChange], device: String) {
    self.changes = changes.sorted()
    subject = Self.subject(for: self.changes)
    add("Verso-Device", device)
  }

  /// A message with a subject of somebody's own; more lines of it go before the paths.
  init(_ changes: [PathChange], device: String, subject: String) {
    self.init(changes, device: device)
    self.subject = subject
  }

  /// Adds a trailer; control characters in the value become spaces, so that it cannot forge another.
  ///
  /// Not what else Unicode calls a line end: to git it is none, and it may be part of a name.
  mutating func add(_ key: String, _ value: String) {
    let scalars = value.unicodeScalars.map { $0.value < 0x20 ? " " : $0 }
    trailers.append((key, String(String.UnicodeScalarView(scalars))))
  }

  /// The whole message as bytes of valid UTF-8 with a final line end.
  var text: String {
    var lines = [subject]
    if !changes.isEmpty {
      lines.append("")
      lines += changes.prefix(Self.pathLimit).map(Self.line)
      if changes.count > Self.pathLimit {
        lines.append("and \(changes.count - Self.pathLimit) more")
      }
    }
    if !trailers.isEmpty {
      lines.append("")
      lines += trailers.map { "\($0.key): \($0.value)" }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func line(_ change: PathChange) -> String {
    let path = change.path.quoted
    guard let old = change.oldPath else { return "\(change.kind.rawValue) \(path)" }
    return "R \(old.quotedBeforeMore) -> \(change.path.quotedBeforeMore)"
  }

  private static func subject(for changes: [PathChange]) -> String {
    if changes.count == 1, let change = changes.first { return subject(for: change) }
    let kinds: [(PathChange.Kind, String)] = [
      (.added, "add"), (.modified, "edit"), (.renamed, "rename"), (.deleted, "delete"),
    ]
    var parts: [String] = []
    for (kind, verb) in kinds {
      let count = changes.count { $0.kind == kind }
      if count == 0 { continue }
      let noun = parts.isEmpty ? (count == 1 ? " note" : " notes") : ""
      parts.append("\(verb) \(count)\(noun)")
    }
    let text = parts.joined(separator: ", ")
    return text.prefix(1).uppercased() + text.dropFirst()
  }

  private static func subject(for change: PathChange) -> String {
    switch change.kind {
    case .added: return shortened("Add ", change.path)
    case .modified: return shortened("Edit ", change.path)
    case .deleted: return shortened("Delete ", change.path)
    case .renamed:
      guard let old = change.oldPath else { return shortened("Rename ", change.path) }
      let whole = "Rename \(old.quoted) to \(change.path.quoted)"
      if whole.count <= subjectLimit { return whole }
      return shortened("Rename to ", change.path)
    }
  }

  /// The verb and as much of the path's end as fits: the name says more than the folders.
  private static func shortened(_ verb: String, _ path: RelativePath) -> String {
    let name = path.quoted
    if verb.count + name.count <= subjectLimit { return verb + name }
    return verb + "…" + name.suffix(subjectLimit - verb.count - 1)
  }
}
