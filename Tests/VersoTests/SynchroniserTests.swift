import Testing
import VersoDisk
import VersoModel
import VersoTestSupport

@testable import Verso

/// What is known of the remote, and who finds that out.
@Suite struct SynchroniserTests {
  @Test func `one that never began ends at once`() throws {
    let scratch = try Scratch()
    let synchroniser = Synchroniser(
      root: scratch.path, handle: try WatcherHandle(), rules: SyncSchedule.Rules())
    let start = MonotonicTime.now()
    synchroniser.stop(within: 30)
    #expect(MonotonicTime.now() - start < 10)
  }

  @Test func `a remote that no connection is open to is not asked for news`() throws {
    let fleet = try Fleet(["here"])
    let here = fleet["here"]
    // A folder of this machine needs none.
    #expect(try here.engine().askOpenConnection() == .tip(nil))
    try here.git("config", "remote.origin.url", "ssh://notes.invalid/notes.git")
    #expect(try here.engine().askOpenConnection() == .unasked)
  }

  @Test func `a remote that was typed with a password has a standing, and the password no place`()
    throws
  {
    let fleet = try Fleet(["here", "there"])
    let typed = "https://ada:s3cret@notes.invalid/ada.git"
    for device in fleet.devices {
      try device.git("config", "url.\(fleet.remote).insteadOf", typed)
      try device.git("config", "verso.remote", typed)
    }
    let (here, there) = (fleet["here"], fleet["there"])
    here.write("one\n", "note.md")
    try here.sync()
    try there.sync()
    there.write("two\n", "note.md")
    try there.save()
    var standing = try there.engine().syncStanding()
    #expect(standing.ahead == 1 && standing.behind == 0)
    try there.sync()
    standing = try there.engine().syncStanding()
    #expect(standing.ahead == 0 && standing.behind == 0)
    let references = try there.git("for-each-ref", "--format=%(refname)", "refs/verso")
    let place = "https%3a%2f%2fada%40notes.invalid%2fada.git/main"
    #expect(references == "refs/verso/remotes/\(place)\nrefs/verso/seen/\(place)")
    #expect(!references.contains("s3cret"))
  }
}
