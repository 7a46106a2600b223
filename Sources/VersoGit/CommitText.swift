import Glibc
package import VersoModel

/// A moment with the time zone in which somebody lived it.
package struct ZonedTime: Hashable, Sendable {
  /// Since 1970.
  package var seconds: Int64
  /// Minutes east of UTC.
  package var zone: Int

  package init(seconds: Int64, zone: Int) {
    self.seconds = seconds
    self.zone = zone
  }

  /// The present time in the process's time zone.
  package static func now() -> ZonedTime {
    var seconds = time(nil)
    var parts = tm()
    localtime_r(&seconds, &parts)
    return ZonedTime(seconds: Int64(seconds), zone: parts.tm_gmtoff / 60)
  }

  /// As git writes it: `1700000000 +0130`.
  package var text: String {
    let minutes = abs(zone)
    let digits = String(10000 + minutes / 60 * 100 + minutes % 60).dropFirst()
    return "\(seconds) \(zone < 0 ? "-" : "+")\(digits)"
  }
}

/// Somebody who made a version, and when.
package struct CommitStamp: Hashable, Sendable {
  package var name: String
  package var email: String
  package var time: ZonedTime

  package init(name: String, email: String, time: ZonedTime) {
    self.name = name
    self.email = email
    self.time = time
  }

  /// The line of a commit or a reflog, without what would end the name or the address too early.
  package var text: String { "\(Self.cleaned(name)) <\(Self.cleaned(email))> \(time.text)" }

  /// A name as git writes one: without `<`, `>`, line ends and NUL anywhere, and without
  /// punctuation or space around it.
  static func cleaned(_ text: String) -> String {
    let kept = text.utf8.filter { $0 != 0 && $0 != 0x0A && $0 != 0x3C && $0 != 0x3E }
    func isCrud(_ byte: UInt8) -> Bool { byte <= 0x20 || ".,:;\"\\'".utf8.contains(byte) }
    let start = kept.firstIndex { !isCrud($0) } ?? kept.endIndex
    let end = kept.lastIndex { !isCrud($0) }.map { $0 + 1 } ?? start
    return String(decoding: kept[start..<end], as: UTF8.self)
  }
}

/// The bytes of a commit object.
package struct CommitText: Sendable {
  package var tree: ObjectID
  package var parents: [ObjectID]
  package var author: CommitStamp
  package var committer: CommitStamp
  package var message: String

  package init(
    tree: ObjectID, parents: [ObjectID], author: CommitStamp, committer: CommitStamp,
    message: String
  ) {
    self.tree = tree
    self.parents = parents
    self.author = author
    self.committer = committer
    self.message = message
  }

  /// The object's bytes.
  ///
  /// The message loses NUL bytes, which git would cut it at, and gets the line end that git gives
  /// every message.
  ///
  /// - Parameter signature: What a ``Signer`` made of the bytes without one.
  package func bytes(signature: [UInt8]? = nil) -> [UInt8] {
    var text = "tree \(tree.hex)\n"
    for parent in parents { text += "parent \(parent.hex)\n" }
    text += "author \(author.text)\ncommitter \(committer.text)\n"
    var bytes = Array(text.utf8)
    if let signature {
      var lines = signature.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      if lines.last?.isEmpty == true { lines.removeLast() }
      bytes += "gpgsig ".utf8
      // A line that goes on begins with a space.
      bytes += lines.joined(separator: Array("\n ".utf8))
      bytes.append(UInt8(ascii: "\n"))
    }
    bytes.append(UInt8(ascii: "\n"))
    let message = message.utf8.filter { $0 != 0 }
    bytes += message
    if let last = message.last, last != UInt8(ascii: "\n") { bytes.append(UInt8(ascii: "\n")) }
    return bytes
  }
}
