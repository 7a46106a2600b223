import CLinux
import Glibc
import VersoDisk
import VersoGit
package import VersoHistory
package import VersoModel

extension Engine {
  /// The entries of a folder at a commit, sorted by name; a file stands for itself.
  package func listing(
    of place: History.Place
  ) throws(VersoError) -> [(item: Item, size: Int?)] {
    do throws(GitError) {
      let entries: [Repository.TreeEntry] =
        place.content.isFolder
        ? try repository.tree(place.content.id)
        : [
          Repository.TreeEntry(
            name: Array(place.path.name), mode: place.content.mode, id: place.content.id)
        ]
      let folder = place.content.isFolder ? place.path : place.path.parent
      var found: [(item: Item, size: Int?)] = []
      for entry in entries {
        let kind = Item.Kind(rawValue: entry.mode) ?? .file
        let hasSize = !kind.isFolder && kind != .repository
        found.append(
          (
            Item(path: folder.appending(entry.name), kind: kind, content: entry.id),
            hasSize ? try repository.header(of: entry.id).size : nil
          ))
      }
      return found
    } catch { throw VersoError(error, "list \(place.path)") }
  }

  /// The bytes of a file at a commit.
  package func content(of place: History.Place) throws(VersoError) -> [UInt8] {
    do throws(GitError) { return try repository.read(place.content.id).bytes } catch {
      throw VersoError(error, "read \(place.path)")
    }
  }

  /// The commit that HEAD leads to; `nil` before the first version.
  package func head() throws(VersoError) -> ObjectID? {
    do throws(GitError) { return try repository.headCommit() } catch {
      throw VersoError(error, "read HEAD of \(root)")
    }
  }

  /// When a commit was made, in seconds since 1970.
  package func time(of commit: ObjectID) throws(VersoError) -> Int64 {
    do throws(GitError) { return try repository.commit(commit).time } catch {
      throw VersoError(error, "read \(commit.short)")
    }
  }

  /// A value of git's configuration; `nil` where none is set or readable.
  package func setting(_ key: String) -> String? {
    do throws(GitError) { return try repository.setting(key) } catch { return nil }
  }
}

extension Engine {
  /// Whether anything stands at a path on the disk; what cannot be looked at counts as there.
  package func isOnDisk(_ path: RelativePath) -> Bool {
    do throws(DiskError) { return try isThere(path) } catch { return true }
  }

  /// The same, for who wants to know why it cannot be told.
  func isThere(_ path: RelativePath) throws(DiskError) -> Bool {
    if path.isRoot { return true }
    do throws(DiskError) {
      let parent = try store.openingBeneath(
        path.parent, root: rootFolder.number, flags: verso_o_path | O_DIRECTORY)
      return try store.status(of: Array(path.name), in: parent.number) != nil
    } catch {
      // Below a link or a file there is nothing of the vault's.
      if error.isAbsence || error.code == ELOOP { return false }
      throw error
    }
  }
}
