public import VersoModel

extension DiskBatch {
  /// What a vault tells of its disk, as a ``StateCoordinator`` takes it.
  public init(_ changes: VaultEvent.Changes) {
    self.init(
      removed: changes.removed, added: changes.added,
      renamed: changes.renamed.map { Rename($0.old, $0.new) },
      modified: changes.modified.map { Item(path: $0, kind: .file, content: nil) })
  }
}
