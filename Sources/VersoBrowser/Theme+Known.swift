extension Theme {
  /// The themes there are, in the order that a key goes through them.
  package static let all: [Theme] = [dark, light, highContrast, mono]

  /// The theme of a name; `nil` where there is none.
  package static func named(_ name: String) -> Theme? { all.first { $0.name == name } }

  /// The theme that follows this one.
  package var next: Theme {
    let index = Self.all.firstIndex { $0.name == name } ?? 0
    return Self.all[(index + 1) % Self.all.count]
  }

  package static let dark = Theme(
    name: "dark", paper: RGB(0x000000), ink: RGB(0xD0D0D0),
    looks: { label in
      paint(
        label,
        with: Hues(
          faint: 0x8A8A8A, blue: 0x6FB1FF, cyan: 0x5FD7D7, green: 0x87D787, yellow: 0xE0C060,
          red: 0xFF7A7A, magenta: 0xD7A0F0, strong: 0xFFFFFF))
    },
    grounds: { ground in
      paint(
        ground,
        with: Grounds(
          cursor: 0x264F78, pale: 0x303030, selected: 0x1F3A4D, marked: 0x4D4319, find: 0x5F5F00,
          currentFind: 0x875F00, bar: 0x262626, code: 0x1C1C1C))
    })

  package static let light = Theme(
    name: "light", paper: RGB(0xFFFFFF), ink: RGB(0x202020),
    looks: { label in
      paint(
        label,
        with: Hues(
          faint: 0x6C6C6C, blue: 0x0050B0, cyan: 0x006878, green: 0x1B6E1B, yellow: 0x7A5500,
          red: 0xB3201E, magenta: 0x7B2FA0, strong: 0x000000))
    },
    grounds: { ground in
      paint(
        ground,
        with: Grounds(
          cursor: 0xBBD6F7, pale: 0xE4E4E4, selected: 0xD7E8F0, marked: 0xF5E6B0, find: 0xFFF3A0,
          currentFind: 0xFFD060, bar: 0xECECEC, code: 0xF4F4F4))
    })

  /// Nothing fainter than the text, bright colours, and a mark wherever a colour means something.
  package static let highContrast = Theme(
    name: "high-contrast", paper: RGB(0x000000), ink: RGB(0xFFFFFF),
    looks: { label in
      var result = paint(
        label,
        with: Hues(
          faint: 0xFFFFFF, blue: 0x66D9FF, cyan: 0x00FFFF, green: 0x00FF00, yellow: 0xFFFF00,
          red: 0xFF8080, magenta: 0xFFA0FF, strong: 0xFFFFFF))
      result.marks.formUnion(result.monochrome.subtracting(.faint))
      result.monochrome.subtract(.faint)
      return result
    },
    grounds: { ground in
      var result = paint(
        ground,
        with: Grounds(
          cursor: 0x0000C0, pale: 0x000000, selected: 0x004000, marked: 0x600060, find: 0x505000,
          currentFind: 0x804000, bar: 0x000060, code: 0x000000))
      result.marks.formUnion(result.monochrome.subtracting([.faint, .reversed]))
      return result
    })

  /// Marks only, whatever colours there are.
  package static let mono = Theme(
    name: "mono", paper: RGB(0x000000), ink: RGB(0xFFFFFF),
    looks: { label in
      let marks = marks(label)
      return Paint(marks: marks, monochrome: marks)
    },
    grounds: { ground in
      let marks = marks(ground)
      return Paint(marks: marks, monochrome: marks)
    })

  // MARK: Labels

  private struct Hues {
    var (faint, blue, cyan, green): (UInt32, UInt32, UInt32, UInt32)
    var (yellow, red, magenta, strong): (UInt32, UInt32, UInt32, UInt32)

    init(
      faint: UInt32, blue: UInt32, cyan: UInt32, green: UInt32, yellow: UInt32, red: UInt32,
      magenta: UInt32, strong: UInt32
    ) {
      (self.faint, self.blue, self.cyan, self.green) = (faint, blue, cyan, green)
      (self.yellow, self.red, self.magenta, self.strong) = (yellow, red, magenta, strong)
    }
  }

  private static func paint(_ label: Style.Label, with hues: Hues) -> Paint {
    let hue: (color: UInt32, basic: UInt8?)? =
      switch label {
      case .text, .note, .status, .table, .placeholder: nil
      case .faint, .divider, .otherFile, .rule, .address, .titleUnfocused, .hint, .time:
        (hues.faint, 8)
      case .strong, .title: (hues.strong, nil)
      case .folder, .link, .heading: (hues.blue, 12)
      case .button, .key, .listMarker, .device, .image: (hues.cyan, 6)
      case .success, .added, .addedWord, .taskDone: (hues.green, 2)
      case .warning, .conflictCopy, .match, .code, .task: (hues.yellow, 3)
      case .error, .removed, .removedWord: (hues.red, 1)
      case .quote, .html: (hues.magenta, 5)
      }
    let monochrome = marks(label)
    // A colour says the rest.
    let marks = monochrome.intersection(label == .link ? [.bold, .underlined] : [.bold, .italic])
    return Paint(
      color: hue.map { RGB($0.color) }, basic: hue?.basic, marks: marks, monochrome: monochrome)
  }

  /// How labels are told apart without colour.
  private static func marks(_ label: Style.Label) -> Style.Marks {
    switch label {
    case .strong, .title, .folder, .key, .warning, .conflictCopy, .match: .bold
    case .heading: [.bold, .underlined]
    case .error, .addedWord, .removedWord: [.bold, .reversed]
    case .added, .link, .button: .underlined
    case .removed: .struck
    case .quote: .italic
    case .faint, .divider, .otherFile, .rule, .address, .titleUnfocused, .hint, .time: .faint
    default: []
    }
  }

  // MARK: Grounds

  private struct Grounds {
    var (cursor, pale, selected, marked): (UInt32, UInt32, UInt32, UInt32)
    var (find, currentFind, bar, code): (UInt32, UInt32, UInt32, UInt32)

    init(
      cursor: UInt32, pale: UInt32, selected: UInt32, marked: UInt32, find: UInt32,
      currentFind: UInt32, bar: UInt32, code: UInt32
    ) {
      (self.cursor, self.pale, self.selected, self.marked) = (cursor, pale, selected, marked)
      (self.find, self.currentFind, self.bar, self.code) = (find, currentFind, bar, code)
    }
  }

  private static func paint(_ ground: Style.Ground, with colors: Grounds) -> Paint {
    let color: UInt32? =
      switch ground {
      case .none, .titleUnfocused: nil
      case .cursor, .textSelection: colors.cursor
      case .cursorUnfocused: colors.pale
      case .selected: colors.selected
      case .marked: colors.marked
      case .find: colors.find
      case .currentFind: colors.currentFind
      case .title, .status, .overlay, .banner: colors.bar
      case .code: colors.code
      }
    return Paint(
      color: color.map { RGB($0) }, basic: nil, marks: [], monochrome: marks(ground))
  }

  /// How grounds are told apart without colour.
  private static func marks(_ ground: Style.Ground) -> Style.Marks {
    switch ground {
    case .cursor, .textSelection, .title, .status, .currentFind, .banner: .reversed
    case .cursorUnfocused, .find: .underlined
    case .selected: .bold
    default: []
    }
  }
}
