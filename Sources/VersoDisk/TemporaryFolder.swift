import Glibc

/// A new folder in `TMPDIR`, or in `/tmp`, that only this user may enter.
package enum TemporaryFolder {
  /// Makes one; returns its path.
  package static func make() throws(DiskError) -> String {
    let given = getenv("TMPDIR").map { String(cString: $0) } ?? ""
    let parent = given.hasPrefix("/") ? given : "/tmp"
    var template = Array("\(parent)/verso-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw DiskError(code: errno, operation: "make a folder in", path: Array(parent.utf8))
    }
    return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
