import Glibc
package import VersoDisk

/// How long a vault is paused.
package enum Pause: Hashable, Sendable {
  /// Until this time.
  case until(Timestamp)
  /// Until somebody says so.
  case untilResumed

  /// The file that says so.
  var encoded: [UInt8] {
    switch self {
    case .untilResumed: return Array("forever\n".utf8)
    case .until(let time):
      let fraction = String(time.nanoseconds)
      let zeros = String(repeating: "0", count: max(0, 9 - fraction.count))
      return Array("\(time.seconds).\(zeros)\(fraction)\n".utf8)
    }
  }

  /// Reads that file; `nil` where it holds anything else.
  init?(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    if text == "forever\n" {
      self = .untilResumed
      return
    }
    let parts = text.dropLast().split(separator: ".", omittingEmptySubsequences: false)
    guard text.last == "\n", parts.count == 2, parts[1].utf8.count == 9,
      let seconds = Int64(parts[0]), let fraction = UInt32(parts[1])
    else { return nil }
    let time = Timestamp(seconds: seconds, nanoseconds: fraction)
    guard time.isPlausible else { return nil }
    self = .until(time)
  }
}

extension Engine {
  /// How long saving is paused; `nil` where it is not, or not any more.
  ///
  /// A pause holds what is saved by itself; ``save(_:)`` saves all the same. Reads a small file each
  /// time, as any process may have said so.
  package var pausedUntil: Pause? {
    guard let pause = readOwn(OwnFile.paused).flatMap({ Pause($0) }) else { return nil }
    if case .until(let time) = pause, time <= now() { return nil }
    return pause
  }

  /// Holds saving, in place of an earlier pause.
  ///
  /// - Parameter end: When it goes on by itself; `nil` for never.
  /// - Throws: ``VersoError/Code/usage`` for a time that no calendar writes in four digits.
  package func pause(until end: Timestamp?) throws(VersoError) {
    try Preflight.checkOwner(of: rootFolder.number, path: root, store: store)
    if let end, !end.isPlausible {
      throw VersoError(.usage, "a pause cannot last that long", hint: "leave the duration out")
    }
    try writeOwn((end.map { Pause.until($0) } ?? .untilResumed).encoded, OwnFile.paused)
  }

  /// Lets saving go on. A vault that is not paused is no error.
  ///
  /// - Returns: Whether it was paused.
  @discardableResult
  package func resume() throws(VersoError) -> Bool {
    try Preflight.checkOwner(of: rootFolder.number, path: root, store: store)
    let wasPaused = pausedUntil != nil
    try removeOwn(OwnFile.paused)
    return wasPaused
  }
}
