/// What was edited, in steps that undo takes back one by one.
struct TextHistory: Sendable {
  /// One replacement.
  struct Edit: Sendable {
    let offset: Int
    var removed: [UInt8]
    var inserted: [UInt8]
  }

  /// What an edit is like: edits of one kind that follow each other closely are one step.
  enum Kind: Sendable {
    case typing, backspace, deletion, other
  }

  struct Place: Sendable {
    let caret: Int
    let anchor: Int?
  }

  struct Step: Sendable {
    var edit: Edit
    let kind: Kind
    let before: Place
    var after: Place
    var time: Double
    /// Told apart from every other state of the text, to know whether one is the saved one.
    let number: Int
  }

  /// Seconds without an edit after which the next one is a step of its own.
  static let pause = 1.0

  private(set) var done: [Step] = []
  private(set) var undone: [Step] = []
  private var isSealed = true
  private var lastNumber = 0
  /// The number of the step that was last when the text was saved; 0 for the text as it was read.
  private var savedNumber: Int? = 0

  var isModified: Bool { number != savedNumber }

  /// The number of the step that the text stands at.
  var number: Int { done.last?.number ?? 0 }

  mutating func markSaved() {
    savedNumber = done.last?.number ?? 0
    // An edit after a save must be told from the saved text.
    isSealed = true
  }

  /// Ends the step: the next edit starts another.
  mutating func seal() { isSealed = true }

  mutating func record(_ edit: Edit, _ kind: Kind, _ before: Place, _ after: Place, at time: Double)
  {
    undone = []
    if join(edit, kind, after, at: time) { return }
    lastNumber += 1
    done.append(
      Step(
        edit: edit, kind: kind, before: before, after: after, time: time, number: lastNumber))
    isSealed = kind == .other
  }

  private mutating func join(
    _ edit: Edit, _ kind: Kind, _ after: Place, at time: Double
  ) -> Bool {
    guard !isSealed, var last = done.last, last.kind == kind, time - last.time < Self.pause
    else { return false }
    switch kind {
    case .typing
    where edit.removed.isEmpty
      && edit.offset == last.edit.offset + last.edit.inserted.count:
      last.edit.inserted += edit.inserted
    case .backspace where edit.offset + edit.removed.count == last.edit.offset:
      last.edit = Edit(
        offset: edit.offset, removed: edit.removed + last.edit.removed, inserted: [])
    case .deletion where edit.offset == last.edit.offset: last.edit.removed += edit.removed
    default: return false
    }
    last.after = after
    last.time = time
    done[done.count - 1] = last
    return true
  }

  /// Takes the last step over to those that can be made again.
  mutating func undo() -> Step? {
    isSealed = true
    guard let step = done.popLast() else { return nil }
    undone.append(step)
    return step
  }

  mutating func redo() -> Step? {
    isSealed = true
    guard let step = undone.popLast() else { return nil }
    done.append(step)
    return step
  }
}

extension TextBuffer {
  /// Whether there is something to take back.
  package var canUndo: Bool { !history.done.isEmpty }

  /// Whether there is something to make again.
  package var canRedo: Bool { !history.undone.isEmpty }

  /// Takes the last step back; false where there is none.
  @discardableResult
  package mutating func undo() -> Bool {
    guard let step = history.undo() else { return false }
    let edit = step.edit
    storage.replace(edit.offset..<(edit.offset + edit.inserted.count), with: edit.removed)
    go(to: step.before)
    return true
  }

  /// Makes the step again that was taken back last; false where there is none.
  @discardableResult
  package mutating func redo() -> Bool {
    guard let step = history.redo() else { return false }
    let edit = step.edit
    storage.replace(edit.offset..<(edit.offset + edit.removed.count), with: edit.inserted)
    go(to: step.after)
    return true
  }

  private mutating func go(to place: TextHistory.Place) {
    caret = place.caret
    anchor = place.anchor
    goal = nil
  }
}
