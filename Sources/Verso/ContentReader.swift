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
    /// When its inode was made; `nil` where the file system does not say.
    let born: Timestamp?
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
  /// Files that are read although a program may still write to them.
  var openFiles: Set<RelativePath> = []

  /// Reads `candidates`; those that changed while they were read, or that a program is writing, are
  /// tried again for as long as ``Settling/limit``.
  func read(
    _ candidates: consuming [Scan.Candidate], progress: (@Sendable (Int, Int) -> Void)?
  ) throws(VersoError) -> Result {
    var result = Result()
    var waiting = candidates
    let end = MonotonicTime.now() + Settling.limit
    while !waiting.isEmpty {
      let again = try readOnce(waiting, into: &result, progress)
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

  /// Reads each once; returns those to try again.
  private func readOnce(
    _ candidates: [Scan.Candidate], into result: inout Result,
    _ progress: (@Sendable (Int, Int) -> Void)?
  ) throws(VersoError) -> [Scan.Candidate] {
    let routes = try routes(candidates, &result)
    let job = PlainReading(
      candidates: candidates, routes: routes, root: engine.rootFolder.number, store: engine.store,
      writer: writer, kind: KindRule(table: table, trustsMode: engine.settings.trustsMode),
      sizeLimit: engine.settings.maxFileSize, openFiles: openFiles, progress: progress)
    Threads.run(candidates.count > 64 ? Threads.count : 1) { _ in job.run() }
    for (number, route) in routes.enumerated() where route == .converted {
      job.note(readConverted(candidates[number]), of: number)
    }
    if let failure = job.failure { throw failure }
    result.skipped += job.skipped
    job.addFiles(to: &result.files)
    return job.again
  }

  // MARK: What converts it

  /// What is to be done with a candidate.
  private enum Route: UInt8, Sendable { case plain, converted, skipped }

  private func routes(
    _ candidates: [Scan.Candidate], _ result: inout Result
  ) throws(VersoError) -> ContiguousArray<Route> {
    var routes = ContiguousArray(repeating: Route.plain, count: candidates.count)
    var attributes = AttributeFiles(engine: engine, filter: filter)
    for (number, candidate) in candidates.enumerated() {
      let path = candidate.path
      if let refusal = NameRule.refusal(of: path, kind: candidate.status.itemKind ?? .file) {
        routes[number] = .skipped
        result.skipped.append(Skipped(path: path, reason: .badName(refusal)))
      } else if candidate.status.kind != .link {
        do {
          let hasFiles = try attributes.areAbove(path)
          let decision = try filter.decision(for: path, hasAttributeFiles: hasFiles)
          if decision != .raw { routes[number] = .converted }
        } catch let error as ContentFilterError {
          routes[number] = .skipped
          result.skipped.append(Skipped(path: path, reason: .filter(error.description)))
        } catch { throw VersoError(storing: error) }
      }
    }
    return routes
  }

  /// Which folders have a `.gitattributes` in them or above, each looked at once.
  struct AttributeFiles {
    let engine: Engine
    let filter: ContentFilter
    private var known: [RelativePath: Bool] = [:]
    /// The last answer: candidates come sorted, many of one folder together.
    private var last: (folder: RelativePath, answer: Bool)?

    init(engine: Engine, filter: ContentFilter) {
      self.engine = engine
      self.filter = filter
    }

    mutating func areAbove(_ path: RelativePath) throws(DiskError) -> Bool {
      if let last, path.isDirectly(in: last.folder) { return last.answer }
      let folder = path.parent
      let answer: Bool
      if let known = known[folder] {
        answer = known
      } else {
        answer = try filter.hasAttributeFiles(above: path, root: engine.rootFolder.number)
      }
      known[folder] = answer
      last = (folder, answer)
      return answer
    }
  }

  // MARK: Reading

  private enum Reading: Sendable {
    case file(SavePlan.Entry)
    case skipped(Skipped)
    case again
    /// The next save sees it gone, after a second look.
    case vanished
    case failed(VersoError)
  }

  private func readConverted(_ candidate: Scan.Candidate) -> Reading {
    let kind = KindRule(table: table, trustsMode: engine.settings.trustsMode)
    let reader = ConsistentRead(
      root: engine.rootFolder.number, sizeLimit: engine.settings.maxFileSize, store: engine.store)
    do throws(ReadRefusal) {
      let content = try reader.content(
        of: candidate.path, seen: candidate.status,
        writers: openFiles.contains(candidate.path) ? .ignore : .refuse)
      return convert(content, of: candidate, kind.kind(of: candidate.path, content.status))
    } catch { return PlainReading.reading(error, candidate) }
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
      return .file(StatEntry(of: content.status, kind: kind, id: id))
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

  /// The work that threads share: each takes the next candidates.
  ///
  /// An entry of 60 bytes is all that is kept of a file; everything else is rare.
  ///
  /// Unchecked: `next` and what is rare are touched within `lock`; each of `entries` is written by
  /// the one thread that took its number, and read after all have ended.
  private final class PlainReading: @unchecked Sendable {
    private let candidates: [Scan.Candidate]
    private let routes: ContiguousArray<Route>
    private let reader: ConsistentRead
    private let writer: any ObjectWriter
    private let kind: KindRule
    private let openFiles: Set<RelativePath>
    private let progress: (@Sendable (Int, Int) -> Void)?
    private let lock = SectionLock()
    private let entries: UnsafeMutableBufferPointer<SavePlan.Entry?>
    private var next = 0
    private(set) var skipped: [Skipped] = []
    private(set) var again: [Scan.Candidate] = []
    private(set) var failure: VersoError?

    init(
      candidates: [Scan.Candidate], routes: ContiguousArray<Route>, root: Int32,
      store: any FileStore, writer: any ObjectWriter, kind: KindRule, sizeLimit: UInt64,
      openFiles: Set<RelativePath>, progress: (@Sendable (Int, Int) -> Void)?
    ) {
      self.candidates = candidates
      self.routes = routes
      reader = ConsistentRead(root: root, sizeLimit: sizeLimit, store: store)
      self.writer = writer
      self.kind = kind
      self.openFiles = openFiles
      self.progress = progress
      entries = .allocate(capacity: candidates.count)
      entries.initialize(repeating: nil)
    }

    deinit {
      entries.deallocate()
    }

    /// Appends what was read, in the order of the candidates.
    func addFiles(to files: inout [File]) {
      files.reserveCapacity(files.count + candidates.count)
      for (candidate, entry) in zip(candidates, entries) {
        guard let entry else { continue }
        // Another inode than the scan saw: when it was made is not known.
        let isSame = UInt32(truncatingIfNeeded: candidate.status.inode) == entry.inode
        files.append(
          File(path: candidate.path, entry: entry, born: isSame ? candidate.status.born : nil))
      }
    }

    private func take() -> Range<Int>? {
      lock.withLock {
        guard next < candidates.count, failure == nil else { return nil }
        let range = next..<min(next + 32, candidates.count)
        next = range.upperBound
        return range
      }
    }

    func run() {
      while let range = take() {
        for number in range where routes[number] == .plain {
          note(read(candidates[number]), of: number)
        }
        progress?(range.upperBound, candidates.count)
      }
    }

    func note(_ reading: Reading, of number: Int) {
      if case .file(let entry) = reading {
        entries[number] = entry
        return
      }
      lock.withLock {
        switch reading {
        case .file, .vanished: break
        case .skipped(let path): skipped.append(path)
        case .again: again.append(candidates[number])
        case .failed(let error): failure = failure ?? error
        }
      }
    }

    static func reading(_ refusal: ReadRefusal, _ candidate: Scan.Candidate) -> Reading {
      let path = candidate.path
      switch refusal.reason {
      case .changed, .hasWriter: return .again
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
      let age = Timestamp.now().timeInterval(
        since: max(candidate.status.modified, candidate.status.changed))
      let isOld = age > ContentReader.writerAge || openFiles.contains(path)
      let rule: ConsistentRead.WriterRule = isOld ? .unasked : .refuse
      do {
        let (id, status) = try store(path, candidate.status, rule)
        return .file(StatEntry(of: status, kind: kind.kind(of: path, status), id: id))
      } catch let refusal as ReadRefusal {
        return Self.reading(refusal, candidate)
      } catch let error as DiskError where error.operation == DiskError.reading {
        // One bad sector must not keep everything else from being saved.
        return Self.reading(ReadRefusal(path: path, reason: .unreadable(error)), candidate)
      } catch {
        return .failed(VersoError(storing: error))
      }
    }

    private func store(
      _ path: RelativePath, _ seen: FileStatus, _ rule: ConsistentRead.WriterRule
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
