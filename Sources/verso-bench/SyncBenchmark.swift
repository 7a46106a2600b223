import Glibc
import Verso
import VersoModel

/// Several devices: joining, an exchange with nothing to do, a first push, and the way of an edit from
/// one watched vault to another.
enum SyncBenchmark {
  static func measure(_ size: Int, _ options: Options, _ place: Workplace) throws -> [Row] {
    let corpus = try place.vault(size)
    let isJudged = size == 100_000 && !options.isTiny
    let hub = "\(place.root)/hub-\(size).git"
    var rows = [try push(size, hub, corpus, place)]
    rows.append(try merge(size, options, corpus, place, isJudged: isJudged))
    rows.append(try nothing(size, options, corpus, place))
    rows.append(try way(size, options, hub, corpus, place, isJudged: isJudged))
    return rows
  }

  /// The whole history to an empty repository.
  private static func push(
    _ size: Int, _ hub: String, _ corpus: Corpus, _ place: Workplace
  ) throws -> Row {
    let other = "\(hub).git-push"
    try place.git(["init", "-q", "--bare", other], in: corpus)
    let git = try place.git(["push", "-q", other, "HEAD:refs/heads/main"], in: corpus).seconds
    try place.git(["init", "-q", "--bare", hub], in: corpus)
    try place.git(["remote", "add", "origin", hub], in: corpus)
    let verso = try place.verso(["init", "--remote", "origin", "."], in: corpus).seconds
    return Row(
      work: .sync, what: "first push", size: size, verso: verso, other: git,
      against: "git push to an empty repository")
  }

  /// 20 notes changed on each of two sides, joined; objects are written, no file is.
  private static func merge(
    _ size: Int, _ options: Options, _ corpus: Corpus, _ place: Workplace, isJudged: Bool
  ) throws -> Row {
    let base = try head(corpus)
    var tips: [String] = []
    for side in 0..<2 {
      for number in 0..<20 {
        try corpus.edit(corpus.note(40 * number + 3 * side + 1), "side \(side)")
      }
      try place.git(["add", "-A"], in: corpus)
      try place.git(["commit", "-qm", "side \(side)"], in: corpus)
      tips.append(try head(corpus))
      try place.git(["reset", "-q", "--hard", base], in: corpus)
    }
    let engine = try Engine.open(above: corpus.root)
    var (verso, git): ([Double], [Double]) = ([], [])
    for _ in 0..<options.rounds(11) {
      let start = now()
      try engine.tryMerge(tips[0], tips[1])
      verso.append(now() - start)
      git.append(try place.git(["merge-tree", "--write-tree"] + tips, in: corpus).seconds)
    }
    return Row(
      work: .sync, what: "merge of 20 + 20 notes", size: size, verso: median(verso),
      other: median(git), against: "git merge-tree --write-tree",
      goal: isJudged ? .times(2) : nil)
  }

  private static func head(_ corpus: Corpus) throws -> String {
    guard let head = try Engine.open(above: corpus.root).head() else {
      throw BenchError("\(corpus.root) has no version")
    }
    return head.hex
  }

  /// A sync where nobody has anything, its save included.
  private static func nothing(
    _ size: Int, _ options: Options, _ corpus: Corpus, _ place: Workplace
  ) throws -> Row {
    try place.verso(["sync"], in: corpus)
    var (verso, git): ([Double], [Double]) = ([], [])
    for _ in 0..<options.rounds(11) {
      verso.append(try place.verso(["sync"], in: corpus).seconds)
      let status = try place.git(["status", "--porcelain"], in: corpus).seconds
      git.append(try status + place.git(["fetch", "-q", "origin"], in: corpus).seconds)
    }
    return Row(
      work: .sync, what: "nothing to do, on the disk", size: size, verso: median(verso),
      other: median(git), against: "git status && git fetch")
  }

  /// From an edit here to the file there, both watched, by way of a repository on the same disk.
  private static func way(
    _ size: Int, _ options: Options, _ hub: String, _ corpus: Corpus, _ place: Workplace,
    isJudged: Bool
  ) throws -> Row {
    let other = Corpus(root: "\(place.root)/other-\(size)", count: size)
    try place.verso(["clone", "-q", hub, other.root], in: corpus)
    let watches = [try RunningWatch(corpus, place), try RunningWatch(other, place)]
    defer { for watch in watches { watch.stop() } }
    var seconds: [Double] = []
    for round in 0..<options.rounds(5) {
      // Longer ago than what makes a sync wait for more.
      place.wait(11)
      let note = corpus.note(7 * round + 11)
      let file = "\(other.root)/\(corpus.path(note))"
      let before = try fileSize(file)
      try corpus.edit(note, "on the way, round \(round).")
      let start = now()
      while try fileSize(file) == before {
        guard now() - start < 60 else { throw BenchError("an edit did not arrive within 60 s") }
        usleep(1000)
      }
      seconds.append(now() - start - WatchBenchmark.settle)
    }
    return Row(
      work: .sync, what: "edit here to file there, after settling", size: size,
      verso: median(seconds), goal: isJudged ? .most(2) : nil)
  }

  private static func fileSize(_ path: String) throws -> Int {
    var status = stat()
    guard stat(path, &status) == 0 else { throw BenchError("\(path) is not there") }
    return Int(status.st_size)
  }
}
