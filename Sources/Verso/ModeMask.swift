import VersoDisk
import VersoGit
import VersoHistory
import VersoModel

/// The permissions that a new file, and the folders that are made for it, have at most.
///
/// History knows no permissions but the execute bit. A file that comes because another one is moved or
/// copied, or has a conflict copy, must not be for more people than that one is.
struct ModeMask: Hashable, Sendable {
  var file: UInt32 = 0o777
  var folder: UInt32 = 0o777

  /// Whatever a new file gets.
  static let all = ModeMask()

  /// Whether it takes nothing from what new files and folders usually get.
  fileprivate var isUsual: Bool { file & 0o644 == 0o644 && folder & 0o755 == 0o755 }
}

/// How far the permissions of the files of a vault go.
struct ModeMasks {
  private let engine: Engine
  private var folders: [RelativePath: UInt32] = [.root: 0o777]

  init(_ engine: Engine) { self.engine = engine }

  /// The same steps; those that make a file which is another's by content or by name are masked.
  ///
  /// To be asked before anything is written: the other file may go.
  mutating func masking(_ steps: [Journal.Step]) throws(VersoError) -> [Journal.Step] {
    guard steps.contains(where: \.isUnmasked) else { return steps }
    let sources = try sources(of: steps)
    var masked = steps
    for (number, step) in steps.enumerated() where step.isUnmasked {
      if let source = sources[step.path] ?? OpenConflict(step.path)?.path {
        masked[number].mask = try mask(of: source)
      }
    }
    return masked
  }

  /// Steps that make a second one of a note or folder.
  mutating func masking(
    _ steps: [Journal.Step], copying original: RelativePath, to copy: RelativePath
  ) throws(VersoError) -> [Journal.Step] {
    try steps.map { step throws(VersoError) in
      var step = step
      if let source = step.path.replacing(prefix: copy, with: original) {
        step.mask = try mask(of: source)
      }
      return step
    }
  }

  /// Of a file; ``ModeMask/all`` for what is none.
  private mutating func mask(of path: RelativePath) throws(VersoError) -> ModeMask {
    guard let status = try status(of: path), status.kind == .file else { return .all }
    // Who may read it may run it, where the new one is a program.
    return ModeMask(
      file: status.mode & 0o777 | (status.mode & 0o444) >> 2, folder: try mask(at: path.parent))
  }

  /// Of a folder and all above it, as everybody else sees it: its owner must get on.
  private mutating func mask(at folder: RelativePath) throws(VersoError) -> UInt32 {
    if let known = folders[folder] { return known }
    let mode = try status(of: folder)?.mode ?? 0o777
    let mask = try mask(at: folder.parent) & (mode & 0o777 | 0o700)
    folders[folder] = mask
    return mask
  }

  private func status(of path: RelativePath) throws(VersoError) -> FileStatus? {
    do throws(DiskError) {
      return try engine.store.status(of: path.bytes, in: engine.rootFolder.number)
    } catch {
      if error.isAbsence { return nil }
      throw VersoError(error)
    }
  }

  /// Where the files come from that steps move, by their new paths; looked for only where one that goes
  /// is not for everybody.
  private mutating func sources(
    of steps: [Journal.Step]
  ) throws(VersoError) -> [RelativePath: RelativePath] {
    var isUsual = true
    for step in steps where isUsual && step.old != nil && step.new == nil {
      isUsual = try mask(of: step.path).isUsual
    }
    if isUsual { return [:] }
    do throws(GitError) {
      let entries = steps.map {
        TreeDifference.Entry(path: $0.path, old: $0.old?.found, new: $0.new?.found)
      }
      let pairs = try Renames.find(in: entries, of: engine.repository)
      return Dictionary(pairs.map { ($0.new, $0.old) }) { first, _ in first }
    } catch { throw VersoError(error, "compare files of \(engine.root)") }
  }
}

extension Journal.Step {
  fileprivate var isUnmasked: Bool { old == nil && new != nil && mask == .all }
}

extension Journal.Content {
  fileprivate var found: PathFinder.Found { PathFinder.Found(mode: kind.rawValue, id: id) }
}
