import Glibc
import VersoModel

/// By what the root of a vault is known again.
///
/// Wherever the root is gone, its paths look deleted: an unplugged disk leaves the empty folder that
/// it was mounted on, a lazy unmount or a mount on top makes no event at all. Saving that would delete
/// every note on every device. So the identity is compared before each commit and after each scan.
///
/// **Within one process** (``Since/thisProcess``) everything must be equal: device and inode of the
/// root and of a marker, and the identity of the file system. None of these change while a file
/// system stays mounted. The device matters: after a btrfs snapshot took the place of the root both
/// have inode 256, and only the device differs. A file system that is unmounted and mounted again may
/// come back with another device number; the difference is reported, and the vault looked at anew
/// with the rule below.
///
/// **Between runs** (``Since/earlierRun``) less can be asked. Device numbers of ordinary disks follow
/// the order in which the kernel found them, those of btrfs, overlayfs and network file systems are
/// handed out at each mount; `f_fsid` is stored on disk by ext4 and btrfs, but is made of the device
/// number by XFS and FAT. Inode and time of birth of a folder stay. And a vault may be restored from
/// a backup, copied by `cp -a`, or moved to a new disk, with its git directory in it: then every
/// number differs, and all is well. So the question is only whether *this* git directory belongs to
/// *this* work tree:
///
/// - Where `.git` is in the root (a folder, or the file that `git init --separate-git-dir` and
///   `git worktree` write), the root says itself which history is its own; a folder without it is
///   found to be no vault before anybody asks here. Nothing is a mismatch; the record is written anew.
/// - Where the git directory is elsewhere and nothing in the root names it (`--git-dir`), the root must
///   be the recorded one, by inode and time of birth. Where the file system tells no time of birth,
///   by inode and, on file systems that store it, `f_fsid`. The root of an ext4 disk has inode 2 on
///   every disk, so the inode alone would take any other disk for the right one. The git directory
///   itself may be another inode than it was: the record lies in it and names its root. Where both
///   were copied together the root differs, and nothing tells that from a missing disk: the safe step
///   is to ask.
package struct RootIdentity: Hashable, Sendable {
  /// One folder or file, as its file system knows it.
  package struct Mark: Hashable, Sendable {
    package var device: UInt64
    package var inode: UInt64
    package var born: Timestamp?

    init(_ status: FileStatus) {
      device = status.device
      inode = status.inode
      born = status.born
    }

    init(device: UInt64, inode: UInt64, born: Timestamp?) {
      self.device = device
      self.inode = inode
      self.born = born
    }

    func isSameInode(as other: Mark) -> Bool {
      guard inode == other.inode else { return false }
      guard let born, let theirs = other.born else { return true }
      return born == theirs
    }
  }

  /// What besides the root is looked at.
  package enum Marker: Hashable, Sendable {
    /// A name in the root: `.git`.
    case inside([UInt8])
    /// An open folder elsewhere: the git directory.
    case outside(Int32)
  }

  package var root: Mark
  package var marker: Mark
  package var isMarkerInside: Bool
  /// `f_type` of statfs(2).
  package var fileSystemType: UInt64
  /// `f_fsid` of statfs(2); 0 where there is none.
  package var fileSystem: UInt64

  /// Looks at the root now.
  ///
  /// - Parameters:
  ///   - root: Open for this look only: a descriptor that is kept forbids unmounting, and goes on
  ///     showing a root that the path no longer leads to.
  ///   - marker: What else is looked at.
  ///   - store: By which to look.
  /// - Throws: ``DiskError``; `ENOENT` where the marker is gone, which is a mismatch in itself.
  package init(root: Int32, marker: Marker, store: any FileStore) throws(DiskError) {
    self.root = Mark(try store.status(of: root))
    switch marker {
    case .inside(let name):
      isMarkerInside = true
      guard let status = try store.status(of: name, in: root) else {
        throw DiskError(code: ENOENT, operation: "look at", path: name)
      }
      self.marker = Mark(status)
    case .outside(let folder):
      isMarkerInside = false
      self.marker = Mark(try store.status(of: folder))
    }
    (fileSystemType, fileSystem) = (0, 0)
    let result = store.fileSystem(root, &fileSystemType, &fileSystem)
    if result < 0 {
      throw store.failure(-result, "look at the file system of", [], in: root)
    }
  }

  init(
    root: Mark, marker: Mark, isMarkerInside: Bool, fileSystemType: UInt64, fileSystem: UInt64
  ) {
    self.root = root
    self.marker = marker
    self.isMarkerInside = isMarkerInside
    self.fileSystemType = fileSystemType
    self.fileSystem = fileSystem
  }
}
