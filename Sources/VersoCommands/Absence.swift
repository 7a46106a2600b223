import Verso
import VersoModel

/// What to say of a path that is not there.
enum Absence {
  /// The failure for a path, with the nearest name there is.
  ///
  /// - Parameters:
  ///   - path: What was asked for.
  ///   - moment: When, such as ` at yesterday`; empty for never.
  static func failure(
    of path: RelativePath, _ moment: String, _ engine: Engine
  ) throws -> CommandFailure {
    let message: Line =
      moment.isEmpty ? "there never was \(path: path)" : "there is no \(path: path)\(moment)"
    return CommandFailure(
      .failed, message, path: path.bytes, hint: try hint(for: path, engine))
  }

  /// What may have been meant.
  static func hint(for path: RelativePath, _ engine: Engine) throws -> Line {
    let (beside, elsewhere) = try engine.alternatives(to: path)
    // The same name in another folder is more than one like it in this.
    if let found = elsewhere.first ?? nearest(to: path, among: beside) {
      return "did you mean \(path: found)?"
    }
    return "verso ls lists what there is, verso log --names what there was"
  }

  private static func nearest(
    to path: RelativePath, among beside: [RelativePath]
  ) -> RelativePath? {
    // The names differ in the first component below their common folder.
    let depth = (beside.first?.components.count ?? 1) - 1
    let parts = path.components
    guard depth < parts.count else { return nil }
    let names = beside.map { String(decoding: $0.name, as: UTF8.self) }
    let typed = String(decoding: parts[depth], as: UTF8.self)
    if let best = Suggestion.nearest(to: typed.lowercased(), among: names.map { $0.lowercased() }),
      let number = names.firstIndex(where: { $0.lowercased() == best })
    {
      return beside[number]
    }
    return nil
  }
}
