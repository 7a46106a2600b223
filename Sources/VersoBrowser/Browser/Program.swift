import CLinux
import Glibc

/// Programs that get the terminal for a while.
enum Program {
  /// Runs a command of the shell and waits for it.
  ///
  /// - Parameters:
  ///   - command: What `sh -c` takes; `$1` stands for the argument.
  ///   - argument: Bytes without NUL, such as a path.
  ///   - folder: Where it runs.
  /// - Returns: Why it could not be run, or that it failed; `nil` where it did its work.
  static func run(_ command: String, argument: [UInt8], in folder: String) -> String? {
    var actions = posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    // What this process ignores, such as broken pipes, a child would ignore as well.
    var all = sigset_t()
    var none = sigset_t()
    sigfillset(&all)
    sigemptyset(&none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGDEF) | Int16(POSIX_SPAWN_SETSIGMASK))
    var child = pid_t()
    // No name is an option, or a command as `+` begins one for vim, emacs, nano and less.
    let path = argument.first == UInt8(ascii: "/") ? argument : Array("./".utf8) + argument
    let words = [
      Array("sh".utf8), Array("-c".utf8), Array("cd \"$2\" && \(command)".utf8), Array("sh".utf8),
      path, Array(folder.utf8),
    ]
    let result = withArguments(words) {
      posix_spawn(&child, "/bin/sh", &actions, &attributes, $0, environ)
    }
    guard result == 0 else { return "sh cannot be run: error \(result)" }
    return wait(for: child, command)
  }

  private static func wait(for child: pid_t, _ command: String) -> String? {
    // Ctrl-C at the terminal is for the program that has it.
    let interrupt = signal(SIGINT, SIG_IGN)
    let quit = signal(SIGQUIT, SIG_IGN)
    defer {
      signal(SIGINT, interrupt)
      signal(SIGQUIT, quit)
    }
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0 {
      if errno != EINTR { return nil }
    }
    let name = command.split(separator: " ").first.map(String.init) ?? command
    if status & 0x7F != 0 { return "\(name) was ended by signal \(status & 0x7F)" }
    let code = status >> 8 & 0xFF
    if code == 127 { return "\(name) was not found: set EDITOR" }
    return code == 0 ? nil : "\(name) ended with code \(code)"
  }

  private static func withArguments<R>(
    _ words: [[UInt8]], _ body: ([UnsafeMutablePointer<CChar>?]) -> R
  ) -> R {
    let pointers = words.map { word in
      (word + [0]).withUnsafeBufferPointer { buffer in
        buffer.baseAddress.flatMap {
          strdup(UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self))
        }
      }
    }
    defer { pointers.forEach { free($0) } }
    return body(pointers + [nil])
  }
}
