import VersoDisk
import VersoGit
import VersoHistory
import VersoModel

/// Finds whose text a new file has, and who may read that one.
///
/// A file has the permissions of the one that it is by name: which it was before a rename, of which it
/// is a copy, or whose conflict copy it is. Else it is as private as every file that has its content.
struct ModeMasks {
  private let engine: Engine
  /// By new path, as decided: by then the other file may have gone.
  private var decided: [RelativePath: ModeMask] = [:]
  private var files: [RelativePath: ModeMask] = [:]
  private var folders: [RelativePath: UInt32] = [.root: 0o777]
  private var missing: [RelativePath: Bool] = [:]

  /// - Parameter steps: What an earlier process had decided.
  init(_ engine: Engine, knowing steps: [Journal.Step] = []) {
    self.engine = engine
    for step in steps where step.mask != .all { decided[step.path] = step.mask }
  }

  /// The same steps, those that make files with their masks.
  ///
  /// - Parameters:
  ///   - gone: All files that go, whether or not one of the steps takes them.
  ///   - copy: A note or folder that is made as a second one of another.
  mutating func masking(
    _ steps: [Journal.Step], gone: [TreeDifference.Entry],
    copying copy: (original: RelativePath, target: RelativePath)? = nil
  ) throws(VersoError) -> [Journal.Step] {
    let arrivals = steps.filter { $0.old == nil && $0.new != nil }
    if arrivals.isEmpty { return steps }
    // Also where nothing is asked of them now: they may go before the next question.
    for entry in gone { _ = mask(of: entry.path) }
    let fresh = arrivals.filter { decided[$0.path] == nil }
    var sources = sources(of: fresh, gone: gone)
    if let copy {
      for step in fresh {
        sources[step.path] = step.path.replacing(prefix: copy.target, with: copy.original)
      }
    }
    try decide(fresh, sources)
    guard arrivals.contains(where: { decided[$0.path] != .all }) else { return steps }
    let shared = sharedFolders(of: arrivals)
    return steps.map { step in
      guard step.old == nil, step.new != nil, let mask = decided[step.path] else { return step }
      var step = step
      step.mask = fitted(mask, to: step.path, shared)
      return step
    }
  }

  private mutating func decide(
    _ steps: [Journal.Step], _ sources: [RelativePath: RelativePath]
  ) throws(VersoError) {
    let others = steps.filter { sources[$0.path] == nil }
    let twins = try masks(ofContents: Set(others.compactMap { $0.new?.id }))
    for step in steps {
      if let source = sources[step.path] {
        decided[step.path] = mask(of: source)
      } else {
        decided[step.path] = step.new.flatMap { twins[$0.id] } ?? .all
      }
    }
  }

  // MARK: Whose text it is

  /// The files that new ones are by name.
  private func sources(
    of steps: [Journal.Step], gone: [TreeDifference.Entry]
  ) -> [RelativePath: RelativePath] {
    var sources = renames(of: steps, gone: gone)
    for step in steps where step.path.name.contains(UInt8(ascii: "(")) {
      guard let note = OpenConflict(step.path)?.path else { continue }
      // Of a renamed note and its conflict copy only one is known to be the old note.
      let source = sources[step.path] ?? sources[note]
      sources[step.path] = source ?? note
      if let source, steps.contains(where: { $0.path == note }) { sources[note] = source }
    }
    return sources
  }

  /// Looked for only where one that goes is not for everybody.
  private func renames(
    of steps: [Journal.Step], gone: [TreeDifference.Entry]
  ) -> [RelativePath: RelativePath] {
    if gone.allSatisfy({ files[$0.path]?.isUsual ?? true }) { return [:] }
    let arrived = steps.map {
      TreeDifference.Entry(
        path: $0.path, old: nil, new: $0.new.map { .init(mode: $0.kind.rawValue, id: $0.id) })
    }
    do throws(GitError) {
      let pairs = try Renames.find(in: gone + arrived, of: engine.repository)
      return Dictionary(pairs.map { ($0.new, $0.old) }) { first, _ in first }
    } catch {
      // What cannot be compared (a content that is missing) is no reason not to write it.
      return [:]
    }
  }

  /// The masks of contents that files of the last save have; where several have one, what the widest
  /// of them allows. An empty text is nobody's.
  private mutating func masks(
    ofContents ids: Set<ObjectID>
  ) throws(VersoError) -> [ObjectID: ModeMask] {
    let ids = ids.subtracting([SHA1.id(of: .blob, [])])
    guard !ids.isEmpty, let table = try engine.openIndex()?.table else { return [:] }
    var found: [ObjectID: ModeMask] = [:]
    withExtendedLifetime(table) {
      for row in table.rows where ids.contains(row.id) {
        let file = (found[row.id]?.file ?? 0) | mask(of: row.path).reached
        found[row.id] = ModeMask(file: file)
      }
    }
    return found
  }

  // MARK: Who may read it

  /// Of a file; of what is none, only what its folders allow.
  private mutating func mask(of path: RelativePath) -> ModeMask {
    if let known = files[path] { return known }
    var mask = ModeMask(folder: chain(path.parent))
    do throws(DiskError) {
      let status = try engine.store.status(of: path.bytes, in: engine.rootFolder.number)
      if let status, status.kind == .file {
        // Who may read it may run it, where the new one is a program; its owner can always read it.
        mask.file = status.mode & 0o777 | (status.mode & 0o444) >> 2 | 0o400
      }
    } catch {
      // What may not even be looked at is for nobody else.
      if !error.isAbsence { mask = .owner }
    }
    files[path] = mask
    return mask
  }

  /// Of a folder and all above it, as everybody but its owner meets them, who must get on.
  private mutating func chain(_ folder: RelativePath) -> UInt32 {
    if let known = folders[folder] { return known }
    var mode: UInt32 = 0o777
    do throws(DiskError) {
      let status = try engine.store.status(of: folder.bytes, in: engine.rootFolder.number)
      if let status { mode = status.mode & 0o777 | 0o700 }
      missing[folder] = status == nil
    } catch {
      missing[folder] = error.isAbsence
      if !error.isAbsence { mode = 0o700 }
    }
    let mask = chain(folder.parent) & mode
    folders[folder] = mask
    return mask
  }

  /// What folders that must be made have at most: they are as private as the most private file below.
  private mutating func sharedFolders(of steps: [Journal.Step]) -> [RelativePath: UInt32] {
    var shared: [RelativePath: UInt32] = [:]
    for step in steps {
      for folder in step.path.ancestors {
        _ = chain(folder)
        guard missing[folder] ?? false else { break }
        shared[folder, default: 0o777] &= decided[step.path]?.folder ?? 0o777
      }
    }
    return shared
  }

  /// The mask at a place: in folders that are open to more people than those where the text is now, the
  /// file itself must be closed to them.
  private mutating func fitted(
    _ mask: ModeMask, to path: RelativePath, _ shared: [RelativePath: UInt32]
  ) -> ModeMask {
    var (folder, reach) = (UInt32(0o777), chain(path.parent))
    for above in path.ancestors { folder &= shared[above] ?? 0o777 }
    reach &= folder
    // Those who do not get here need not be shut out.
    let kept = mask.file & ~ModeMask.reach(0o777, through: reach)
    return ModeMask(file: mask.reached | kept, folder: folder)
  }
}
