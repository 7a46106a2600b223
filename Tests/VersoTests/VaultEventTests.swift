import Testing
import Verso
import VersoModel
import VersoTestSupport

@Suite struct VaultEventTests {
  /// Reads a stream until `isEnough` says so, at most so many seconds.
  private func read(
    _ events: VaultEvents, atMost seconds: Double = 20,
    until isEnough: @escaping @Sendable ([VaultEvent]) -> Bool
  ) async throws -> [VaultEvent] {
    try await withThrowingTaskGroup(of: [VaultEvent]?.self) { group in
      group.addTask {
        var seen: [VaultEvent] = []
        for await event in events {
          seen.append(event)
          if isEnough(seen) { return seen }
        }
        return seen
      }
      group.addTask {
        try await Task.sleep(for: .seconds(seconds))
        return nil
      }
      defer { group.cancelAll() }
      guard let seen = try await group.next(), let seen else {
        throw Failure("no such events within \(seconds) s")
      }
      return seen
    }
  }

  /// What a reader believes to be there.
  private static func paths(_ events: [VaultEvent]) -> Set<RelativePath> {
    var paths: Set<RelativePath> = []
    for event in events {
      switch event {
      case .snapshot(let snapshot): paths = Set(snapshot.items.map(\.path))
      case .changed(let changes):
        paths.subtract(changes.removed)
        paths.formUnion(changes.added.map(\.path))
      default: continue
      }
    }
    return paths
  }

  @Test func `a stream begins with what is there, then tells of changes and of versions`()
    async throws
  {
    let scratch = try Scratch()
    try scratch.write("one\n", to: "a/note.md")
    let vault = try await Vault.create(at: scratch.path)
    let events = await vault.watch(settle: .milliseconds(300))

    let first = try await read(events) { !$0.isEmpty }
    guard case .snapshot(let snapshot) = first[0] else {
      Issue.record("the first event is no snapshot: \(first)")
      return
    }
    #expect(snapshot.items.map(\.path) == ["a", "a/note.md"])

    try scratch.write("new\n", to: "b.md")
    let more = try await read(events) { seen in
      seen.contains { if case .saved = $0 { true } else { false } }
    }
    var added: [Item] = []
    for case .changed(let changes) in more { added += changes.added }
    #expect(added == [Item(path: "b.md", kind: .file, content: nil)])
    for case .saved(let save) in more { #expect(save.subject == "Add b.md") }

    await vault.stopWatching()
    let rest = try await read(events) { _ in false }
    #expect(rest.allSatisfy { if case .saved = $0 { false } else { true } })
    #expect(try scratch.git("status", "--porcelain") == "")
  }

  @Test func `a slow reader gets a snapshot in place of the steps it missed`() async throws {
    let scratch = try Scratch()
    try scratch.write("one\n", to: "note.md")
    let vault = try await Vault.create(at: scratch.path)
    let events = await vault.watch(settle: .milliseconds(300))
    let first = try await read(events) { !$0.isEmpty }
    #expect(first.count == 1)
    // A second reader, who keeps up, says when all is done.
    let other = await vault.watch()
    for number in 0..<5000 { try scratch.write("\(number)\n", to: "many/\(number).md") }
    _ = try await read(other, atMost: 60) { Self.paths($0).count == 5002 }
    let seen = try await read(events) { Self.paths($0).count == 5002 }
    var single = 0
    for case .changed(let changes) in seen { single += changes.added.count }
    #expect(single < 5001)
    await vault.stopWatching()
  }

  @Test func `a vault that is gone ends the stream with an error`() async throws {
    let scratch = try Scratch()
    let vault = try await Vault.create(at: scratch.path)
    try scratch.git("config", "--remove-section", "verso")
    let events = await vault.watch()
    let seen = try await read(events) { _ in false }
    guard case .failed(let error) = seen.last else {
      Issue.record("no failure: \(seen)")
      return
    }
    #expect(error.code == .noVault)
  }
}
