package import VersoGit
import VersoModel

/// The lines of blobs, each blob read once while it is in use: a version's old text is the new text of
/// the version before.
package struct TextCache {
  private var known: [ObjectID: LineHashes] = [:]
  private var size = 0
  /// How many hashes are kept: 16 MB.
  private static let most = 2 << 20

  /// The lines of a file; none for what is no text, too large, a link, or not here (a partial clone).
  mutating func lines(
    of file: PathFinder.Found?, in repository: Repository
  ) throws(GitError) -> LineHashes {
    // A link may have the bytes, and so the id, of a file.
    guard let file, file.isRegular else { return LineHashes() }
    if let lines = known[file.id] { return lines }
    let lines = try Self.text(of: file, in: repository).map(LineHashes.init(of:))
    return keep(lines ?? LineHashes(), for: file.id)
  }

  private mutating func keep(_ lines: LineHashes, for id: ObjectID) -> LineHashes {
    if size + lines.hashes.count > Self.most {
      known = [:]
      size = 0
    }
    known[id] = lines
    size += lines.hashes.count + 4
    return lines
  }

  /// The bytes of a file that can be searched; `nil` for what is no text, too large, a link, or not here.
  package static func text(
    of file: PathFinder.Found, in repository: Repository
  ) throws(GitError) -> [UInt8]? {
    guard file.isRegular else { return nil }
    do throws(GitError) {
      guard try repository.header(of: file.id).size <= LineHashes.largest else { return nil }
      let bytes = try repository.read(file.id).bytes
      return TextDifference.isBinary(bytes) ? nil : bytes
    } catch {
      guard error.code == .notFound else { throw error }
      return nil
    }
  }
}
