import Glibc
import VersoDisk
import VersoModel
import VersoWatch

/// Watches the branches of a bare repository on this machine, such as one on a disk that two users
/// share: no need to ask it now and then.
final class RemoteWatch {
  private let source: InotifySource

  /// `nil` where it cannot be watched, such as on a network file system, or is none.
  init?(repository: String) {
    let store = SystemFileStore()
    do throws(DiskError) {
      source = try InotifySource()
      for folder in ["refs/heads", ""] {
        let opened = try store.opening(
          Array("\(repository)/\(folder)".utf8), in: AT_FDCWD, flags: O_RDONLY | O_DIRECTORY)
        _ = try source.watch(opened.number)
      }
    } catch { return nil }
  }

  deinit { source.stop() }

  /// Readable where something happened.
  var descriptor: Int32 { source.wakeDescriptor }

  /// Whether a branch may have moved since the last question.
  func hasChanged() -> Bool {
    source.takeAll().contains { event in
      // `packed-refs` in the repository itself; all else there says nothing.
      !event.name.elementsEqual("HEAD".utf8) && !event.name.ends(with: ".lock")
    }
  }
}

extension [UInt8] {
  fileprivate func ends(with text: String) -> Bool {
    suffix(text.utf8.count).elementsEqual(text.utf8)
  }
}
