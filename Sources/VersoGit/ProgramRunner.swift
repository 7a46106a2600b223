/// A program to be run to its end, with nobody to ask.
package struct ProgramRequest: Sendable {
  /// The program, looked up in `PATH`, and its arguments; no shell sees them.
  package var arguments: [String]
  package var input: [UInt8]
  /// Changes to the environment; `nil` removes a variable.
  package var environment: [String: String?]
  /// Seconds after which the program, and what it started, is ended.
  package var limit: Double

  package init(
    arguments: [String], input: [UInt8] = [], environment: [String: String?] = [:], limit: Double
  ) {
    self.arguments = arguments
    self.input = input
    self.environment = environment
    self.limit = limit
  }
}

/// How a program ended.
package struct ProgramOutcome: Sendable {
  package enum End: Hashable, Sendable {
    case exit(Int32)
    case signal(Int32)
    /// It took longer than it was given.
    case timeout
    /// There is no such program, or it may not be run.
    case notStarted(String)
  }

  package var end: End
  package var output: [UInt8]
  package var error: [UInt8]

  package init(end: End, output: [UInt8] = [], error: [UInt8] = []) {
    self.end = end
    self.output = output
    self.error = error
  }

  package var succeeded: Bool { end == .exit(0) }

  /// The last line that the program complained with, or how it ended.
  package var reason: String {
    switch end {
    case .timeout: return "it took too long"
    case .notStarted(let why): return why
    case .exit, .signal: break
    }
    let lines = error.split(separator: UInt8(ascii: "\n")).filter {
      !$0.starts(with: "[GNUPG:]".utf8)
    }
    if let last = lines.last { return String(decoding: last, as: UTF8.self) }
    switch end {
    case .exit(let code): return "it ended with \(code)"
    case .signal(let number): return "signal \(number) ended it"
    default: return ""
    }
  }
}

/// Runs other programs for this layer.
///
/// The program gets a session of its own, so that it has no terminal to prompt on.
package protocol ProgramRunner: Sendable {
  func run(_ request: ProgramRequest) -> ProgramOutcome
}

extension [String: String?] {
  /// What makes git look at the repository that it is told of, and at nobody's prompt.
  package static var quietGit: [String: String?] {
    [
      "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C", "GIT_DIR": nil, "GIT_WORK_TREE": nil,
      "GIT_INDEX_FILE": nil, "GIT_OBJECT_DIRECTORY": nil,
      "GIT_ALTERNATE_OBJECT_DIRECTORIES": nil, "GIT_NAMESPACE": nil,
      "GIT_CEILING_DIRECTORIES": nil,
    ]
  }
}
