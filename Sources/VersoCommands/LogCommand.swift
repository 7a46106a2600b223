import Verso
import VersoGit
import VersoHistory
import VersoModel

/// `verso log`: versions, newest first.
enum LogCommand {
  static func run(_ invocation: Invocation, _ context: Context) throws -> ExitCode {
    let (engine, paths) = try VaultOperands.open(invocation, context, requiresVault: false)
    if try engine.head() == nil { return .done }
    let path = paths.first
    let range = HistoryRange(
      since: try WhenArguments.time(.since, role: .start, of: path, invocation, engine, context),
      until: try WhenArguments.time(.until, role: .end, of: path, invocation, engine, context),
      limit: invocation.number(.limit))
    context.output.usePager { engine.setting("core.pager") }
    let printer = VersionPrinter(
      history: try engine.history(), engine: engine, invocation: invocation, context: context)
    if let path {
      try printer.versions(of: path, range)
    } else {
      try printer.commits(range)
    }
    return .done
  }
}

/// Prints versions one by one, or folded.
struct VersionPrinter {
  let history: History
  let engine: Engine
  let invocation: Invocation
  let context: Context

  private var wantsStat: Bool { invocation.has(.stat) }
  private var wantsNames: Bool { invocation.has(.names) }

  // MARK: The whole vault

  func commits(_ range: HistoryRange) throws {
    var walk = try history.commits(range)
    while !context.output.isClosed, let commit = try walk.next() {
      let changes =
        wantsStat || wantsNames || invocation.endsNamesWithNUL
        ? try history.changes(in: commit.id) : []
      if invocation.wantsJSON {
        print(commit, changes)
      } else if invocation.endsNamesWithNUL {
        for change in changes { context.output.writeNUL(change.path.bytes) }
      } else {
        print(commit)
        for change in changes { print(change) }
      }
    }
  }

  private func print(_ commit: CommitRecord) {
    context.output.print(
      """
      \(TimeText.minute(commit.time), .time)  \(commit.id.short, .id)  \(commit.device)  \
      \(commit.subject)
      """)
  }

  private func print(_ change: FileChange) {
    if case .movedAway = change.kind { return }
    let letter = String(change.kind.letter)
    let size = wantsStat ? words(of: change) : nil
    let words = size.map { "  \(Self.text($0))" } ?? ""
    if case .renamed(let old) = change.kind {
      context.output.print("    \(letter) \(path: old) -> \(path: change.path)\(words)")
    } else {
      context.output.print("    \(letter) \(path: change.path)\(words)")
    }
  }

  private func words(of change: FileChange) -> ChangeSize? {
    do throws(GitError) { return try history.size(of: change) } catch {
      return nil  // A content that is not here (a partial clone) has no words to count.
    }
  }

  private func print(_ commit: CommitRecord, _ changes: [FileChange]) {
    var fields: JSONFields = [
      "id": .id(commit.id), "time": .time(commit.time), "device": .text(commit.device),
      "author": .text(author(of: commit.id)), "subject": .text(commit.subject),
    ]
    if wantsStat || wantsNames { fields.append("files", .array(changes.map(json))) }
    context.output.print(JSONObject(.version, fields))
  }

  private func author(of commit: ObjectID) -> String {
    do throws(GitError) { return try engine.repository.commit(commit).authorName } catch {
      return ""  // A commit that was just read is there.
    }
  }

  private func json(_ change: FileChange) -> JSONValue {
    var fields: JSONFields = [
      "path": .path(change.path), "change": .text(String(change.kind.letter)),
    ]
    if case .renamed(let old) = change.kind { fields.append("from", .path(old)) }
    if wantsStat, let size = words(of: change) {
      fields.append("wordsAdded", .count(size.addedWords))
      fields.append("wordsRemoved", .count(size.removedWords))
    }
    return .object(fields)
  }

  /// `+41 −12 words`; for what is no text, its bytes.
  static func text(_ size: ChangeSize) -> String {
    if size.binaryFiles > 0, size.addedWords == 0, size.removedWords == 0 {
      return "\(size.binaryBytes) bytes"
    }
    return "+\(size.addedWords) −\(size.removedWords) words"
  }

  // MARK: One path

  func versions(of path: RelativePath, _ range: HistoryRange) throws {
    var versions = try history.versions(of: path, range: range)
    let folds =
      context.output.isTerminal && !invocation.has(.all) && !invocation.wantsJSON && !wantsNames
    guard folds else {
      while !context.output.isClosed, let version = try versions.next() {
        try print(version, asked: path)
      }
      return
    }
    var pending: [(version: Version, size: ChangeSize)] = []
    while !context.output.isClosed, let version = try versions.next() {
      pending.append((version, try history.size(of: version)))
      let rows = VersionRow.fold(pending)
      guard rows.count > 1 else { continue }
      for row in rows.dropLast() { print(row) }
      pending = [pending[pending.count - 1]]
    }
    for row in VersionRow.fold(pending) { print(row) }
  }

  private func print(_ row: VersionRow) {
    guard let version = row.versions.first else { return }
    if row.versions.count == 1 {
      return print(version, size: row.size)
    }
    let last = TimeText.clock(row.lastTime)
    context.output.print(
      """
      \(TimeText.minute(row.firstTime), .time)\("–" + last, .time)  \(row.versions.count) saves  \
      \(Self.text(row.size))  \(version.commit.short, .id)  \(version.device)
      """)
  }

  private func print(_ version: Version, size: ChangeSize?) {
    let words = size.map { "  \(Self.text($0))" } ?? ""
    context.output.print(
      """
      \(TimeText.minute(version.time), .time)  \(version.commit.short, .id)  \(version.device)  \
      \(Self.word(version))\(words)
      """)
  }

  private static func word(_ version: Version) -> Line {
    switch version.kind {
    case .renamed(let old): "\(version.subject) (was \(path: old))"
    default: "\(version.subject)"
    }
  }

  private func print(_ version: Version, asked path: RelativePath) throws {
    if invocation.endsNamesWithNUL { return context.output.writeNUL(version.path.bytes) }
    guard invocation.wantsJSON else {
      print(version, size: wantsStat ? try history.size(of: version) : nil)
      if wantsNames {
        let kind = String(version.kind.letter)
        context.output.print("    \(kind) \(path: version.path)")
      }
      return
    }
    var file: JSONFields = [
      "path": .path(version.path), "change": .text(String(version.kind.letter)),
    ]
    if case .renamed(let old) = version.kind { file.append("from", .path(old)) }
    if wantsStat {
      let size = try history.size(of: version)
      file.append("wordsAdded", .count(size.addedWords))
      file.append("wordsRemoved", .count(size.removedWords))
    }
    context.output.print(
      JSONObject(
        .version,
        [
          "id": .id(version.commit), "time": .time(version.time),
          "device": .text(version.device), "author": .text(author(of: version.commit)),
          "subject": .text(version.subject), "path": .path(version.path),
          "files": .array([.object(file)]),
        ]))
  }
}
