import Glibc
import VersoGit

/// The environment that programs are started in.
struct Surroundings: Sendable {
  /// Beside what this process has; `nil` removes a variable.
  let changes: [String: String?]

  /// The value of a variable; `nil` where it is not set or empty.
  subscript(_ name: String) -> String? {
    if let change = changes[name] { return change.flatMap { $0.isEmpty ? nil : $0 } }
    guard let value = getenv(name), value.pointee != 0 else { return nil }
    return String(cString: value)
  }

  /// What git is started with to look at one repository and at nobody's prompt.
  var quietGit: [String: String?] { [String: String?].quietGit.merging(changes) { $1 } }
}
