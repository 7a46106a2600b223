import CLinux
import Glibc
import VersoDisk
import VersoModel
import VersoWatch

/// Watches and reads folders on several threads: what there is, before anybody says what of it counts.
struct FolderReading: Sendable {
  /// What was read of one folder.
  enum Outcome: Sendable {
    case read(Contents)
    case absent
    /// On another file system, or git's own.
    case foreign
    case unreadable
  }

  struct Contents: Sendable {
    let status: FileStatus
    let watch: Int32?
    let watchFailure: DiskError?
    let entries: [(name: [UInt8], status: FileStatus)]
    let holdsRepository: Bool
    let holdsRules: Bool
  }

  let store: any FileStore
  let root: Int32
  let source: InotifySource?
  let device: UInt64
  let gitDirectory: (device: UInt64, inode: UInt64)

  /// Below so many folders a thread costs more than it brings.
  private static let threadLimit = 8

  private static let git = Array(".git".utf8)
  private static let rules = Array(".gitignore".utf8)

  /// Unchecked: each result is written by the one thread that took its number, and read after all have
  /// ended.
  private final class Results: @unchecked Sendable {
    let outcomes: UnsafeMutableBufferPointer<Outcome>
    private let lock = SectionLock()
    private var next = 0

    init(_ count: Int) {
      outcomes = .allocate(capacity: count)
      outcomes.initialize(repeating: .absent)
    }

    deinit {
      outcomes.deinitialize()
      outcomes.deallocate()
    }

    func take() -> Int? {
      lock.withLock {
        guard next < outcomes.count else { return nil }
        next += 1
        return next - 1
      }
    }
  }

  /// Reads folders, in the order of `paths`.
  func read(_ paths: [RelativePath]) -> [Outcome] {
    if paths.count < Self.threadLimit { return paths.map(read) }
    let results = Results(paths.count)
    Threads.run { _ in
      while let number = results.take() { results.outcomes[number] = read(paths[number]) }
    }
    return Array(results.outcomes)
  }

  private func read(_ path: RelativePath) -> Outcome {
    do throws(DiskError) {
      let open = try store.openingBeneath(
        path, root: root, flags: O_RDONLY | O_DIRECTORY | O_NONBLOCK)
      let status = try store.status(of: open.number)
      if status.device != device || isGitDirectory(status) { return .foreign }
      // The watch comes first: what is made between the two would be missed the other way round.
      let (watch, failure) = place(watchOn: open.number)
      let names = try store.names(in: open.number, path: path.bytes)
      var entries: [(name: [UInt8], status: FileStatus)] = []
      entries.reserveCapacity(names.count)
      var (holdsRepository, holdsRules) = (false, false)
      for name in names {
        if name == Self.git { holdsRepository = true }
        if name == Self.rules { holdsRules = true }
        guard let status = try store.status(of: name, in: open.number) else { continue }
        entries.append((name, status))
      }
      return .read(
        Contents(
          status: status, watch: watch, watchFailure: failure, entries: entries,
          holdsRepository: holdsRepository, holdsRules: holdsRules))
    } catch {
      return error.isAbsence || error.code == ELOOP ? .absent : .unreadable
    }
  }

  private func isGitDirectory(_ status: FileStatus) -> Bool {
    status.device == gitDirectory.device && status.inode == gitDirectory.inode
  }

  private func place(watchOn folder: Int32) -> (Int32?, DiskError?) {
    guard let source else { return (nil, nil) }
    do throws(DiskError) { return (try source.watch(folder), nil) } catch { return (nil, error) }
  }
}
