import Glibc
import Verso
import VersoModel

/// Which vault a command means, and which paths in it.
///
/// The vault is that of `-C DIR`, else the nearest above the first operand, else the nearest above
/// the current directory. Operands are relative to the current directory (after `-C`), as in git.
enum VaultOperands {
  /// Opens the vault that an invocation means.
  ///
  /// - Parameter requiresVault: Whether an ordinary git repository is refused; reading commands take
  ///   one.
  static func open(
    _ invocation: Invocation, _ context: Context, requiresVault: Bool
  ) throws -> (engine: Engine, paths: [RelativePath]) {
    let base = try base(invocation)
    let operands = invocation.operands
    let start =
      try invocation.directory != nil || operands.isEmpty
      ? base : absolute(operands[0], from: base)
    let engine = try requiresVault ? Engine.open(above: start) : reading(above: start)
    let paths = try operands.map { operand -> RelativePath in
      try engine.path(of: operand, from: base)
    }
    // A vault named by its root means all of it.
    return (engine, paths.contains(where: \.isRoot) ? [] : paths)
  }

  private static func reading(above start: String) throws -> Engine {
    guard let location = VaultLocation(above: start) else {
      throw VersoError(.noVault, "\(start) is not in a vault", hint: "run: verso init DIR")
    }
    return try Engine(root: location.root)
  }

  /// The path in the vault that another argument means.
  static func path(
    of operand: [UInt8], in engine: Engine, _ invocation: Invocation
  ) throws -> RelativePath {
    try engine.path(of: operand, from: base(invocation))
  }

  /// The directory operand of `init`, absolute; the current directory without one.
  static func directory(_ invocation: Invocation) throws -> String {
    let base = try base(invocation)
    guard let operand = invocation.operands.first else { return base }
    return try absolute(operand, from: base)
  }

  /// An argument as an absolute path.
  static func absolute(_ operand: [UInt8], _ invocation: Invocation) throws -> String {
    try absolute(operand, from: base(invocation))
  }

  private static func absolute(_ operand: [UInt8], from base: String) throws -> String {
    // A root whose path is no UTF-8 cannot be handed to git's library; names inside may be anything.
    let text = String(decoding: operand, as: UTF8.self)
    return text.hasPrefix("/") ? text : "\(base)/\(text)"
  }

  private static func base(_ invocation: Invocation) throws -> String {
    let current = try currentDirectory()
    guard let directory = invocation.directory else { return current }
    let path = try absolute(directory, from: current)
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
      throw CommandFailure(.failed, "\(path: directory) is no directory", path: directory)
    }
    return path
  }

  private static func currentDirectory() throws -> String {
    guard let pointer = getcwd(nil, 0) else {
      throw CommandFailure(
        .failed, "the current directory is gone", hint: "cd to another one, or give -C DIR")
    }
    defer { free(pointer) }
    return String(cString: pointer)
  }
}
