package import VersoModel

/// The notes that the disk has otherwise than the last version, and the lines that they hold.
package struct UnsavedNotes: Sendable {
  private(set) var paths: Set<RelativePath> = []
  private(set) var lines: Set<Int64> = []

  package init() {}

  /// Adds a note as it is now; empty where it is gone.
  package mutating func add(_ path: RelativePath, _ text: [UInt8]) {
    paths.insert(path)
    lines.formUnion(LineHashes(of: text).hashes)
  }
}
