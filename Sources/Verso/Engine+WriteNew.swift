import VersoDisk
import VersoGit
import VersoModel

/// New files, many at a time.
extension Engine {
  /// So many new files are made durable by one wait for the disk.
  static let unnamedLimit = 200

  /// Writes a new file that gets its name with others; `nil` where it cannot wait.
  func prepare(
    _ step: Journal.Step, number: Int, _ replace: SafeReplace, _ filter: ContentFilter
  ) throws -> UnnamedFile? {
    guard step.old == nil, let new = step.new, new.kind != .link, !step.setsAttributes,
      try currentContent(of: step, filter) == nil
    else { return nil }
    let content = try newContent(new, at: step, filter)
    _ = try replace.makeFolders(for: step.path, mode: step.mask.folder)
    try replace.removeEmptyFolder(step.path)
    return try replace.prepare(step.path, number: number, with: content)
  }

  func place(
    _ files: inout [UnnamedFile], _ replace: SafeReplace, _ outcome: inout WriteOutcome
  ) throws(VersoError) {
    do throws(DiskError) { try replace.makeDurable(files) } catch { throw VersoError(error) }
    for file in files {
      try attempt(file.path, &outcome) { outcome in
        outcome.statuses[file.path] = try replace.place(file).status
        outcome.written.append(file.path)
      }
    }
    files = []
  }
}
