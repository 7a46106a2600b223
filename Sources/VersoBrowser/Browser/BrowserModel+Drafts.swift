import Verso
package import VersoModel

/// Texts that could not be saved, or not yet: each is kept beside the notes until it is.
extension BrowserModel {
  /// So long nothing must be typed before what was typed is kept, and so long it is at most before it
  /// is, in seconds: what is lost where the machine stops.
  static let keepDelay = 3.0
  static let longestUnkept = 20.0
  /// What could not be kept is tried again after so long, in seconds.
  private static let retryDelay = 5.0

  /// The notes whose text is neither on the disk nor kept.
  package var lostTexts: [RelativePath] {
    var paths = unkept.map(\.path)
    if let note, note.state != .clean, note.kept != note.buffer.bytes,
      !unkept.contains(where: { $0.path == note.path }),
      !drafts.contains(where: { $0.path == note.path && $0.bytes == note.buffer.bytes })
    {
      paths.append(note.path)
    }
    return paths
  }

  /// Keeps a text beside the notes; once is enough for the same text.
  mutating func keep(_ bytes: [UInt8], of path: RelativePath) {
    // What is told of a start before is told at the start.
    hasSeenDrafts = true
    if drafts.contains(where: { $0.path == path && $0.bytes == bytes }) { return }
    if let row = unkept.firstIndex(where: { $0.path == path && $0.bytes == bytes }) {
      if unkept[row].isRunning { return }
      unkept[row].isRunning = true
    } else {
      unkept.append(UnkeptText(path: path, bytes: bytes))
    }
    run(.storeDraft(path, bytes))
  }

  mutating func didKeep(_ bytes: [UInt8], of path: RelativePath) {
    unkept.removeAll { $0.path == path && $0.bytes == bytes }
    if unkept.isEmpty { hasFailedToKeep = false }
    guard var pane = note, pane.path == path, pane.buffer.bytes == bytes || pane.isDirty else {
      return say("the unsaved text of \(shown(path)) is kept as a draft: \(key(.drafts)) shows it")
    }
    // The one before it has done its duty.
    if let old = pane.kept, old != bytes { dropDraft(of: path, old) }
    pane.kept = bytes
    note = pane
    // It was saved meanwhile.
    if !pane.isDirty, pane.base == bytes { dropDraft(of: path, bytes) }
  }

  mutating func didFailToKeep(_ bytes: [UInt8], of path: RelativePath, _ reason: String) {
    guard let row = unkept.firstIndex(where: { $0.path == path && $0.bytes == bytes }) else {
      return
    }
    unkept[row].isRunning = false
    keepRetry = now + Self.retryDelay
    if isQuitting, isAlone { return }
    if isQuitting {
      isQuitting = false
      hasFailedToKeep = true
      warn("\(shown(path)) could not be kept: \(reason); q again loses what was not saved")
    } else {
      warn("the unsaved text of \(shown(path)) could not be kept yet: \(reason)")
    }
  }

  /// Tries again what could not be kept, and keeps what was typed and is not saved yet.
  mutating func keepWhatIsDue() {
    if let due = keepRetry, now >= due, offline == nil {
      keepRetry = nil
      for text in unkept where !text.isRunning { keep(text.bytes, of: text.path) }
    }
    guard let due = keepDue, now >= due, let pane = note else { return }
    note?.firstUnkeptEdit = nil
    let bytes = pane.buffer.bytes
    if bytes != pane.kept { keep(bytes, of: pane.path) }
  }

  /// When the text that is being edited is to be kept.
  var keepDue: Double? {
    guard offline == nil, let pane = note, pane.isDirty, let first = pane.firstUnkeptEdit,
      let last = pane.lastEdit
    else { return nil }
    return min(last + Self.keepDelay, first + Self.longestUnkept)
  }

  /// Forgets what was kept of a text that is saved now.
  mutating func dropDrafts(of path: RelativePath, saved bytes: [UInt8]) {
    dropDraft(of: path, bytes)
    guard let kept = note?.kept, note?.path == path, !(note?.isDirty ?? false) else { return }
    note?.kept = nil
    note?.firstUnkeptEdit = nil
    if kept != bytes { dropDraft(of: path, kept) }
  }

  private mutating func dropDraft(of path: RelativePath, _ bytes: [UInt8]) {
    for draft in drafts where draft.path == path && draft.bytes == bytes {
      run(.dropDraft(draft.name))
    }
    drafts.removeAll { $0.path == path && $0.bytes == bytes }
  }
}
