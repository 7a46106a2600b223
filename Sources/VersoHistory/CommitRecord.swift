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

  private typealias Line = Substring.UTF8View

  /// The lines of a message; bytes, as a walk reads thousands of messages.
  private static func lines(of message: String) -> [Line] {
    message.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || (9...13).contains(byte)
  }

  private static func isBlank(_ line: Line) -> Bool { line.allSatisfy(isSpace) }

  private static func trimmed(_ line: Line) -> String {
    var line = line.drop(while: isSpace)
    while let last = line.last, isSpace(last) { line.removeLast() }
    return String(Substring(line))
  }

  private static func subject(of message: String) -> String {
    lines(of: message).drop(while: isBlank).prefix { !isBlank($0) }.map(trimmed)
      .joined(separator: " ")
  }

  /// The values of a trailer, in order (git-interpret-trailers(1): the last paragraph, which is not
  /// the first).
  package static func trailers(_ key: String, in message: String) -> [String] {
    CommitTrailers(message)[key]
  }
}
