import Verso
import VersoModel

/// Does what the browser wants of disk and vault, away from the thread that draws.
///
/// What changes the vault is done one after the other. What is read is done beside that, by a second
/// view of the same vault; of each kind only the answer to the newest question is looked at.
final class BrowserWorker: Sendable {
  let mailbox: BrowserMailbox
  /// For what changes the vault, and for its events.
  private let writer: Task<Vault, any Error>
  /// For what is read.
  private let reader: Task<Vault, any Error>
  private let changes: AsyncStream<BrowserEffect>.Continuation
  private let state = BrowserLock(State())

  private struct State {
    /// The newest question of each kind.
    var questions: [Question: Task<Void, Never>] = [:]
    var events: VaultEvents?
    var tasks: [Task<Void, Never>] = []
  }

  enum Question: Hashable {
    case note, facts, timeline, past, day, compare, findFile, findText, drafts
    case list(ItemList.Role), folder(RelativePath), access
  }

  /// Files larger than this are not read into the detail pane, in bytes.
  static let largestNote: UInt64 = 8 << 20

  /// - Parameter settle: How long nothing may happen to a note before other programs' edits become a
  ///   version; `nil` where none is to be made of them.
  init(root: String, mailbox: BrowserMailbox, settle: Duration?) {
    self.mailbox = mailbox
    writer = Task { try await Vault.open(at: root) }
    reader = Task { try await Vault.open(at: root) }
    let (stream, continuation) = AsyncStream.makeStream(of: BrowserEffect.self)
    changes = continuation
    let changing = Task { [self] in
      for await effect in stream {
        await change(effect)
        mailbox.end()
      }
    }
    let following = Task { [self] in await follow(settle: settle) }
    state.withLock { $0.tasks = [changing, following] }
  }

  /// Begins something; its answer comes as a message.
  func begin(_ effect: BrowserEffect) {
    guard let question = Self.question(effect) else {
      mailbox.begin()
      changes.yield(effect)
      return
    }
    mailbox.begin()
    let task = Task { [self] in
      await answer(effect)
      mailbox.end()
    }
    let old = state.withLock { state in
      defer { state.questions[question] = task }
      return state.questions[question]
    }
    old?.cancel()
  }

  private static func question(_ effect: BrowserEffect) -> Question? {
    switch effect {
    case .readFolder(let path): .folder(path)
    case .checkAccess: .access
    case .buildList(_, let role, _, _, _): .list(role)
    case .readNote, .pastNote: .note
    case .readFacts: .facts
    case .timeline: .timeline
    case .past: .past
    case .day: .day
    case .compare, .compareTexts: .compare
    case .findFile: .findFile
    case .findText: .findText
    case .readDrafts: .drafts
    default: nil
    }
  }

  // MARK: Events

  private func follow(settle: Duration?) async {
    do {
      let vault = try await writer.value
      let events =
        if let settle { await vault.watch(settle: settle) } else {
          await vault.watchWithoutSaving()
        }
      state.withLock { $0.events = events }
      for await event in events { post(event) }
    } catch {
      mailbox.post(.news(Self.text(error), isTrouble: true))
    }
  }

  private func post(_ event: VaultEvent) {
    switch event {
    case .snapshot(let snapshot):
      mailbox.post(.snapshot(snapshot.items, Catalogue(snapshot.items)))
    case .changed(let changes): mailbox.post(.changed(DiskBatch(changes)))
    case .saved(let save):
      if let subject = save.subject { mailbox.post(.saved(SafeText.text(subject))) }
    case .synced: mailbox.post(.news("synchronised", isTrouble: false))
    case .unsynced(let error), .waiting(let error), .failed(let error):
      mailbox.post(.news(Self.text(error), isTrouble: true))
    case .resumed: mailbox.post(.news("saving goes on", isTrouble: false))
    case .offline(let reason): mailbox.post(.offline(reason))
    case .online: mailbox.post(.online)
    case .limited(let message): mailbox.post(.news(SafeText.text(message), isTrouble: true))
    }
  }

  /// Whether everything is done that was begun, and everything told that was seen.
  var isIdle: Bool {
    mailbox.isIdle && state.withLock { $0.events?.isDrained ?? false } && mailbox.isIdle
  }

  /// Has the watcher look at what was done on the disk until now.
  ///
  /// - Returns: What it says.
  func passBarrier() async -> Vault.Barrier {
    do { return try await writer.value.passBarrier() } catch { return .unanswered }
  }

  /// Ends the watching after what has settled is saved.
  func end() async {
    changes.finish()
    let tasks = state.withLock { state in
      state.questions.values.forEach { $0.cancel() }
      return state.tasks
    }
    do { try await writer.value.stopWatching() } catch { return }
    for task in tasks { await task.value }
  }

  // MARK: Changing

  private func change(_ effect: BrowserEffect) async {
    switch effect {
    case .perform(let operation, let purpose):
      await report(purpose) { try await $0.perform(operation) }
    case .undo: await report(.undo) { try await $0.takeBack(redoing: false) }
    case .redo: await report(.redo) { try await $0.takeBack(redoing: true) }
    case .restore(let path, let commit, let lines):
      await report(.restore(path)) { try await $0.bringBack(path, from: commit, lines: lines) }
    case .resolve(let copy, let choice):
      await report(.resolve) { try await $0.resolve(copy, by: choice) }
    case .version(let path):
      await report(.version) { vault in
        try await vault.saveSettled([path])
        return OperationOutcome()
      }
    case .storeDraft(let path, let bytes):
      await report(.draft(path, bytes)) { vault in
        try await vault.keepDraft(of: path, bytes)
        // What there is is known before it is said to be there.
        await readDrafts()
        return OperationOutcome()
      }
    case .dropDraft(let name):
      await report(.forget) { vault in
        try await vault.dropDraft(name)
        await readDrafts()
        return OperationOutcome()
      }
    case .rescan: await rescan()
    default: break
    }
  }

  private func report(
    _ purpose: OperationPurpose, _ body: (Vault) async throws -> OperationOutcome
  ) async {
    do {
      let outcome = try await body(writer.value)
      if purpose.isOfOneText, let left = outcome.left.first {
        // The text is not where it was to go.
        let isRefusal = left.error.code == .refused
        return mailbox.post(
          .done(purpose, .failed(Self.text(left.error), isRefusal: isRefusal)))
      }
      let left = outcome.left.first.map { $0.error.message }
      mailbox.post(
        .done(purpose, .done(subject: outcome.save.subject, outcome.batch, left: left)))
    } catch {
      let isRefusal = (error as? VersoError)?.code == .refused
      mailbox.post(.done(purpose, .failed(Self.text(error), isRefusal: isRefusal)))
    }
  }

  private func rescan() async {
    do {
      let vault = try await writer.value
      _ = await vault.passBarrier()
      // A reader's first event is all that there is.
      let events = await vault.watch()
      for await event in events {
        post(event)
        break
      }
    } catch { mailbox.post(.news(Self.text(error), isTrouble: true)) }
  }

  static func text(_ error: any Error) -> String {
    guard let error = error as? VersoError else { return SafeText.text("\(error)") }
    return SafeText.text(error.description)
  }
}

// MARK: Reading

extension BrowserWorker {
  private func answer(_ effect: BrowserEffect) async {
    do {
      let vault = try await reader.value
      switch effect {
      case .readFolder(let path): mailbox.post(.folderRead(path, await vault.entries(of: path)))
      case .checkAccess(let path):
        mailbox.post(.access(path, isReadable: await vault.canList(path)))
      case .buildList(let ticket, let role, let folder, let catalogue, let settings):
        let list = ItemList(
          role, of: folder, in: catalogue, order: settings.order,
          showsHidden: settings.showsHidden)
        mailbox.post(.listBuilt(ticket: ticket, list))
      case .readNote(let ticket, let path):
        deliver(ticket, path, await vault.read(path, limit: Self.largestNote))
      case .pastNote(let ticket, let path, let commit):
        deliver(ticket, path, try await Self.reading(vault.past(of: path, at: commit)))
      case .readFacts(let ticket, let items):
        mailbox.post(.facts(ticket: ticket, await vault.facts(of: items)))
      case .timeline(let ticket, let path): try await readTimeline(ticket, path, vault)
      case .past(let ticket, let path, let commit, let goal):
        mailbox.post(
          .past(ticket: ticket, try await pastView(of: path, at: commit, beside: goal, vault)))
      case .day(let ticket, let text):
        mailbox.post(.day(ticket: ticket, try await vault.day(text, now: Self.now)))
      case .compare(let ticket, let original, let copy):
        let note = try Self.text(await vault.read(original, limit: Self.largestNote), original)
        let other = try Self.text(await vault.read(copy, limit: Self.largestNote), copy)
        mailbox.post(.compared(ticket: ticket, try SideBySide(left: note, right: other)))
      case .compareTexts(let ticket, let mine, let theirs):
        mailbox.post(.compared(ticket: ticket, try SideBySide(left: mine, right: theirs)))
      case .findFile(let ticket, let query, let catalogue):
        let rows = FuzzyFinder(query).best(50, in: catalogue)
        mailbox.post(.found(ticket: ticket, rows, isLast: true))
      case .findText(let ticket, let query, let history):
        try await findText(ticket, query, history, vault)
      case .readDrafts: await readDrafts()
      default: break
      }
    } catch { fail(effect, error) }
  }

  private func fail(_ effect: BrowserEffect, _ error: any Error) {
    switch effect {
    case .timeline(let ticket, _), .past(let ticket, _, _, _), .day(let ticket, _),
      .findText(let ticket, _, _), .pastNote(let ticket, _, _), .compare(let ticket, _, _),
      .compareTexts(let ticket, _, _):
      mailbox.post(.failed(ticket: ticket, Self.text(error)))
    default: mailbox.post(.news(Self.text(error), isTrouble: true))
    }
  }

  private static var now: Int64 { BrowserClock.wall }

  private func deliver(_ ticket: Int, _ path: RelativePath, _ reading: Vault.Reading) {
    var document: MarkdownDocument?
    if case .content(let bytes, _, _) = reading,
      FileContent(
        name: Array(path.name), head: Array(bytes.prefix(FileContent.headLength))) == .markdown
    {
      document = MarkdownDocument(bytes)
    }
    mailbox.post(.noteRead(ticket: ticket, path, reading, document))
  }

  private static func text(
    _ reading: Vault.Reading, _ path: RelativePath
  ) throws(VersoError) -> [UInt8] {
    switch reading {
    case .content(let bytes, _, _): return bytes
    case .large: throw VersoError(.failed, "\(path) is too large to be shown")
    default: throw VersoError(.failed, "\(path) cannot be read")
    }
  }

  private static func reading(_ past: Vault.Past) -> Vault.Reading {
    if case .note(_, let bytes) = past { .content(bytes, modified: 0) } else { .vanished }
  }

  func readDrafts() async {
    do { mailbox.post(.drafts(try await reader.value.drafts().map(Draft.init))) } catch {
      mailbox.post(.news(Self.text(error), isTrouble: true))
    }
  }

  private func readTimeline(_ ticket: Int, _ path: RelativePath, _ vault: Vault) async throws {
    let timeline = try await vault.timeline(of: path)
    var count = 40
    while !Task.isCancelled {
      let versions = try await vault.next(count, of: timeline)
      mailbox.post(.timeline(ticket: ticket, versions, isLast: versions.count < count))
      if versions.count < count { return }
      count = 200
    }
  }

  private func pastView(
    of path: RelativePath, at commit: ObjectID, beside goal: ObjectID?, _ vault: Vault
  ) async throws -> PastView {
    switch try await vault.past(of: path, at: commit) {
    case .nothing: return .nothing
    case .folder(_, let items): return .folder(items)
    case .note(_, let old):
      var new: [UInt8] = []
      if let goal {
        if case .note(_, let bytes) = try await vault.past(of: path, at: goal) { new = bytes }
      } else if case .content(let bytes, _, _) = await vault.read(path, limit: Self.largestNote) {
        new = bytes
      }
      let comparison = try PastComparison(from: old, to: new)
      if comparison.rows.isEmpty, !old.isEmpty { return .binary(old.count) }
      return .comparison(old, comparison)
    }
  }

  private func findText(
    _ ticket: Int, _ query: String, _ history: Bool, _ vault: Vault
  ) async throws {
    let words = query.split(separator: " ").map(String.init)
    var rows: [PickerRow] = []
    for try await match in vault.search(words, history: history) {
      rows += Self.rows(match, words)
      if rows.count > 200 { break }
    }
    if !Task.isCancelled { mailbox.post(.found(ticket: ticket, rows, isLast: true)) }
  }

  private static func rows(_ match: Vault.Match, _ words: [String]) -> [PickerRow] {
    switch match {
    case .note(let path, let lines):
      let line = best(of: lines, words)
      let shown = line.map { SafeText.text($0.text) } ?? ""
      return [
        PickerRow(SafeText.text(path.bytes), detail: shown, .file(path, line: line?.number))
      ]
    case .lost(let path, let lines, let commit, let until):
      let line = best(of: lines, words)
      let shown = line.map { SafeText.text($0.text) } ?? ""
      return [
        PickerRow(
          "\(SafeText.text(path.bytes)) until \(TimeText.day(until))",
          detail: "in no note now: \(shown)", .past(path, commit, line: line?.number))
      ]
    }
  }

  /// The first of the lines that hold most of the words.
  private static func best(
    of lines: [Vault.Match.Line], _ words: [String]
  ) -> Vault.Match.Line? {
    let words = words.map { $0.lowercased() }
    var found: (line: Vault.Match.Line, count: Int)?
    for line in lines {
      let text = String(decoding: line.text, as: UTF8.self).lowercased()
      let count = words.count { text.contains($0) }
      if count > found?.count ?? -1 { found = (line, count) }
    }
    return found?.line
  }
}
