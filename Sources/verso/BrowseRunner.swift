import Glibc
import VersoBrowser
import VersoCommands

/// Brings the command line and the browser together, which know nothing of each other.
enum BrowseRunner {
  static func run(_ request: BrowseRequest, _ context: Context) throws -> ExitCode {
    var browse = Browse(root: request.root)
    browse.tracksMouse = request.tracksMouse
    browse.color = request.color
    browse.options.animates = request.animates
    browse.options.isAccessible = request.isAccessible
    browse.options.showsLayout = request.showsLayout
    browse.options.language = UserLanguage(environment: context.environment)
    if request.isRightToLeft || browse.options.language.isRightToLeft {
      browse.options.direction = .rightToLeft
    }
    try readKeys(into: &browse.options.keymap, context)
    if let theme = request.theme.flatMap(Theme.named) { browse.options.theme = theme }
    let size = try size(request)
    if let script = request.script { return try play(script, browse, size, context) }
    if request.dump != nil { return try dump(browse, size, context) }
    do {
      let lost = try browse.run(environment: context.environment)
      if let path = lost.first {
        throw CommandFailure(
          .failed, "the unsaved text of \(path: path) could be neither saved nor kept",
          path: path, hint: "the disk may be full, or not be there")
      }
    } catch let error as ScreenError {
      let code: ExitCode =
        switch error {
        case .notTerminal, .dumbTerminal, .unknownTerminal: .usage
        case .taken, .system: .failed
        }
      throw CommandFailure(code, Line(error.description), hint: Line(error.hint))
    }
    return .done
  }

  /// Takes a user's own keys from `verso/keys` in the folder of configuration, where there is one.
  private static func readKeys(into keymap: inout Keymap, _ context: Context) throws {
    let home = context.environment("HOME").map { $0 + "/.config" }
    guard let folder = context.environment("XDG_CONFIG_HOME") ?? home else { return }
    let path = Array("\(folder)/verso/keys".utf8)
    guard let text = read(path) else { return }
    do throws(Keymap.LineError) { try keymap.read(text) } catch {
      throw CommandFailure(
        .failed, "\(path: path), \(error.description)", path: path,
        hint: "the names of actions are those that : lists in the browser")
    }
  }

  private static func size(_ request: BrowseRequest) throws -> CellSize {
    guard let text = request.dump else { return CellSize(width: 80, height: 24) }
    guard let size = CellSize(text) else {
      throw CommandFailure(
        .usage, Line("--dump takes columns and rows, not '\(text)'"), hint: "write --dump 80x24")
    }
    return size
  }

  private static func dump(
    _ browse: Browse, _ size: CellSize, _ context: Context
  ) throws -> ExitCode {
    guard let text = browse.dump(size, environment: context.environment) else {
      throw CommandFailure(.failed, Line("\(browse.root) could not be read within a minute"))
    }
    context.output.write(text)
    return .done
  }

  private static func play(
    _ path: [UInt8], _ browse: Browse, _ size: CellSize, _ context: Context
  ) throws -> ExitCode {
    let name = String(decoding: path, as: UTF8.self)
    guard let text = read(path) else {
      throw CommandFailure(
        .failed, Line("\(name) cannot be read"), path: path, hint: "give --script a file of steps")
    }
    let output = context.output
    do {
      let script = try Script(text)
      try browse.play(script, size, environment: context.environment) { output.write($0) }
    } catch let error as Script.LineError {
      throw CommandFailure(.usage, Line("\(name), \(error.description)"))
    } catch let error as ScriptRunner.Failure {
      throw CommandFailure(.failed, Line("\(name), \(error.description)"))
    }
    return .done
  }

  private static func read(_ path: [UInt8]) -> String? {
    let file = (path + [0]).withUnsafeBufferPointer { buffer in
      buffer.withMemoryRebound(to: CChar.self) { $0.baseAddress.flatMap { fopen($0, "r") } }
    }
    guard let file else { return nil }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var room = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = fread(&room, 1, room.count, file)
      if count == 0 { break }
      bytes += room[..<count]
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
