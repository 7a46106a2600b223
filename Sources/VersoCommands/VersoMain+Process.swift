import Glibc

extension VersoMain {
  /// The words after the program's name, as bytes: `CommandLine.arguments` would repair them.
  static func processArguments() -> [[UInt8]] {
    let words = UnsafeBufferPointer(
      start: CommandLine.unsafeArgv, count: Int(CommandLine.argc))
    return words.dropFirst().compactMap { $0.map { CStrings.bytes($0) } }
  }

  static func ignoreBrokenPipes() { signal(SIGPIPE, SIG_IGN) }
}
