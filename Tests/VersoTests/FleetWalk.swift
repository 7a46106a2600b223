import Glibc
import VersoDisk
import VersoGit
import VersoModel
import VersoTestSupport

@testable import Verso

/// People at several devices who do random things to shared notes, from a seed.
///
/// Every line that is ever written has a mark of its own, so that one that is lost is noticed. What a
/// person deletes while looking at it is no loss.
///
/// Unchecked: one thread walks; a rule of a file store may come from another meanwhile, one at a time.
final class FleetWalk: @unchecked Sendable {
  /// What came of the syncs of a walk, or of many.
  struct Tally: Sendable {
    var syncs = 0, merges = 0, conflicts = 0, kills = 0, races = 0, lost = 0, disturbances = 0

    static func += (sum: inout Tally, other: Tally) {
      sum.syncs += other.syncs
      sum.merges += other.merges
      sum.conflicts += other.conflicts
      sum.kills += other.kills
      sum.races += other.races
      sum.lost += other.lost
      sum.disturbances += other.disturbances
    }
  }

  let seed: UInt64
  let fleet: Fleet
  private(set) var tally = Tally()
  private(set) var problems: [String] = []
  /// What was done, for people.
  private(set) var log: [String] = []
  private var random: SeededGenerator
  private var now: Int64 = 1_700_000_000
  private var skews: [String: Int64] = [:]
  private var offline: [String: Int] = [:]
  private var counter = 0
  private var removed = Set<[UInt8]>()
  private var added = Set<[UInt8]>()

  init(seed: UInt64) throws {
    self.seed = seed
    random = SeededGenerator(seed: seed)
    let count = [2, 2, 3, 3, 4, 5][Int.random(in: 0..<6, using: &random)]
    fleet = try Fleet((0..<count).map { "dev\($0)" })
    let skews: [Int64] = [0, 0, 0, -3600, 7200, -86400 * 400, 86400 * 5000]
    for device in fleet.devices { self.skews[device.name] = pick(skews) }
    for device in fleet.devices {
      for _ in 0..<Int.random(in: 1...4, using: &random) { makeNote(device) }
      tick(device)
      // One in six starts with notes of its own on every device.
      if random.chance(6) { try device.save() } else { try sync(device) }
    }
  }

  // MARK: Chance

  private func chance(_ n: Int) -> Bool { random.chance(n) }
  private func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }
  private func pick<T>(_ list: [T]) -> T { list[number(0..<list.count)] }

  private func tick(_ device: Device) {
    now += pick([0, 1, 30, 600, 90000])
    device.clock = now + (skews[device.name] ?? 0)
  }

  private func note(_ text: String) { log.append(text) }

  // MARK: Marks

  private func mark(_ device: Device) -> String {
    counter += 1
    return "t\(device.name.dropFirst(3)).\(counter)."
  }

  /// The marks in some bytes: `t`, digits, a dot, digits, a dot.
  static func marks(_ bytes: [UInt8]) -> Set<[UInt8]> {
    var found = Set<[UInt8]>()
    var at = 0
    func digits(_ start: Int) -> Int {
      var end = start
      while end < bytes.count, (0x30...0x39).contains(bytes[end]) { end += 1 }
      return end
    }
    while at < bytes.count {
      defer { at += 1 }
      guard bytes[at] == UInt8(ascii: "t") else { continue }
      let first = digits(at + 1)
      guard first > at + 1, first < bytes.count, bytes[first] == UInt8(ascii: ".") else { continue }
      let second = digits(first + 1)
      guard second > first + 1, second < bytes.count, bytes[second] == UInt8(ascii: ".") else {
        continue
      }
      found.insert(Array(bytes[at...second]))
    }
    return found
  }

  static func marks(_ files: [String: Device.File]) -> Set<[UInt8]> {
    files.values.reduce(into: []) { $0.formUnion(marks($1.bytes)) }
  }

  // MARK: Notes

  private func name() -> String {
    pick(["", "", "", "a/", "a/", "b/", "a/c/", "A/"])
      + pick([
        "n1.md", "n2.md", "n3", "N1.md", "daily.md", "caf\u{E9}.md", "cafe\u{301}.md", "c.canvas",
        "a", "x.bin",
      ])
  }

  private func line(_ device: Device) -> String {
    pick(["", "", "- ", "- [ ] ", "10:\(number(10..<60)) ", "# "]) + mark(device)
  }

  private func newFile(_ device: Device) -> Device.File {
    let file = anyFile(device)
    added.formUnion(Self.marks(file.bytes))
    return file
  }

  private func anyFile(_ device: Device) -> Device.File {
    if chance(9) { return .init(kind: .link, bytes: Array("to/\(mark(device))".utf8)) }
    if chance(8) { return .init(kind: .file, bytes: [0] + Array(mark(device).utf8) + [0xFF]) }
    var text = chance(4) ? "---\nupdated: 2024-01-01T00:00:00Z\n---\n" : ""
    if chance(3) { text += "# day\n" }
    for _ in 0..<number(1..<7) { text += line(device) + "\n" }
    if chance(5) { text.removeLast() }
    if chance(6) { text = String(text.split(separator: "\n").joined(separator: "\r\n")) + "\r\n" }
    return .init(kind: chance(9) ? .executable : .file, bytes: Array(text.utf8))
  }

  private func isFree(_ path: String, _ files: [String: Device.File]) -> Bool {
    files[path] == nil
      && !files.keys.contains { $0.hasPrefix(path + "/") || path.hasPrefix($0 + "/") }
  }

  private func makeNote(_ device: Device) {
    let path = name()
    guard isFree(path, device.files()) else { return }
    clearFolder(device, path)
    note("\(device.name) makes \(path)")
    device.write(newFile(device), path)
  }

  /// Empty folders may be left over where a file is to be.
  private func clearFolder(_ device: Device, _ path: String) {
    for name in Walk.names(in: Array(device.full(path).utf8)) {
      clearFolder(device, "\(path)/\(String(decoding: name, as: UTF8.self))")
    }
    rmdir(device.full(path))
  }

  /// Writes a new content over what a person sees.
  private func put(_ device: Device, _ path: String, _ old: Device.File, _ new: Device.File) {
    added.formUnion(Self.marks(new.bytes))
    removed.formUnion(Self.marks(old.bytes).subtracting(Self.marks(new.bytes)))
    if old.kind == .file, new.kind == .file, chance(3) {
      let descriptor = open(device.full(path), O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOFOLLOW)
      if descriptor >= 0 {
        _ = new.bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        close(descriptor)
        return
      }
    }
    device.write(new, path)
  }

  private func edit(_ device: Device, _ path: String, _ old: Device.File) {
    note("\(device.name) edits \(path)")
    var new = old
    if old.kind == .link {
      new.bytes = Array("to/\(mark(device))".utf8)
    } else if old.bytes.contains(0) {
      new.bytes = [0] + Array(mark(device).utf8)
    } else {
      if chance(20) { new.kind = old.kind == .file ? .executable : .file }
      new.bytes = edited(old.text, device)
    }
    put(device, path, old, new)
  }

  private func edited(_ text: String, _ device: Device) -> [UInt8] {
    let isDOS = text.contains("\r\n")
    var lines = text.replacingReturns.split(separator: "\n", omittingEmptySubsequences: false)
      .map(String.init)
    var hasEnd = lines.last == ""
    if hasEnd { lines.removeLast() }
    let head = lines.first == "---" ? 3 : 0
    if head == 3, chance(2), lines.count > 2 {
      lines[1] = "updated: 2024-\(number(10..<13))-\(number(10..<29))T00:00:00Z"
    }
    for _ in 0..<number(1..<4) {
      let count = lines.count
      switch number(0..<20) {
      case 0..<6: lines.append(line(device))
      case 6..<10: lines.insert(line(device), at: min(count, number(min(head, count)..<count + 1)))
      case 10: lines += ["", line(device), line(device)]
      case 11..<16 where count > head: lines[number(head..<count)] = line(device)
      case 16, 17: lines.append("shared \(number(0..<3))")
      case 18 where count > head: lines.remove(at: number(head..<count))
      default: lines.append(line(device))
      }
    }
    if chance(25) { hasEnd.toggle() }
    let end = (chance(30) ? !isDOS : isDOS) ? "\r\n" : "\n"
    return Array((lines.joined(separator: end) + (hasEnd ? end : "")).utf8)
  }

  private func delete(_ device: Device, _ path: String, _ old: Device.File) {
    note("\(device.name) deletes \(path)")
    removed.formUnion(Self.marks(old.bytes))
    device.remove(path)
  }

  private func move(_ device: Device, _ path: String, _ files: [String: Device.File]) {
    let file = path.split(separator: "/").last.map(String.init) ?? path
    let new = pick(["", "a/", "b/", "c/"]) + pick(["n1.md", "n2.md", "r1.md", "r2.md", file])
    var others = files
    others[path] = nil
    guard new != path, !new.hasPrefix(path + "/"), isFree(new, others) else { return }
    clearFolder(device, new)
    note("\(device.name) moves \(path) to \(new)")
    device.move(path, new)
    device.remove(path)
  }

  private func moveFolder(_ device: Device, _ files: [String: Device.File]) {
    let folders = Set(files.keys.filter { $0.contains("/") }.map(Self.parent)).sorted()
    if folders.isEmpty { return }
    let (old, new) = (pick(folders), pick(["a", "b", "e", "f", "g/h"]))
    let others = files.filter { !$0.key.hasPrefix(old + "/") }
    guard old != new, !new.hasPrefix(old + "/"), !old.hasPrefix(new + "/"), isFree(new, others)
    else { return }
    clearFolder(device, new)
    note("\(device.name) moves the folder \(old) to \(new)")
    device.move(old, new)
  }

  private static func parent(_ path: String) -> String {
    path.split(separator: "/").dropLast().joined(separator: "/")
  }

  private func swapKind(_ device: Device, _ path: String, _ files: [String: Device.File]) {
    let folders = Set(files.keys.filter { $0.contains("/") }.map(Self.parent)).sorted()
    if chance(2), !folders.isEmpty {
      let folder = pick(folders)
      for (path, file) in files where path.hasPrefix(folder + "/") { delete(device, path, file) }
      clearFolder(device, folder)
      note("\(device.name) makes the folder \(folder) a file")
      return device.write(newFile(device), folder)
    }
    guard let old = files[path] else { return }
    delete(device, path, old)
    if chance(3) {
      put(device, path, old, .init(kind: .link, bytes: Array("to/\(mark(device))".utf8)))
    } else {
      note("\(device.name) makes \(path) a folder")
      device.write(newFile(device), path + "/in.md")
    }
  }

  /// Ends a conflict as people do: the copy's text becomes the note's, or the copy goes.
  private func resolve(_ device: Device, _ files: [String: Device.File]) {
    let copies = files.keys.filter { $0.contains(" (conflict ") }.sorted()
    if copies.isEmpty { return }
    let copy = pick(copies)
    guard let text = files[copy],
      let conflict = RelativePath(Array(copy.utf8))
        .flatMap({ OpenConflict($0) })
    else { return }
    let path = "\(conflict.path)"
    if chance(2), let old = files[path] {
      note("\(device.name) takes \(copy)")
      put(device, path, old, text)
      device.remove(copy)
    } else {
      delete(device, copy, text)
    }
  }

  private func setAttributes(_ device: Device, _ old: Device.File?) {
    let rules = [
      "*.md text=auto\n", "*.md -text\n", "n1* text eol=crlf\n", "*.bin binary\n", "* text=auto\n",
    ]
    note("\(device.name) writes .gitattributes")
    fleet.convertsLineEnds = true
    device.write((chance(2) ? old?.text ?? "" : "") + pick(rules), ".gitattributes")
  }

  /// One thing that a person does.
  private func act(_ device: Device) {
    let files = device.files()
    let paths = files.keys.filter { $0 != ".gitattributes" }.sorted()
    if paths.isEmpty || chance(8) { return makeNote(device) }
    let path = pick(paths)
    guard let file = files[path] else { return }
    switch number(0..<50) {
    case 0..<28: edit(device, path, file)
    case 28..<33: delete(device, path, file)
    case 33..<38: move(device, path, files)
    case 38..<41: moveFolder(device, files)
    case 41..<44: swapKind(device, path, files)
    case 44..<47: resolve(device, files)
    case 47 where chance(3): setAttributes(device, files[".gitattributes"])
    default:
      if file.kind == .file, !file.bytes.contains(0), file.bytes.last == 0x0A {
        note("\(device.name) appends to \(path)")
        let line = line(device)
        added.formUnion(Self.marks(Array(line.utf8)))
        device.append(line + (file.text.contains("\r\n") ? "\r\n" : "\n"), path)
      } else {
        edit(device, path, file)
      }
    }
  }

  // MARK: Syncs

  /// Checks that a sync took nothing from the disk that nobody has deleted.
  private func checking(_ device: Device, _ what: String, _ body: () throws -> Void) throws {
    let files = device.files()
    let before = Self.marks(files)
    note("\(device.name) \(what)")
    try body()
    let after = Self.marks(device.files())
    let lost = before.subtracting(after).subtracting(removed)
    if !lost.isEmpty {
      problems.append(
        "\(device.name) \(what): gone from the disk: "
          + lost.map { mark in
            let homes = files.filter { Self.marks($0.value.bytes).contains(mark) }.keys.sorted()
            return "\(String(decoding: mark, as: UTF8.self)) of \(homes.joined(separator: ", "))"
          }.sorted().joined(separator: " "))
    }
  }

  private func count(_ device: Device, _ outcome: SyncOutcome) throws {
    tally.syncs += 1
    if !outcome.conflicts.isEmpty { tally.conflicts += 1 }
    let engine = try device.engine()
    for join in outcome.joins {
      if let commit = join.commit, commit != join.before,
        try engine.repository.commit(commit).parents.count == 2
      {
        tally.merges += 1
        break
      }
    }
  }

  private func sync(_ device: Device, _ change: (inout SyncRequest) -> Void = { _ in }) throws {
    try checking(device, "syncs") { try count(device, try device.sync(SystemFileStore(), change)) }
  }

  /// A sync in the middle of which others push.
  private func race(_ device: Device) throws {
    let others = fleet.devices.filter { $0 !== device && offline[$0.name] ?? 0 == 0 }
    if others.isEmpty { return }
    let other = pick(others)
    let edits = chance(2)
    let times = Locked(number(1..<3))
    let failure = Locked<(any Error)?>(nil)
    tally.races += 1
    try sync(device) { request in
      request.restless = {
        let isOn = times.withLock { left in
          left -= 1
          return left >= 0
        }
        if !isOn { return [] }
        do {
          if edits { self.act(other) }
          self.tick(other)
          try self.sync(other)
        } catch { failure.withLock { $0 = error } }
        return []
      }
    }
    if let error = failure.withLock({ $0 }) { throw error }
  }

  /// A push that never comes to an end here: the remote has it or not.
  private func losePush(_ device: Device) throws {
    tally.lost += 1
    if chance(2) {
      let before = try device.git("for-each-ref", "--format=%(objectname) %(refname)")
      try sync(device)
      let known = Set(before.split(separator: "\n").map { $0.split(separator: " ")[1] })
      for row in try device.git("for-each-ref", "--format=%(objectname) %(refname)")
        .split(separator: "\n").map({ $0.split(separator: " ")[1] })
      where !row.hasPrefix("refs/heads/") && !known.contains(row) {
        try device.git("update-ref", "-d", String(row))
      }
      for row in before.split(separator: "\n").map({ $0.split(separator: " ") })
      where !row[1].hasPrefix("refs/heads/") {
        try device.git("update-ref", String(row[1]), String(row[0]))
      }
      return
    }
    try device.git("config", "remote.origin.pushurl", "/nonexistent/verso.git")
    do {
      try sync(device)
    } catch let error as VersoError where error.code == .unreachable {
      tally.syncs += 1
    }
    try device.git("config", "--unset", "remote.origin.pushurl")
  }

  /// Calls that leave something behind.
  static func changesDisk(_ event: FailingFileStore.Event) -> Bool {
    switch event.call {
    case .rename, .link, .linkDescriptor, .unlink, .makeFolder, .symlink, .write, .pwrite, .fsync:
      true
    default: false
    }
  }

  /// A sync by a process that is killed; the next one goes on at some time.
  private func kill(_ device: Device) throws {
    let last = number(1..<(chance(2) ? 40 : 200))
    let counter = Locked(0)
    let isOnlyJoining = chance(2)
    let isOn = Locked(!isOnlyJoining)
    let store = FailingFileStore { event in
      guard isOn.withLock({ $0 }) else { return nil }
      let count = counter.withLock { count in
        if Self.changesDisk(event) || count >= last { count += 1 }
        return count
      }
      return count >= last ? EIO : nil
    }
    note("\(device.name) is to be killed at \(last)\(isOnlyJoining ? " of joining" : "")")
    do {
      let outcome = try device.sync(store) { request in
        request.joining = { begins in if begins { isOn.withLock { $0 = true } } }
      }
      try count(device, outcome)
    } catch let error as VersoError {
      tally.kills += 1
      note("\(device.name) was killed: \(error.message)")
    }
    if chance(3) { for _ in 0..<number(1..<3) { act(device) } }
  }

  /// A sync during which a person goes on.
  private func disturb(_ device: Device) throws {
    let at = number(1..<40)
    let counter = Locked(0)
    let isOn = Locked(false)
    let store = FailingFileStore { event in
      guard isOn.withLock({ $0 }), Self.changesDisk(event) else { return nil }
      counter.withLock { count in
        count += 1
        if count == at {
          self.tally.disturbances += 1
          self.act(device)
        }
      }
      return nil
    }
    try checking(device, "syncs, disturbed at \(at)") {
      let outcome = try device.sync(store) { request in
        request.joining = { begins in isOn.withLock { $0 = begins } }
      }
      try count(device, outcome)
    }
  }

  // MARK: The walk

  func run() throws {
    for _ in 0..<pick([6, 10, 20, 40]) {
      let device = pick(fleet.devices)
      tick(device)
      let left = offline[device.name] ?? 0
      if left > 0 {
        offline[device.name] = left - 1
      } else if chance(25) {
        offline[device.name] = 12
      }
      if chance(2) || left > 0 {
        for _ in 0..<pick([1, 1, 1, 2, 3]) { act(device) }
        if chance(2) {
          note("\(device.name) saves")
          try device.save()
        }
        continue
      }
      switch number(0..<10) {
      case 0, 1: try race(device)
      case 2: try losePush(device)
      case 3, 4: try kill(device)
      case 5: try disturb(device)
      default: try sync(device)
      }
      if !problems.isEmpty { return }
    }
    try finish()
  }

  private func finish() throws {
    note("all sync until quiet")
    for device in fleet.devices {
      tick(device)
      try sync(device)
    }
    if !problems.isEmpty { return }
    problems += try fleet.settle(fleet.devices.shuffled(using: &random))
    let there = Self.marks(fleet.devices[0].files())
    let lost = added.subtracting(removed).subtracting(there)
    if !lost.isEmpty {
      problems.append(
        "lost: " + lost.map { String(decoding: $0, as: UTF8.self) }.sorted().joined(separator: " "))
      if let mark = lost.sorted(by: { $0.lexicographicallyPrecedes($1) }).first {
        note(
          try fleet.devices[0].git(
            "log", "--graph", "-m", "-p", "-S" + String(decoding: mark, as: UTF8.self)))
      }
    }
    try checkHistory()
  }

  /// Every save that was ever made is in the history.
  private func checkHistory() throws {
    let history = try fleet.devices[0].git("log", "--format=%H %an", "HEAD")
    let known = Set(history.split(separator: "\n").map { $0.prefix(40) })
    for device in fleet.devices {
      // The reflog knows all versions that the branch ever was at.
      for row in try device.git("log", "-g", "--format=%H %an", "HEAD").split(separator: "\n")
      where !known.contains(row.prefix(40)) && !row.hasSuffix(" Verso") {
        problems.append("\(device.name) saved \(row), which is not in the history")
      }
    }
  }
}

extension String {
  /// The same with a newline alone at the end of each line.
  fileprivate var replacingReturns: String {
    String(decoding: utf8.filter { $0 != 0x0D }, as: UTF8.self)
  }
}
