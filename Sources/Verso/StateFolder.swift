import Glibc
package import VersoDisk
import VersoModel

/// Where Verso keeps what belongs to the user and to no vault: `verso` below `$XDG_STATE_HOME`, else
/// below `~/.local/state`.
///
/// cron and systemd may give no environment; the home directory is then that of the user database.
package struct StateFolder: Sendable {
  /// The folder's path; `nil` where the user has no home.
  package let path: String?
  let store: any FileStore

  package init(
    environment: (String) -> String?, store: any FileStore = SystemFileStore()
  ) {
    self.store = store
    var bases: [String] = []
    // Relative paths are to be ignored (XDG Base Directory Specification).
    if let state = environment("XDG_STATE_HOME"), state.hasPrefix("/") { bases.append(state) }
    for home in [environment("HOME"), Host.user(geteuid())?.home] {
      if let home, home.hasPrefix("/") { bases.append(home + "/.local/state") }
    }
    path = bases.first(where: Self.isOurs).map { $0 + "/verso" }
  }

  /// Whether root may write below a path: with another user's environment it would shut that user out.
  private static func isOurs(_ path: String) -> Bool {
    guard geteuid() == 0 else { return true }
    var status = stat()
    return stat(VaultLocation.existing(path), &status) != 0 || status.st_uid == 0
  }

  /// Opens the folder; `nil` where it is not there.
  func opened() throws(VersoError) -> Descriptor? {
    guard let path else { return nil }
    do throws(DiskError) {
      return try store.opening(
        Array(path.utf8), in: AT_FDCWD, flags: O_RDONLY | O_DIRECTORY)
    } catch {
      if error.isAbsence { return nil }
      throw VersoError(error)
    }
  }

  /// Whether the folder is there or can be made.
  var canBeMade: Bool {
    guard let path else { return false }
    let parts = path.split(separator: "/")
    return (max(1, parts.count - 3)...max(1, parts.count)).contains { keep in
      access("/" + parts[..<min(keep, parts.count)].joined(separator: "/"), W_OK) == 0
    }
  }

  /// Opens the folder, made where it is not there. A home directory that is missing is not made.
  func made() throws(VersoError) -> Descriptor {
    guard let path else {
      throw VersoError(
        .failed, "this user has no home directory", hint: "set HOME or XDG_STATE_HOME")
    }
    if let folder = try opened() { return folder }
    let parts = path.split(separator: "/")
    do throws(DiskError) {
      // verso, state and .local are ours to make, or the two of $XDG_STATE_HOME.
      for keep in stride(from: max(1, parts.count - 2), through: parts.count, by: 1) {
        let folder = "/" + parts[..<keep].joined(separator: "/")
        try store.makingFolder(Array(folder.utf8), in: AT_FDCWD, mode: 0o700)
      }
    } catch { throw VersoError(error) }
    guard let folder = try opened() else {
      throw VersoError(.failed, "\(path) vanished while it was made")
    }
    return folder
  }

  /// Does something that no other process does at the same time.
  ///
  /// Where the file system has no locks, as some networks' home directories, it is done all the same.
  ///
  /// - Parameter wait: Seconds to wait for another process.
  /// - Parameter body: Is given the open folder.
  func locked<R>(
    wait: Double = 10, _ body: (Int32) throws(VersoError) -> R
  ) throws(VersoError) -> R {
    let folder = try made()
    let lock = try lock(folder.number, wait: wait)
    let result = try body(folder.number)
    _ = consume lock
    return result
  }

  private func lock(_ folder: Int32, wait: Double) throws(VersoError) -> VaultLock? {
    do throws(VaultLockError) {
      return try VaultLock.acquire(in: folder, wait: wait, command: "verso", store: store)
    } catch {
      switch error.reason {
      case .held:
        throw VersoError(
          .locked, "another verso is writing in \(path ?? "the user's folder")",
          hint: "try again when it has ended")
      case .disk(let error): throw VersoError(error)
      case .unsupported: return nil
      }
    }
  }
}
