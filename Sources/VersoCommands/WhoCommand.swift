import Verso
import VersoHistory
import VersoModel

/// `verso who`: which device wrote each line of a note, and when.
enum WhoCommand {
  static func run(_ invocation: Invocation, _ context: Context) throws -> ExitCode {
    let (engine, paths) = try VaultOperands.open(invocation, context, requiresVault: false)
    guard let path = paths.first else {
      throw CommandFailure(
        .usage, "a whole vault has no lines", hint: "name a note: verso who PATH")
    }
    let place = try place(of: path, invocation, engine, context)
    let blame = try engine.blame(of: path, at: place, lines: invocation.lines)
    let output = context.output
    output.usePager { engine.setting("core.pager") }
    let printer = BlamePrinter(output: output, path: place?.path ?? path, blame: blame)
    if invocation.wantsJSON { printer.printJSON() } else { printer.print() }
    return .done
  }

  /// The version that is asked about; `nil` for the note as it is on the disk.
  private static func place(
    of path: RelativePath, _ invocation: Invocation, _ engine: Engine, _ context: Context
  ) throws -> History.Place? {
    // What is gone is looked for in the last version, which says what to do where it is not there.
    if !invocation.has(.at), engine.isOnDisk(path) { return nil }
    return try WhenArguments.place(of: path, invocation, engine, context)
  }
}

/// Prints lines with the versions they come from.
struct BlamePrinter {
  let output: Output
  let path: RelativePath
  let blame: Blame

  /// Columns of a device's name, and of an earlier name of the note, at most.
  private static let widest = 24

  /// A line each: time, device, an earlier name where there is any, number, text.
  ///
  /// On a terminal, lines of one version that stand together name it once.
  func print() {
    let devices = blame.pieces.compactMap { $0.origin.map(device) }
    let names = blame.pieces.compactMap { $0.origin.map(name) }
    let deviceWidth = devices.map(TextWidth.columns).max() ?? 0
    let nameWidth = names.map(TextWidth.columns).max() ?? 0
    let digits = String(blame.pieces.last?.lines.upperBound ?? 0).count
    var last: ObjectID?
    var isFirst = true
    for piece in blame.pieces where !output.isClosed {
      let head = head(piece.origin, deviceWidth, nameWidth)
      for (number, line) in zip(piece.lines, blame.lines(of: piece)) {
        let isSame = output.isTerminal && !isFirst && last == piece.origin?.commit
        let spaces = String(repeating: " ", count: TextWidth.columns(head.plain))
        let digit = String(number + 1)
        let padding = String(repeating: " ", count: digits - digit.count)
        let full: Line = "\(isSame ? Line(spaces) : head) \(padding + digit, .faint)  "
        output.write(full.rendered(output.palette, quotesPaths: false))
        output.writeContent(line.last == 0x0A ? line : line + [0x0A])
        (last, isFirst) = (piece.origin?.commit, false)
      }
    }
  }

  private func head(_ origin: Blame.Origin?, _ deviceWidth: Int, _ nameWidth: Int) -> Line {
    let width = 18 + deviceWidth + (nameWidth > 0 ? nameWidth + 2 : 0)
    guard let origin else {
      return "\(TextWidth.padded("not saved yet", to: width), .faint)"
    }
    let device = TextWidth.padded(device(origin), to: deviceWidth)
    let name = nameWidth > 0 ? "  " + TextWidth.padded(name(origin), to: nameWidth) : ""
    return "\(TimeText.minute(origin.time), .time)  \(device)\(name, .path)"
  }

  private func device(_ origin: Blame.Origin) -> String {
    TextWidth.truncated(SafeText.text(origin.device), to: Self.widest)
  }

  /// The name that the note had then; empty where it is the present one.
  private func name(_ origin: Blame.Origin) -> String {
    origin.path == path
      ? "" : TextWidth.truncated(SafeText.text(origin.path.bytes), to: Self.widest)
  }

  // MARK: For programs

  /// An object for each run of lines that stood together in a version.
  func printJSON() {
    for piece in blame.pieces {
      var fields: JSONFields = ["path": .path(path)]
      if let origin = piece.origin, origin.path != path {
        fields.append("from", .path(origin.path))
      }
      fields.append("isBinary", .boolean(false))
      let isKnown = piece.origin != nil
      fields.append("oldStart", .count(isKnown ? piece.start + 1 : 0))
      fields.append("oldCount", .count(isKnown ? piece.lines.count : 0))
      fields.append("newStart", .count(piece.lines.lowerBound + 1))
      fields.append("newCount", .count(piece.lines.count))
      let lines = blame.lines(of: piece).map { line -> JSONValue in
        let text = line.last == 0x0A ? Array(line.dropLast()) : line
        return .object(["kind": isKnown ? "context" : "added", "text": .bytes(text)])
      }
      fields.append("lines", .array(lines))
      fields.append("id", piece.origin.map { .id($0.commit) } ?? .null)
      fields.append("time", piece.origin.map { .time($0.time) } ?? .null)
      fields.append("device", piece.origin.map { .text($0.device) } ?? .null)
      fields.append("subject", piece.origin.map { .text($0.subject) } ?? .null)
      output.print(JSONObject(.hunk, fields))
    }
  }
}
