package import VersoHistory
package import VersoModel

/// What to write where.
package struct ExportRequest: Sendable {
  /// A commit, and the file or folder in it; the root for everything.
  package var place: History.Place
  /// The directory to make, or an empty one; absolute.
  package var directory: String
  package var isDryRun = false
  /// Called with the number of files that are written, and of all.
  package var progress: (@Sendable (Int, Int) -> Void)?

  package init(place: History.Place, directory: String) {
    self.place = place
    self.directory = directory
  }
}

/// What an export wrote.
package struct ExportOutcome: Sendable {
  /// The files that are there now, or would be.
  package var files: [RelativePath] = []
  /// What they hold in history, before any conversion.
  package var bytes = 0
  /// What was left out, and why.
  package var left: [(path: RelativePath, error: VersoError)] = []
}
