import Foundation
import Glibc
import Testing
import VersoDisk
import VersoGit
import VersoModel
import VersoTestSupport

/// A new repository, with its objects open for writers.
final class ObjectDesk {
  let scratch: Scratch
  let repository: Repository
  /// What writers write through.
  var store: any FileStore
  let objects: Descriptor

  init(store: any FileStore = SystemFileStore()) throws {
    scratch = try Scratch("objects")
    try scratch.git("init", "-q", "-b", "main")
    repository = try Repository(at: scratch.path)
    self.store = store
    // Opened past the store of the test: what fails there are the writer's own calls.
    objects = try SystemFileStore().opening(
      Array(scratch.at(".git/objects").utf8), in: AT_FDCWD, flags: O_RDONLY | O_DIRECTORY)
  }

  func loose(
    contains: @escaping @Sendable (ObjectID) -> Bool = { _ in false }
  ) -> LooseObjectWriter {
    LooseObjectWriter(objects: objects.number, store: store, contains: contains)
  }

  func pack(
    contains: @escaping @Sendable (ObjectID) -> Bool = { _ in false }
  ) throws -> PackWriter {
    try PackWriter(objects: objects.number, store: store, contains: contains)
  }

  /// Everything below `objects`, sorted, without folders.
  func files() throws -> [String] {
    let root = scratch.at(".git/objects")
    let all = try FileManager.default.subpathsOfDirectory(atPath: root)
    return all.filter { name in
      var isFolder: ObjCBool = false
      return FileManager.default.fileExists(atPath: "\(root)/\(name)", isDirectory: &isFolder)
        && !isFolder.boolValue
    }.sorted()
  }

  /// Removes every object.
  func empty() throws {
    for file in try files() {
      try FileManager.default.removeItem(atPath: scratch.at(".git/objects/\(file)"))
    }
  }

  func loosePath(_ id: ObjectID) -> String {
    ".git/objects/\(id.hex.prefix(2))/\(id.hex.dropFirst(2))"
  }

  /// Fails unless git finds every object whole.
  func expectSound() throws {
    let outcome = try run(["git", "fsck", "--strict", "--full", "--no-dangling"], in: scratch.path)
    #expect(outcome.status == 0, "\(outcome.error)")
  }

  /// What git calls an object of these bytes.
  func gitID(_ bytes: [UInt8], kind: String = "blob") throws -> String {
    let outcome = try run(
      ["git", "hash-object", "-t", kind, "--stdin"], in: scratch.path, input: bytes)
    return String(outcome.text.dropLast())
  }

  /// Opens a file of the scratch folder for reading.
  func file(_ bytes: [UInt8], named name: String = "source") throws -> Descriptor {
    try scratch.write(bytes, to: Array(name.utf8))
    return try SystemFileStore().opening(
      Array(scratch.at(name).utf8), in: AT_FDCWD, flags: O_RDONLY)
  }
}

extension SeededGenerator {
  /// Bytes that compress somewhat.
  mutating func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8.random(in: 97...112, using: &self) }
  }
}
