/// What something on the screen is, as a label; how it looks is for a ``Theme`` to say.
package struct Style: Hashable, Sendable {
  package var label: Label
  /// What it stands on.
  package var ground: Ground
  /// Marks on top of what the theme gives the label.
  package var marks: Marks
  /// How much it is dimmed, in parts of 10,000.
  package var dim: UInt16

  package init(
    _ label: Label = .text, on ground: Ground = .none, _ marks: Marks = [], dim: UInt16 = 0
  ) {
    (self.label, self.ground, self.marks, self.dim) = (label, ground, marks, dim)
  }

  /// The same on another ground.
  package func on(_ ground: Ground) -> Style {
    var style = self
    style.ground = ground
    return style
  }

  /// The same with more marks.
  package func with(_ marks: Marks) -> Style {
    var style = self
    style.marks.formUnion(marks)
    return style
  }

  /// The same, dimmed.
  ///
  /// - Parameter opacity: From 0 to 1; what is beyond counts as the end of the range.
  package func dimmed(_ opacity: Double) -> Style {
    var style = self
    style.dim = UInt16((min(1, max(0, opacity)) * 10_000).rounded())
    return style
  }

  /// What a piece of text is.
  package enum Label: UInt8, Sendable, CaseIterable {
    case text, faint, strong
    // Frames around panes.
    case title, titleUnfocused, divider, button, status, key
    // Rows of lists.
    case folder, note, otherFile, conflictCopy, match
    case placeholder, hint, success, warning, error
    // Markdown.
    case heading, link, address, code, quote, rule, listMarker, task, taskDone, image, html, table
    // Differences and history.
    case added, removed, addedWord, removedWord, time, device
  }

  /// What text stands on.
  package enum Ground: UInt8, Sendable, CaseIterable {
    case none
    /// The row of the cursor, in the pane that has the focus and in the others.
    case cursor, cursorUnfocused
    /// The selected row, and marked ones.
    case selected, marked
    /// Text that is selected in the editor, and finds.
    case textSelection, find, currentFind
    case title, titleUnfocused, status, overlay, banner, code
  }

  /// What terminals can do to a character besides colouring it.
  package struct Marks: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }
    package static let bold = Marks(rawValue: 1)
    package static let faint = Marks(rawValue: 2)
    package static let italic = Marks(rawValue: 4)
    package static let underlined = Marks(rawValue: 8)
    package static let reversed = Marks(rawValue: 16)
    package static let struck = Marks(rawValue: 32)
  }
}
