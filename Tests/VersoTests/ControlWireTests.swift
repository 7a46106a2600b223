import Glibc
import Testing
import VersoDisk
import VersoModel
import VersoTestSupport

@testable import Verso

/// Values with everything in them that is awkward, made from a seed.
struct ControlSamples {
  var random: SeededGenerator

  mutating func path() -> RelativePath {
    let parts = (0..<Int.random(in: 1...3, using: &random)).map { _ in
      (0..<Int.random(in: 1...9, using: &random)).map { _ in
        // Every byte that a name can have, invalid UTF-8 and line feeds included; "x" keeps it from
        // being "." or "..".
        let byte = UInt8.random(in: 1...255, using: &random)
        return byte == 0x2F ? UInt8(ascii: "x") : byte
      } + [UInt8(ascii: "x")]
    }
    return RelativePath(unchecked: Array(parts.joined(separator: [0x2F])))
  }

  mutating func text() -> String {
    ["", "plain", "two\nlines", "nul\u{0}", "e\u{301}", "\u{1F468}\u{200D}\u{1F469}"]
      .randomElement(using: &random) ?? ""
  }

  mutating func optionalText() -> String? { random.chance(3) ? nil : text() }

  mutating func list<Value>(_ make: (inout ControlSamples) -> Value) -> [Value] {
    (0..<Int.random(in: 0...4, using: &random)).map { _ in make(&self) }
  }

  mutating func change() -> PathChange {
    let kind = [PathChange.Kind.added, .modified, .deleted, .renamed][
      Int.random(in: 0..<4, using: &random)]
    return PathChange(kind, path(), from: kind == .renamed ? path() : nil)
  }

  mutating func skipped() -> Skipped {
    let reasons: [Skipped.Reason] = [
      .unreadable(-5), .tooLarge(.max), .otherFileSystem, .special, .nestedRepository,
      .badName(text()), .filter(text()), .moving, .inTheWay,
    ]
    return Skipped(
      path: path(), reason: reasons[Int.random(in: 0..<reasons.count, using: &random)],
      isFolder: random.chance(2), inode: random.next())
  }

  mutating func error() -> VersoError { VersoError(.refused, text(), hint: optionalText()) }

  mutating func time() -> Timestamp {
    Timestamp(
      seconds: Int64.random(in: 0..<253_402_300_800, using: &random),
      nanoseconds: UInt32.random(in: 0..<1_000_000_000, using: &random))
  }

  mutating func id() -> ObjectID {
    ObjectID(bytes: (0..<20).map { _ in UInt8.random(in: 0...255, using: &random) })
  }

  mutating func request() -> ControlRequest.Kind {
    switch Int.random(in: 0..<5, using: &random) {
    case 0:
      var request = SaveRequest(paths: random.chance(3) ? nil : list { $0.path() })
      request.message = optionalText()
      request.allowsMassDeletion = random.chance(2)
      request.isDryRun = random.chance(2)
      request.wait = Double.random(in: 0...100, using: &random)
      return .save(request)
    case 1: return .status(paths: random.chance(3) ? nil : list { $0.path() })
    case 2: return .pause(until: random.chance(2) ? nil : time())
    case 3: return .resume
    default: return .hello
    }
  }

  mutating func outcome() -> SaveOutcome {
    var outcome = SaveOutcome()
    outcome.commit = random.chance(3) ? nil : id()
    outcome.subject = optionalText()
    outcome.changes = list { $0.change() }
    outcome.skipped = list { $0.skipped() }
    outcome.newlySkipped = list { $0.skipped() }
    outcome.held = list { $0.path() }
    outcome.branch = text()
    outcome.madeUpIdentity = optionalText()
    outcome.unsigned = optionalText()
    outcome.isUnsignedNews = random.chance(2)
    return outcome
  }

  mutating func report() -> StatusReport {
    var report = StatusReport()
    report.root = text()
    report.branch = text()
    report.changes = list { $0.change() }
    report.skipped = list { $0.skipped() }
    report.held = list { $0.path() }
    report.spacedOut = list { $0.path() }
    report.lastSave = random.chance(3) ? nil : (id(), -7, text())
    report.blocked = random.chance(2) ? nil : error()
    report.unusedRemotes = list { $0.text() }
    report.device = text()
    report.pausedUntil =
      [nil, .untilResumed, .until(time())][
        Int.random(in: 0..<3, using: &random)]
    report.watcher = random.chance(2) ? nil : watcher()
    return report
  }

  mutating func watcher() -> ListeningWatcher {
    ListeningWatcher(
      process: 4711, since: random.chance(2) ? nil : time(), root: text(),
      surroundings: random.next())
  }

  mutating func reply() -> ControlReply {
    switch Int.random(in: 0..<5, using: &random) {
    case 0: .saved(outcome())
    case 1: .status(report())
    case 2: .done
    case 3: .failed(error())
    default: .hello(watcher())
    }
  }
}

/// Every field of a value and of what it holds, as text that differs where anything differs.
func described(_ value: Any) -> String {
  let mirror = Mirror(reflecting: value)
  if mirror.children.isEmpty {
    // A string's own description hides nothing when it is quoted.
    return (value as? String).map { "\(Array($0.utf8))" } ?? "\(value)"
  }
  let name = mirror.displayStyle == .enum ? "\(mirror.children.first?.label ?? "")" : ""
  var fields = mirror.children.map { "\($0.label ?? ""):\(described($0.value))" }
  // Two equal sets may list what they hold in different orders.
  if mirror.displayStyle == .set { fields.sort() }
  return "\(name)(\(fields.joined(separator: ",")))"
}

@Suite struct ControlWireTests {
  private static func frame(_ kind: ControlRequest.Kind, tag: UInt32 = 7) throws -> [UInt8] {
    try #require(ControlWire.frame(tag: tag, limit: .max) { $0.put(kind) })
  }

  private static func frame(_ reply: ControlReply, tag: UInt32 = 7) throws -> [UInt8] {
    try #require(ControlWire.frame(tag: tag, limit: .max) { $0.put(reply) })
  }

  private static func kind(_ frame: some Sequence<UInt8>) -> ControlRequest.Kind? {
    ControlWire.read(frame) { r throws(ControlGarbage) in try r.kind() }?.value
  }

  private static func reply(_ frame: some Sequence<UInt8>) -> ControlReply? {
    ControlWire.read(frame) { r throws(ControlGarbage) in try r.reply() }?.value
  }

  @Test(arguments: seeds(5))
  func `every field of requests and replies survives the trip, byte for byte`(seed: UInt64) throws {
    var samples = ControlSamples(random: SeededGenerator(seed: seed))
    for _ in 0..<(isFullRun ? 1_000 : 60) {
      let request = samples.request()
      let there = try #require(Self.kind(try Self.frame(request).dropFirst(4)))
      #expect(described(there) == described(request))
      let reply = samples.reply()
      let back = try #require(Self.reply(try Self.frame(reply).dropFirst(4)))
      #expect(described(back) == described(reply))
    }
  }

  @Test func `the description that the trip is judged by shows a changed byte`() {
    var one = SaveOutcome()
    one.held = [RelativePath(unchecked: [0xFF])]
    var other = one
    other.held = [RelativePath(unchecked: [0xFE])]
    #expect(described(ControlReply.saved(one)) != described(ControlReply.saved(other)))
    #expect(described(ControlReply.done) != described(ControlReply.failed(.init(.failed, ""))))
  }

  @Test(arguments: seeds(4))
  func `garbage, cut and changed frames are refused or read, and never trap`(seed: UInt64) throws {
    var samples = ControlSamples(random: SeededGenerator(seed: seed))
    for round in 0..<(isFullRun ? 20_000 : 500) {
      var frame =
        round % 2 == 0
        ? try Self.frame(samples.request()) : try Self.frame(samples.reply())
      switch round % 4 {
      case 0, 1:
        for _ in 0...Int.random(in: 0...3, using: &samples.random) {
          let place = Int.random(in: 4..<frame.count, using: &samples.random)
          frame[place] = UInt8.random(in: 0...255, using: &samples.random)
        }
      case 2: frame.removeLast(Int.random(in: 1...frame.count - 4, using: &samples.random))
      default:
        frame = (0..<60).map { _ in UInt8.random(in: 0...255, using: &samples.random) }
        frame[4] = ControlWire.version
      }
      // What is read although it was changed is a sound value: it can be written again.
      if let kind = Self.kind(frame.dropFirst(4)) { _ = try Self.frame(kind) }
      if let reply = Self.reply(frame.dropFirst(4)) { _ = try Self.frame(reply) }
    }
  }

  @Test func `every cut of a frame is refused`() throws {
    var samples = ControlSamples(random: SeededGenerator(seed: 1))
    let frame = try Self.frame(.saved(samples.outcome()))
    for count in 0..<frame.count - 4 {
      #expect(Self.reply(frame.dropFirst(4).prefix(count)) == nil)
    }
    #expect(Self.reply(frame.dropFirst(4) + [0]) == nil)
  }

  @Test func `another version, paths that leave the vault and impossible times are refused`() throws
  {
    var frame = try Self.frame(.resume)
    frame[4] = ControlWire.version + 1
    #expect(Self.kind(frame.dropFirst(4)) == nil)
    for path in ["../x", "/x", "a//b", "a/./b"] {
      let wrong = RelativePath(unchecked: Array(path.utf8))
      #expect(Self.kind(try Self.frame(.status(paths: [wrong])).dropFirst(4)) == nil)
    }
    for (seconds, fraction) in [(Int64.max, UInt32(0)), (.min, 0), (0, 1_000_000_000)] {
      let time = Timestamp(seconds: seconds, nanoseconds: fraction)
      #expect(Self.kind(try Self.frame(.pause(until: time)).dropFirst(4)) == nil)
    }
    for wait in [Double.nan, .infinity, -1] {
      var request = SaveRequest()
      request.wait = wait
      #expect(Self.kind(try Self.frame(.save(request)).dropFirst(4)) == nil)
    }
  }

  @Test func `a frame is found only when all of it is there and not too long`() throws {
    let frame = try Self.frame(.hello)
    let next = { (bytes: [UInt8]) in ControlWire.next(in: bytes, from: 0, limit: 100) }
    for count in 0..<frame.count { #expect(next(Array(frame.prefix(count))) == .partial) }
    #expect(next(frame + [1, 2]) == .whole(4..<frame.count))
    #expect(next([101, 0, 0, 0]) == .excessive)
    #expect(next([255, 255, 255, 255]) == .excessive)
    #expect(ControlWire.frame(tag: 0, limit: 5) { $0.put([UInt8](repeating: 0, count: 9)) } == nil)
  }
}
