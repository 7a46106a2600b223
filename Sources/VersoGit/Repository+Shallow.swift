import CGit2
import Glibc
import VersoDisk
package import VersoModel

extension Repository {
  /// The commits that a shallow clone was cut at; none in a whole repository.
  ///
  /// They stand in `shallow` in the git directory that linked worktrees share (gitrepository-layout(5));
  /// libgit2 1.5 reads past them and fails on what is not there.
  package func shallowRoots() throws(GitError) -> Set<ObjectID> {
    guard let common = git_repository_commondir(handle.pointer) else { return [] }
    let path = Array(String(cString: common).utf8) + Array("/shallow".utf8)
    do throws(DiskError) {
      let store = SystemFileStore()
      let file = try store.opening(path, in: AT_FDCWD, flags: O_RDONLY)
      let bytes = try store.readingAll(file.number, expected: 4096, path: path)
      return Set(bytes.split(separator: UInt8(ascii: "\n")).compactMap { ObjectID(hex: $0) })
    } catch {
      if error.isAbsence { return [] }
      throw GitError(code: .generic, function: "shallowRoots", message: error.description)
    }
  }
}
