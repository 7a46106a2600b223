import Verso

/// Watches a folder of notes, prints what happens, and at the end the versions of what changed.
///
///     swift run Embedding DIR [SAVES]
///
/// It ends after so many versions were made, one without the number.
@main
struct Main {
  static func main() async {
    let arguments = CommandLine.arguments.dropFirst()
    guard let path = arguments.first else {
      print("usage: Embedding DIR [SAVES]")
      return
    }
    do {
      let vault = try await Vault.create(at: path)
      let wanted = arguments.dropFirst().first.flatMap { Int($0) } ?? 1
      let changed = await follow(vault, saves: wanted)
      await vault.stopWatching()
      for path in changed {
        for version in try await vault.versions(of: path) {
          print("\(path): \(version.commit) \(version.subject)")
        }
      }
    } catch {
      print("failed: \(error.message)", error.hint ?? "")
    }
  }

  /// Prints events until so many versions were made; returns the paths that these changed.
  private static func follow(_ vault: Vault, saves: Int) async -> Set<RelativePath> {
    var left = saves
    var paths: Set<RelativePath> = []
    for await event in await vault.watch(settle: .milliseconds(500)) {
      switch event {
      case .snapshot(let snapshot):
        print("watching \(vault.root): \(snapshot.items.count) folders and files")
      case .changed(let changes):
        for path in changes.removed { print("gone     \(path)") }
        for item in changes.added { print("new      \(item.path)") }
        for rename in changes.renamed { print("renamed  \(rename.old) -> \(rename.new)") }
        for path in changes.modified { print("changed  \(path)") }
      case .saved(let save):
        print("saved    \(save.subject ?? "nothing")")
        paths.formUnion(save.changes.map(\.path))
        left -= 1
        if left <= 0 { return paths }
      case .synced(let sync):
        print("\(sync.received) versions came, \(sync.sent) went")
        for conflict in sync.conflicts { print("in conflict: \(conflict.path), \(conflict.copy)") }
      case .unsynced(let error): print("not synchronised: \(error)")
      case .waiting(let reason), .failed(let reason): print("waiting  \(reason)")
      case .offline(let reason), .limited(let reason): print("note     \(reason)")
      case .resumed, .online: print("going on")
      }
    }
    return paths
  }
}
