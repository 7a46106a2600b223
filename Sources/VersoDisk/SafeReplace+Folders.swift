import CLinux
import Glibc
package import VersoModel

extension SafeReplace {
  /// Makes the folders above `path` that are not there, following no link.
  ///
  /// - Parameter mode: Of those that are made, before the umask.
  /// - Returns: Those that were made now, from the root down.
  /// - Throws: ``ReplaceRefusal/Reason/blocked(_:)`` where a file or a link stands in the way. What
  ///   was made before a failure stays; ``removeEmptyFolders(above:allowed:)`` takes it away.
  package func makeFolders(
    for path: RelativePath, mode: UInt32 = 0o777
  ) throws(ReplaceRefusal) -> [RelativePath] {
    var made: [RelativePath] = []
    var folder = try openFolder([UInt8(ascii: ".")], in: root, path, at: .root)
    for at in path.ancestors.reversed() {
      let name = Array(at.name)
      if Self.isGitDirectory(name[...]) { throw ReplaceRefusal(path: path, reason: .protected) }
      let parent = folder.number
      do throws(DiskError) {
        if try store.makingFolder(name, in: parent, mode: mode) { made.append(at) }
      } catch { throw refusal(path, error) }
      folder = try openFolder(name, in: parent, path, at: at)
    }
    return made
  }

  private func openFolder(
    _ name: [UInt8], in parent: Int32, _ path: RelativePath, at: RelativePath
  ) throws(ReplaceRefusal) -> Descriptor {
    do throws(DiskError) {
      return try store.opening(
        name, in: parent, flags: verso_o_path | O_DIRECTORY | O_NOFOLLOW)
    } catch {
      if error.code == ENOTDIR || error.code == ELOOP {
        throw ReplaceRefusal(path: path, reason: .blocked(at))
      }
      throw refusal(path, error)
    }
  }

  /// Removes the folders above `path`, nearest first, as long as they are empty and `allowed`.
  ///
  /// A folder that holds anything, that is gone, that turned into something else or that may not be
  /// removed is no error.
  ///
  /// - Returns: Those that were removed.
  @discardableResult
  package func removeEmptyFolders(
    above path: RelativePath, allowed: (RelativePath) -> Bool
  ) throws(DiskError) -> [RelativePath] {
    var removed: [RelativePath] = []
    for folder in path.ancestors {
      guard allowed(folder) else { break }
      do throws(DiskError) {
        let parent = try store.openingBeneath(
          folder.parent, root: root, flags: verso_o_path | O_DIRECTORY)
        if try store.unlinking(Array(folder.name), in: parent.number, folder: true) {
          removed.append(folder)
        }
      } catch {
        switch error.code {
        case ENOENT: continue
        // EEXIST is another word for ENOTEMPTY (rmdir(2)); EBUSY: a mount point. An empty folder that
        // must not be removed is no reason to leave what was done half done.
        case ENOTEMPTY, EEXIST, ENOTDIR, ELOOP, EBUSY, EACCES, EPERM, EROFS: return removed
        default: throw DiskError(code: error.code, operation: error.operation, path: folder)
        }
      }
    }
    return removed
  }

  /// Removes a folder where a file shall be, if it holds nothing, or only folders that hold nothing.
  ///
  /// Such folders are in no version; git takes them away too. One that holds anything stays whole,
  /// also if that comes meanwhile, and so does everything that is no folder.
  package func removeEmptyFolder(_ path: RelativePath) throws(DiskError) {
    var folders = [path]
    var position = 0
    do throws(DiskError) {
      while position < folders.count {
        let at = folders[position]
        position += 1
        let folder = try store.openingBeneath(at, root: root, flags: O_RDONLY | O_DIRECTORY)
        for name in try store.names(in: folder.number, path: at.bytes) {
          guard try store.status(of: name, in: folder.number)?.kind == .folder else { return }
          folders.append(at.appending(name))
        }
      }
      for folder in folders.reversed() {
        let parent = try store.openingBeneath(
          folder.parent, root: root, flags: verso_o_path | O_DIRECTORY)
        try store.unlinking(Array(folder.name), in: parent.number, folder: true)
      }
    } catch {
      // What is there then is for the write itself to refuse.
      switch error.code {
      case ENOENT, ENOTDIR, ELOOP, ENOTEMPTY, EEXIST, EBUSY, EACCES, EPERM: return
      default: throw error
      }
    }
  }

  /// Makes what was done in the folders of these paths durable.
  ///
  /// A folder that is gone is no error.
  package func syncFolders(of paths: [RelativePath]) throws(DiskError) {
    for folder in Set(paths.map(\.parent)) {
      do throws(DiskError) {
        let open = try store.openingBeneath(folder, root: root, flags: O_RDONLY | O_DIRECTORY)
        try store.syncing(open.number, path: folder.bytes)
      } catch {
        guard error.isAbsence || error.code == ELOOP else { throw error }
      }
    }
  }
}
