import Foundation
import VersoModel

/// The operations of a list on a real directory, without a repository.
final class FolderOperations: ItemOperations {
  private let root = FileManager.default.temporaryDirectory.path + "/verso-list-\(UUID())"

  private func place(_ path: RelativePath) -> String { root + "/\(path)" }

  /// Makes the directory with empty files; gives what ``remove(_:)`` takes.
  func make(_ paths: [String]) throws -> String {
    try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
    for path in paths { try put(item(path)) }
    return root
  }

  func remove(_ root: String) { try? FileManager.default.removeItem(atPath: root) }

  func exists(_ path: RelativePath) -> Bool { FileManager.default.fileExists(atPath: place(path)) }

  private func put(_ item: Item) throws {
    if item.isFolder {
      try FileManager.default.createDirectory(
        atPath: place(item.path), withIntermediateDirectories: true)
    } else {
      try Data().write(to: URL(fileURLWithPath: place(item.path)), options: .withoutOverwriting)
    }
  }

  func create(_ item: Item) async throws { try put(item) }

  func rename(_ item: Item, to path: RelativePath) async throws {
    try FileManager.default.moveItem(atPath: place(item.path), toPath: place(path))
  }

  func delete(_ item: Item, force: Bool) async throws {
    let place = place(item.path)
    if item.isFolder, !force,
      try !FileManager.default.contentsOfDirectory(atPath: place).isEmpty
    {
      throw ItemError.notEmpty(item.path)
    }
    try FileManager.default.removeItem(atPath: place)
  }
}
