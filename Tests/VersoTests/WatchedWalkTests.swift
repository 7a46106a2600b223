import Glibc
import Testing
import VersoDisk
import VersoModel
import VersoTestSupport

@testable import Verso
@testable import VersoWatch

/// Random walks at full speed below a watcher: once all has come to rest, what it believes to be there,
/// what it told, the disk and the last version are the same.
@Suite struct WatchedWalkTests {
  private static let plan: (seeds: [UInt64], steps: Int) =
    isFullRun ? (seeds(20), 10_000) : (seeds(2), 500)

  @Test(arguments: plan.seeds)
  func `whatever happens at full speed, the model, the events and the history are the disk`(
    seed: UInt64
  ) async throws {
    // Half of the walkers get versions while they walk.
    let isHasty = seed % 2 == 0
    let scratch = try Scratch("verso-walk")
    try scratch.write("first\n", to: "vault/first.md")
    let vault = try await WatchedVault(
      scratch, at: "vault", settle: 0.3,
      adjusting: { options in
        options.rules.settleLimit = isHasty ? 0.5 : 30
        options.rules.deletionVisible = 0.3
        options.rules.deletionReady = 0.5
        options.rules.file.afterWrite = 0.5
        options.rules.file.afterTruncation = 0.5
        options.auditInterval = 3600
      })
    defer { vault.finish() }
    var walk = Walk(in: vault.root, seed: seed)
    var witness = Witness(try await vault.rest(), events: vault.events.count)
    var sum = Witness.Sum()
    var done = 0
    while done < Self.plan.steps {
      let lengths = [5, 20, 60, isFullRun ? 400 : 120]
      let count = lengths[Int.random(in: 0..<lengths.count, using: &walk.random)]
      try await Self.go(count, &walk, vault)
      done += count
      let when = "seed \(seed), after \(done) steps"
      let rest = try await vault.rest()
      let problems = witness.problems(
        rest, vault.events, walk.takeDeeds(), isHistoryWhole: !isHasty, &sum)
      #expect(problems == [], "\(when)")
      let missed = try await vault.missedByEvents()
      #expect(missed == 0, "\(when): changes that no event told")
      let differences = try await vault.differencesFromGit()
      #expect(differences == [], "\(when)")
      if !(problems + differences).isEmpty || missed > 0 { return }
    }
    try vault.scratch.git("-C", "vault", "fsck", "--strict", "--no-dangling")
    vault.finish()
    print(
      "walked seed \(seed) under watch: \(done) steps, \(vault.subjects.count) versions, \(sum)")
    #expect(walk.files.count > 10, "the walk went nowhere")
    #expect(sum.renames > 0, "nothing was renamed")
    // Many a walk is too short for one that nothing else got in the way of.
    #expect(!isFullRun || sum.simpleRenames > 0, "nothing was simply renamed")
    #expect(!isFullRun || isHasty || sum.renamesInHistory > 0, "no version has a rename")
  }

  /// Walks, now and then with a short rest in which the watcher looks.
  ///
  /// Second names are made known to the watcher: what is written by one that is gone when it is looked
  /// for is told of no other name, by any event.
  private static func go(_ count: Int, _ walk: inout Walk, _ vault: WatchedVault) async throws {
    var left = count
    let isHurried = walk.random.chance(2)
    while left > 0 {
      let some = isHurried ? left : min(left, Int.random(in: 1..<30, using: &walk.random))
      let pause = Int.random(in: 0..<120, using: &walk.random)
      let before = walk
      let made: Int
      (walk, made) = try await inBackground {
        var walker = before
        let made = walker.steps(some, stopsAtNames: true)
        return (walker, made)
      }
      left -= made
      if made < some {
        await vault.ask { _ = $0.passBarrier() }
        continue
      }
      if left > 0 { try await Task.sleep(for: .milliseconds(pause)) }
    }
  }
}

/// What a watched vault is like at rest.
private struct Rest: Sendable {
  /// What the disk holds; `nil` for folders.
  var disk: [RelativePath: LiveFile?] = [:]
  /// What the watcher believes.
  var model: [RelativePath: LiveFile?] = [:]
  /// Which folders the watcher believes to be where.
  var folders: [RelativePath: FileIdentity] = [:]
  /// Where another folder is than the watcher believes.
  var strangers: [RelativePath] = []
  /// Files with one name only.
  var single: [FileIdentity: RelativePath] = [:]
  /// The content's id by path, as of the last version.
  var contents: [RelativePath: String] = [:]
}

extension WatchedVault {
  /// What the watcher's thread says to a question.
  fileprivate func ask<R: Sendable>(
    _ question: @escaping @Sendable (Watcher) -> R
  ) async -> R {
    await withCheckedContinuation { continuation in
      handle.perform { continuation.resume(returning: question($0)) }
    }
  }

  /// Waits until nothing is to be looked at or saved, and says what is there.
  fileprivate func rest() async throws -> Rest {
    let end = MonotonicTime.now() + 60
    while true {
      let (isResting, held) = await ask { watcher in (watcher.isResting, watcher.held) }
      if isResting, held.isEmpty { break }
      if !held.isEmpty { try await accept() }
      if MonotonicTime.now() > end {
        throw Failure("no rest: \(await ask { $0.restlessness }); \(events.suffix(8))")
      }
      try await Task.sleep(for: .milliseconds(20))
    }
    var rest = await ask { $0.present }
    for row in try git("ls-tree", "-r", "-z", "HEAD").output.split(separator: 0) {
      guard let tab = row.firstIndex(of: 0x09), let path = RelativePath(Array(row[(tab + 1)...]))
      else { throw Failure("ls-tree: \(row)") }
      rest.contents[path] = String(decoding: row[..<tab], as: UTF8.self)
    }
    return rest
  }

  /// Says, as a person would, that many deletions at once are meant.
  private func accept() async throws {
    let root = root
    try await inBackground {
      var request = SaveRequest()
      request.allowsMassDeletion = true
      _ = try Engine.open(above: root).save(request)
    }
  }

  /// Has everything listed as after an hour, and says how many differences no event had told.
  fileprivate func missedByEvents() async throws -> Int {
    await ask { watcher in
      watcher.clock.audit = 0
      watcher.clock.fullAudit = 0
    }
    // The audit is made in the round that the question came in.
    return await ask { $0.reconciler.counters.missed }
  }

  /// What git finds to differ, asked without what it remembers of the files.
  fileprivate func differencesFromGit() async throws -> [String] {
    let text = try await shell(
      """
      git status --porcelain --untracked-files=all
      export GIT_INDEX_FILE="$OUT/index"
      rm -f "$GIT_INDEX_FILE"
      git -c core.fsync=none add -A
      if test "$(git write-tree)" != "$(git rev-parse 'HEAD^{tree}')"; then
        git diff --cached --name-status HEAD
      fi
      """, in: root, outside: scratch.path)
    return text.split(separator: "\n").map(String.init)
  }
}

extension Watcher {
  fileprivate var isResting: Bool {
    takeEvents(at: MonotonicTime.now())
    return !reconciler.isStarting && !reconciler.isSuspect && !reconciler.hasUnsaved
      && reconciler.nextDeadline == nil && !needsFullSave && !isGitUnsure
  }

  /// Why there is no rest.
  fileprivate var restlessness: String {
    """
    unsaved \(reconciler.unsavedPaths), suspect \(reconciler.isSuspect), \
    deadline \(reconciler.nextDeadline.map { $0 - MonotonicTime.now() } as Double?), \
    full save \(needsFullSave), git unsure \(isGitUnsure)
    """
  }

  fileprivate var held: Set<RelativePath> { readyLookout()?.engine.readHeld() ?? [] }

  fileprivate var present: Rest {
    var rest = Rest()
    reconciler.root.forEach { folder in
      rest.model[folder.path] = .some(nil)
      rest.folders[folder.path] = folder.identity
      for name in folder.files.keys { rest.model[folder.path.appending(name)] = folder.files[name] }
    }
    var walk = Walk(in: root, seed: 0)
    walk.look()
    for path in walk.folders {
      let whole = path.isEmpty ? walk.root : walk.root + [0x2F] + path
      let path = RelativePath(unchecked: path)
      rest.disk[path] = .some(nil)
      do throws(DiskError) {
        guard let status = try SystemFileStore().status(of: whole, in: AT_FDCWD) else { continue }
        if rest.folders[path] != FileIdentity(status) { rest.strangers.append(path) }
      } catch { continue }
    }
    for path in walk.files {
      do throws(DiskError) {
        let whole = walk.root + [0x2F] + path
        guard let status = try SystemFileStore().status(of: whole, in: AT_FDCWD) else { continue }
        let path = RelativePath(unchecked: path)
        rest.disk[path] = LiveFile(status)
        if status.links == 1 { rest.single[FileIdentity(status)] = path }
      } catch { continue }
    }
    return rest
  }
}

/// Somebody who was told of every change, and knows what was really done.
private struct Witness {
  /// What was seen in a walk, in numbers.
  struct Sum: CustomStringConvertible {
    var renames = 0
    var simpleRenames = 0
    var renamesInHistory = 0
    var description: String {
      "\(renames) renames told, \(simpleRenames) of them simple, \(renamesInHistory) in history"
    }
  }

  private var before: Rest
  /// How many events are known.
  private var known: Int

  init(_ rest: Rest, events: Int) {
    before = rest
    known = events
  }

  mutating func problems(
    _ rest: Rest, _ events: [Watcher.Event], _ deeds: [Walk.Deed], isHistoryWhole: Bool,
    _ sum: inout Sum
  ) -> [String] {
    defer { (before, known) = (rest, events.count) }
    let news = events[known...]
    var problems: [String] = []
    for path in Set(rest.disk.keys).union(rest.model.keys) {
      if !Self.isSame(rest.model[path], rest.disk[path]) {
        problems.append("\(path): " + Self.difference(rest.model[path], rest.disk[path]))
      }
    }
    problems += rest.strangers.map { "\($0) is another folder than the model has" }
    let origins = origins(after: news, &problems)
    for path in Set(origins.keys).symmetricDifference(rest.disk.keys) {
      problems.append("\(path) is \(rest.disk[path] == nil ? "not " : "")there, against the events")
    }
    for case (let path, let origin?) in origins where origin != path {
      sum.renames += 1
      if !places(of: origin, deeds).contains(path.bytes) {
        problems.append("\(origin) was never renamed to \(path)")
      }
    }
    let wasHeld = news.contains { event in
      if case .saved(let outcome) = event { !outcome.held.isEmpty } else { false }
    }
    for (old, new) in simpleRenames(to: rest, deeds) {
      sum.simpleRenames += 1
      if origins[new] != .some(old) {
        problems.append("not told: \(old) was renamed to \(new)")
      }
      guard isHistoryWhole, !wasHeld, isMovedContent(from: old, to: new, rest) else { continue }
      sum.renamesInHistory += 1
      let change = PathChange(.renamed, new, from: old)
      let isSaved = news.contains { event in
        if case .saved(let outcome) = event { outcome.changes.contains(change) } else { false }
      }
      if isSaved { continue }
      problems.append("not in history: \(old) was renamed to \(new)")
      for case .saved(let outcome) in news {
        let saved = outcome.changes.filter {
          [old, new].contains($0.path) || [old, new].contains($0.oldPath)
        }
        if !saved.isEmpty { problems.append("but \(outcome.subject ?? ""): \(saved)") }
      }
    }
    if !problems.isEmpty { problems.append(Self.story(deeds, news)) }
    return problems
  }

  private static func isSame(_ a: LiveFile??, _ b: LiveFile??) -> Bool {
    guard let a, let b else { return (a == nil) == (b == nil) }
    guard let a, let b else { return (a == nil) == (b == nil) }
    // The status of a file changes without an event when another name of it comes or goes.
    return a.identity == b.identity && a.isSame(apartFromNames: b)
  }

  private static func difference(_ model: LiveFile??, _ disk: LiveFile??) -> String {
    "model \(String(describing: model)), disk \(String(describing: disk))"
  }

  /// What is there now, to one who was told of all changes, and where it was before; `nil` for what is
  /// new.
  private func origins(
    after events: ArraySlice<Watcher.Event>, _ problems: inout [String]
  ) -> [RelativePath: RelativePath?] {
    var origins: [RelativePath: RelativePath?] = [:]
    for path in before.disk.keys { origins[path] = path }
    for case .changed(let changes) in events { Self.apply(changes, to: &origins, &problems) }
    return origins
  }

  private static func apply(
    _ changes: [LiveChange], to origins: inout [RelativePath: RelativePath?],
    _ problems: inout [String]
  ) {
    func take(_ path: RelativePath) -> [(path: RelativePath, origin: RelativePath?)] {
      let taken = origins.filter { $0.key == path || path.contains($0.key) }
      for path in taken.keys { origins[path] = nil }
      if taken.isEmpty { problems.append("nothing was known at \(path) that went") }
      return taken.map { ($0.key, $0.value) }
    }
    func put(_ path: RelativePath, _ origin: RelativePath?) {
      if origins.updateValue(origin, forKey: path) != nil {
        problems.append("something was known at \(path) when more came")
      }
    }
    var renames: [(from: RelativePath, to: RelativePath)] = []
    for case .renamed(let from, let to) in changes { renames.append((from, to)) }
    var moved: [(path: RelativePath, origin: RelativePath?)] = []
    var leaving = renames.map { (from: $0.from, to: Optional($0.to)) }
    for case .removed(let path) in changes { leaving.append((path, nil)) }
    // What a folder holds goes before the folder.
    for (from, to) in leaving.sorted(by: { $1.from < $0.from }) {
      for (path, origin) in take(from) {
        if let to { moved.append((path.replacing(prefix: from, with: to) ?? to, origin)) }
      }
    }
    for change in changes {
      switch change {
      case .added(let path, _), .addedFolder(let path): put(path, nil)
      case .modified, .removed, .renamed: continue
      }
    }
    for (path, origin) in moved { put(path, origin) }
    for case .modified(let path) in changes where origins[path] == nil {
      problems.append("\(path) is modified and not there")
    }
  }

  // MARK: What was really done

  /// All of it, for whoever has to find out what went wrong.
  private static func story(
    _ deeds: [Walk.Deed], _ events: ArraySlice<Watcher.Event>
  ) -> String {
    var lines = deeds.map { deed in
      func text(_ path: [UInt8]) -> String {
        String(decoding: path, as: UTF8.self).debugDescription
      }
      return switch deed {
      case .made(let path): "made \(text(path))"
      case .renamed(let old, let new): "renamed \(text(old)) to \(text(new))"
      case .linked(let old, let new): "linked \(text(old)) to \(text(new))"
      }
    }
    for event in events {
      lines.append("told")
      if case .changed(let changes) = event { lines += changes.map { "  \($0)" } }
    }
    return "\n" + lines.joined(separator: "\n")
  }

  /// Where that which was at a path may be by now.
  private func places(of origin: RelativePath, _ deeds: [Walk.Deed]) -> Set<[UInt8]> {
    var places: Set<[UInt8]> = [origin.bytes]
    // Nobody can tell by which of its names a file came.
    if case .some(.some(let file)) = before.disk[origin], file.links > 1 {
      for case (let path, let other?) in before.disk where other.identity == file.identity {
        places.insert(path.bytes)
      }
    }
    for deed in deeds {
      switch deed {
      case .made: continue
      case .renamed(let old, let new), .linked(let old, let new):
        for place in places where Self.isAtOrBelow(place, old) {
          places.insert(new + place[old.count...])
        }
        if case .linked = deed, places.contains(new) { places.insert(old) }
      }
    }
    return places
  }

  private static func isAtOrBelow(_ path: [UInt8], _ folder: [UInt8]) -> Bool {
    path == folder || (path.starts(with: folder) && path[folder.count] == UInt8(ascii: "/"))
  }

  /// Files that only one deed took to another path, where nothing had been.
  private func simpleRenames(
    to rest: Rest, _ deeds: [Walk.Deed]
  ) -> [(old: RelativePath, new: RelativePath)] {
    var found: [(old: RelativePath, new: RelativePath)] = []
    for (identity, old) in before.single {
      guard identity.isUnique, let new = rest.single[identity], new != old,
        before.disk[new] == nil
      else { continue }
      if Self.isSimple(from: old.bytes, to: new.bytes, deeds) { found.append((old, new)) }
    }
    return found
  }

  private static func isSimple(
    from old: [UInt8], to new: [UInt8], _ deeds: [Walk.Deed]
  ) -> Bool {
    var (place, moves, arrivals) = (old, 0, 0)
    for deed in deeds {
      let target: [UInt8]
      switch deed {
      case .made(let path): target = path
      case .renamed(let source, let path):
        target = path
        if isAtOrBelow(place, source) {
          moves += 1
          place = path + place[source.count...]
        }
      case .linked(let source, let path):
        target = path
        if source == old || source == new { return false }
      }
      if isAtOrBelow(old, target) { return false }
      if isAtOrBelow(new, target) { arrivals += 1 }
    }
    return moves == 1 && arrivals == 1 && place == new
  }

  /// Whether both versions tell by the content alone that it moved.
  private func isMovedContent(
    from old: RelativePath, to new: RelativePath, _ rest: Rest
  ) -> Bool {
    guard let content = before.contents[old], content == rest.contents[new],
      case .some(.some(let file)) = before.disk[old], file.size > 0
    else { return false }
    return before.contents.values.filter { $0 == content }.count == 1
      && rest.contents.values.filter { $0 == content }.count == 1
  }
}
