import Glibc

/// What a command may use besides the vault: the streams, the environment, the clock.
package struct Context {
  package let output: Output
  /// Looks an environment variable up.
  package let environment: (String) -> String?
  /// The present, in seconds since 1970.
  package let now: () -> Int64
  /// Whether someone can be asked: standard input and error are terminals, and neither `--quiet` nor
  /// `--json` is given.
  package let isInteractive: Bool
  private let standardInput: Int32

  package init(
    output: Output, environment: @escaping (String) -> String?,
    now: @escaping () -> Int64 = { Int64(time(nil)) }, standardInput: Int32 = 0
  ) {
    self.output = output
    self.environment = environment
    self.now = now
    self.standardInput = standardInput
    isInteractive =
      isatty(standardInput) == 1 && output.isErrorTerminal && !output.settings.isQuiet
      && !output.settings.wantsJSON
  }

  /// The variable's value as the process has it.
  package static func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }

  /// Asks a question on standard error, and waits for the answer.
  ///
  /// - Parameter question: The question, with its question mark.
  /// - Returns: Whether the answer begins with `y`; `nil` where nobody can be asked, which is for the
  ///   caller to explain: it names the option that answers.
  package func confirms(_ question: Line) -> Bool? {
    guard isInteractive else { return nil }
    output.flush()
    output.prompt("\(question) [y/N] ")
    var answer: [UInt8] = []
    var byte: UInt8 = 0
    while answer.count < 100 {
      let count = read(standardInput, &byte, 1)
      if count < 0 && errno == EINTR { continue }
      if count <= 0 || byte == 0x0A { break }
      answer.append(byte)
    }
    return answer.first == UInt8(ascii: "y") || answer.first == UInt8(ascii: "Y")
  }
}
