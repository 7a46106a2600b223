import Foundation
import VersoTestSupport

/// A real history with a branch `main`, as a bundle named by `VERSO_SAMPLE_BUNDLE`.
enum Sample {
  private static let bundle = ProcessInfo.processInfo.environment["VERSO_SAMPLE_BUNDLE"]

  /// A clone without a checkout; `nil`, which is said, where no bundle is named.
  ///
  /// - Parameter flag: What `git clone` is to make: `--bare`, or `-n`, which has a place for an index.
  static func clone(_ flag: String = "--bare") throws -> Vault? {
    guard let bundle else {
      print("no real history was looked at: VERSO_SAMPLE_BUNDLE names no bundle")
      return nil
    }
    let scratch = try Scratch("sample")
    try scratch.git("clone", "-q", flag, "-b", "main", bundle, ".")
    return try Vault(scratch: scratch)
  }
}
