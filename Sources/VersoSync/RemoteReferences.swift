import VersoModel

/// The references of this repository that speak of one branch of one remote.
///
/// They lie below `refs/verso/`, which neither `git push` nor a clone takes along. The remote and the
/// branch are one component each, so that no two are in each other's way, whatever they are called.
///
/// | reference | what it is |
/// | --- | --- |
/// | `refs/verso/remotes/REMOTE/BRANCH` | the tip as it was fetched last |
/// | `refs/verso/seen/REMOTE/BRANCH` | the last tip that was merged or pushed: ``RewriteGuard`` |
/// | `refs/verso/rewritten/REMOTE/BRANCH/ID` | a tip from before or after a rewrite |
package struct RemoteReferences: Hashable, Sendable {
  /// The tip as it was fetched last.
  package let fetched: String
  /// The last tip that was taken over.
  package let seen: String
  /// The folder of the tips that are kept when a remote was rewritten.
  package let rewritten: String

  /// - Parameter remote: A name or an address, as it is set or typed. A password in it is no part of
  ///   any reference.
  package init(remote: String, branch: String) {
    let place =
      Self.component(Self.withoutPassword(remote)) + "/" + Self.component(branch)
    fetched = "refs/verso/remotes/" + place
    seen = "refs/verso/seen/" + place
    rewritten = "refs/verso/rewritten/" + place
  }

  private static func withoutPassword(_ remote: String) -> String {
    // What is no address is a name.
    do throws(ExchangeError) { return try RemoteAddress(remote).text } catch { return remote }
  }

  /// A name as one component of a reference: letters, digits, `-`, `_` and others past ASCII as they
  /// are, a dot between two of those too, every other byte in hexadecimal.
  private static func component(_ name: String) -> String {
    let bytes = Array(name.utf8)
    var result: [UInt8] = []
    for (index, byte) in bytes.enumerated() {
      let isInside = index > 0 && index + 1 < bytes.count
      let isDot = byte == UInt8(ascii: ".") && isInside && bytes[index - 1] != byte
      if isPlain(byte) || isDot && !name.hasSuffix(".lock") {
        result.append(byte)
      } else {
        let digits = String(byte, radix: 16)
        result += "%\(digits.count < 2 ? "0" : "")\(digits)".utf8
      }
    }
    // 255 bytes are the limit of a file's name; git needs room for ".lock".
    if result.count > 200 {
      result = Array(result.prefix(180)) + "%".utf8 + FNV.digits(of: bytes).utf8
    }
    return String(decoding: result, as: UTF8.self)
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), 0x80...0xFF:
      true
    default: false
    }
  }
}
