import Glibc
package import VersoModel

/// What a path shall hold.
package struct NewContent: Hashable, Sendable {
  /// `file`, `executable` or `link`.
  package let kind: Item.Kind
  /// The bytes of the file, or the target of the link.
  package let bytes: [UInt8]
  /// The modification time to give it; the present time where `nil`.
  package let modified: Timestamp?
  /// The permissions that a new file has at most; the umask takes more of them.
  package let mask: UInt32

  /// Makes a content.
  ///
  /// - Precondition: `kind` is `file`, `executable` or `link`.
  package init(
    kind: Item.Kind, bytes: [UInt8], modified: Timestamp? = nil, mask: UInt32 = 0o777
  ) {
    precondition(kind == .file || kind == .executable || kind == .link)
    self.kind = kind
    self.bytes = bytes
    self.modified = modified
    self.mask = mask
  }
}

/// The content that a plan was made against, which therefore is saved somewhere already.
package struct KnownContent: Sendable {
  /// As the disk has it, whatever the index says: where the disk knows no execute bits, this is
  /// what ``FileStatus/itemKind`` says there.
  package let kind: Item.Kind
  /// The status that was seen with the content; lets the first look do without reading.
  package let status: FileStatus?
  /// Whether bytes are the known ones.
  package let matches: @Sendable ([UInt8]) -> Bool

  package init(
    kind: Item.Kind, status: FileStatus? = nil, matches: @escaping @Sendable ([UInt8]) -> Bool
  ) {
    self.kind = kind
    self.status = status
    self.matches = matches
  }

  /// The content with just these bytes.
  package init(kind: Item.Kind, status: FileStatus? = nil, bytes: [UInt8]) {
    self.init(kind: kind, status: status) { found in
      guard found.count == bytes.count else { return false }
      return found.withUnsafeBytes { found in
        bytes.withUnsafeBytes { bytes in
          guard let found = found.baseAddress, let known = bytes.baseAddress else { return true }
          return memcmp(found, known, bytes.count) == 0
        }
      }
    }
  }

  func matches(_ edit: FoundContent) -> Bool { edit.kind == kind && matches(edit.bytes) }
}

/// What must be at a path for it to be written.
package enum Expected: Sendable {
  /// Nothing; what appeared meanwhile is not overwritten.
  case absent
  /// This content, saved already.
  case known(KnownContent)
}

/// A content of the user's that came to light.
package struct FoundContent: Hashable, Sendable {
  package let kind: Item.Kind
  package let bytes: [UInt8]
  package let status: FileStatus
}

/// A file of the user's that was taken out of the work tree and waits in the staging folder.
///
/// It must be given to ``SafeReplace/settle(_:)``: only then is it known whether it holds an edit.
package struct Displaced: Sendable {
  /// Where it was.
  package let path: RelativePath
  /// Its name in the staging folder.
  package let name: [UInt8]
  /// Content that is saved already; `nil` where everything in it must be taken for an edit.
  package let known: KnownContent?
  /// Whether it was removed, not replaced: then an edited one can go back to its place.
  package let isRemoval: Bool
  /// Whether its status already says that it is not what was expected; ``SafeReplace/settle(_:)``
  /// compares the bytes.
  package let looksEdited: Bool
  /// Whether it is a folder or a special file, which nothing but giving it back helps.
  let isNoFile: Bool
  /// When it came out, by ``MonotonicTime``.
  package let since: Double
}

/// A path that was written.
package struct Replacement: Sendable {
  package let path: RelativePath
  /// The status of exactly the content that was asked for, for the index; `nil` where somebody has
  /// touched the path since.
  package let status: FileStatus?
  /// What was there before; `nil` where nothing was.
  package let displaced: Displaced?
  /// Whether the old file has other names that keep the old content from now on.
  package let brokeHardLink: Bool
}

/// Why a path was left as it was.
package struct ReplaceRefusal: Error, Sendable, CustomStringConvertible {
  package enum Reason: Hashable, Sendable {
    /// Something is there that was not expected: other content, another kind, or anything at all.
    case changed
    /// What was expected is not there.
    case vanished
    /// A program has the file open for writing, and ``SafeReplace/Limits/refusesWriters`` is set.
    case hasWriter
    /// A file or a link stands where this folder should be.
    case blocked(RelativePath)
    /// Owner, group, mode, ACL or an extended attribute cannot be carried over; its name.
    case attribute(String, DiskError)
    /// The path is on another file system than the staging folder.
    case otherFileSystem
    /// The file system has no way to put a file in place without risking another's.
    case unsupported(DiskError)
    /// The path lies in a git directory.
    case protected
    /// A call failed.
    case disk(DiskError)
  }

  package let path: RelativePath
  package let reason: Reason
  /// What came out and could not go back, for ``SafeReplace/settle(_:)``; mostly empty.
  package let displaced: [Displaced]

  package init(path: RelativePath, reason: Reason, displaced: [Displaced] = []) {
    self.path = path
    self.reason = reason
    self.displaced = displaced
  }

  package var description: String {
    switch reason {
    case .changed: "\(path) changed meanwhile; it was left as it is. Save, then try again"
    case .vanished: "\(path) is not there any more. Save, then try again"
    case .hasWriter: "\(path) is open for writing in another program; close it there"
    case .blocked(let folder): "\(path) was not written: \(folder) is no folder"
    case .attribute(let name, let error):
      "\(path) was left as it is: its \(name) cannot be kept (\(error.reason))"
    case .otherFileSystem: "\(path) is on another file system; it was left as it is"
    case .unsupported(let error):
      "\(path) was left as it is: its file system cannot replace files safely (\(error.reason))"
    case .protected: "\(path) is part of a git directory; it was left as it is"
    case .disk(let error): "\(path) was left as it is: \(error.reason)"
    }
  }
}

/// What became of a displaced file.
package struct Settlement: Sendable {
  package enum Result: Sendable {
    /// It held nothing that is not saved, nobody can write to it, and it is gone.
    case dropped
    /// It holds an edit of the user's. Save it, then call ``SafeReplace/release(_:)``; until then
    /// the file stays in the staging folder.
    case edited(FoundContent)
    /// It was to be removed, but is edited or still open in a program; it is at its path again.
    case putBack
    /// A program still has it open for writing when the patience ended. What it holds now is given
    /// where it could be read; the file stays in the staging folder, where
    /// ``SafeReplace/leftovers()`` finds it.
    case inUse(FoundContent?)
    /// It could not be judged and stays in the staging folder.
    case kept(DiskError)
  }

  package let displaced: Displaced
  package let result: Result
}
