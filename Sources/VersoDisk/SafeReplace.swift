import CLinux
import Glibc
package import VersoModel

/// The one way to write or remove a file of the user's.
///
/// A new content is staged under a hidden name on the same file system, complete and durable, with
/// owner, group, mode, ACL and extended attributes of the file that it replaces; then the two change
/// places in one step (`RENAME_EXCHANGE`). What came out is kept until nobody can write to it and is
/// looked at again: bytes that the plan did not know are an edit of the user's and are handed over.
///
/// **Invariant.** Whatever a program of the user's wrote at a path is at every moment, also after a
/// kill or a power cut between any two system calls, reachable by name: at that path, or in the
/// staging folder under a name that ``leftovers()`` reports as displaced. To keep it:
///
/// 1. Nothing is ever renamed or linked onto a path that may hold a file of the user's, except by an
///    exchange; everywhere else an existing file makes the call fail.
/// 2. A staged copy carries its own inode number in its name. An exchange keeps the names and swaps
///    the inodes, so a name whose number is another than its file's holds a displaced file: the two
///    existed at the same time, so their numbers differ. A staged copy that was at its path for the
///    shortest time comes back under a displaced name.
/// 3. A displaced file is unlinked only when no writer exists, its bytes are known to be saved, and
///    it has been out long enough for a program that looked up the path before the exchange to
///    have opened it (``Limits/grace``).
///
/// What cannot be guarded: a program that is stopped between looking up the path and opening the file
/// for longer than the grace. The kernel offers no way to see it.
///
/// **Hard links.** A file with several names gets a new inode under this name only; the others keep
/// the old content, as after `git checkout`. Writing in place, as vim does, would change files
/// outside the vault and could be seen, or be cut off, half-way. ``Replacement/brokeHardLink`` tells.
///
/// **Names that differ in case only.** On a file system that folds case the old name must be removed
/// before the new one is written: as long as the old one is there, the new one is not absent.
///
/// One process at a time works in a staging folder: the vault's lock sees to that.
package struct SafeReplace: Sendable {
  /// How long to wait, in seconds.
  package struct Limits: Sendable {
    /// For a program to close the file, before it is replaced.
    package var patience = 2.0
    /// Whether a file that still has a writer then is refused.
    ///
    /// Otherwise it is replaced, and what the program still writes is collected from the displaced
    /// file.
    package var refusesWriters = false
    /// How long a displaced file is kept at least.
    package var grace = 0.2
    /// For writers of displaced files to go away, for all files of one call together.
    package var writers = 30.0
    /// Between the two equal stats that must do where the kernel does not name writers.
    package var quiet = 1.0
    /// Bytes; a larger file is not read, and therefore neither replaced nor dropped.
    package var size: UInt64 = 1 << 30

    package init() {}
  }

  /// The root of the work tree; the caller keeps it open.
  package let root: Int32
  /// A folder of our own on the same file system, mode 0700; the caller keeps it open.
  package let staging: Int32
  /// Letters and digits that start the name of every file in the staging folder, so that a journal
  /// can tell which of its operations they belong to.
  package let operation: [UInt8]
  package let limits: Limits
  let store: any FileStore

  /// Makes a writer for one operation of a journal.
  ///
  /// - Precondition: `operation` is 1 to 40 ASCII letters and digits.
  package init(
    root: Int32, staging: Int32, operation: [UInt8], limits: Limits = Limits(),
    store: any FileStore
  ) {
    precondition(StagedName.isOperation(operation))
    self.root = root
    self.staging = staging
    self.operation = operation
    self.limits = limits
    self.store = store
  }

  /// Writes a file or a link where what is expected is there.
  ///
  /// The folders above must exist (``makeFolders(for:)``). File and new name are durable only after
  /// ``syncFolders(of:)``.
  ///
  /// - Parameters:
  ///   - path: Where to write.
  ///   - number: Identifies this step in the operation's journal; used once per operation.
  ///   - content: What to write.
  ///   - expected: What the plan was made against. Everything else is refused, or comes to light as
  ///     an edit when what was displaced is settled.
  /// - Returns: The status of what was written, and what was there before.
  /// - Throws: ``ReplaceRefusal``; the path is then as the user left it.
  package func replace(
    _ path: RelativePath, number: Int, with content: NewContent, expecting expected: Expected
  ) throws(ReplaceRefusal) -> Replacement {
    let target = try target(path, number: number)
    switch expected {
    case .absent: return try place(content, at: target)
    case .known(let known): return try exchange(content, at: target, known: known)
    }
  }

  /// Removes a file or a link where it is the expected one.
  ///
  /// It goes to the staging folder and is looked at there; what is not the expected one goes back.
  ///
  /// - Returns: What was removed, to be settled like a replaced file.
  package func remove(
    _ path: RelativePath, number: Int, expecting known: KnownContent
  ) throws(ReplaceRefusal) -> Displaced {
    let target = try target(path, number: number)
    let seen = try precheck(target, known: known)
    let displaced = try moveAside(target, known: known, seen: seen, isRemoval: true)
    guard displaced.looksEdited else { return displaced }
    // A user's newer file must not be missing for as long as a settlement takes.
    try giveBack(displaced, to: target)
    throw ReplaceRefusal(path: path, reason: .changed)
  }

  /// A path with its folder open, so that nothing done to it can leave the root.
  struct Target: ~Copyable {
    let path: RelativePath
    let name: [UInt8]
    let number: Int
    let folder: Descriptor
  }

  func target(_ path: RelativePath, number: Int) throws(ReplaceRefusal) -> Target {
    precondition(!path.isRoot && number >= 0)
    if path.components.contains(where: Self.isGitDirectory) {
      throw ReplaceRefusal(path: path, reason: .protected)
    }
    do throws(DiskError) {
      let folder = try store.openingBeneath(
        path.parent, root: root, flags: O_RDONLY | O_DIRECTORY)
      return Target(path: path, name: Array(path.name), number: number, folder: folder)
    } catch {
      switch error.code {
      case ENOENT: throw ReplaceRefusal(path: path, reason: .vanished)
      case ENOTDIR, ELOOP: throw ReplaceRefusal(path: path, reason: .blocked(path.parent))
      default: throw ReplaceRefusal(path: path, reason: .disk(error))
      }
    }
  }

  /// The last line of defence only: what names git refuses is decided where paths come in.
  static func isGitDirectory(_ name: ArraySlice<UInt8>) -> Bool {
    name.count == 4 && name.map { $0 | 0x20 } == Array(".git".utf8)
  }

  /// Turns a failed call on a path into a refusal.
  func refusal(_ path: RelativePath, _ error: DiskError) -> ReplaceRefusal {
    let reason: ReplaceRefusal.Reason =
      switch error.code {
      case EXDEV: .otherFileSystem
      case EEXIST: .changed
      case ENOENT: .vanished
      default: .disk(DiskError(code: error.code, operation: error.operation, path: path))
      }
    return ReplaceRefusal(path: path, reason: reason)
  }

  /// The status of what was made, at its path; `nil` where somebody has touched it since, or where
  /// it cannot be seen: the path is written all the same.
  func untouched(_ made: FileStatus, at target: borrowing Target) -> FileStatus? {
    do throws(DiskError) {
      guard let now = try store.status(of: target.name, in: target.folder.number),
        now.isSameContent(as: made)
      else { return nil }
      return now
    } catch { return nil }
  }
}
