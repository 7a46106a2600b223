/// How a terminal is to draw something: colours and marks.
package struct Look: Hashable, Sendable {
  package var foreground: Color
  package var background: Color
  package var marks: Style.Marks

  package init(
    _ foreground: Color = .standard, on background: Color = .standard, marks: Style.Marks = []
  ) {
    (self.foreground, self.background, self.marks) = (foreground, background, marks)
  }
}

/// A colour, as exact as the terminal can draw it.
package enum Color: Hashable, Sendable {
  /// The terminal's own.
  case standard
  /// One of the 16 basic colours, which the terminal's own theme decides.
  case basic(UInt8)
  /// One of the palette of 256.
  case indexed(UInt8)
  case rgb(UInt8, UInt8, UInt8)
}

/// The looks of all styles.
package struct Theme: Sendable {
  package let name: String
  /// What the terminal's own background is taken to be when something is dimmed.
  let paper: RGB
  /// What the terminal's own text is taken to be then.
  let ink: RGB
  private let looks: @Sendable (Style.Label) -> Paint
  private let grounds: @Sendable (Style.Ground) -> Paint

  /// The same thing for terminals of many colours, of 16, and of none.
  struct Paint {
    /// `nil`: the terminal's own, or what is below.
    var color: RGB?
    var basic: UInt8?
    /// With colours, and instead of them.
    var marks: Style.Marks = []
    var monochrome: Style.Marks = []
  }

  struct RGB: Hashable, Sendable {
    var (red, green, blue): (UInt8, UInt8, UInt8)

    init(_ hex: UInt32) {
      red = UInt8(hex >> 16 & 255)
      green = UInt8(hex >> 8 & 255)
      blue = UInt8(hex & 255)
    }

    init(red: UInt8, green: UInt8, blue: UInt8) {
      (self.red, self.green, self.blue) = (red, green, blue)
    }

    /// This colour moved towards another by so many parts of 10,000.
    func mixed(with other: RGB, _ amount: UInt16) -> RGB {
      func mix(_ from: UInt8, _ to: UInt8) -> UInt8 {
        let sum = Int(from) * (10_000 - Int(amount)) + Int(to) * Int(amount)
        return UInt8((sum + 5_000) / 10_000)
      }
      return RGB(
        red: mix(red, other.red), green: mix(green, other.green), blue: mix(blue, other.blue))
    }
  }

  init(
    name: String, paper: RGB, ink: RGB, looks: @escaping @Sendable (Style.Label) -> Paint,
    grounds: @escaping @Sendable (Style.Ground) -> Paint
  ) {
    (self.name, self.paper, self.ink) = (name, paper, ink)
    (self.looks, self.grounds) = (looks, grounds)
  }

  /// How a style looks on a terminal of so many colours.
  ///
  /// Without colour, and with 8 or 16, what is dimmed is faint; with more, its colours move towards
  /// the background's, which for a dark theme is black.
  package func look(_ style: Style, _ depth: ColorDepth) -> Look {
    let (label, ground) = (looks(style.label), grounds(style.ground))
    switch depth {
    case .none:
      let marks = style.marks.union(label.monochrome).union(ground.monochrome)
      return Look(marks: Self.faint(marks, style))
    case .eight, .sixteen:
      // Grounds are told apart by marks here: which of so few colours can be read on which is only
      // known to the terminal's own theme.
      let marks = style.marks.union(label.marks).union(ground.monochrome)
      let basic = marks.contains(.reversed) ? nil : label.basic
      let foreground = basic.map { Color.basic(depth == .eight ? $0 & 7 : $0) } ?? .standard
      return Look(foreground, marks: Self.faint(marks, style))
    case .palette, .full:
      let foreground = label.color ?? (style.dim > 0 ? ink : nil)
      return Look(
        foreground.map { exact($0, style.dim, depth) } ?? .standard,
        on: ground.color.map { exact($0, style.dim, depth) } ?? .standard,
        marks: style.marks.union(label.marks).union(ground.marks))
    }
  }

  private static func faint(_ marks: Style.Marks, _ style: Style) -> Style.Marks {
    style.dim > 0 ? marks.subtracting(.bold).union(.faint) : marks
  }

  private func exact(_ color: RGB, _ dim: UInt16, _ depth: ColorDepth) -> Color {
    let mixed = dim > 0 ? color.mixed(with: paper, dim) : color
    return depth == .full
      ? .rgb(mixed.red, mixed.green, mixed.blue) : .indexed(Self.nearest(to: mixed))
  }
}
