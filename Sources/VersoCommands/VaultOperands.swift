import Glibc
import Verso
import VersoModel

/// The vault and the paths that a command line means: `-C DIR`, else the nearest vault above the
/// first PATH, else above the current directory. Paths are relative to the current directory.
enum VaultOperands {
  /// Opens the vault, and finds every operand in it.
  ///
  /// - Parameters:
  ///   - invocation: A command whose operands are all paths.
  ///   - context: Where the command runs.
  ///   - requiresVault: Whether a repository that is no vault is refused: for whatever writes.
  /// - Returns: The vault, and its paths in the order of the operands.
  /// - Throws: ``VersoError`` or ``CommandFailure``: no vault, or an operand outside of it.
  static func open(
    _ invocation: Invocation, _ context: Context, requiresVault: Bool
  ) throws -> (engine: Engine, paths: [RelativePath]) {
    let current = try currentDirectory()
    let engine = try engine(
      try location(invocation, from: current), requiresVault: requiresVault)
    let paths = try invocation.operands.map { try path(of: $0, from: current, in: engine) }
    return (engine, paths)
  }

  /// The path in the vault that was typed, which need not exist.
  static func path(
    of operand: [UInt8], from directory: String, in engine: Engine
  ) throws(VersoError) -> RelativePath {
    do throws(VersoError) {
      return try engine.path(of: operand, from: directory)
    } catch {
      // A link from outside that leads into the vault; one inside it is meant as a link.
      guard let real = resolved(operand, from: directory) else { throw error }
      do throws(VersoError) {
        return try engine.path(of: real, from: directory)
      } catch let second where second.code == .usage { throw error }
    }
  }

  /// The current directory, absolute.
  static func currentDirectory() throws(CommandFailure) -> String {
    guard let text = getcwd(nil, 0) else {
      throw CommandFailure(
        .failed, "cannot tell the current directory: \(SystemError(errno).description)",
        hint: "change to a directory that exists, or use absolute paths and -C")
    }
    defer { free(text) }
    return String(cString: text)
  }

  private static func engine(
    _ location: VaultLocation, requiresVault: Bool
  ) throws(VersoError) -> Engine {
    requiresVault ? try Engine.open(above: location.root) : try Engine(root: location.root)
  }

  private static func location(
    _ invocation: Invocation, from current: String
  ) throws -> VaultLocation {
    if let directory = invocation.directory {
      let text = absolute(String(decoding: directory, as: UTF8.self), from: current)
      var status = stat()
      guard stat(text, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
        let reason = errno == 0 ? "" : ": \(SystemError(errno).description)"
        throw CommandFailure(
          .failed, "cannot use \(path: directory) as a directory\(reason)", path: directory,
          hint: "-C takes a vault, or a directory in one")
      }
      return try nearest([text], named: directory)
    }
    guard let first = invocation.operands.first else {
      return try nearest([current], named: Array(current.utf8))
    }
    let text = absolute(String(decoding: first, as: UTF8.self), from: current)
    var status = stat()
    // A link belongs to the vault it lies in, wherever it leads.
    let isLink = lstat(text, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    return try nearest(isLink ? [VaultLocation.parent(of: text), text] : [text], named: first)
  }

  private static func nearest(
    _ starts: [String], named name: [UInt8]
  ) throws(CommandFailure) -> VaultLocation {
    for start in starts {
      if let location = VaultLocation(above: start) { return location }
    }
    throw CommandFailure(
      .failed, "\(path: name) is not in a vault", path: name,
      hint: "go to one, name one with -C, or make one with: verso init DIR")
  }

  private static func absolute(_ path: String, from current: String) -> String {
    path.hasPrefix("/") ? path : "\(current)/\(path)"
  }

  private static func resolved(_ operand: [UInt8], from directory: String) -> [UInt8]? {
    let slash = UInt8(ascii: "/")
    let full = operand.first == slash ? operand : Array(directory.utf8) + [slash] + operand
    return RelativePath.withCString(full) { name -> [UInt8]? in
      guard let real = realpath(name, nil) else { return nil }
      defer { free(real) }
      return CStrings.bytes(real)
    }
  }
}
