import Foundation
import Glibc
import VersoDisk
import VersoModel
import VersoTestSupport

/// A work tree with a staging folder on the same file system, both open.
final class Desk: Sendable {
  let scratch: Scratch
  /// `vault` in the scratch folder; whatever lies beside it is outside.
  let root: Int32
  let staging: Int32

  init() throws {
    scratch = try Scratch()
    mkdir(scratch.at("vault"), 0o755)
    mkdir(scratch.at("stage"), 0o700)
    root = open(scratch.at("vault"), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    staging = open(scratch.at("stage"), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard root >= 0, staging >= 0 else { throw Failure("open: errno \(errno)") }
  }

  deinit {
    close(root)
    close(staging)
  }

  /// Waits are short: a test that is about waiting sets its own.
  static var limits: SafeReplace.Limits {
    var limits = SafeReplace.Limits()
    (limits.patience, limits.grace, limits.writers, limits.quiet) = (0, 0, 5, 0)
    return limits
  }

  func replacer(
    _ limits: SafeReplace.Limits = Desk.limits, store: any FileStore = SystemFileStore()
  ) -> SafeReplace {
    SafeReplace(
      root: root, staging: staging, operation: Array("op1".utf8), limits: limits, store: store)
  }

  func reader(limit: UInt64 = .max, store: any FileStore = SystemFileStore()) -> ConsistentRead {
    ConsistentRead(root: root, sizeLimit: limit, store: store)
  }

  func at(_ name: String) -> String { scratch.at("vault/\(name)") }
  func write(_ text: String, to name: String) throws {
    try scratch.write(text, to: "vault/\(name)")
  }
  func text(of name: String) -> String? { scratch.text(of: "vault/\(name)") }

  /// The content of a file or link, whoever writes: a child that another test forks just now has a
  /// copy of every descriptor of this process until it runs its program.
  func content(of name: RelativePath) throws -> [UInt8] {
    try reader().content(of: name, writers: .ignore).bytes
  }

  /// Asks again until nobody can write to the file, for the same reason.
  func writersSettled(_ name: RelativePath) throws -> Writers {
    let deadline = MonotonicTime.now() + 10
    while true {
      let writers = try reader().content(of: name, writers: .ignore).writers
      if writers != .some || MonotonicTime.now() > deadline { return writers }
    }
  }

  func status(of name: String) throws -> FileStatus? {
    try SystemFileStore().status(of: Array(name.utf8), in: root)
  }

  /// Every path below a folder beside the root, links not followed, sorted.
  func list(_ folder: String = "vault") throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: scratch.at(folder)).sorted()
  }

  /// Removes everything but the root and the staging folder.
  func clear() throws {
    let kept = ["vault", "stage"]
    for folder in kept + [""] {
      let path = scratch.at(folder)
      for name in try FileManager.default.contentsOfDirectory(atPath: path) {
        if folder.isEmpty, kept.contains(name) { continue }
        try FileManager.default.removeItem(atPath: "\(path)/\(name)")
      }
    }
  }
}

extension KnownContent {
  init(_ text: String, _ kind: Item.Kind = .file) {
    self.init(kind: kind, bytes: Array(text.utf8))
  }
}

extension NewContent {
  init(_ text: String, _ kind: Item.Kind = .file, modified: Timestamp? = nil) {
    self.init(kind: kind, bytes: Array(text.utf8), modified: modified)
  }
}

extension Settlement {
  /// The text of an edit; `nil` for every other result.
  var edit: String? {
    if case .edited(let found) = result {
      String(decoding: found.bytes, as: UTF8.self)
    } else {
      nil
    }
  }
  var isDropped: Bool { if case .dropped = result { true } else { false } }
  var isPutBack: Bool { if case .putBack = result { true } else { false } }
}

/// What a call that must be refused was refused for.
func refusal(_ body: () throws -> Void) throws -> ReplaceRefusal {
  do { try body() } catch let error as ReplaceRefusal { return error }
  throw Failure("was not refused")
}
