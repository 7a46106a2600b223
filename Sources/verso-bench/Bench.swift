import Glibc
import VersoModel

/// The whole tool: measures Verso and git on the same work in turn.
enum Bench {
  static let usage = """
    usage: verso-bench [NAME…] [--large] [--tiny] [--json]

    Measures Verso beside git on corpora that it makes in a temporary directory.

      NAME     one of: \(Work.allCases.map(\.rawValue).joined(separator: ", ")); all if none is given
      --large  also with 1,000,000 notes
      --tiny   with a few hundred notes only, to see that everything runs
      --json   one object a line

    The verso program is the one beside this one.

    """

  /// Runs a command line; returns the exit code: 0 even where a figure is missed, for a noisy
  /// machine is no failure of the tool.
  static func main(_ arguments: [String]) -> Int32 {
    let options: Options
    do throws(BenchError) { options = try Options(arguments) } catch {
      write("verso-bench: \(error)\n\(usage)", to: 2)
      return 2
    }
    if options.wantsHelp {
      write(usage, to: 1)
      return 0
    }
    do {
      try run(options)
      return 0
    } catch {
      write("verso-bench: \(error)\n", to: 2)
      return 1
    }
  }

  private static func run(_ options: Options) throws {
    let report = Report(wantsJSON: options.wantsJSON)
    let place = try Workplace(isHasty: options.isTiny)
    defer { place.remove() }
    for work in options.works {
      for size in work.dependsOnSize ? options.sizes : [0] {
        report.say("\(work.rawValue)\(size > 0 ? ", \(NumberText.grouped(size)) notes" : "")")
        for row in try work.measure(size, options, place) { report.add(row) }
      }
    }
    report.finish()
  }

  static func write(_ text: String, to descriptor: Int32) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count <= 0 { return }
      bytes = bytes.dropFirst(count)
    }
  }
}

/// What went wrong, for a person.
struct BenchError: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// What is measured.
enum Work: String, CaseIterable {
  case start, `import`, save, nochange, open, watch, sync, history, browse

  /// Whether it is measured at each size of a vault.
  var dependsOnSize: Bool { self != .start && self != .history }

  func measure(_ size: Int, _ options: Options, _ place: Workplace) throws -> [Row] {
    switch self {
    case .start: try StartBenchmark.measure(options, place)
    case .import: try ImportBenchmark.measure(size, options, place)
    case .save: try SaveBenchmark.measure(size, options, place)
    case .nochange: try NoChangeBenchmark.measure(size, options, place)
    case .open: try OpenBenchmark.measure(size, options, place)
    case .sync: try SyncBenchmark.measure(size, options, place)
    case .history: try HistoryBenchmark.measure(options, place)
    case .browse: try BrowseBenchmark.measure(size, options, place)
    case .watch: try WatchBenchmark.measure(size, options, place)
    }
  }
}

/// The command line.
struct Options {
  var works = Work.allCases
  var sizes = [1_000, 10_000, 100_000]
  var isTiny = false
  var wantsJSON = false
  var wantsHelp = false

  init(_ arguments: [String]) throws(BenchError) {
    var named: [Work] = []
    var isLarge = false
    for argument in arguments {
      switch argument {
      case "--large": isLarge = true
      case "--tiny": isTiny = true
      case "--json": wantsJSON = true
      case "--help", "-h": wantsHelp = true
      default:
        guard let work = Work(rawValue: argument) else {
          throw BenchError("there is nothing to measure by the name of \(argument)")
        }
        named.append(work)
      }
    }
    if isTiny, isLarge { throw BenchError("--tiny and --large exclude each other") }
    // In the order of the list: an import leaves the vaults that the others need.
    if !named.isEmpty { works = works.filter { named.contains($0) } }
    if isTiny { sizes = [300] }
    if isLarge { sizes.append(1_000_000) }
  }

  /// How often each side does its work.
  func rounds(_ count: Int) -> Int { isTiny ? 2 : count }
}
