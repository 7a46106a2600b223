import Glibc
import Verso
import VersoModel

/// Questions to a long history: versions, a search, the past, who wrote what.
enum HistoryBenchmark {
  private typealias Ask = [String]

  static func measure(_ options: Options, _ place: Workplace) throws -> [Row] {
    if options.isTiny { return try measure(300, notes: 60, options, place) }
    var rows = try measure(20_000, notes: 5_000, options, place)
    if options.sizes.contains(1_000_000) {
      rows += try measure(100_000, notes: 5_000, options, place)
    }
    return rows
  }

  private static func measure(
    _ commits: Int, notes: Int, _ options: Options, _ place: Workplace
  ) throws -> [Row] {
    var history = HistoryCorpus(root: "\(place.root)/history-\(commits)", notes: notes)
    try history.make(commits, place)
    let corpus = Corpus(root: history.root, count: notes)
    try place.verso(["init", "--yes", "."], in: corpus)
    try place.git(["repack", "-adq"], in: corpus)
    // Files as young as git's index are read by every look at the disk, until it is written again.
    place.wait(Wait.old)
    try place.git(["update-index", "-q", "--really-refresh"], in: corpus)
    try place.git(["status"], in: corpus)
    var rows = [try build(commits, history, corpus, place)]
    rows.append(size(commits, corpus))
    func row(
      _ what: String, _ verso: Ask, _ git: [Ask], rounds: Int = 9, goal: Goal? = nil
    ) throws {
      var (mine, theirs): ([Double], [Double]) = ([], [])
      for _ in 0..<options.rounds(rounds) {
        mine.append(try place.verso(verso, in: corpus).seconds)
        theirs.append(
          try git.map { try place.git($0, in: corpus).seconds }.reduce(0, +))
      }
      rows.append(
        Row(
          work: .history, what: what, size: commits, verso: median(mine), other: median(theirs),
          against: git.map { "git " + $0[0] + ($0.count > 1 ? " \($0[1])" : "") }
            .joined(separator: ", "),
          goal: options.isTiny ? nil : goal))
    }
    let folder = String(history.busy.prefix { $0 != "/" })
    let at = "@\(history.middle)"
    try row(
      "log PATH, busy", ["log", history.busy], [["log", "--follow", "--", history.busy]],
      goal: .faster(8))
    try row(
      "log PATH, rare", ["log", history.rare], [["log", "--follow", "--", history.rare]],
      goal: .faster(8))
    try row("log FOLDER", ["log", folder], [["log", "--", folder]])
    try row(
      "search --history", ["search", "--history", history.phrase],
      [["log", "-S", history.phrase, "--oneline"]], rounds: 3, goal: .faster(50))
    try row(
      "show --at", ["show", history.busy, "--at", TimeText.rfc3339(history.middle)],
      [["rev-list", "-1", "--before=\(at)", "HEAD"], ["show", "HEAD:\(history.busy)"]])
    try row("who", ["who", history.busy], [["blame", history.busy]])
    rows.append(try open(commits, history, options))
    return rows
  }

  /// The index, made from nothing by the first search.
  private static func build(
    _ commits: Int, _ history: HistoryCorpus, _ corpus: Corpus, _ place: Workplace
  ) throws -> Row {
    let child = try place.verso(["search", "--history", "-q", history.phrase], in: corpus)
    return Row(work: .history, what: "making the index", size: commits, verso: child.seconds)
  }

  private static func size(_ commits: Int, _ corpus: Corpus) -> Row {
    let path = "\(corpus.root)/.git/verso/history.sqlite"
    var status = stat()
    let found = stat(path, &status) == 0 ? Double(status.st_size) : .nan
    let packs = Double(diskUse("\(corpus.root)/.git/objects"))
    return Row(
      work: .history, what: "the index's size", size: commits, unit: .bytes, verso: found,
      other: packs, against: "git's objects")
  }

  /// The versions of a note in a process that has the vault open.
  private static func open(
    _ commits: Int, _ history: HistoryCorpus, _ options: Options
  ) throws -> Row {
    let engine = try Engine.open(above: history.root)
    guard let path = RelativePath(history.busy) else { throw BenchError("no path") }
    var seconds: [Double] = []
    for _ in 0..<options.rounds(31) {
      let start = now()
      let versions = try engine.versions(of: path, limit: .max)
      seconds.append(now() - start)
      if versions.count < 2 { throw BenchError("\(history.busy) has no history") }
    }
    return Row(
      work: .history, what: "versions of the busy note, open", size: commits,
      verso: median(seconds), goal: options.isTiny ? nil : .most(0.001))
  }
}
