import Synchronization
import VersoModel

/// Operations that succeed or fail as they are told, and write down what they were asked.
final class RecordingOperations: ItemOperations {
  struct Refusal: Error {}

  private let failing: Bool
  private let asked = Mutex<[String]>([])

  init(failing: Bool = false) { self.failing = failing }

  var log: [String] { asked.withLock { $0 } }

  private func note(_ text: String) throws {
    asked.withLock { $0.append(text) }
    if failing { throw Refusal() }
  }

  func create(_ item: Item) async throws { try note("create \(item.path)") }
  func rename(_ item: Item, to path: RelativePath) async throws {
    try note("rename \(item.path) \(path)")
  }
  func delete(_ item: Item, force: Bool) async throws { try note("delete \(item.path) \(force)") }
}
