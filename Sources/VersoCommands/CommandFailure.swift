import Verso
import VersoHistory

/// Why a command ends without having done what it was asked: the only error that people see.
package struct CommandFailure: Error, Hashable, Sendable {
  package let code: ExitCode
  /// What failed, and on which path.
  package let message: Line
  /// The path by itself, for programs.
  package let path: [UInt8]?
  /// What to do, on a line of its own.
  package let hint: Line?

  package init(_ code: ExitCode, _ message: Line, path: [UInt8]? = nil, hint: Line? = nil) {
    self.code = code
    self.message = message
    self.path = path
    self.hint = hint
  }

  /// The failure that an error of any layer amounts to: the one place where errors become codes.
  ///
  /// An error that is not known here is a plain failure, described in its own words.
  package init(_ error: any Error) {
    switch error {
    case let failure as CommandFailure: self = failure
    case let error as UsageError:
      self.init(.usage, Line(error.message), hint: Line(error.hint))
    case let error as WhenError:
      self.init(.usage, Line(error.message), hint: error.hint.map { Line($0) })
    case let error as VersoError:
      self.init(
        Self.code(error.code), Line(error.message), hint: error.hint.map { Line($0) })
    default: self.init(.failed, Line(String(describing: error)))
    }
  }

  static func code(_ code: VersoError.Code) -> ExitCode {
    switch code {
    case .usage: .usage
    case .locked: .locked
    case .refused: .refused
    case .unreachable, .interrupted: .unreachable
    default: .failed
    }
  }

  /// The failure for `--json`.
  package var object: JSONObject {
    var fields: JSONFields = [
      "code": .integer(Int64(code.rawValue)), "message": .text(message.plain),
    ]
    fields.append("path", path.map(JSONValue.bytes))
    fields.append("hint", hint.map { .text($0.plain) })
    return JSONObject(.error, fields)
  }
}
