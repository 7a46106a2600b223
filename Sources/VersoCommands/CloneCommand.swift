import Glibc
import Verso
import VersoDisk
import VersoModel

/// `verso clone`: a vault of what other devices have saved.
enum CloneCommand {
  static func run(_ invocation: Invocation, _ context: Context) throws -> ExitCode {
    let url = String(decoding: invocation.operands[0], as: UTF8.self)
    let operand = try invocation.operands.dropFirst().first ?? Array(name(from: url).utf8)
    let directory = try VaultOperands.absolute(operand, invocation)
    let wasThere = try checkIsFree(directory, isDryRun: invocation.isDryRun)
    if invocation.isDryRun {
      SaveReporting.planned("would clone \(url) into \(path: Array(directory.utf8))", context)
      return .done
    }
    let remote = try VaultOperands.remote(url, hasNames: false, invocation)
    var initialiser = Initialiser(directory: directory) { _ in nil }
    initialiser.cloning = remote
    initialiser.device = try InitCommand.device(invocation)
    initialiser.wait = Double(invocation.wait)
    let made = try initialiser.run()
    var setup = RemoteSetup(remote: remote)
    setup.isClone = true
    let code: ExitCode
    do { code = try RemoteJoining.join(made.root, setup, invocation, context) } catch {
      // Nothing came: a vault of nothing would only be in the way of the next attempt.
      Initialiser.takeBack(made.root, removesFolder: !wasThere)
      throw error
    }
    InitCommand.register(made.root, context)
    context.output.say("\(path: Array(made.root.utf8)) is a vault now")
    return code
  }

  /// The directory that git would choose: the last part of the address without `.git`.
  static func name(from url: String) throws -> String {
    var rest = Substring(url)
    while rest.hasSuffix("/") { rest.removeLast() }
    if rest.hasSuffix("/.git") { rest.removeLast(5) }
    if rest.hasSuffix(".git") { rest.removeLast(4) }
    let name = rest.split(whereSeparator: { $0 == "/" || $0 == ":" }).last.map(String.init) ?? ""
    if name.isEmpty || name == "." || name == ".." || name.utf8.first == UInt8(ascii: "-") {
      throw UsageError(
        message: "'\(url)' gives no name for a directory", hint: "name one: verso clone URL DIR")
    }
    return name
  }

  /// Whether the directory is there; it must be empty.
  private static func checkIsFree(_ directory: String, isDryRun: Bool) throws -> Bool {
    let (store, path) = (SystemFileStore(), Array(directory.utf8))
    let names: [[UInt8]]
    do throws(DiskError) {
      let folder = try store.opening(path, in: AT_FDCWD, flags: O_RDONLY | O_DIRECTORY)
      names = try store.names(in: folder.number, path: path)
    } catch {
      if error.code == ENOENT { return false }
      throw CommandFailure(
        .failed, "\(path: path) is no directory to clone into", path: path)
    }
    // One that was cut off begins anew: nothing has come yet.
    if Initialiser.isUnfinishedClone(directory, names) {
      if !isDryRun { Initialiser.takeBack(directory, removesFolder: false) }
      return true
    }
    guard names.isEmpty else {
      throw CommandFailure(
        .failed, "\(path: path) is not empty", path: path,
        hint: "to join what it holds: verso init --remote URL DIR")
    }
    return true
  }
}
