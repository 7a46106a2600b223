import CLinux
import Glibc
import Verso
import VersoDisk
import VersoModel

/// A text that somebody is to edit, in a file of its own that is removed afterwards.
struct Draft {
  private let folder: String
  private let path: String

  /// Writes the text to a file with the name of the note, so that editors know what it is.
  init(_ text: [UInt8], named name: [UInt8]) throws {
    do throws(DiskError) { folder = try TemporaryFolder.make() } catch {
      throw CommandFailure(.failed, Line(error.description))
    }
    let plain = SafeText.safe(name).filter { $0 != UInt8(ascii: "/") }
    path = "\(folder)/\(String(decoding: plain, as: UTF8.self))"
    let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw Self.failure("write", path) }
    defer { close(file) }
    if let code = text.withUnsafeBytes({ Terminal.writeAll($0, to: file) }) {
      errno = code
      throw Self.failure("write", path)
    }
  }

  private static func failure(_ what: String, _ path: String) -> CommandFailure {
    let reason = String(cString: strerror(errno))
    return CommandFailure(.failed, "cannot \(what) \(path: Array(path.utf8)): \(reason)")
  }

  /// Opens it in the user's editor, by git's rules (`VISUAL`, `EDITOR`, else vi).
  ///
  /// - Returns: What the editor left; `nil` where it ended without success.
  func edit(_ context: Context) throws -> [UInt8]? {
    defer {
      unlink(path)
      // An editor's own leftovers stay: they may be somebody's words.
      rmdir(folder)
    }
    let editor =
      ["GIT_EDITOR", "VISUAL", "EDITOR"].lazy.compactMap { context.environment($0) }
      .first { !$0.isEmpty } ?? "vi"
    context.output.flush()
    let status = verso_run_editor(editor, path)
    guard status == 0 else { return nil }
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw Self.failure("read", path) }
    defer { close(file) }
    do throws(DiskError) {
      return try SystemFileStore().readingAll(file, expected: 4096, path: Array(path.utf8))
    } catch { throw CommandFailure(.failed, Line(error.description)) }
  }
}
