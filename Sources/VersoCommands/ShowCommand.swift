import Verso
import VersoGit
import VersoHistory
import VersoModel

/// `verso show` (`cat`): the bytes of a note as of some time.
enum ShowCommand {
  static func run(_ invocation: Invocation, _ context: Context) throws -> ExitCode {
    let (engine, paths) = try VaultOperands.open(invocation, context, requiresVault: false)
    let output = context.output
    guard let path = paths.first else {
      return try ListCommand.run(invocation, context)
    }
    let place = try WhenArguments.place(of: path, invocation, engine, context)
    if place.content.isFolder {
      return try ListCommand.list(place, invocation, engine, context)
    }
    if place.content.mode == Item.Kind.repository.rawValue {
      throw CommandFailure(.failed, "\(path: path) is a repository of its own", path: path.bytes)
    }
    let bytes = try engine.content(of: place)
    if invocation.wantsJSON {
      output.print(
        JSONObject(
          .entry,
          [
            "path": .path(place.path),
            "kind": .text(ListCommand.word(Item.Kind(rawValue: place.content.mode) ?? .file)),
            "id": .id(place.content.id), "size": .count(bytes.count), "content": .bytes(bytes),
          ]))
      return .done
    }
    output.usePager { engine.setting("core.pager") }
    if invocation.has(.raw) { output.write(bytes) } else { output.writeContent(bytes) }
    return .done
  }
}
