import Glibc

extension FileStore {
  /// Removes a folder of our own with all that is in it, following no link. What is not there is no
  /// error.
  package func removeTree(_ name: [UInt8], in directory: Int32) throws(DiskError) {
    let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW
    do throws(DiskError) {
      let folder = try opening(name, in: directory, flags: flags)
      for entry in try names(in: folder.number, path: name) {
        let status = try status(of: entry, in: folder.number)
        if status?.kind == .folder {
          try removeTree(entry, in: folder.number)
        } else {
          try unlinking(entry, in: folder.number)
        }
      }
    } catch {
      if error.isAbsence { return }
      throw error
    }
    try unlinking(name, in: directory, folder: true)
  }
}
