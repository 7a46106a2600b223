/// One line of a configuration's text: how a value is written and read.
struct Setting {
  let key: String
  let write: (LayoutRequest) -> String
  /// Returns `false` for a text that cannot be read.
  let read: (inout LayoutRequest, String) -> Bool

  /// The settings that an app decides.
  static var configuration: [Setting] {
    [
      choice("columns", \.configuration.preset),
      Setting(
        key: "style", write: { "\($0.configuration.style)" },
        read: { request, text in
          let style = SplitStyle.allCases.first { "\($0)" == text }
          request.configuration.style = style ?? .normal
          return style != nil
        }),
      number("primary.fraction", \.configuration.widths.primary.fraction),
      number("primary.fraction-of-three", \.configuration.widths.primaryFractionOfThree),
      optional("primary.cells", \.configuration.widths.primary.cells, none: "by-fraction"),
      limits("primary.limits", \.configuration.widths.primary.limits),
      number("supplementary.fraction", \.configuration.widths.supplementary.fraction),
      optional(
        "supplementary.cells", \.configuration.widths.supplementary.cells, none: "by-fraction"),
      limits("supplementary.limits", \.configuration.widths.supplementary.limits),
      number("secondary.minimum", \.configuration.widths.secondaryMinimum),
      number("uncovered.minimum", \.configuration.widths.uncoveredMinimum),
      breakpoints,
      optional("dims-secondary", \.configuration.dimsSecondary, none: "by-style"),
      optional("dismisses-on-tap", \.configuration.dismissesOnTap, none: "by-style"),
      checked("dim-opacity", \.dimOpacity) { (configuration, value) throws(SplitError) in
        try configuration.setDimOpacity(value)
      },
      checked("animation-duration", \.animationDuration) {
        (configuration, value) throws(SplitError) in
        try configuration.setAnimationDuration(value)
      },
      choice("direction", \.configuration.direction),
      choice("edge", \.configuration.edge),
      number("shows-primary-in-medium", \.configuration.showsPrimaryInMedium),
    ]
  }

  /// The settings that a user decides while the app runs.
  static var session: [Setting] {
    [
      optional("sidebar-hidden", \.sidebarHidden, none: "by-style"),
      choice("mode", \.preferredMode),
    ]
  }

  /// Reads lines of `key = value`; what is empty or begins with `#` says nothing.
  static func read(_ text: String, _ settings: [Setting]) throws(SplitError) -> LayoutRequest {
    var request = LayoutRequest()
    for line in text.split(whereSeparator: \.isNewline) {
      let parts = line.split(separator: "=", maxSplits: 1).map(trimmed)
      guard let key = parts.first, !key.isEmpty, !key.hasPrefix("#") else { continue }
      guard let setting = settings.first(where: { $0.key == key }) else {
        throw SplitError(
          .unreadableSetting,
          "there is no setting '\(key)'; known are \(settings.map(\.key).joined(separator: ", "))")
      }
      guard parts.count == 2, setting.read(&request, parts[1]) else {
        throw SplitError(
          .unreadableSetting,
          "the line '\(line)' has no value for \(key); one is \(setting.write(.init()))")
      }
    }
    return request
  }

  static func write(_ request: LayoutRequest, _ settings: [Setting]) -> String {
    settings.map { "\($0.key) = \($0.write(request))\n" }.joined()
  }

  private static func trimmed(_ text: Substring) -> String {
    let head = text.drop(while: \.isWhitespace)
    return String(head.reversed().drop(while: \.isWhitespace).reversed())
  }
}

/// Kinds of settings.
extension Setting {
  private static func choice<Value: RawRepresentable<String>>(
    _ key: String, _ path: WritableKeyPath<LayoutRequest, Value>
  ) -> Setting {
    Setting(
      key: key, write: { $0[keyPath: path].rawValue },
      read: { request, text in
        guard let value = Value(rawValue: text) else { return false }
        request[keyPath: path] = value
        return true
      })
  }

  private static func number<Value: LosslessStringConvertible>(
    _ key: String, _ path: WritableKeyPath<LayoutRequest, Value>
  ) -> Setting {
    Setting(
      key: key, write: { "\($0[keyPath: path])" },
      read: { request, text in
        guard let value = Value(text) else { return false }
        request[keyPath: path] = value
        return true
      })
  }

  private static func optional<Value: LosslessStringConvertible>(
    _ key: String, _ path: WritableKeyPath<LayoutRequest, Value?>, none: String
  ) -> Setting {
    Setting(
      key: key, write: { $0[keyPath: path].map { "\($0)" } ?? none },
      read: { request, text in
        let value = Value(text)
        request[keyPath: path] = value
        return value != nil || text == none
      })
  }

  private static func limits(
    _ key: String, _ path: WritableKeyPath<LayoutRequest, ClosedRange<Int>>
  ) -> Setting {
    Setting(
      key: key,
      write: { "\($0[keyPath: path].lowerBound) \($0[keyPath: path].upperBound)" },
      read: { request, text in
        guard let (low, high) = pair(text), low <= high else { return false }
        request[keyPath: path] = low...high
        return true
      })
  }

  private static var breakpoints: Setting {
    Setting(
      key: "breakpoints",
      write: { "\($0.configuration.breakpoints.medium) \($0.configuration.breakpoints.wide)" },
      read: { request, text in
        guard let (medium, wide) = pair(text), 0 < medium, medium <= wide else { return false }
        request.configuration.breakpoints = Breakpoints(medium: medium, wide: wide)
        return true
      })
  }

  private static func checked(
    _ key: String, _ path: KeyPath<SplitConfiguration, Double>,
    _ set: @escaping (inout SplitConfiguration, Double) throws(SplitError) -> Void
  ) -> Setting {
    Setting(
      key: key, write: { "\($0.configuration[keyPath: path])" },
      read: { request, text in
        guard let value = Double(text) else { return false }
        do {
          try set(&request.configuration, value)
          return true
        } catch {
          return false
        }
      })
  }

  private static func pair(_ text: String) -> (Int, Int)? {
    let parts = text.split(separator: " ").compactMap { Int($0) }
    return parts.count == 2 ? (parts[0], parts[1]) : nil
  }
}
