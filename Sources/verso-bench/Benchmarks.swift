import Verso
import VersoModel

/// Start-up: what every command costs before it does anything.
enum StartBenchmark {
  static func measure(_ options: Options, _ place: Workplace) throws -> [Row] {
    var verso: [Double] = []
    var git: [Double] = []
    for _ in 0..<options.rounds(50) {
      for (words, keep) in [
        ([place.verso, "--version"], { verso.append($0) }),
        (["git", "--version"], { git.append($0) }),
      ] as [([String], (Double) -> Void)] {
        keep(try Child.run(words, in: place.root, environment: place.environment).seconds)
      }
    }
    return [
      Row(
        work: .start, size: 0, verso: median(verso), other: median(git),
        against: "git --version", goal: options.isTiny ? nil : .most(0.008))
    ]
  }
}

/// The first save of a folder of notes.
enum ImportBenchmark {
  static func measure(_ size: Int, _ options: Options, _ place: Workplace) throws -> [Row] {
    let isHuge = size >= 1_000_000
    var verso = Side()
    var git = Side()
    let corpus = try place.notes(size)
    for _ in 0..<(isHuge ? 1 : options.rounds(size < 100_000 ? 5 : 3)) {
      // git needs minutes for a million, and nothing is asked of the ratio there.
      if !isHuge {
        try git.add([
          place.git(["init", "-q"], in: corpus), place.git(["add", "-A"], in: corpus),
          place.git(["commit", "-qm", "x"], in: corpus),
        ])
        git.disk = diskUse("\(corpus.root)/.git")
        try place.clear(corpus)
      }
      try verso.add([place.verso(["init", "--yes", "."], in: corpus)])
      verso.disk = diskUse("\(corpus.root)/.git")
      if isHuge { break }
      try place.clear(corpus)
    }
    if !isHuge { try place.verso(["init", "--yes", "."], in: corpus) }
    try place.keep(corpus)
    return rows(size, verso, git, isJudged: !options.isTiny)
  }

  private struct Side {
    var seconds: [Double] = []
    var peak = 0
    var disk = 0

    mutating func add(_ children: [Child]) {
      seconds.append(children.map(\.seconds).reduce(0, +))
      peak = max(peak, children.map(\.peakBytes).max() ?? 0)
    }
  }

  private static func rows(_ size: Int, _ verso: Side, _ git: Side, isJudged: Bool) -> [Row] {
    let against = git.seconds.isEmpty ? "" : "git add -A && git commit"
    func figure(_ what: String, _ unit: Row.Unit, _ goal: Goal?, _ of: (Side) -> Double) -> Row {
      Row(
        work: .import, what: what, size: size, unit: unit, verso: of(verso),
        other: git.seconds.isEmpty ? nil : of(git), against: against, goal: goal)
    }
    let isMain = isJudged && size == 100_000
    let isHuge = isJudged && size >= 1_000_000
    return [
      figure("time", .seconds, isMain ? .faster(2.5) : isHuge ? .most(90) : nil) {
        median($0.seconds)
      },
      figure("disk", .bytes, isMain ? .times(0.25) : nil) { Double($0.disk) },
      figure("memory", .bytes, isHuge ? .most(500e6) : nil) { Double($0.peak) },
    ]
  }
}

/// One edited note, saved by a process of its own, as cron does it.
enum SaveBenchmark {
  static func measure(_ size: Int, _ options: Options, _ place: Workplace) throws -> [Row] {
    let corpus = try place.vault(size)
    var verso: [Double] = []
    var git: [Double] = []
    for round in 0..<options.rounds(size < 1_000_000 ? 9 : 5) {
      try corpus.edit(corpus.note(2 * round), "Verso's, round \(round).")
      pause(Wait.settled)
      verso.append(try place.verso(["save"], in: corpus).seconds)
      try corpus.edit(corpus.note(2 * round + 1), "git's, round \(round).")
      pause(Wait.settled)
      git.append(try place.addAndCommit(corpus))
    }
    return [
      Row(
        work: .save, size: size, verso: median(verso), other: median(git),
        against: Workplace.addAndCommitText,
        goal: size == 100_000 && !options.isTiny ? .times(0.5) : nil)
    ]
  }
}

/// A save where nothing has changed.
enum NoChangeBenchmark {
  static func measure(_ size: Int, _ options: Options, _ place: Workplace) throws -> [Row] {
    let corpus = try place.vault(size)
    let ask = ["status", "--porcelain"]
    try place.git(["update-index", "--untracked-cache"], in: corpus)
    for _ in 0..<2 { try place.git(ask, in: corpus) }
    pause(Wait.old)
    try place.verso(["save"], in: corpus)
    var verso: [Double] = []
    var git: [Double] = []
    for _ in 0..<options.rounds(size < 1_000_000 ? 15 : 5) {
      verso.append(try place.verso(["save"], in: corpus).seconds)
      git.append(try place.git(ask, in: corpus).seconds)
    }
    try place.git(["update-index", "--no-untracked-cache"], in: corpus)
    return [
      Row(
        work: .nochange, size: size, verso: median(verso), other: median(git),
        against: "git status --porcelain, untracked cache on",
        goal: size == 100_000 && !options.isTiny ? .times(1.3) : nil)
    ]
  }
}

/// One edited note, saved by a process that has the vault open and has been told of the note.
enum OpenBenchmark {
  static func measure(_ size: Int, _ options: Options, _ place: Workplace) throws -> [Row] {
    let corpus = try place.vault(size)
    let engine = try Engine.open(above: corpus.root)
    var verso: [Double] = []
    var git: [Double] = []
    for round in 0..<options.rounds(size < 1_000_000 ? 15 : 5) {
      let note = corpus.note(2 * round + 100)
      try corpus.edit(note, "Verso's, open, round \(round).")
      pause(Wait.settled)
      verso.append(try save(corpus.path(note), engine))
      try corpus.edit(corpus.note(2 * round + 101), "git's, open, round \(round).")
      pause(Wait.settled)
      git.append(try place.addAndCommit(corpus))
    }
    return [
      Row(
        work: .open, size: size, verso: median(verso), other: median(git),
        against: Workplace.addAndCommitText,
        goal: size >= 100_000 && !options.isTiny ? .faster(15) : nil)
    ]
  }

  private static func save(_ path: String, _ engine: Engine) throws -> Double {
    guard let path = RelativePath(path) else { throw BenchError("\(path) is no path") }
    var request = SaveRequest(paths: [path])
    request.settles = false
    let start = now()
    let outcome = try engine.save(request)
    let seconds = now() - start
    guard outcome.commit != nil else { throw BenchError("\(path) was not saved") }
    return seconds
  }
}

extension Corpus {
  /// A note for the round of that number, far from those of its neighbours.
  func note(_ round: Int) -> Int { (round * 7_919 + 1) % count }
}

extension Workplace {
  static let addAndCommitText = "git add -A && git commit"

  func addAndCommit(_ corpus: Corpus) throws(BenchError) -> Double {
    let add = try git(["add", "-A"], in: corpus)
    let commit = try git(["commit", "-qm", "x"], in: corpus)
    return add.seconds + commit.seconds
  }
}
