import Foundation
import Glibc
import VersoTestSupport

/// The binary, run as a user without any rights: tests of permissions mean nothing for root.
enum Nobody {
  static let id: uid_t = 65534

  /// A copy that any user can run; `nil` where that is impossible, such as without root or with
  /// the libraries of Swift in a private place.
  private static let place: (folder: Scratch, binary: String)? = {
    guard geteuid() == 0, let folder = try? Scratch("verso-nobody") else { return nil }
    let binary = folder.at("verso")
    let copy = try? run(["cp", Verso.binary, binary])
    _ = try? run(["chmod", "755", folder.path, binary])
    guard copy?.status == 0, (try? run(words(binary, ["--version"])))?.status == 0
    else { return nil }
    return (folder, binary)
  }()

  static var isAvailable: Bool { place != nil }

  private static func words(_ binary: String, _ arguments: [String]) -> [String] {
    ["setpriv", "--reuid=\(id)", "--regid=\(id)", "--clear-groups", binary] + arguments
  }

  /// Runs the binary as that user.
  static func verso(_ arguments: String..., in folder: String) throws -> Outcome {
    guard let place else { throw Failure("nobody cannot run the binary") }
    return try run(words(place.binary, arguments), in: folder)
  }

  /// Gives everything in a scratch folder to that user.
  static func own(_ scratch: Scratch) throws {
    try run(["chown", "-R", "\(id):\(id)", scratch.path])
  }
}
