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
    // What was found busy three times is asked for again after a minute.
    let end = MonotonicTime.now() + 150
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
