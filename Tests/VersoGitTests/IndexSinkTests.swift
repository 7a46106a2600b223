import Glibc
import Testing
import VersoDisk
import VersoModel
import VersoTestSupport

@testable import VersoGit

@Suite struct IndexSinkTests {
  @Test(arguments: [0, 1 << 20])
  func `what is written ends in the digest of all before it, hashed here or by a helper`(
    expected: Int
  ) throws {
    let scratch = try Scratch()
    var random = SeededGenerator(seed: 7)
    let lasting = (0..<(700 << 10)).map { _ in UInt8.random(in: 0...255, using: &random) }
    var reference: [UInt8] = []
    let path = Array("index".utf8)
    let store = SystemFileStore()
    let folder = try store.opening(Array(scratch.path.utf8), in: AT_FDCWD, flags: O_DIRECTORY)
    let file = try store.opening(path, in: folder.number, flags: O_RDWR | O_CREAT | O_EXCL)
    try lasting.withUnsafeBytes { lasting in
      var sink = IndexSink(
        descriptor: file.number, store: store, path: path, expected: expected)
      for _ in 0..<60 {
        let size = Int.random(in: 0...(600 << 10), using: &random) >> Int.random(in: 0...12)
        let part = UnsafeRawBufferPointer(rebasing: lasting[..<size])
        if Bool.random(using: &random) {
          try sink.append(lasting: part)
        } else {
          // Gone when it returns: what is not lasting must have been copied.
          var copy = Array(part)
          try sink.append(copy)
          for index in copy.indices { copy[index] = 0 }
        }
        reference += part
        try sink.append(number: UInt32(size))
        withUnsafeBytes(of: UInt32(size).bigEndian) { reference += $0 }
      }
      let checksum = try sink.finish()
      #expect(checksum == SHA1.hash(reference))
      #expect(sink.count == reference.count + 20)
    }
    let written = try #require(try store.readFile(path, in: folder.number))
    #expect(written == reference + SHA1.hash(reference).bytes)
  }

  @Test func `a disk that fills up leaves no helper at work on memory that is gone`() throws {
    let scratch = try Scratch()
    let store = FailingFileStore(failing: 3, with: 28, call: .write)
    let folder = try store.opening(Array(scratch.path.utf8), in: AT_FDCWD, flags: O_DIRECTORY)
    let file = try store.opening(
      Array("index".utf8), in: folder.number, flags: O_RDWR | O_CREAT | O_EXCL)
    let bytes = [UInt8](repeating: 1, count: 2 << 20)
    #expect(throws: DiskError.self) {
      var sink = IndexSink(
        descriptor: file.number, store: store, path: [], expected: bytes.count)
      try bytes.withUnsafeBytes { try sink.append(lasting: $0) }
      _ = try sink.finish()
    }
  }
}
