/// Turns looks into "select graphic rendition" sequences (ECMA-48 8.3.117).
///
/// They are written here and not taken from the terminfo database, which has no exact colours for
/// most terminals that can draw them.
struct LookEncoder {
  let theme: Theme
  let depth: ColorDepth
  /// Marks that the terminal knows.
  let marks: Style.Marks
  private var sequences: [Style: [UInt8]] = [:]

  init(theme: Theme, depth: ColorDepth, marks: Style.Marks) {
    (self.theme, self.depth, self.marks) = (theme, depth, marks)
  }

  /// The sequence that sets a style, whatever was set before.
  mutating func sequence(_ style: Style) -> [UInt8] {
    if let known = sequences[style] { return known }
    let sequence = Self.sequence(theme.look(style, depth), marks)
    sequences[style] = sequence
    return sequence
  }

  private static func sequence(_ look: Look, _ known: Style.Marks) -> [UInt8] {
    var bytes = Array("\u{1B}[0".utf8)
    let codes: [(Style.Marks, Int)] = [
      (.bold, 1), (.faint, 2), (.italic, 3), (.underlined, 4), (.reversed, 7), (.struck, 9),
    ]
    for (mark, code) in codes where look.marks.intersection(known).contains(mark) {
      append([code], to: &bytes)
    }
    append(color(look.foreground, 30), to: &bytes)
    append(color(look.background, 40), to: &bytes)
    bytes.append(UInt8(ascii: "m"))
    return bytes
  }

  private static func color(_ color: Color, _ base: Int) -> [Int] {
    switch color {
    case .standard: []
    case .basic(let index): [index < 8 ? base + Int(index) : base + 52 + Int(index)]
    case .indexed(let index): [base + 8, 5, Int(index)]
    case .rgb(let red, let green, let blue): [base + 8, 2, Int(red), Int(green), Int(blue)]
    }
  }

  private static func append(_ codes: [Int], to bytes: inout [UInt8]) {
    for code in codes {
      bytes.append(UInt8(ascii: ";"))
      bytes.append(decimal: code)
    }
  }
}
