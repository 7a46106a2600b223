package import VersoModel

/// Something on disk that is left alone, and why.
package struct Skipped: Hashable, Sendable {
  package enum Reason: Hashable, Sendable {
    /// The file or folder cannot be opened; the `errno`.
    case unreadable(Int32)
    /// More bytes than `verso.maxFileSize`; the size.
    case tooLarge(UInt64)
    /// A mount point, or a file from another file system.
    case otherFileSystem
    /// A FIFO, socket or device.
    case special
    /// A folder that is a git repository of its own.
    case nestedRepository
    /// A tracked repository (submodule) that is not at the commit that history has.
    case movedRepository(ObjectID)
    /// A name that git cannot hold; why.
    case badName(String)
    /// A filter that the attributes ask for is not available; what to do.
    case filter(String)
    /// It did not stop changing.
    case moving
    /// Its place is taken by something that stays in history as it is.
    case inTheWay
  }

  package let path: RelativePath
  package let reason: Reason
  /// Whether it is a folder, so that nothing below it was looked at.
  package let isFolder: Bool
  /// The inode, to recognise a skipped file that moved; 0 where unknown.
  package let inode: UInt64

  package init(path: RelativePath, reason: Reason, isFolder: Bool = false, inode: UInt64 = 0) {
    self.path = path
    self.reason = reason
    self.isFolder = isFolder
    self.inode = inode
  }
}
