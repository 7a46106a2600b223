import VersoGit
import VersoModel

/// What a merge commit says: nothing but its moves, so that it is a function of its parents.
enum MergeMessage {
  static let name = "Verso"
  static let email = "verso@localhost"
  static let subject = "Merge"
  /// More than so many moves are not written down: what is missing costs no line, but a conflict
  /// may be copied twice.
  static let mostMoves = 20_000

  private static let version = "Verso-Merge"
  private static let moved = "Verso-Moved"
  private static let kept = "Verso-Kept"

  /// A move, or what looks like one and is none, and the parent that it is about.
  struct Remark: Comparable {
    let parent: ObjectID
    let move: MergeCommit.Move
    let isDenial: Bool

    static func < (a: Remark, b: Remark) -> Bool {
      (a.parent, a.isDenial ? 1 : 0, a.move.old, a.move.new)
        < (b.parent, b.isDenial ? 1 : 0, b.move.old, b.move.new)
    }

    fileprivate var text: String {
      let names = [move.old, move.new].map { path in
        let isText = String(validating: path.bytes, as: UTF8.self) != nil
        return String(
          decoding: QuotedPath.quote(path.bytes, escapesHighBytes: !isText, quotesSpaces: true),
          as: UTF8.self)
      }
      return "\(isDenial ? kept : moved): \(parent) \(names[0]) -> \(names[1])"
    }
  }

  static func text(_ remarks: [Remark]) -> String {
    ([subject, "", "\(version): 1"] + remarks.sorted().prefix(mostMoves).map(\.text))
      .joined(separator: "\n") + "\n"
  }

  /// Whether a commit is a merge that Verso made.
  static func isOwn(_ commit: Repository.Commit) -> Bool {
    commit.parents.count == 2 && commit.authorName == name && commit.authorEmail == email
      && !CommitTrailers(commit.message)[version].isEmpty
  }

  /// What a merge says about a parent.
  static func moves(
    _ commit: Repository.Commit, parent: ObjectID, denied: Bool
  ) -> [MergeCommit.Move] {
    let start = "\(parent) "
    return CommitTrailers(commit.message)[denied ? kept : moved].flatMap { value in
      value.hasPrefix(start) ? moves(String(value.dropFirst(start.count))) : []
    }
  }

  /// The ways to read `old -> new`.
  static func moves(_ text: String) -> [MergeCommit.Move] {
    RenameHint(text).readings.map { MergeCommit.Move($0.old, $0.new) }
  }
}

extension MergeCommit {
  /// What a commit of a repository says; nothing that it says is checked.
  init(_ commit: Repository.Commit, parents: [ObjectID]) {
    let isMerge = MergeMessage.isOwn(commit)
    let trailers = CommitTrailers(commit.message)
    var claims = parents.map {
      isMerge ? MergeMessage.moves(commit, parent: $0, denied: false) : []
    }
    if !isMerge, parents.count == 1 {
      claims = [trailers["Verso-Renamed"].flatMap(MergeMessage.moves)]
    }
    self.init(
      id: commit.id, tree: commit.tree, parents: parents,
      time: ZonedTime(seconds: commit.authorTime, zone: commit.authorTimeZone),
      device: trailers["Verso-Device"].last { !$0.isEmpty } ?? commit.authorName, isMerge: isMerge,
      claims: claims,
      denials: isMerge ? parents.map { MergeMessage.moves(commit, parent: $0, denied: true) } : [],
      infersMoves: true)
  }
}
