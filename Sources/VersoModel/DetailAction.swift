/// What can be asked of the detail pane.
public enum DetailAction: Sendable, CaseIterable {
  case edit
  case save
  case rename
  case delete
  case history

  /// What comes of asking.
  public enum Answer: Hashable, Sendable {
    /// It is done to this file.
    case act(on: Item)
    /// Nothing is done, as nothing is selected.
    case nothingSelected
  }
}

extension Selection {
  /// What an action of the detail pane would do: nothing unless a file is selected.
  public func answer(to action: DetailAction) -> DetailAction.Answer {
    selectedFile.map { .act(on: $0) } ?? .nothingSelected
  }

  /// Whether an action of the detail pane can be used.
  public func isEnabled(_ action: DetailAction) -> Bool { selectedFile != nil }
}
