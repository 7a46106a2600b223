import Verso
package import VersoModel

/// Texts that could not be saved, or not yet: each is kept beside the notes until it is.
///
/// A draft is kept on purpose, where text would go otherwise, or by the clock, in case the program ends
/// badly. One by the clock goes as soon as its note is saved, or a newer one is kept.
extension BrowserModel {
  /// A text that is to be a draft, and is nowhere else.
  struct UnkeptText: Hashable {
    let path: RelativePath
    let bytes: [UInt8]
    var isTimed: Bool
    var isRunning = true
    var hasWarned = false
  }

  /// A draft that the clock made: where it lies, and what it holds.
  struct TimedDraft: Hashable {
    let path: RelativePath
    let bytes: [UInt8]
  }

  /// So long nothing must be typed before what was typed is kept, and so long it is at most before it
  /// is, in seconds.
  static let keepDelay = 3.0
  static let longestUnkept = 20.0
  /// What could not be kept is tried again after so long, in seconds.
  private static let retryDelay = 5.0

  /// The notes whose text is neither on the disk nor kept.
  package var lostTexts: [RelativePath] {
    var paths = unkept.map(\.path)
    if let note, note.state != .clean, !unkept.contains(where: { $0.path == note.path }),
      !isKept(note.buffer.bytes, of: note.path)
    {
      paths.append(note.path)
    }
    return paths
  }

  private func isKept(_ bytes: [UInt8], of path: RelativePath) -> Bool {
    drafts.contains { $0.path == path && $0.bytes == bytes }
  }

  // MARK: Keeping

  /// Keeps a text beside the notes; once is enough for the same text.
  mutating func keep(_ bytes: [UInt8], of path: RelativePath, isTimed: Bool = false) {
    // What is told of a start before is told at the start.
    hasSeenDrafts = true
    if isKept(bytes, of: path) {
      // What the clock kept is meant to stay now.
      if !isTimed, timed[path]?.bytes == bytes { timed[path] = nil }
      return
    }
    // A newer text of the clock takes the place of one that could not be kept.
    let hasWarned = unkept.contains { $0.path == path && $0.hasWarned }
    if isTimed { unkept.removeAll { $0.path == path && $0.isTimed && !$0.isRunning } }
    if let row = unkept.firstIndex(where: { $0.path == path && $0.bytes == bytes }) {
      if !isTimed { unkept[row].isTimed = false }
      if unkept[row].isRunning { return }
      unkept[row].isRunning = true
    } else {
      unkept.append(
        UnkeptText(path: path, bytes: bytes, isTimed: isTimed, hasWarned: hasWarned))
    }
    run(.storeDraft(path, bytes))
  }

  mutating func didKeep(_ bytes: [UInt8], of path: RelativePath) {
    let row = unkept.firstIndex { $0.path == path && $0.bytes == bytes }
    // Saved meanwhile, it is wanted no more.
    guard let row else { return dropDraft(of: path, bytes) }
    let text = unkept.remove(at: row)
    if unkept.isEmpty { hasFailedToKeep = false }
    if let old = timed[path], old.bytes != bytes { dropDraft(of: old.path, old.bytes) }
    timed[path] = text.isTimed ? TimedDraft(path: path, bytes: bytes) : nil
    if !text.isTimed {
      say("the unsaved text of \(shown(path)) is kept as a draft: \(key(.drafts)) shows it")
    }
  }

  mutating func didFailToKeep(_ bytes: [UInt8], of path: RelativePath, _ reason: String) {
    guard let row = unkept.firstIndex(where: { $0.path == path && $0.bytes == bytes }) else {
      return
    }
    unkept[row].isRunning = false
    keepRetry = now + Self.retryDelay
    // Nobody could press a key; or it was said what q does.
    if isQuitting, isAlone || hasFailedToKeep { return }
    if isQuitting {
      isQuitting = false
      hasFailedToKeep = true
      return warn(
        "\(shown(path)) could not be kept: \(reason); q again loses what was not saved")
    }
    if !unkept[row].hasWarned {
      warn("the unsaved text of \(shown(path)) could not be kept yet: \(reason)")
    }
    unkept[row].hasWarned = true
  }

  // MARK: By the clock

  /// Tries again what could not be kept, and keeps what was typed and is not saved yet.
  mutating func keepWhatIsDue() {
    if let due = keepRetry, now >= due, offline == nil {
      keepRetry = nil
      for text in unkept where !text.isRunning {
        keep(text.bytes, of: text.path, isTimed: text.isTimed)
      }
    }
    guard let pane = note, pane.id != nil else { return }
    if pane.state == .clean, pane.saving == nil { return forgetTimed(pane.path) }
    guard let due = keepDue, now >= due else { return }
    note?.firstUnkeptEdit = nil
    keep(pane.buffer.bytes, of: pane.path, isTimed: true)
  }

  /// When the text that is being edited is to be kept.
  var keepDue: Double? {
    guard offline == nil, let pane = note, pane.isDirty, let first = pane.firstUnkeptEdit,
      let last = pane.lastEdit
    else { return nil }
    return min(last + Self.keepDelay, first + Self.longestUnkept)
  }

  /// What the clock kept of a note is saved, or was taken back.
  private mutating func forgetTimed(_ path: RelativePath) {
    note?.firstUnkeptEdit = nil
    unkept.removeAll { $0.path == path && $0.isTimed }
    guard let old = timed.removeValue(forKey: path) else { return }
    dropDraft(of: old.path, old.bytes)
  }

  // MARK: Forgetting

  /// Forgets what was kept of a note that is saved with these bytes, be it open or not.
  mutating func dropDrafts(of path: RelativePath, saved bytes: [UInt8]) {
    unkept.removeAll { $0.path == path && ($0.isTimed || $0.bytes == bytes) }
    if let old = timed.removeValue(forKey: path) { dropDraft(of: old.path, old.bytes) }
    dropDraft(of: path, bytes)
    // What was typed since is kept in its time.
    if note?.path == path, note?.isDirty ?? false { note?.firstUnkeptEdit = now }
  }

  private mutating func dropDraft(of path: RelativePath, _ bytes: [UInt8]) {
    for draft in drafts where draft.path == path && draft.bytes == bytes {
      run(.dropDraft(draft.name))
    }
    drafts.removeAll { $0.path == path && $0.bytes == bytes }
  }

  /// What was kept of a note stays that of the note when it has another path.
  mutating func followDrafts(_ old: RelativePath, _ new: RelativePath) {
    for (path, draft) in timed {
      guard let path = path.replacing(prefix: old, with: new) else { continue }
      timed = timed.filter { $0.value != draft }
      timed[path] = draft
    }
  }
}
