import Testing
import VersoModel
import VersoTestSupport

@testable import Verso

/// A journal on disk says after a kill what it said before.
@Suite struct JournalTests {
  private static let id = ObjectID(hex: String(repeating: "ab", count: 20))

  private func journal() throws -> Journal {
    let id = try #require(Self.id)
    let file = Journal.Content(kind: .file, id: id)
    let odd = try #require(RelativePath([0x20, 0x0A, 0xFF, 0x22, 0x2F, 0x20, 0x20] as [UInt8]))
    return Journal(
      subject: "Restore \"a\"\nb", trailers: [.init("Verso-Action", " two  words ")],
      steps: [
        .init(path: "a b/c", old: file, new: nil, modified: nil),
        .init(path: odd, old: nil, new: file, modified: -5),
        .init(
          path: "d", old: nil, new: file, modified: nil, mask: .init(file: 0o600, folder: 0o750)),
      ], goal: .commit(id, from: nil), bases: [odd: id, "x y": id], kept: [odd, "k k"],
      keptFolders: [.root, odd, "a b"], branch: "refs/heads/main")
  }

  @Test func `what was written is read again, whatever the names are`() throws {
    let journal = try journal()
    let read = try #require(Journal(journal.encoded))
    #expect(read.operation == journal.operation && read.subject == journal.subject)
    #expect(read.trailers.map(\.key) == journal.trailers.map(\.key))
    #expect(read.trailers.map(\.value) == journal.trailers.map(\.value))
    #expect(read.steps == journal.steps && read.goal == journal.goal)
    #expect(read.bases == journal.bases && read.kept == journal.kept)
    #expect(read.keptFolders == journal.keptFolders && read.branch == journal.branch)
  }

  @Test func `one that is cut off anywhere is none`() throws {
    let bytes = try journal().encoded
    for count in 0..<(bytes.count - 1) { #expect(Journal(Array(bytes.prefix(count))) == nil) }
  }
}
