import VersoModel

/// One measured figure.
struct Row {
  enum Unit: String { case seconds, bytes }

  let work: Work
  /// What it is about, where a work has several figures.
  var what = ""
  /// Notes in the vault; 0 where it does not matter.
  let size: Int
  var unit = Unit.seconds
  let verso: Double
  /// The same of what it is compared with.
  var other: Double?
  /// What that is.
  var against = ""
  /// What has to be reached at this size; `nil` where nothing is asked.
  var goal: Goal?

  /// Verso's figure in units of the other.
  var ratio: Double? { other.map { verso / $0 } }

  var passes: Bool? { goal.map { $0.isMet(by: self) } }
}

/// A figure to reach.
enum Goal {
  /// So many times faster than the other.
  case faster(Double)
  /// At most so many times the other's figure.
  case times(Double)
  /// At most so much.
  case most(Double)

  func isMet(by row: Row) -> Bool {
    switch self {
    case .faster(let factor): (row.other ?? 0) >= factor * row.verso
    case .times(let factor): row.verso <= factor * (row.other ?? 0)
    case .most(let figure): row.verso <= figure
    }
  }

  func text(_ unit: Row.Unit) -> String {
    switch self {
    case .faster(let factor): "≥ \(decimal(factor, 1))× faster"
    case .times(let factor): "≤ \(decimal(factor, 2)) ×"
    case .most(let figure): "≤ \(figureText(figure, unit))"
    }
  }
}

/// Collects rows and prints them: as a table at the end, or at once as JSON.
final class Report {
  private let wantsJSON: Bool
  private var rows: [Row] = []

  init(wantsJSON: Bool) { self.wantsJSON = wantsJSON }

  /// Says what is being done.
  func say(_ text: String) { Bench.write("measuring \(text) …\n", to: 2) }

  func add(_ row: Row) {
    rows.append(row)
    if wantsJSON { Bench.write(json(row) + "\n", to: 1) }
  }

  func finish() {
    if wantsJSON { return }
    let head = ["work", "notes", "verso", "other", "compared with", "ratio", "must reach", ""]
    let lines = [head] + rows.map(cells)
    let widths = head.indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
    for line in lines {
      let cells = line.enumerated().map { column, cell in
        let space = String(repeating: " ", count: widths[column] - cell.count)
        return (1...3).contains(column) || column == 5 ? space + cell : cell + space
      }
      Bench.write(cells.joined(separator: "  ").trimmedEnd + "\n", to: 1)
    }
    Bench.write(Self.notes + "\n", to: 1)
  }

  static let notes = """

    Medians of rounds taken in turn, Verso's and the other's. Ratio: Verso's figure by the other's.
    A round that times a save first waits until the edit is \(decimal(Wait.settled, 1)) s old: verso save looks
    again, 0.3 s later, at what has changed within the last second.
    import: of notes that are older than a minute.
    open: a save of a known path in a process that holds the vault open; all others are whole
    processes. Disk: the blocks of .git. Memory: the peak of what is resident.
    """

  private func cells(_ row: Row) -> [String] {
    let verdict = row.passes.map { $0 ? "pass" : "FAIL" } ?? ""
    return [
      row.what.isEmpty ? row.work.rawValue : "\(row.work.rawValue), \(row.what)",
      row.size > 0 ? NumberText.grouped(row.size) : "", figureText(row.verso, row.unit),
      row.other.map { figureText($0, row.unit) } ?? "", row.against,
      row.ratio.map { decimal($0, $0 < 0.1 ? 3 : 2) } ?? "", row.goal?.text(row.unit) ?? "",
      verdict,
    ]
  }

  private func json(_ row: Row) -> String {
    var fields = [
      #""type":"figure""#, #""work":"\#(row.work.rawValue)""#, #""what":"\#(row.what)""#,
      #""notes":\#(row.size)"#, #""unit":"\#(row.unit.rawValue)""#, #""verso":\#(row.verso)"#,
    ]
    if let other = row.other {
      fields += [#""other":\#(other)"#, #""against":"\#(row.against)""#]
      fields.append(#""ratio":\#(row.verso / other)"#)
    }
    if let goal = row.goal {
      fields.append(#""goal":"\#(goal.text(row.unit))""#)
      fields.append(#""passes":\#(goal.isMet(by: row))"#)
    }
    return "{\(fields.joined(separator: ","))}"
  }
}

// MARK: Numbers

func figureText(_ value: Double, _ unit: Row.Unit) -> String {
  switch unit {
  case .seconds: value < 10 ? "\(decimal(value * 1000, 1)) ms" : "\(decimal(value, 1)) s"
  case .bytes: "\(decimal(value / 1e6, 1)) MB"
  }
}

func decimal(_ value: Double, _ places: Int) -> String {
  let scale = (0..<places).reduce(1) { product, _ in product * 10 }
  let whole = Int((value * Double(scale)).rounded())
  let digits = String(whole % scale)
  let zeros = String(repeating: "0", count: max(0, places - digits.count))
  return places == 0 ? "\(whole)" : "\(whole / scale).\(zeros)\(digits)"
}

func median(_ values: [Double]) -> Double {
  let sorted = values.sorted()
  let middle = sorted.count / 2
  guard !sorted.isEmpty else { return .nan }
  return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

extension String {
  fileprivate var trimmedEnd: String {
    var text = self
    while text.last == " " { text.removeLast() }
    return text
  }
}
