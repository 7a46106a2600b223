import CLinux
import Glibc
import VersoDisk
import VersoModel

/// Where the process that watches a vault listens.
///
/// Outside the vault, so that a watcher holds nothing open inside; in a folder of the user's own, so
/// that nobody else can be there in its stead.
enum ControlSocket {
  /// The folders that may hold the socket, the best first.
  static func folders(_ environment: (String) -> String?) -> [String] {
    var folders: [String] = []
    if let runtime = environment("XDG_RUNTIME_DIR"), runtime.hasPrefix("/") {
      folders.append(runtime + "/verso")
    }
    // cron gives no environment, but the folder is there all the same.
    let standard = "/run/user/\(geteuid())/verso"
    if !folders.contains(standard) { folders.append(standard) }
    return folders + ["/tmp/verso-\(geteuid())"]
  }

  /// The name of a vault's files in those folders, without their endings.
  static func name(root: String) -> String {
    FNV.digits(of: Array(root.utf8))
  }

  /// Bytes that a socket's path may have (unix(7), `sun_path` with its NUL).
  static let pathLimit = 107

  /// The sockets of a vault that may be there: in folders that are ours alone.
  static func candidates(
    root: String, _ environment: (String) -> String?, store: any FileStore
  ) -> [String] {
    let name = name(root: root)
    return folders(environment).filter { isOurs($0, store: store) }.map { "\($0)/\(name).sock" }
      .filter { $0.utf8.count <= pathLimit }
  }

  /// Makes the first of the folders that can be had.
  static func makeFolder(
    root: String, _ environment: (String) -> String?, store: any FileStore
  ) throws(VersoError) -> String {
    var reasons: [String] = []
    for folder in folders(environment) {
      let length = folder.utf8.count + name(root: root).utf8.count + 6
      guard length <= pathLimit else {
        reasons.append("\(folder) is too long a path for a socket")
        continue
      }
      do throws(DiskError) {
        let parent = VaultLocation.parent(of: folder)
        // As root with another user's environment, a folder here would shut that user out.
        guard parent == "/tmp" || isOwned(parent, store: store) else {
          reasons.append("\(parent) is not there or not yours")
          continue
        }
        try store.makingFolder(Array(folder.utf8), in: AT_FDCWD, mode: 0o700)
      } catch {
        reasons.append(error.description)
        continue
      }
      if isOurs(folder, store: store) { return folder }
      reasons.append("\(folder) is not a folder of yours alone")
    }
    throw VersoError(
      .failed, "there is no place for a socket: \(reasons.joined(separator: "; "))",
      hint: "set XDG_RUNTIME_DIR to a folder of yours with mode 0700")
  }

  /// Whether a path is a folder, no link, that belongs to this user and that nobody else can enter.
  private static func isOurs(_ path: String, store: any FileStore) -> Bool {
    guard let status = status(path, store: store) else { return false }
    return status.kind == .folder && status.owner == geteuid() && status.mode & 0o077 == 0
  }

  private static func isOwned(_ path: String, store: any FileStore) -> Bool {
    status(path, store: store).map { $0.kind == .folder && $0.owner == geteuid() } ?? false
  }

  private static func status(_ path: String, store: any FileStore) -> FileStatus? {
    do throws(DiskError) {
      return try store.status(of: Array(path.utf8), in: AT_FDCWD)
    } catch { return nil }  // What cannot be looked at is no place of ours.
  }

  /// Whether this user may talk to whoever is at the other end: the same user, or root.
  ///
  /// - Returns: The other end's process; `nil` for anybody else.
  static func trustedPeer(of socket: Int32) -> Int32? {
    var (user, process): (UInt32, Int32) = (0, 0)
    guard verso_peer(socket, &user, &process) == 0, user == geteuid() || user == 0 else {
      return nil
    }
    return process
  }
}
