import Glibc
import VersoDisk
import VersoGit

extension Engine {
  /// `verso.settle`, as it is written.
  package var settle: String? { settings.settle }
  /// `verso.settleMax`, as it is written.
  package var settleMax: String? { settings.settleMax }

  /// Stops root on somebody else's vault.
  package func checkOwner() throws(VersoError) {
    try Preflight.checkOwner(of: rootFolder.number, path: root, store: store)
  }

  /// Whether the repository is a vault.
  var isVault: Bool { settings.isVault }

  /// File systems that tell of no change which another machine makes, by the numbers of statfs(2):
  /// NFS, CIFS, SMB, SMB2, AFS, Coda, FUSE, 9p, Ceph.
  private static let networkFileSystems: Set<UInt64> = [
    0x6969, 0xFF53_4D42, 0x517B, 0xFE53_4D42, 0x5346_414F, 0x7375_7245, 0x6573_5546,
    0x0102_1997, 0x00C3_6400,
  ]

  /// Whether inotify cannot be trusted here.
  var isOnNetworkFileSystem: Bool {
    var type: UInt64 = 0
    var identity: UInt64 = 0
    guard store.fileSystem(rootFolder.number, &type, &identity) >= 0 else { return true }
    return Self.networkFileSystems.contains(type & 0xFFFF_FFFF)
  }

  /// By what the root is known again.
  func identity() throws(VersoError) -> RootIdentity {
    do throws(DiskError) { return try identity(of: rootFolder.number) } catch {
      throw VersoError(error)
    }
  }

  /// By what an open folder would be known again if it were the root.
  func identity(of folder: Int32) throws(DiskError) -> RootIdentity {
    let name = Array(".git".utf8)
    let isInside = try store.status(of: name, in: folder) != nil
    return try RootIdentity(
      root: folder, marker: isInside ? .inside(name) : .outside(gitFolder.number), store: store)
  }

  /// What is at the root's path now.
  ///
  /// - Throws: ``VersoError`` where nothing is, or nothing of ours.
  static func identity(of root: String, known: RootIdentity?) throws(VersoError) -> RootIdentity {
    let store = SystemFileStore()
    do throws(DiskError) {
      let folder = try store.opening(
        Array(root.utf8), in: AT_FDCWD, flags: O_RDONLY | O_DIRECTORY)
      if known?.isMarkerInside ?? true {
        return try RootIdentity(
          root: folder.number, marker: .inside(Array(".git".utf8)), store: store)
      }
      // The git directory is elsewhere: the root alone tells.
      var present = try RootIdentity(
        root: folder.number, marker: .outside(folder.number), store: store)
      if let known { present.marker = known.marker }
      return present
    } catch {
      throw VersoError(
        .refused, "\(root) is not where it was (\(error.reason))",
        hint: "mount the disk or put the folder back; nothing is saved until then")
    }
  }
}
