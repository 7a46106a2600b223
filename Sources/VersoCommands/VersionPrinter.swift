import Verso
import VersoGit
import VersoHistory
import VersoModel

/// Prints versions one by one, or folded.
struct VersionPrinter {
  let history: History
  let engine: Engine
  let invocation: Invocation
  let context: Context

  private var output: Output { context.output }
  private var wantsStat: Bool { invocation.has(.stat) }
  private var wantsFiles: Bool {
    wantsStat || invocation.has(.names) || invocation.endsNamesWithNUL
  }

  /// Whether what was asked for does not fit into folded lines.
  var needsEach: Bool { invocation.has(.all) || invocation.wantsJSON || wantsFiles }

  // MARK: One by one

  /// Prints all commits of a range.
  func commits(_ range: HistoryRange) throws {
    var walk = try history.commits(range)
    while !output.isClosed, let commit = try walk.next() {
      let changes = wantsFiles ? try history.changes(in: commit.id) : []
      if invocation.wantsJSON {
        var fields = try fields(of: commit.id, time: commit.time, subject: commit.subject)
        if wantsFiles { fields.append("files", .array(try changes.map(json))) }
        output.print(JSONObject(.version, fields))
      } else if invocation.endsNamesWithNUL {
        for change in changes { output.writeNUL(change.path.bytes) }
      } else {
        output.print("\(head(commit.time, commit.id, commit.device))\(commit.subject)")
        for change in changes { try print(change) }
      }
    }
  }

  /// Prints the versions of a path; `false` where there is none.
  func each(_ versions: inout PathHistory) throws -> Bool {
    var found = false
    while !output.isClosed, let version = try versions.next() {
      found = true
      let changes = wantsFiles ? try changes(of: version) : []
      if invocation.wantsJSON {
        try printJSON(version, changes)
      } else if invocation.endsNamesWithNUL {
        for change in changes { output.writeNUL(change.path.bytes) }
      } else {
        print(version, size: nil)
        for change in changes { try print(change) }
      }
    }
    return found
  }

  /// What a version did to its file, or to the files of its folder.
  private func changes(of version: Version) throws -> [FileChange] {
    let isFolder = (version.content ?? version.before)?.isFolder ?? false
    if isFolder {
      guard case .renamed(let old) = version.kind else {
        return try history.changes(in: version.commit, below: version.path)
      }
      return try history.changes(in: version.commit).filter {
        version.path.contains($0.path) || old.contains($0.oldPath)
      }
    }
    return [
      FileChange(
        kind: version.kind, path: version.path, old: version.before, new: version.content)
    ]
  }

  // MARK: Folded

  /// Prints the versions of a path, those of one device in quick succession as one line.
  ///
  /// - Returns: Whether there is any.
  func folded(_ versions: inout PathHistory) throws -> Bool {
    var row: [(version: Version, size: ChangeSize)] = []
    while !output.isClosed, let version = try versions.next() {
      let next = (version: version, size: try history.knownSize(of: version) ?? ChangeSize())
      // Whether two neighbours fold does not depend on those before them.
      if let last = row.last, VersionRow.fold([last, next]).count > 1 {
        print(row)
        row = []
      }
      row.append(next)
    }
    if row.isEmpty { return false }
    print(row)
    return true
  }

  private func print(_ versions: [(version: Version, size: ChangeSize)]) {
    for row in VersionRow.fold(versions) {
      guard let version = row.versions.first else { continue }
      guard row.versions.count > 1 else {
        print(version, size: row.size)
        continue
      }
      let span = "\(TimeText.minute(row.firstTime))–\(TimeText.clock(row.lastTime))"
      output.print(
        """
        \(span, .time)  \(version.commit.short, .id)  \(version.device)  \
        \(row.versions.count) saves  \(Self.text(row.size))
        """)
    }
  }

  // MARK: Pieces

  private func head(_ time: Int64, _ id: ObjectID, _ device: String) -> Line {
    let space = output.isTerminal && !needsEach ? "      " : ""
    return "\(TimeText.minute(time), .time)\(space)  \(id.short, .id)  \(device)  "
  }

  private func print(_ version: Version, size: ChangeSize?) {
    let words = size.map { "  \(Self.text($0))" } ?? ""
    let head = head(version.time, version.commit, version.device)
    let note: Line =
      switch version.kind {
      case .renamed(let old): " (was \(path: old))"
      case .movedAway(let new): " (now \(path: new))"
      default: ""
      }
    output.print("\(head)\(version.subject)\(note)\(words)")
  }

  private func print(_ change: FileChange) throws {
    let letter = String(change.kind.letter)
    let words =
      wantsStat ? try history.knownSize(of: change).map { "  \(Self.text($0))" } ?? "" : ""
    if case .renamed(let old) = change.kind {
      output.print("    \(letter, .changed) \(path: old) -> \(path: change.path)\(words)")
    } else {
      output.print("    \(letter, .changed) \(path: change.path)\(words)")
    }
  }

  /// `+41 −12 words`; for what is no text, how it grew.
  static func text(_ size: ChangeSize) -> String {
    var parts: [String] = []
    if size.addedWords > 0 || size.removedWords > 0 || size.binaryFiles == 0 {
      parts.append("+\(size.addedWords) −\(size.removedWords) words")
    }
    if size.binaryFiles > 0 {
      let sign = size.binaryBytes < 0 ? "−" : "+"
      parts.append("\(sign)\(size.binaryBytes.magnitude) bytes")
    }
    return parts.joined(separator: ", ")
  }

  // MARK: For programs

  private func fields(
    of id: ObjectID, time: Int64, subject: String
  ) throws(GitError) -> JSONFields {
    let commit = try engine.repository.commit(id)
    let device = CommitRecord.trailers("Verso-Device", in: commit.message).last
    return [
      "id": .id(id), "time": .time(time), "device": device.map { .text($0) } ?? .null,
      "author": .text(commit.authorName), "subject": .text(subject),
    ]
  }

  private func printJSON(_ version: Version, _ changes: [FileChange]) throws {
    var fields = try fields(of: version.commit, time: version.time, subject: version.subject)
    fields.append("path", .path(version.path))
    fields.append("change", .text(String(version.kind.letter)))
    if case .renamed(let old) = version.kind { fields.append("from", .path(old)) }
    if wantsFiles { fields.append("files", .array(try changes.map(json))) }
    output.print(JSONObject(.version, fields))
  }

  private func json(_ change: FileChange) throws -> JSONValue {
    var fields: JSONFields = [
      "path": .path(change.path), "change": .text(String(change.kind.letter)),
    ]
    if case .renamed(let old) = change.kind { fields.append("from", .path(old)) }
    if wantsStat, let size = try history.knownSize(of: change) {
      fields.append("wordsAdded", .count(size.addedWords))
      fields.append("wordsRemoved", .count(size.removedWords))
    }
    return .object(fields)
  }
}
