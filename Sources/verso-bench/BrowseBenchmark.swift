import Glibc
import VersoBrowser
import VersoModel

/// The browser on a screen of 200 columns and 60 rows that nobody looks at: how long until its first
/// frame with rows, and from a key to the frame that it leads to.
enum BrowseBenchmark {
  private static let size = CellSize(width: 200, height: 60)

  static func measure(_ count: Int, _ options: Options, _ place: Workplace) throws -> [Row] {
    let corpus = try place.vault(count)
    let isJudged = count == 100_000 && !options.isTiny
    var first: [Double] = []
    var keys: [Double] = []
    for _ in 0..<options.rounds(5) {
      let begin = now()
      let runner = ScriptRunner(
        root: corpus.root, size: size, options: .init(), environment: { _ in nil }, print: { _ in })
      while runner.model.selection.catalogue.count(in: .root) == 0 { runner.step() }
      first.append(now() - begin)
      guard runner.settle() else { throw BenchError("the browser is never idle") }
      keys += try pressKeys(runner)
      runner.finish()
    }
    let large = try pressKeysInLargeFolder(count)
    return [
      Row(
        work: .browse, what: "first frame", size: count, verso: median(first), other: nil,
        against: "", goal: isJudged ? .most(0.150) : nil),
      Row(
        work: .browse, what: "key to frame", size: count, verso: median(keys), other: nil,
        against: "", goal: isJudged ? .most(0.008) : nil),
      Row(
        work: .browse, what: "key to frame, the slowest", size: count, verso: keys.max() ?? .nan,
        other: nil, against: ""),
      Row(
        work: .browse, what: "key to frame, all notes in one folder", size: count,
        verso: median(large), other: nil, against: "", goal: isJudged ? .most(0.008) : nil),
    ]
  }

  /// Walks through folders and notes; how long each key took.
  private static func pressKeys(_ runner: ScriptRunner) throws -> [Double] {
    let walk = [
      "j", "j", "Enter", "j", "Enter", "j", "j", "Enter", "j", "j", "PgDn", "h", "j", "?", "Esc",
    ]
    return try (walk + walk).map { name in
      let script = try Script("key \(name)")
      let begin = now()
      try runner.play(script)
      return now() - begin
    }
  }

  /// The same on a folder that holds everything, without a disk: its rows are sorted elsewhere.
  private static func pressKeysInLargeFolder(_ count: Int) throws -> [Double] {
    let items = (0..<count).map { number in
      Item(
        path: RelativePath("note \(number).md") ?? .root, kind: .file, content: nil)
    }
    var model = BrowserModel(size)
    _ = model.start()
    var time = 0.0
    func tell(_ message: BrowserMessage) -> Double {
      time += 1
      let begin = now()
      let effects = model.update(message, at: time)
      _ = model.frame
      let seconds = now() - begin
      for case .buildList(let ticket, let role, let folder, let catalogue, _) in effects {
        _ = model.update(
          .listBuilt(ticket: ticket, ItemList(role, of: folder, in: catalogue)), at: time)
      }
      return seconds
    }
    _ = tell(.snapshot(items, Catalogue(items)))
    return ["Enter", "j", "j", "PgDn", "j", "G", "k", "k", "Home", "j"].compactMap { name in
      KeyEvent(name: name).map { tell(.screen(.key($0))) }
    }
  }
}
