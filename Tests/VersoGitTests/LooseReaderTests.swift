import Glibc
import Testing
import VersoModel
import VersoTestSupport

@testable import VersoGit

/// Loose objects as libgit2 gets them: whole ones whole, damaged ones with an end.
@Suite struct LooseReaderTests {
  private let scratch: Scratch

  init() throws {
    scratch = try Scratch(inMemory: true)
    try scratch.git("init", "-q")
  }

  private func add(_ bytes: [UInt8], _ kind: String = "blob") throws -> ObjectID {
    try #require(
      ObjectID(hex: scratch.git("hash-object", "-w", "-t", kind, "--stdin", input: bytes)))
  }

  private func path(_ id: ObjectID) -> String {
    ".git/objects/\(id.hex.prefix(2))/\(id.hex.dropFirst(2))"
  }

  private func replace(_ id: ObjectID, by bytes: some Sequence<UInt8>) throws {
    unlink(scratch.at(path(id)))
    try scratch.write(Array(bytes), to: Array(path(id).utf8))
  }

  @Test func `objects of all kinds and sizes are read as git has written them`() throws {
    var random = SeededGenerator(seed: 5)
    let sizes = [0, 1, 20, 31, 32, 33, 65_535, 65_536, 70_000, 400_000]
    for bytes in sizes.map({ random.bytes($0) }) + sizes.map({ Array(repeating: 0x61, count: $0) })
    {
      let id = try add(bytes)
      let repository = try Repository(at: scratch.path)
      let (kind, found) = try repository.read(id)
      #expect(kind == .blob && found == bytes, "\(bytes.count) bytes")
      let header = try repository.header(of: id)
      #expect(header == (.blob, bytes.count))
    }
    try scratch.write("one\n", to: "a.md")
    try scratch.git("add", "a.md")
    try scratch.git("commit", "-q", "-m", "one")
    let repository = try Repository(at: scratch.path)
    let commit = try #require(try repository.headCommit())
    #expect(try repository.read(commit).kind == .commit)
    #expect(try repository.read(repository.commit(commit).tree).kind == .tree)
  }

  @Test func `one that is cut off anywhere is an error, and no reading without end`() throws {
    let whole = (0..<3000).map { "\($0)\n" }.joined()
    for text in [whole, "short\n"] {
      let id = try add(Array(text.utf8))
      let bytes = try #require(scratch.bytes(of: path(id)))
      for count in Set([1, 2, 3, 10, 19, 100, bytes.count / 2, bytes.count - 5, bytes.count - 1])
      where count < bytes.count {
        try replace(id, by: bytes.prefix(count))
        let repository = try Repository(at: scratch.path)
        #expect(throws: GitError.self, "\(count) of \(bytes.count)") {
          _ = try repository.read(id)
        }
        // The head alone may be there.
        do throws(GitError) { #expect(try repository.header(of: id).size == text.utf8.count) } catch
        {
          #expect(error.code != .notFound)
        }
      }
      try replace(id, by: bytes)
    }
  }

  @Test func `one with other bytes than its name says is an error`() throws {
    let (one, two) = (try add(Array("one\n".utf8)), try add(Array("two\n".utf8)))
    let bytes = try #require(scratch.bytes(of: path(two)))
    try replace(one, by: bytes)
    let long = try add(Array(repeating: 0x62, count: 5_000))
    let coded = try #require(scratch.bytes(of: path(long)))
    try replace(long, by: coded.enumerated().map { $0 == coded.count - 2 ? $1 ^ 0xFF : $1 })
    try replace(two, by: [UInt8](repeating: 0, count: bytes.count))
    let repository = try Repository(at: scratch.path)
    for id in [one, two, long] {
      #expect(throws: GitError.self) { _ = try repository.read(id) }
    }
  }

  @Test func `a damaged copy beside a pack is not read`() throws {
    try scratch.write("one\n", to: "a.md")
    try scratch.git("add", "a.md")
    try scratch.git("commit", "-q", "-m", "one")
    let id = try #require(ObjectID(hex: scratch.git("rev-parse", "HEAD:a.md")))
    let bytes = try #require(scratch.bytes(of: path(id)))
    try scratch.git("repack", "-adq")
    mkdir(scratch.at(".git/objects/\(id.hex.prefix(2))"), 0o755)
    try scratch.write(Array(bytes.prefix(5)), to: Array(path(id).utf8))
    #expect(try Repository(at: scratch.path).read(id).bytes == Array("one\n".utf8))
  }
}
