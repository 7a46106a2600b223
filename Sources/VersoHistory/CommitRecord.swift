import VersoGit
package import VersoModel

/// A commit as history shows it.
package struct CommitRecord: Hashable, Sendable {
  package let id: ObjectID
  package let tree: ObjectID
  package let parents: [ObjectID]
  /// Seconds since 1970 by the committer's clock.
  package let time: Int64
  /// Minutes east of UTC.
  package let timeZone: Int
  /// Where it was made: the trailer `Verso-Device`, else the author's name.
  package let device: String
  /// The first paragraph of the message, in one line.
  package let subject: String
  /// The whole message.
  package let message: String

  init(_ commit: Repository.Commit) {
    id = commit.id
    tree = commit.tree
    parents = commit.parents
    time = commit.time
    timeZone = commit.timeZone
    message = commit.message
    subject = Self.subject(of: commit.message)
    device = Self.trailers("Verso-Device", in: commit.message).last ?? commit.authorName
  }

  /// The renames that the message names; hints only, to be checked against the trees.
  var renameHints: [RenameHint] {
    Self.trailers("Verso-Renamed", in: message).map(RenameHint.init)
  }

  private static func isBlank(_ line: Substring) -> Bool { line.allSatisfy(\.isWhitespace) }

  private static func lines(of message: String) -> [Substring] {
    message.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
  }

  static func subject(of message: String) -> String {
    lines(of: message).drop(while: isBlank).prefix { !isBlank($0) }.joined(separator: " ")
  }

  /// The values of a trailer, in order (git-interpret-trailers(1): the last paragraph, which is not
  /// the first).
  package static func trailers(_ key: String, in message: String) -> [String] {
    // Most messages hold none, and a walk reads thousands.
    guard message.contains("\(key):") else { return [] }
    let paragraphs = lines(of: message).split(whereSeparator: isBlank)
    guard paragraphs.count > 1, let last = paragraphs.last else { return [] }
    return last.compactMap { line in
      guard line.hasPrefix("\(key):") else { return nil }
      var value = line.dropFirst(key.count + 1).drop(while: \.isWhitespace)
      while value.last?.isWhitespace == true { value.removeLast() }
      return String(value)
    }
  }
}
