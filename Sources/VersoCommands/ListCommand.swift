import Verso
import VersoHistory
import VersoModel

/// `verso ls`: what a folder held as of some time.
enum ListCommand {
  static func run(_ invocation: Invocation, _ context: Context) throws -> ExitCode {
    let (engine, paths) = try VaultOperands.open(invocation, context, requiresVault: false)
    if try engine.head() == nil { return .done }
    let place: History.Place
    do {
      place = try WhenArguments.place(
        of: paths.first ?? .root, invocation, engine, context)
    } catch let failure as CommandFailure where failure.path != nil {
      // Nothing found is an answer too.
      context.output.warn(failure.message, hint: failure.hint)
      return .done
    }
    return try list(place, invocation, engine, context)
  }

  /// Prints the entries of a folder.
  static func list(
    _ place: History.Place, _ invocation: Invocation, _ engine: Engine, _ context: Context
  ) throws -> ExitCode {
    let output = context.output
    for (item, size) in try engine.listing(of: place) {
      if invocation.wantsJSON {
        output.print(
          JSONObject(
            .entry,
            [
              "path": .path(item.path), "kind": .text(word(item.kind)),
              "id": item.content.map { .id($0) } ?? .null,
              "size": size.map { .count($0) } ?? .null,
            ]))
      } else if invocation.endsNamesWithNUL {
        output.writeNUL(Array(item.path.name))
      } else {
        output.print(line(item, size, isTerminal: output.isTerminal))
      }
    }
    return .done
  }

  private static func line(_ item: Item, _ size: Int?, isTerminal: Bool) -> Line {
    let name = Array(item.path.name)
    let mark = item.kind.isFolder ? "/" : ""
    if !isTerminal { return "\(path: name)" }
    let text = size.map(String.init) ?? "-"
    let padded = String(repeating: " ", count: max(0, 10 - text.count)) + text
    let kind = TextWidth.padded(word(item.kind), to: 10)
    return "\(kind, .faint) \(padded, .faint)  \(path: name)\(mark)"
  }

  static func word(_ kind: Item.Kind) -> String {
    switch kind {
    case .folder: "folder"
    case .file: "file"
    case .executable: "executable"
    case .link: "link"
    case .repository: "repository"
    }
  }
}
