import Glibc
import VersoGit
import VersoModel

extension Exchange {
  /// Makes the bare repository that this remote names, over ssh or on this machine's disk.
  ///
  /// Harmless where there is one: it is only looked at. HEAD of a new one names the branch.
  ///
  /// - Throws: ``ExchangeError/Reason/occupied`` where something else is there,
  ///   ``ExchangeError/Reason/cannotCreate`` over https and where the server allows no commands.
  package func createRepository() throws(ExchangeError) {
    do throws(ExchangeError) {
      _ = try tip()
      return
    } catch  where error.reason == .notFound {
      // Then it is to be made.
    }
    switch destination.address.transport {
    case .path(let path): try createHere(path)
    case .ssh(let target): try createThere(target)
    case .web, .daemon:
      throw ExchangeError(
        .cannotCreate,
        "a repository at \(destination.address.text) can only be made on its own web page")
    }
  }

  private func createHere(_ path: String) throws(ExchangeError) {
    let full = path.hasPrefix("/") ? path : "\(git.directory)/\(path)"
    guard Self.isFree(full) else { throw failure(.occupied, at: destination) }
    let words = ["-c", "init.defaultBranch=\(branch)", "init", "--quiet", "--bare", "--", full]
    var environment = git.surroundings.quietGit
    // A template's hooks would be the remote's.
    environment["GIT_TEMPLATE_DIR"] = .some(nil)
    let program = Subprocess(
      "git", words.map { Subprocess.Argument(Array($0.utf8)) }, environment: environment,
      directory: "/")
    try finishCreation(try run(program, silence: nil, mayAsk: false))
  }

  /// Whether there is nothing, or an empty folder.
  private static func isFree(_ path: String) -> Bool {
    guard let folder = opendir(path) else { return errno == ENOENT }
    defer { closedir(folder) }
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        Array(bytes.prefix { $0 != 0 })
      }
      if name != Array(".".utf8), name != Array("..".utf8) { return false }
    }
    return true
  }

  /// The status that the script below ends with where something else is in the folder.
  private static let occupied: Int32 = 73

  private func createThere(_ target: SecureShellTarget) throws(ExchangeError) {
    guard let shell = destination.shell else { return }
    var path = target.path
    // ssh starts in the home directory, and no shell expands what is in quotes.
    if path == "~" || path.hasPrefix("~/") { path = "./" + path.dropFirst(2) }
    if path.hasPrefix("~") {
      throw ExchangeError(
        .badAddress,
        "'\(path)' names another user's home directory: write the path in full to make one there")
    }
    let script = """
      if [ -n "$(ls -A -- "$1" 2>/dev/null)" ]; then exit \(Self.occupied); fi; \
      exec git -c "init.defaultBranch=$2" init --quiet --bare -- "$1"
      """
    // The login shell there may be any: it sees four words in quotes.
    let text = ["sh", "-c", script, "verso", path, branch].map { ShellText.quote($0) }
    let mayAsk = prompting == .terminal && Attendance.canAsk
    let command = shell.remoteCommand(
      text.joined(separator: " "), connect: limits.connect, mayAsk: mayAsk)
    let program = Subprocess(
      command.program, command.arguments.map { Subprocess.Argument(Array($0.utf8)) },
      environment: git.environment(
        for: destination, shellCommand: nil, mayAsk: mayAsk, stall: limits.stall),
      directory: shell.directory)
    try finishCreation(
      try run(program, silence: mayAsk ? nil : limits.stall, mayAsk: mayAsk))
  }

  private func finishCreation(_ run: Attendance.Result) throws(ExchangeError) {
    if run.isClean { return }
    if run.interference == nil, run.result.ending == .exited(Self.occupied) {
      throw failure(.occupied, at: destination)
    }
    let error = error(of: run, at: destination, isPush: true)
    switch error.reason {
    case .other, .notFound, .readOnly, .cannotCreate:
      throw ExchangeError(
        .cannotCreate, "no repository can be made at \(destination.address.text)",
        detail: error.detail, byHand: nil)
    default: throw error
    }
  }
}
