import Glibc
import Verso

extension VersoMain {
  /// The words after the program's name, as bytes: `CommandLine.arguments` would repair them.
  static func processArguments() -> [[UInt8]] {
    let words = UnsafeBufferPointer(
      start: CommandLine.unsafeArgv, count: Int(CommandLine.argc))
    return words.dropFirst().compactMap { $0.map { CStrings.bytes($0) } }
  }

  static func ignoreBrokenPipes() { signal(SIGPIPE, SIG_IGN) }

  /// Ends the process by Ctrl-C's signal where that ended what a person was asked by.
  ///
  /// The terminal gave it to ssh or git alone, which had the foreground; a shell that runs a script
  /// has to see it of this process too.
  static func endIfInterrupted(_ error: any Error) {
    guard let error = error as? VersoError, error.code == .interrupted else { return }
    signal(SIGINT, SIG_DFL)
    raise(SIGINT)
  }
}
