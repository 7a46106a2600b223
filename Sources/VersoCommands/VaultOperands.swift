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
      invocation.directory != nil || operands.isEmpty
      ? base : place(of: absolute(operands[0], from: base))
    let text = String(decoding: start, as: UTF8.self)
    let engine: Engine
    do {
      engine = try requiresVault ? Engine.open(above: text) : reading(above: text)
    } catch let error as VersoError where error.code == .noVault {
      // Where a name was repaired, the search was in another place than meant.
      _ = try Self.text(start)
      throw error
    }
    let paths = try operands.map { operand -> RelativePath in
      try engine.path(of: operand, from: base)
    }
    // A vault named by its root means all of it.
    return (engine, paths.contains(where: \.isRoot) ? [] : paths)
  }

  /// Where to look for the vault of a path: a link that lies in a vault is meant itself, as in git,
  /// wherever it leads. One from elsewhere stands for the vault that it leads to.
  private static func place(of path: [UInt8]) -> [UInt8] {
    var status = stat()
    let result = RelativePath.withCString(path) { lstat($0, &status) }
    guard result == 0, status.st_mode & S_IFMT == S_IFLNK,
      let cut = path.lastIndex(of: RelativePath.slash)
    else { return path }
    let folder = Array(path[..<max(cut, 1)])
    return VaultLocation(above: String(decoding: folder, as: UTF8.self)) == nil ? path : folder
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
    return try text(invocation.operands.first.map { absolute($0, from: base) } ?? base)
  }

  /// An argument as an absolute path.
  static func absolute(_ operand: [UInt8], _ invocation: Invocation) throws -> String {
    try text(absolute(operand, from: base(invocation)))
  }

  /// A remote as it is given to git: a path of this machine counts from here, wherever the vault is.
  ///
  /// - Parameter hasNames: Whether what has no slash is the name of a remote; else it is a path where
  ///   something is there.
  static func remote(
    _ text: String, hasNames: Bool, _ invocation: Invocation
  ) throws -> String {
    let head = text.prefix { $0 != "/" }
    if text.hasPrefix("/") || head.contains(":") { return text }
    let path = try absolute(Array(text.utf8), invocation)
    if head.count == text.count, hasNames || access(path, F_OK) != 0 { return text }
    // `..` and links are followed now, as the place that is meant is the one that is seen now.
    var parts = path.split(separator: "/").filter { $0 != "." }
    guard let name = parts.popLast(), name != ".." else { return path }
    guard let folder = realpath("/" + parts.joined(separator: "/"), nil) else { return path }
    defer { free(folder) }
    let parent = String(cString: folder)
    return parent == "/" ? "/\(name)" : "\(parent)/\(name)"
  }

  /// The same as bytes, for what need not be UTF-8.
  static func bytes(_ operand: [UInt8], _ invocation: Invocation) throws -> [UInt8] {
    absolute(operand, from: try base(invocation))
  }

  private static func absolute(_ operand: [UInt8], from base: [UInt8]) -> [UInt8] {
    operand.first == RelativePath.slash ? operand : base + [RelativePath.slash] + operand
  }

  /// A root's path as text: one that is no UTF-8 cannot be handed to git's library, and its repaired
  /// form is another place. Names inside a vault may be anything.
  private static func text(_ path: [UInt8]) throws -> String {
    if let text = String(validating: path, as: UTF8.self) { return text }
    throw CommandFailure(
      .failed, "\(path: path) is no UTF-8, which a vault's own path must be", path: path,
      hint: "rename the directory")
  }

  private static func base(_ invocation: Invocation) throws -> [UInt8] {
    let current = try currentDirectory()
    guard let directory = invocation.directory else { return current }
    let path = absolute(directory, from: current)
    var status = stat()
    let result = RelativePath.withCString(path) { stat($0, &status) }
    guard result == 0, status.st_mode & S_IFMT == S_IFDIR else {
      throw CommandFailure(.failed, "\(path: directory) is no directory", path: directory)
    }
    return path
  }

  private static func currentDirectory() throws -> [UInt8] {
    guard let pointer = getcwd(nil, 0) else {
      throw CommandFailure(
        .failed, "the current directory is gone", hint: "cd to another one, or give -C DIR")
    }
    defer { free(pointer) }
    return Array(UnsafeRawBufferPointer(start: pointer, count: strlen(pointer)))
  }
}
