import Verso
import VersoHistory
import VersoModel

/// The times and versions that options name.
enum WhenArguments {
  /// The commit that an option names; `nil` without the option.
  static func commit(
    _ flag: Flag.Name, role: When.Role, of path: RelativePath?, _ invocation: Invocation,
    _ engine: Engine, _ context: Context
  ) throws -> ObjectID? {
    guard let text = invocation.text(flag) else { return nil }
    let when = try When(parsing: text, role: role, now: context.now())
    return try engine.commit(when, of: path)
  }

  /// The time that `--since` or `--until` names: that of the commit where one is named.
  static func time(
    _ flag: Flag.Name, role: When.Role, of path: RelativePath?, _ invocation: Invocation,
    _ engine: Engine, _ context: Context
  ) throws -> Int64? {
    guard let text = invocation.text(flag) else { return nil }
    let when = try When(parsing: text, role: role, now: context.now())
    if case .time(let time) = when { return time }
    return try engine.time(of: engine.commit(when, of: path))
  }

  /// Where a path was at `--at`, else at the last version; a name that it had then is said.
  static func place(
    of path: RelativePath, _ invocation: Invocation, _ engine: Engine, _ context: Context
  ) throws -> History.Place {
    let named = try commit(.at, role: .end, of: path, invocation, engine, context)
    guard let commit = try named ?? engine.head() else {
      throw CommandFailure(.failed, "nothing has been saved yet", hint: "run: verso save")
    }
    guard let place = try engine.history().place(of: path, at: commit) else {
      let hasLived = try engine.history().lastContent(of: path) != nil
      let at = invocation.text(.at).map { " at \($0)" } ?? " in the last version"
      guard hasLived else { throw try Absence.failure(of: path, "", engine) }
      throw CommandFailure(
        .failed, "there is no \(path: path)\(at)", path: path.bytes,
        hint: "verso log \(path: path) lists its versions; name one with --at")
    }
    if place.wasFollowed {
      context.output.warn("\(path: path) was called \(path: place.path) then")
    }
    return place
  }
}
