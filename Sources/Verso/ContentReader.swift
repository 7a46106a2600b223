import Glibc
import VersoDisk
import VersoGit
import VersoModel

/// Reads what changed, converts it as the attributes ask, and stores it as git objects.
struct ContentReader {
  /// A file or link as it was read.
  struct File: Sendable {
    let path: RelativePath
    let entry: SavePlan.Entry
    let status: FileStatus
  }

  struct Result {
    var files: [File] = []
    var skipped: [Skipped] = []
  }

  /// Files up to so many bytes are read whole; larger ones in pieces, where nothing converts them.
  static let wholeLimit: UInt64 = 8 << 20
  /// A file that nobody has changed for so many seconds is not asked for writers: a program that
  /// keeps it open without writing is no reason to wait.
  static let writerAge = 60.0

  let engine: Engine
  let table: StatTable
  let writer: any ObjectWriter
  let filter: ContentFilter

  /// Reads `candidates`; those that changed while they were read, or that a program is writing, are
  /// tried again for as long as ``Settling/limit``.
  func read(
    _ candidates: [Scan.Candidate], progress: (@Sendable (Int, Int) -> Void)?
  ) throws(VersoError) -> Result {
    var result = Result()
    var waiting = candidates
    let end = MonotonicTime.now() + Settling.limit
    while !waiting.isEmpty {
      var again: [Scan.Candidate] = []
      let (plain, converted) = try divide(waiting, &result)
      try take(readPlain(plain, progress), into: &result, &again)
      try take(readConverted(converted), into: &result, &again)
      guard !again.isEmpty else { break }
      if MonotonicTime.now() + Settling.interval > end {
        result.skipped += again.map { Skipped(path: $0.path, reason: .moving) }
        break
      }
      MonotonicTime.pause(Settling.interval)
      waiting = again
    }
    result.files.sort { $0.path < $1.path }
    return result
  }

  // MARK: What converts it

  private func divide(
    _ candidates: [Scan.Candidate], _ result: inout Result
  ) throws(VersoError) -> (plain: [Scan.Candidate], converted: [Scan.Candidate]) {
    var plain: [Scan.Candidate] = []
    var converted: [Scan.Candidate] = []
    plain.reserveCapacity(candidates.count)
    var attributes = AttributeFiles(engine: engine, filter: filter)
    for candidate in candidates {
      if let refusal = NameRule.refusal(
        of: candidate.path, kind: candidate.status.itemKind ?? .file)
      {
        result.skipped.append(Skipped(path: candidate.path, reason: .badName(refusal)))
      } else if candidate.status.kind == .link {
        plain.append(candidate)
      } else {
        do {
          let hasFiles = try attributes.areAbove(candidate.path)
          switch try filter.decision(for: candidate.path, hasAttributeFiles: hasFiles) {
          case .raw: plain.append(candidate)
          default: converted.append(candidate)
          }
        } catch let error as ContentFilterError {
          result.skipped.append(
            Skipped(path: candidate.path, reason: .filter(error.description)))
        } catch { throw VersoError(storing: error) }
      }
    }
    return (plain, converted)
  }

  /// Which folders have a `.gitattributes` in them or above, each looked at once.
  struct AttributeFiles {
    let engine: Engine
    let filter: ContentFilter
    private var known: [RelativePath: Bool] = [:]

    init(engine: Engine, filter: ContentFilter) {
      self.engine = engine
      self.filter = filter
    }

    mutating func areAbove(_ path: RelativePath) throws(GitError) -> Bool {
      let folder = path.parent
      if let known = known[folder] { return known }
      do throws(DiskError) {
        let found = try filter.hasAttributeFiles(above: path, root: engine.rootFolder.number)
        known[folder] = found
        return found
      } catch {
        throw GitError(code: .generic, function: "attributes", message: error.description)
      }
    }
  }

  // MARK: Reading

  private enum Reading: Sendable {
    case file(File)
    case skipped(Skipped)
    case again(Scan.Candidate)
    case vanished
    case failed(VersoError)
  }

  private func take(
    _ readings: [Reading], into result: inout Result, _ again: inout [Scan.Candidate]
  ) throws(VersoError) {
    for reading in readings {
      switch reading {
      case .file(let file): result.files.append(file)
      case .skipped(let skipped): result.skipped.append(skipped)
      case .again(let candidate): again.append(candidate)
      case .vanished: break  // The next save sees it gone, after a second look.
      case .failed(let error): throw error
      }
    }
  }

  private func readPlain(
    _ candidates: [Scan.Candidate], _ progress: (@Sendable (Int, Int) -> Void)?
  ) -> [Reading] {
    let job = PlainReading(
      candidates: candidates, root: engine.rootFolder.number, store: engine.store,
      writer: writer, kind: KindRule(table: table, trustsMode: engine.settings.trustsMode),
      sizeLimit: engine.settings.maxFileSize, progress: progress)
    Threads.run(candidates.count > 64 ? Threads.count : 1) { _ in job.run() }
    return job.readings
  }

  private func readConverted(_ candidates: [Scan.Candidate]) -> [Reading] {
    let kind = KindRule(table: table, trustsMode: engine.settings.trustsMode)
    return candidates.map { candidate in
      let reader = PlainReading.reader(
        root: engine.rootFolder.number, store: engine.store,
        sizeLimit: engine.settings.maxFileSize)
      do throws(ReadRefusal) {
        let content = try reader.content(of: candidate.path, seen: candidate.status)
        return convert(content, of: candidate, kind.kind(of: candidate.path, content.status))
      } catch { return PlainReading.reading(error, candidate) }
    }
  }

  private func convert(
    _ content: ConsistentRead.Content, of candidate: Scan.Candidate, _ kind: Item.Kind
  ) -> Reading {
    do {
      let id: ObjectID
      let cleaned = try filter.clean(
        content.bytes, path: candidate.path, tracked: table.row(of: candidate.path)?.id,
        hasAttributeFiles: true)
      switch cleaned {
      case .bytes(let bytes): id = try bytes.withUnsafeBytes { try writer.write(.blob, $0) }
      case .stored(let stored): id = stored
      }
      return .file(
        File(
          path: candidate.path,
          entry: SavePlan.Entry(
            kind: kind, id: id, fields: StatTable.fields(of: content.status, mode: kind)),
          status: content.status))
    } catch let error as ContentFilterError {
      return .skipped(Skipped(path: candidate.path, reason: .filter(error.description)))
    } catch {
      return .failed(VersoError(storing: error))
    }
  }

  /// Which of git's modes a file gets.
  struct KindRule: Sendable {
    let table: StatTable
    /// core.fileMode.
    let trustsMode: Bool

    func kind(of path: RelativePath, _ status: FileStatus) -> Item.Kind {
      let seen = status.itemKind ?? .file
      if trustsMode || seen == .link { return seen }
      let tracked = table.row(of: path).flatMap { Item.Kind(rawValue: $0.mode) }
      return tracked == .executable ? .executable : .file
    }
  }

  /// The work that threads share: each takes the next candidate.
  ///
  /// Unchecked: `next` is guarded by `lock`; each element of `slots` is written by the one thread
  /// that took its number, and read after all have ended.
  private final class PlainReading: @unchecked Sendable {
    let candidates: [Scan.Candidate]
    let root: Int32
    let store: any FileStore
    let writer: any ObjectWriter
    let kind: KindRule
    let sizeLimit: UInt64
    let progress: (@Sendable (Int, Int) -> Void)?
    private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let slots: UnsafeMutableBufferPointer<Reading>
    private var next = 0

    init(
      candidates: [Scan.Candidate], root: Int32, store: any FileStore, writer: any ObjectWriter,
      kind: KindRule, sizeLimit: UInt64, progress: (@Sendable (Int, Int) -> Void)?
    ) {
      self.candidates = candidates
      self.root = root
      self.store = store
      self.writer = writer
      self.kind = kind
      self.sizeLimit = sizeLimit
      self.progress = progress
      slots = .allocate(capacity: candidates.count)
      slots.initialize(repeating: .vanished)
      pthread_mutex_init(lock, nil)
    }

    deinit {
      slots.deinitialize()
      slots.deallocate()
      pthread_mutex_destroy(lock)
      lock.deallocate()
    }

    var readings: [Reading] { Array(slots) }

    private func take() -> Range<Int>? {
      pthread_mutex_lock(lock)
      defer { pthread_mutex_unlock(lock) }
      guard next < candidates.count else { return nil }
      let range = next..<min(next + 32, candidates.count)
      next = range.upperBound
      return range
    }

    func run() {
      while let range = take() {
        for number in range { slots[number] = read(candidates[number]) }
        progress?(range.upperBound, candidates.count)
      }
    }

    static func reader(
      root: Int32, store: any FileStore, sizeLimit: UInt64
    ) -> ConsistentRead {
      ConsistentRead(root: root, sizeLimit: sizeLimit, store: store)
    }

    static func reading(_ refusal: ReadRefusal, _ candidate: Scan.Candidate) -> Reading {
      let path = candidate.path
      switch refusal.reason {
      case .changed, .hasWriter: return .again(candidate)
      case .tooLarge(let size):
        return .skipped(
          Skipped(path: path, reason: .tooLarge(size), inode: candidate.status.inode))
      case .vanished, .notAFile(.folder): return .vanished
      case .notAFile: return .skipped(Skipped(path: path, reason: .special))
      case .unreadable(let error):
        if [EMFILE, ENFILE, ENOMEM].contains(error.code) { return .failed(VersoError(error)) }
        return .skipped(
          Skipped(
            path: path, reason: .unreadable(error.code), inode: candidate.status.inode))
      }
    }

    private func read(_ candidate: Scan.Candidate) -> Reading {
      let path = candidate.path
      let reader = Self.reader(root: root, store: store, sizeLimit: sizeLimit)
      let age = Timestamp.now().timeInterval(
        since: max(candidate.status.modified, candidate.status.changed))
      let rule: ConsistentRead.WriterRule = age > ContentReader.writerAge ? .ignore : .refuse
      do {
        let (id, status) = try store(path, candidate.status, reader, rule)
        let kind = kind.kind(of: path, status)
        return .file(
          File(
            path: path,
            entry: SavePlan.Entry(
              kind: kind, id: id, fields: StatTable.fields(of: status, mode: kind)),
            status: status))
      } catch let refusal as ReadRefusal {
        return Self.reading(refusal, candidate)
      } catch {
        return .failed(VersoError(storing: error))
      }
    }

    private func store(
      _ path: RelativePath, _ seen: FileStatus, _ reader: ConsistentRead,
      _ rule: ConsistentRead.WriterRule
    ) throws -> (ObjectID, FileStatus) {
      if seen.kind == .file, seen.size > ContentReader.wholeLimit {
        let (id, status) = try reader.withOpenFile(path, seen: seen, writers: rule) {
          descriptor, status in
          try writer.writeBlob(from: descriptor.number, size: Int(status.size))
        }
        guard let id else { throw ReadRefusal(path: path, reason: .changed) }
        return (id, status)
      }
      let content = try reader.content(of: path, seen: seen, writers: rule)
      let id = try content.bytes.withUnsafeBytes { try writer.write(.blob, $0) }
      return (id, content.status)
    }
  }
}
