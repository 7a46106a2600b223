import VersoDisk
import VersoModel

extension ControlWriter {
  mutating func put(_ path: RelativePath) { put(path.bytes) }

  mutating func put(_ time: Timestamp) {
    put(time.seconds)
    put(time.nanoseconds)
  }

  mutating func put(_ change: PathChange) {
    put(change.kind.rawValue)
    put(change.path)
    put(change.oldPath) { $0.put($1) }
  }

  mutating func put(_ skipped: Skipped) {
    put(skipped.path)
    put(skipped.isFolder)
    put(skipped.inode)
    put(skipped.reason)
  }

  private mutating func put(_ reason: Skipped.Reason) {
    switch reason {
    case .unreadable(let code):
      put(UInt8(0))
      put(code)
    case .tooLarge(let size):
      put(UInt8(1))
      put(size)
    case .otherFileSystem: put(UInt8(2))
    case .special: put(UInt8(3))
    case .nestedRepository: put(UInt8(4))
    case .badName(let why):
      put(UInt8(5))
      put(why)
    case .filter(let what):
      put(UInt8(6))
      put(what)
    case .moving: put(UInt8(7))
    case .inTheWay: put(UInt8(8))
    case .movedRepository(let id):
      put(UInt8(9))
      put(id)
    }
  }

  mutating func put(_ error: VersoError) {
    put(error.code.rawValue)
    put(error.message)
    put(error.hint) { $0.put($1) }
  }

  mutating func put(_ pause: Pause) {
    switch pause {
    case .until(let time): put(Optional(time)) { $0.put($1) }
    case .untilResumed: put(Timestamp?.none) { $0.put($1) }
    }
  }

  mutating func put(_ watcher: ListeningWatcher) {
    put(watcher.process)
    put(watcher.since) { $0.put($1) }
    put(watcher.root)
    put(watcher.surroundings)
  }
}

extension ControlReader {
  mutating func path() throws(ControlGarbage) -> RelativePath {
    guard let path = RelativePath(try blob()) else { throw ControlGarbage() }
    return path
  }

  /// A time between 1970 and the year 9999: what is outside overflows somebody's sums.
  mutating func time() throws(ControlGarbage) -> Timestamp {
    let time = Timestamp(seconds: try number(), nanoseconds: try number())
    guard time.isPlausible else { throw ControlGarbage() }
    return time
  }

  mutating func change() throws(ControlGarbage) -> PathChange {
    guard let kind = PathChange.Kind(rawValue: try text()) else { throw ControlGarbage() }
    let path = try path()
    return PathChange(kind, path, from: try optional { r throws(ControlGarbage) in try r.path() })
  }

  mutating func skipped() throws(ControlGarbage) -> Skipped {
    let path = try path()
    let isFolder = try flag()
    let inode: UInt64 = try number()
    return Skipped(path: path, reason: try reason(), isFolder: isFolder, inode: inode)
  }

  private mutating func reason() throws(ControlGarbage) -> Skipped.Reason {
    switch try byte() {
    case 0: .unreadable(try number())
    case 1: .tooLarge(try number())
    case 2: .otherFileSystem
    case 3: .special
    case 4: .nestedRepository
    case 5: .badName(try text())
    case 6: .filter(try text())
    case 7: .moving
    case 8: .inTheWay
    case 9: .movedRepository(try id())
    default: throw ControlGarbage()
    }
  }

  mutating func error() throws(ControlGarbage) -> VersoError {
    let code = VersoError.Code(rawValue: try text())
    let message = try text()
    return VersoError(
      code, message, hint: try optional { r throws(ControlGarbage) in try r.text() })
  }

  mutating func pause() throws(ControlGarbage) -> Pause {
    let time = try optional { r throws(ControlGarbage) in try r.time() }
    return time.map { .until($0) } ?? .untilResumed
  }

  mutating func watcher() throws(ControlGarbage) -> ListeningWatcher {
    let process: Int32 = try number()
    let since = try optional { r throws(ControlGarbage) in try r.time() }
    let root = try text()
    return ListeningWatcher(
      process: process, since: since, root: root, surroundings: try number())
  }
}

extension Timestamp {
  /// Whether it lies between 1970 and the year 9999.
  var isPlausible: Bool { 0..<253_402_300_800 ~= seconds && nanoseconds < 1_000_000_000 }
}
