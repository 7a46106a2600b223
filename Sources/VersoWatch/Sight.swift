package import VersoDisk

/// What a look at a place found.
package enum Sight: Sendable {
  /// Nothing is there.
  case absent
  /// Something that is not ours to watch: ignored, a FIFO or device, another repository, another file
  /// system.
  case foreign
  /// Something was mounted over it, so that what is there is hidden: never an absence.
  case hidden
  /// Looking failed: never an absence.
  case unreadable
  /// The folder that it is in is not at its path, so nothing is known of it: never an absence.
  case elsewhere
  /// A file or a link.
  ///
  /// `isKnownContent`: it was read, and its bytes are those of its last version.
  case file(FileStatus, isKnownContent: Bool = false)
  case folder(FileStatus)

  /// Whether it is a file that has no second name.
  var hasOneName: Bool {
    if case .file(let status, _) = self { status.links == 1 } else { false }
  }
}

/// What a look at a folder's names found.
package struct Listing: Sendable {
  /// The folder's own status, taken before its names were read.
  package var status: FileStatus
  /// The watch that was placed before its names were read; `nil` where there is none to be had.
  package var watch: Int32?
  /// What is ours to watch.
  package var entries: [(name: [UInt8], status: FileStatus)]

  package init(
    status: FileStatus, watch: Int32?, entries: [(name: [UInt8], status: FileStatus)]
  ) {
    self.status = status
    self.watch = watch
    self.entries = entries
  }
}

/// How a request to list a folder ended.
package enum ListingOutcome: Sendable {
  case listed(Listing)
  /// Nothing is there, or no folder.
  case absent
  /// Not ours any more: another file system was mounted there, a repository was made in it.
  case foreign
  /// It cannot be read: what it held stays as it was.
  case unreadable
}
