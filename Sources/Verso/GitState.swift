import VersoDisk
import VersoGit
import VersoModel

/// HEAD and git's index as they were at one moment, to see whether somebody else moved them since.
struct GitState: Equatable {
  private let head: ObjectID?
  private let indexInode: UInt64
  private let indexChanged: Timestamp?

  init(head: ObjectID?, index: FileStatus?) {
    self.head = head
    indexInode = index?.inode ?? 0
    indexChanged = index?.changed
  }

  /// As they are now; what cannot be read counts as not there.
  init(_ engine: Engine) {
    var head: ObjectID?
    var status: FileStatus?
    do throws(GitError) { head = try engine.repository.headCommit() } catch { head = nil }
    do throws(VersoError) { status = try engine.indexStatus() } catch { status = nil }
    self.init(head: head, index: status)
  }
}
