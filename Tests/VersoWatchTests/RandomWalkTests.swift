import Testing
import VersoModel
import VersoTestSupport
import VersoWatch

/// Programs that do anything at any time, with events that come late, in pieces, twice, or never.
///
/// With `SWIFT_DETERMINISTIC_HASHING=1`, a seed stands for the same walk each time.
@Suite struct RandomWalkTests {
  @Test(arguments: seeds(isFullRun ? 2000 : 150))
  func `at rest the model and all that is saved are the disk`(seed: UInt64) {
    walk(Walk(seed, disk: FakeDisk()))
  }

  @Test(arguments: seeds(isFullRun ? 1000 : 75))
  func `at rest they are the disk too where no times of birth are known`(seed: UInt64) {
    walk(Walk(seed, disk: FakeDisk(hasBirthTimes: false)))
  }

  @Test(arguments: seeds(isFullRun ? 500 : 40))
  func `at rest they are the disk too where most events are lost`(seed: UInt64) {
    let disk = FakeDisk()
    disk.queueLimit = 6
    walk(Walk(seed, disk: disk))
  }

  private func walk(_ walk: Walk) {
    walk.run()
    // The seed is in the test's arguments; what was done is of use with it.
    let before = walk.desk.history.count
    walk.desk.wait(200)
    walk.desk.expectRest()
    let later = walk.desk.history.count
    walk.desk.wait(4000)
    #expect(walk.desk.history.count == later && later >= before)
    if !walk.issues.isEmpty { Issue.record("seed \(walk.seed): \(walk.issues)") }
  }
}

/// One random walk.
final class Walk {
  let seed: UInt64
  let desk: Desk
  private(set) var issues: [String] = []
  private(set) var steps: [String] = []
  private var random: SeededGenerator
  private var open: [FakeDisk.OpenFile] = []
  private var outside: [FakeDisk.Entry] = []
  private var isBusy = false
  private var counter = 0
  /// Set to print what is done.
  private static let isTalkative = seeds(1) != [1]

  init(_ seed: UInt64, disk: FakeDisk) {
    self.seed = seed
    random = SeededGenerator(seed: seed)
    desk = Desk(
      ["a.md": "a", "b.md": "b", "d/x.md": "x", "d/e/y.md": "y"], folders: ["f"], disk: disk)
  }

  func run() {
    desk.meanwhile = { [unowned self] in
      if !isBusy, random.chance(12) { act() }
    }
    desk.duringSave = { [unowned self] in
      while !isBusy, random.chance(3) { act() }
    }
    desk.eventsAtOnce = { [unowned self] in
      random.chance(4) ? Int.random(in: 0...4, using: &random) : .max
    }
    for _ in 0..<Int.random(in: 5...40, using: &random) {
      for _ in 0..<Int.random(in: 1...4, using: &random) { act() }
      if random.chance(8) { desk.disk.repeatEvent(Int.random(in: 0...6, using: &random)) }
      if random.chance(25) {
        say("events are lost")
        desk.disk.loseEvents(after: Int.random(in: 0...3, using: &random))
      }
      let pauses = [0, 0, 0.000_5, 0.01, 0.05, 0.4, 1.1, 2.5, 6, 40]
      let pause = pauses[Int.random(in: 0..<pauses.count, using: &random)]
      say("wait \(pause)")
      desk.wait(pause)
    }
    desk.meanwhile = {}
    desk.duringSave = {}
    desk.eventsAtOnce = { .max }
    for file in open { file.close() }
    open = []
  }

  private func say(_ what: String) {
    if Self.isTalkative { print(desk.now, what) }
  }

  // MARK: Choosing

  private static let names = ["a.md", "b.md", "c.md", "d", "e", "f", "g", "n~"]

  private func paths(_ isWanted: (FakeDisk.Inode) -> Bool) -> [String] {
    desk.disk.everything.filter { isWanted($0.value) }.keys.sorted().map(\.description)
  }

  private func pick(_ paths: [String]) -> String? { paths.randomElement(using: &random) }

  private func file() -> String? { pick(paths { !$0.isFolder }) }
  private func folder() -> String? { pick(paths(\.isFolder)) }

  /// A path that may be there or not.
  private func anywhere() -> String {
    let name = Self.names[Int.random(in: 0..<Self.names.count, using: &random)]
    guard let folder = folder(), !random.chance(3) else { return name }
    return folder + "/" + name
  }

  private func free() -> String? {
    let path = anywhere()
    return desk.disk.entry(path) == nil ? path : nil
  }

  private func text() -> String {
    counter += 1
    return random.chance(6) ? "same" : "\(counter)" + String(repeating: ".", count: counter % 3)
  }

  // MARK: Acting

  private func act() {
    isBusy = true
    defer { isBusy = false }
    switch Int.random(in: 0..<22, using: &random) {
    case 0...3: write()
    case 4: if let path = file() { note("append", path) { desk.disk.append(path, text()) } }
    case 5...7: rename()
    case 8: remove()
    case 9: if let path = free() { note("mkdir", path) { desk.disk.makeFolder(path) } }
    case 10: tree()
    case 11: removeTree()
    case 12: saveByBackup()
    case 13: saveByRename()
    case 14: exchange()
    case 15: link()
    case 16: openOrClose()
    case 17: writeToOpen()
    case 18: leave()
    case 19: comeBack()
    case 20: if let path = file() { note("touch", path) { desk.disk.touch(path) } }
    default: mode()
    }
  }

  private func note(_ verb: String, _ path: String, _ body: () -> Void) {
    say("\(verb) \(path)")
    body()
  }

  private func write() {
    let path = anywhere()
    if desk.disk.entry(path)?.inode.isFolder ?? false { return }
    note("write", path) { desk.disk.write(path, text()) }
  }

  private func rename() {
    guard let old = pick(paths { _ in true }) else { return }
    let new = anywhere()
    let source = desk.disk.entry(old)?.inode
    let target = desk.disk.entry(new)?.inode
    if RelativePath(stringLiteral: old).contains(RelativePath(stringLiteral: new)) { return }
    if target === source { return }
    if let target, let source {
      if target.isFolder != source.isFolder || !target.entries.isEmpty { return }
    }
    note("rename \(old)", new) { desk.disk.rename(old, new) }
  }

  private func remove() {
    guard let path = pick(paths { $0.entries.isEmpty }) else { return }
    note("remove", path) { desk.disk.remove(path) }
  }

  private func tree() {
    guard var path = free() else { return }
    note("tree", path) {
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        desk.disk.makeFolder(path)
        desk.disk.write(path + "/a.md", text())
        path += "/d"
      }
    }
  }

  private func removeTree() {
    guard let path = folder() else { return }
    note("rm -r", path) {
      desk.disk.removeAll(path)
      if random.chance(2) { desk.disk.makeFolder(path) }
      if random.chance(2), desk.disk.entry(path) != nil { desk.disk.write(path + "/a.md", text()) }
    }
  }

  private func saveByBackup() {
    guard let path = file(), desk.disk.entry(path + "~") == nil else { return }
    note("save by backup", path) {
      desk.disk.rename(path, path + "~")
      desk.disk.write(path, text())
      if random.chance(2) { desk.disk.remove(path + "~") }
    }
  }

  private func saveByRename() {
    guard let path = file() else { return }
    let temporary = path + ".tmp"
    if desk.disk.entry(temporary) != nil { return }
    note("save by rename", path) {
      desk.disk.write(temporary, text())
      if random.chance(3) { desk.wait(0.1) }
      if desk.disk.entry(temporary) == nil || desk.disk.entry(path) == nil { return }
      desk.disk.rename(temporary, path)
    }
  }

  private func exchange() {
    let isFolder = random.chance(2)
    let all = paths { $0.isFolder == isFolder }
    guard let a = pick(all), let b = pick(all), a != b else { return }
    let (first, second) = (RelativePath(stringLiteral: a), RelativePath(stringLiteral: b))
    if first.contains(second) || second.contains(first) { return }
    if desk.disk.entry(a)?.inode === desk.disk.entry(b)?.inode { return }
    note("exchange \(a)", b) { desk.disk.exchange(a, b) }
  }

  private func link() {
    guard let old = file(), let new = free() else { return }
    // Who has it open by a name that is gone makes no more events.
    if desk.disk.entry(old)?.inode.writers ?? 0 > 0 { return }
    note("link \(old)", new) {
      desk.disk.hardLink(old, as: new)
      // Without this, a write by one name is no event of the other.
      desk.disk.remove(old)
    }
  }

  private func openOrClose() {
    if let index = open.indices.randomElement(using: &random), random.chance(2) {
      return note("close", "\(index)") { open.remove(at: index).close() }
    }
    let path = anywhere()
    if open.count > 3 || desk.disk.entry(path)?.inode.isFolder ?? false { return }
    note("open", path) {
      open.append(desk.disk.open(path, truncating: random.chance(2)))
    }
  }

  private func writeToOpen() {
    guard let file = open.randomElement(using: &random) else { return }
    note("write to", "an open file") { file.write(text()) }
  }

  private func leave() {
    guard outside.count < 3, let path = pick(paths { _ in true }) else { return }
    note("move out", path) { outside.append(desk.disk.moveOut(path)) }
  }

  private func comeBack() {
    guard let entry = outside.popLast(), let path = free() else { return }
    note("move in", path) { desk.disk.moveIn(entry, path) }
  }

  private func mode() {
    guard let path = file(), desk.disk.entry(path)?.inode.mode ?? 0 > 0 else { return }
    note("chmod", path) { desk.disk.setMode(path, random.chance(2) ? 0o755 : 0o644) }
  }
}
