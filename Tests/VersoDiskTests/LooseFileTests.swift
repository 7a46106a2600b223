import Glibc
import Testing
import VersoDisk
import VersoTestSupport

@Suite struct `Small files of our own` {
  let desk: Desk
  init() throws { desk = try Desk() }
  let name = Array("journal".utf8)

  @Test(arguments: [true, false])
  func `are replaced and read`(sync: Bool) throws {
    let store = FailingFileStore { _ in nil }
    #expect(try store.readFile(name, in: desk.staging) == nil)
    for text in ["first", "", "third"] {
      let bytes = Array(text.utf8)
      try store.writeFileAtomically(bytes, name, in: desk.staging, sync: sync)
      #expect(try store.readFile(name, in: desk.staging) == bytes)
    }
    #expect(try desk.list("stage") == ["journal"])
    #expect(try store.status(of: name, in: desk.staging)?.mode == 0o100600)
    #expect(store.count(of: .fsync) == (sync ? 6 : 0))
  }

  @Test(arguments: [ENOSPC, EIO, EACCES, EMFILE, ENAMETOOLONG])
  func `hold the old or the new content, whichever call fails`(code: Int32) throws {
    for number in 1... {
      try desk.scratch.write("old", to: "stage/journal")
      let store = FailingFileStore(failing: number, with: code)
      var isDone = true
      do {
        try store.writeFileAtomically(Array("new".utf8), name, in: desk.staging, sync: true)
      } catch {
        isDone = false
        #expect("\(error)".contains(desk.scratch.at("stage/")))
      }
      let text = desk.scratch.text(of: "stage/journal")
      #expect(text == "new" || (text == "old" && !isDone))
      #expect(try desk.list("stage") == ["journal"])
      if store.callCount < number {
        #expect(isDone)
        break
      }
    }
  }

  @Test func `are not followed through a link, and a failure is no absence`() throws {
    symlink("../secret", desk.scratch.at("stage/journal"))
    #expect(throws: DiskError.self) { try SystemFileStore().readFile(name, in: desk.staging) }
    let store = FailingFileStore(failing: 1, with: EIO)
    #expect(throws: DiskError.self) { try store.readFile(name, in: desk.staging) }
  }
}
