import Glibc
import Testing
import VersoDisk
import VersoGit
import VersoModel
import VersoSync
import VersoTestSupport

/// A repository in which several devices commit and merge; no work tree is involved.
final class MergeDesk {
  typealias Files = [String: File]

  /// What a device has at a path.
  struct File: Hashable {
    var kind = Item.Kind.file
    var content: [UInt8]

    init(_ text: String, kind: Item.Kind = .file) {
      content = Array(text.utf8)
      self.kind = kind
    }

    init(_ content: [UInt8], kind: Item.Kind = .file) {
      self.content = content
      self.kind = kind
    }
  }

  let scratch: Scratch
  let repository: Repository
  private let objects: Descriptor
  private var contents: [ObjectID: [UInt8]] = [:]
  var published: ObjectID?

  init() throws {
    scratch = try Scratch("merge", inMemory: true)
    try scratch.git("init", "-q", "--bare", "-b", "main")
    repository = try Repository(at: scratch.path)
    objects = try SystemFileStore().opening(
      Array(scratch.at("objects").utf8), in: AT_FDCWD, flags: O_RDONLY | O_DIRECTORY)
  }

  func write<Result>(_ body: (any ObjectWriter) throws -> Result) throws -> Result {
    let writer = LooseObjectWriter(
      objects: objects.number, store: SystemFileStore(), contains: { _ in false })
    let result = try body(writer)
    try writer.finish()
    return result
  }

  /// Commits a whole set of files, as a device's save.
  func save(
    _ files: Files, parents: [ObjectID], device: String, at time: Int64, zone: Int = 0,
    author: String = "Ada", trailers: [String] = []
  ) throws -> ObjectID {
    try write { writer in
      var edits: [TreeEditor.Edit] = []
      for (name, file) in files {
        let path = try #require(RelativePath(name))
        let id = try writer.write(.blob, file.content)
        edits.append(TreeEditor.Edit(path: path, mode: file.kind.rawValue, id: id))
      }
      edits.sort { $0.path < $1.path }
      let tree = try TreeEditor(edits, repository: repository, writer: writer).apply(to: nil).root
      let stamp = CommitStamp(
        name: author, email: "ada@example.invalid", time: ZonedTime(seconds: time, zone: zone))
      let message = (["Save", "", "Verso-Device: \(device)"] + trailers).joined(separator: "\n")
      let text = CommitText(
        tree: tree, parents: parents, author: stamp, committer: stamp, message: message)
      return try writer.write(.commit, text.bytes())
    }
  }

  func merge(_ ours: ObjectID, _ theirs: ObjectID) throws -> MergeResult {
    try write { writer in
      try Merger(repository: repository, writer: writer, published: published)
        .merge(ours: ours, theirs: theirs)
    }
  }

  /// Merges both ways around, which must be the same.
  func merged(_ ours: ObjectID, _ theirs: ObjectID) throws -> ObjectID {
    if ours == theirs { return ours }
    switch (try merge(ours, theirs), try merge(theirs, ours)) {
    case (.upToDate, .fastForward): return ours
    case (.fastForward, .upToDate): return theirs
    case (.published(let id), .published(let other)):
      #expect(id == other)
      return id
    case (.merged(let mine), .merged(let other)):
      #expect(mine.commit == other.commit)
      #expect(mine.ours == other.theirs)
      #expect(mine.theirs == other.ours)
      return mine.commit
    case (let mine, let other):
      throw Failure("\(mine) one way, \(other) the other")
    }
  }

  func files(_ commit: ObjectID) throws -> Files {
    let tree = try repository.commit(commit).tree
    var files: Files = [:]
    for (path, file) in try TreeDifference.files(in: tree, of: repository) {
      let content = try contents[file.id] ?? repository.read(file.id).bytes
      contents[file.id] = content
      files[path.description] = File(content, kind: Item.Kind(rawValue: file.mode) ?? .file)
    }
    return files
  }
}
