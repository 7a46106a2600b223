import CLinux
import Glibc

/// A running pager that reads what is written to standard output.
final class Pager {
  let command: String
  private let process: pid_t
  /// Streams that lead to the pager now, with a copy of what they were before.
  private var redirected: [(stream: Int32, before: Int32)] = []
  private let interrupts: [(signal: Int32, handler: __sighandler_t?)]

  /// The command to run, by git's rules: `GIT_PAGER`, `core.pager`, `PAGER`, else `less`.
  ///
  /// - Parameters:
  ///   - environment: Looks a variable up.
  ///   - configured: Looks `core.pager` up.
  /// - Returns: `nil` where the choice is empty or `cat`, or where nothing is chosen and there is no
  ///   `less`: the environment variables of git(1) and core.pager of git-config(1).
  static func command(
    environment: (String) -> String?, configured: () -> String?
  ) -> String? {
    let chosen = environment("GIT_PAGER") ?? configured() ?? environment("PAGER")
    if let chosen { return chosen.isEmpty || chosen == "cat" ? nil : chosen }
    let folders = (environment("PATH") ?? "/usr/bin:/bin").split(separator: ":")
    return folders.contains { access("\($0)/less", X_OK) == 0 } ? "less" : nil
  }

  /// Starts the pager and leads the streams to it.
  ///
  /// While it runs, Ctrl-C is for the pager alone, as with git: it ends this process through a closed
  /// pipe when the pager has ended.
  ///
  /// - Parameters:
  ///   - command: A command line for sh(1).
  ///   - output: Standard output, a terminal.
  ///   - error: Standard error, where it is a terminal too: errors would be drawn over the page.
  ///   - environment: Looks a variable up.
  /// - Throws: ``SystemError`` where there are no descriptors or processes left.
  init(
    _ command: String, output: Int32, error: Int32?, environment: (String) -> String?
  ) throws(SystemError) {
    self.command = command
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw SystemError(errno) }
    defer { for end in ends { close(end) } }
    for end in ends { _ = verso_fcntl(end, F_SETFD, FD_CLOEXEC) }
    process = try Self.spawn(command, input: ends[0], output: output, environment)
    interrupts = [SIGINT, SIGQUIT].map { ($0, signal($0, SIG_IGN)) }
    for stream in [output, error].compactMap(\.self) {
      let before = verso_fcntl(stream, F_DUPFD_CLOEXEC, 3)
      guard before >= 0 else { continue }
      dup2(ends[1], stream)
      redirected.append((stream, before))
    }
  }

  /// What git sets where the user has not (git-config(1), core.pager).
  private static let defaults = [("LESS", "FRX"), ("LV", "-c")]

  private static func spawn(
    _ command: String, input: Int32, output: Int32, _ environment: (String) -> String?
  ) throws(SystemError) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, input, 0)
    posix_spawn_file_actions_adddup2(&actions, output, 1)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // An ignored signal stays ignored through exec; the pager must not inherit that.
    var signals = sigset_t()
    sigemptyset(&signals)
    for signal in [SIGPIPE, SIGINT, SIGQUIT] { sigaddset(&signals, signal) }
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
    let arguments = CStrings(["sh", "-c", command].map { Array($0.utf8) })
    let added = defaults.filter { environment($0.0) == nil }.map { Array("\($0)=\($1)".utf8) }
    let variables = CStrings(inheritedEnvironment() + added)
    var process: pid_t = 0
    let status = posix_spawn(
      &process, "/bin/sh", &actions, &attributes, arguments.pointers, variables.pointers)
    guard status == 0 else { throw SystemError(status) }
    return process
  }

  private static func inheritedEnvironment() -> [[UInt8]] {
    var found: [[UInt8]] = []
    var next = verso_environment()
    while let entry = next?.pointee {
      found.append(CStrings.bytes(entry))
      next = next?.advanced(by: 1)
    }
    return found
  }

  /// Puts the streams back and waits until the reader is done.
  ///
  /// - Returns: Whether the shell found the pager.
  func finish() -> Bool {
    // Backwards, for both may be the same stream.
    for (stream, before) in redirected.reversed() {
      dup2(before, stream)
      close(before)
    }
    redirected = []
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0 && errno == EINTR {}
    for (number, handler) in interrupts { signal(number, handler) }
    // sh(1): 126 and 127 for a command that cannot be run. WIFEXITED and WEXITSTATUS are macros.
    let code = status & 0x7F == 0 ? status >> 8 & 0xFF : 0
    return code != 126 && code != 127
  }
}
