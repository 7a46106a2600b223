import VersoDisk
import VersoModel

extension ControlWriter {
  mutating func put(_ kind: ControlRequest.Kind) {
    switch kind {
    case .save(let request):
      put(UInt8(0))
      put(request.paths) { $0.put($1) { $0.put($1) } }
      put(request.message) { $0.put($1) }
      put(request.allowsMassDeletion)
      put(request.isDryRun)
      put(request.wait.bitPattern)
    case .status(let paths):
      put(UInt8(1))
      put(paths) { $0.put($1) { $0.put($1) } }
    case .pause(let until):
      put(UInt8(2))
      put(until) { $0.put($1) }
    case .resume: put(UInt8(3))
    case .hello: put(UInt8(4))
    }
  }

  mutating func put(_ reply: ControlReply) {
    switch reply {
    case .saved(let outcome):
      put(UInt8(0))
      put(outcome)
    case .status(let report):
      put(UInt8(1))
      put(report)
    case .done: put(UInt8(2))
    case .failed(let error):
      put(UInt8(3))
      put(error)
    case .hello(let watcher):
      put(UInt8(4))
      put(watcher)
    }
  }

  private mutating func put(_ outcome: SaveOutcome) {
    put(outcome.commit) { $0.put($1) }
    put(outcome.subject) { $0.put($1) }
    put(outcome.changes) { $0.put($1) }
    put(outcome.skipped) { $0.put($1) }
    put(outcome.newlySkipped) { $0.put($1) }
    put(outcome.held) { $0.put($1) }
    put(outcome.branch)
    put(outcome.madeUpIdentity) { $0.put($1) }
    put(outcome.unsigned) { $0.put($1) }
    put(outcome.isUnsignedNews)
  }

  private mutating func put(_ report: StatusReport) {
    put(report.root)
    put(report.branch)
    put(report.changes) { $0.put($1) }
    put(report.skipped) { $0.put($1) }
    put(report.held) { $0.put($1) }
    put(report.spacedOut) { $0.put($1) }
    put(report.lastSave) { writer, last in
      writer.put(last.id)
      writer.put(last.time)
      writer.put(last.subject)
    }
    put(report.blocked) { $0.put($1) }
    put(report.unusedRemotes) { $0.put($1) }
    put(report.device)
    put(report.pausedUntil) { $0.put($1) }
    put(report.watcher) { $0.put($1) }
  }
}

extension ControlReader {
  mutating func kind() throws(ControlGarbage) -> ControlRequest.Kind {
    switch try byte() {
    case 0: return .save(try saveRequest())
    case 1: return .status(paths: try optional { r throws(ControlGarbage) in try r.paths() })
    case 2: return .pause(until: try optional { r throws(ControlGarbage) in try r.time() })
    case 3: return .resume
    case 4: return .hello
    default: throw ControlGarbage()
    }
  }

  mutating func reply() throws(ControlGarbage) -> ControlReply {
    switch try byte() {
    case 0: return .saved(try outcome())
    case 1: return .status(try report())
    case 2: return .done
    case 3: return .failed(try error())
    case 4: return .hello(try watcher())
    default: throw ControlGarbage()
    }
  }

  private mutating func paths() throws(ControlGarbage) -> [RelativePath] {
    try list { r throws(ControlGarbage) in try r.path() }
  }

  private mutating func skippedPaths() throws(ControlGarbage) -> [Skipped] {
    try list { r throws(ControlGarbage) in try r.skipped() }
  }

  private mutating func changes() throws(ControlGarbage) -> [PathChange] {
    try list { r throws(ControlGarbage) in try r.change() }
  }

  private mutating func optionalText() throws(ControlGarbage) -> String? {
    try optional { r throws(ControlGarbage) in try r.text() }
  }

  private mutating func saveRequest() throws(ControlGarbage) -> SaveRequest {
    var request = SaveRequest(paths: try optional { r throws(ControlGarbage) in try r.paths() })
    request.message = try optionalText()
    request.allowsMassDeletion = try flag()
    request.isDryRun = try flag()
    request.wait = Double(bitPattern: try number())
    // Not a number, or more than a clock can count to, would trap in whoever waits so long.
    guard 0...1_000_000_000 ~= request.wait else { throw ControlGarbage() }
    return request
  }

  private mutating func outcome() throws(ControlGarbage) -> SaveOutcome {
    var outcome = SaveOutcome()
    outcome.commit = try optional { r throws(ControlGarbage) in try r.id() }
    outcome.subject = try optionalText()
    outcome.changes = try changes()
    outcome.skipped = try skippedPaths()
    outcome.newlySkipped = try skippedPaths()
    outcome.held = try paths()
    outcome.branch = try text()
    outcome.madeUpIdentity = try optionalText()
    outcome.unsigned = try optionalText()
    outcome.isUnsignedNews = try flag()
    return outcome
  }

  private mutating func report() throws(ControlGarbage) -> StatusReport {
    var report = StatusReport()
    report.root = try text()
    report.branch = try text()
    report.changes = try changes()
    report.skipped = try skippedPaths()
    report.held = try paths()
    report.spacedOut = try paths()
    report.lastSave = try optional { r throws(ControlGarbage) in
      (id: try r.id(), time: try r.number(), subject: try r.text())
    }
    report.blocked = try optional { r throws(ControlGarbage) in try r.error() }
    report.unusedRemotes = try list { r throws(ControlGarbage) in try r.text() }
    report.device = try text()
    report.pausedUntil = try optional { r throws(ControlGarbage) in try r.pause() }
    report.watcher = try optional { r throws(ControlGarbage) in try r.watcher() }
    return report
  }
}
