import Testing
import VersoModel
import VersoWatch

extension Desk {
  /// Checks that nothing is left to do, and that model, mirror, saved state, watches and disk agree.
  func expectRest(_ sourceLocation: SourceLocation = #_sourceLocation) {
    var expected: [RelativePath: Saved] = [:]
    defer {
      if saved != expected {
        let wrong = Set(saved.keys).union(expected.keys).filter { saved[$0] != expected[$0] }
        Issue.record("not saved as they are: \(wrong.sorted())", sourceLocation: sourceLocation)
      }
    }
    var there = disk.everything.filter { isOurs($0.key, $0.value) }
    there = there.filter { path, _ in path.ancestors.allSatisfy { there[$0] != nil } }
    for (path, inode) in there where !inode.isFolder {
      expected[path] = Saved(content: inode.content, kind: kind(inode))
    }
    let model = model
    let files = model.compactMapValues(\.file)
    #expect(
      files == there.filter { !$0.value.isFolder }.mapValues { LiveFile(FakeDisk.status($0)) },
      "the model is the disk", sourceLocation: sourceLocation)
    #expect(
      Set(model.filter(\.value.isFolder).keys) == Set(there.filter(\.value.isFolder).keys),
      "the model's folders are the disk's", sourceLocation: sourceLocation)
    #expect(
      mirror == model.mapValues(\.isFolder), "the changes tell of all",
      sourceLocation: sourceLocation)
    #expect(!reconciler.hasUnsaved, sourceLocation: sourceLocation)
    #expect(!reconciler.isSuspect, sourceLocation: sourceLocation)
    #expect(spins == 0, "nothing is asked for without end", sourceLocation: sourceLocation)
    expectWatches(sourceLocation)
    let missed = reconciler.counters.missed
    audit()
    #expect(
      reconciler.counters.missed == missed, "an audit finds nothing", sourceLocation: sourceLocation
    )
  }

  private func expectWatches(_ sourceLocation: SourceLocation) {
    if polls { return }
    for folder in folders(where: { _ in true }) {
      let inode = disk.inode(folder.path)
      #expect(
        folder.watch != nil && folder.watch == inode?.watch, "\(folder.path) is watched",
        sourceLocation: sourceLocation)
      #expect(folder.isListed, "\(folder.path) is listed", sourceLocation: sourceLocation)
    }
    #expect(
      disk.watches.count == folders { _ in true }.count, "no other folder is watched",
      sourceLocation: sourceLocation)
  }
}
