import CLinux
import Glibc

/// `verso watch` as a process of its own: its start, its latency, what it takes while nothing happens,
/// and what other commands gain by asking it.
enum WatchBenchmark {
  static let settle = 0.3

  static func measure(_ size: Int, _ options: Options, _ place: Workplace) throws -> [Row] {
    let corpus = try place.vault(size)
    let walks = try (0..<options.rounds(5)).map { _ in try Walk.seconds(of: corpus.root) }
    let watch = try RunningWatch(corpus, place)
    defer { watch.stop() }
    let isJudged = size >= 100_000 && !options.isTiny
    var rows = [
      Row(
        work: .watch, what: "start", size: size, verso: watch.startSeconds, other: median(walks),
        against: "readdir and statx of every file, one thread",
        goal: !isJudged ? nil : size < 1_000_000 ? .times(2) : .most(2.5))
    ]
    place.wait(3)
    rows.append(try latency(size, options, corpus, isJudged: isJudged))
    rows += try asked(size, options, corpus, place, isJudged: isJudged)
    rows += try idle(size, options, watch, place, isJudged: isJudged)
    return rows
  }

  /// From the end of a write to the version in the branch's log, beyond the time of settling.
  private static func latency(
    _ size: Int, _ options: Options, _ corpus: Corpus, isJudged: Bool
  ) throws -> Row {
    var seconds: [Double] = []
    for round in 0..<options.rounds(15) {
      let before = try logSize(corpus)
      try corpus.edit(corpus.note(3 * round + 5), "watched, round \(round).")
      let start = now()
      while try logSize(corpus) == before {
        guard now() - start < 30 else { throw BenchError("an edit was not saved within 30 s") }
        usleep(500)
      }
      seconds.append(now() - start - settle)
      usleep(200_000)
    }
    return Row(
      work: .watch, what: "edit to version, after settling", size: size, verso: median(seconds),
      goal: isJudged ? .most(0.06) : nil)
  }

  private static func logSize(_ corpus: Corpus) throws -> Int {
    var status = stat()
    guard stat("\(corpus.root)/.git/logs/HEAD", &status) == 0 else {
      throw BenchError("\(corpus.root) has no log of HEAD")
    }
    return Int(status.st_size)
  }

  private static func asked(
    _ size: Int, _ options: Options, _ corpus: Corpus, _ place: Workplace, isJudged: Bool
  ) throws -> [Row] {
    try [["save"], ["status"]].map { words in
      var verso: [Double] = []
      for _ in 0..<options.rounds(15) {
        verso.append(try place.verso(words, in: corpus).seconds)
      }
      return Row(
        work: .watch, what: "verso \(words[0]) beside it", size: size, verso: median(verso),
        goal: isJudged ? .most(0.03) : nil)
    }
  }

  private static func idle(
    _ size: Int, _ options: Options, _ watch: RunningWatch, _ place: Workplace, isJudged: Bool
  ) throws -> [Row] {
    // Past the time in which it still holds the vault open.
    place.wait(35)
    let before = try watch.processorSeconds()
    let start = now()
    // One audit of all folders falls into a minute.
    place.wait(61)
    let share = (try watch.processorSeconds() - before) / max(0.001, now() - start)
    let memory = try watch.residentBytes()
    let limit = size < 1_000_000 ? 60.0 : 400.0
    return [
      Row(
        work: .watch, what: "memory, idle", size: size, unit: .bytes, verso: memory,
        goal: isJudged ? .most(limit * 1_048_576) : nil),
      Row(
        work: .watch, what: "processor while idle, seconds an hour", size: size,
        verso: share * 3600, goal: isJudged ? .most(3.6) : nil),
    ]
  }
}

/// A `verso watch` that was started and is ready.
final class RunningWatch {
  private let process: Int32
  /// From before it was started until it said that it watches everything.
  let startSeconds: Double

  init(_ corpus: Corpus, _ place: Workplace) throws {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw BenchError("no pipe is to be had") }
    let sink = Glibc.open("/dev/null", O_RDWR | O_CLOEXEC)
    defer { for end in ends + [sink] { close(end) } }
    let words = [place.verso, "watch", "--settle", "300ms", corpus.root]
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    var variables: [UnsafeMutablePointer<CChar>?] = place.environment.map { strdup($0) } + [nil]
    defer { for pointer in arguments + variables { free(pointer) } }
    let start = now()
    process = verso_spawn(place.verso, &arguments, &variables, corpus.root, [sink, ends[1], 2])
    guard process > 0 else { throw BenchError("verso watch cannot be run: \(-process)") }
    var wait = pollfd(fd: ends[0], events: Int16(POLLIN), revents: 0)
    guard poll(&wait, 1, 120_000) == 1 else {
      kill(process, SIGKILL)
      throw BenchError("verso watch did not say that it watches")
    }
    startSeconds = now() - start
    // The rest of what it says goes nowhere: it must not wait for a reader.
  }

  func stop() {
    kill(process, SIGTERM)
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
  }

  /// User and system time, as of proc(5).
  func processorSeconds() throws -> Double {
    let fields = try read("stat").split(separator: ")").last?.split(separator: " ") ?? []
    guard fields.count > 13, let user = Double(fields[11]), let system = Double(fields[12]) else {
      throw BenchError("/proc/\(process)/stat is not understood")
    }
    return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
  }

  func residentBytes() throws -> Double {
    for line in try read("status").split(separator: "\n") where line.hasPrefix("VmRSS:") {
      let digits = line.filter(\.isNumber)
      if let kilobytes = Double(String(digits)) { return kilobytes * 1024 }
    }
    throw BenchError("/proc/\(process)/status is not understood")
  }

  private func read(_ name: String) throws -> String {
    guard let file = fopen("/proc/\(process)/\(name)", "r") else {
      throw BenchError("verso watch has ended")
    }
    defer { fclose(file) }
    var buffer = [UInt8](repeating: 0, count: 16384)
    let count = fread(&buffer, 1, buffer.count, file)
    return String(decoding: buffer[..<count], as: UTF8.self)
  }
}

/// What any watcher has to do at its start, done as plainly as possible.
private enum Walk {
  static func seconds(of root: String) throws -> Double {
    let start = now()
    var folders = [root]
    while let folder = folders.popLast() {
      guard let stream = opendir(folder) else { throw BenchError("cannot list \(folder)") }
      defer { closedir(stream) }
      let number = dirfd(stream)
      while let entry = readdir(stream) {
        let isFolder = entry.pointee.d_type == UInt8(DT_DIR)
        withUnsafePointer(to: &entry.pointee.d_name) { pointer in
          pointer.withMemoryRebound(to: CChar.self, capacity: 256) { name in
            if name[0] == 0x2E { return }
            var status = verso_stat()
            _ = verso_statx(number, name, AT_SYMLINK_NOFOLLOW, &status)
            if isFolder { folders.append("\(folder)/\(String(cString: name))") }
          }
        }
      }
    }
    return now() - start
  }
}
