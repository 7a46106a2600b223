package import VersoHistory

/// What was asked for on the command line.
package enum Request: Sendable, Equatable {
  case run(Invocation)
  /// Help on a command, or on everything.
  case help(Command.Name?)
  case version
}

/// A command with its options and operands, checked against the table.
///
/// Values are the bytes that were typed: a path need not be UTF-8.
package struct Invocation: Sendable, Equatable {
  package let command: Command.Name
  package let operands: [[UInt8]]
  /// What was given for each option, in order; an empty value for those that take none.
  let values: [Flag.Name: [[UInt8]]]

  package init(
    _ command: Command.Name, operands: [[UInt8]] = [], values: [Flag.Name: [[UInt8]]] = [:]
  ) {
    self.command = command
    self.operands = operands
    self.values = values
  }

  /// Whether the option was given.
  package func has(_ flag: Flag.Name) -> Bool { values[flag] != nil }

  /// The option's value; the last one where it was given more than once.
  package func bytes(_ flag: Flag.Name) -> [UInt8]? { values[flag]?.last }

  /// Every value that was given for the option, in order.
  package func all(_ flag: Flag.Name) -> [[UInt8]] { values[flag] ?? [] }

  /// The option's value as text; what is not UTF-8 in it is repaired.
  package func text(_ flag: Flag.Name) -> String? {
    bytes(flag).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The option's value where it is a number; the parser has checked that it is one.
  package func number(_ flag: Flag.Name) -> Int? { text(flag).flatMap { Int($0) } }

  /// The option's value where it is a length of time, which the parser has checked; `nil` for `never`
  /// too.
  package func duration(_ flag: Flag.Name) -> VersoDuration? {
    guard let text = text(flag) else { return nil }
    do throws(WhenError) { return try VersoDuration(parsing: text) } catch { return nil }
  }

  /// The value of `--lines`.
  package var lines: ClosedRange<Int>? { bytes(.lines).flatMap(Self.lines) }

  static func lines(_ text: [UInt8]) -> ClosedRange<Int>? {
    let parts = String(decoding: text, as: UTF8.self)
      .split(separator: "-", omittingEmptySubsequences: false)
    guard 1...2 ~= parts.count, let first = naturalNumber(parts[0]),
      let last = naturalNumber(parts[parts.count - 1]), first >= 1, first <= last
    else { return nil }
    return first...last
  }

  /// The number that these digits make; `nil` for anything else, a sign included.
  static func naturalNumber(_ digits: Substring) -> Int? {
    digits.allSatisfy { $0.isASCII && $0.isNumber } ? Int(digits) : nil
  }
}

// MARK: The options that every command has

extension Invocation {
  package var isQuiet: Bool { has(.quiet) }
  package var isVerbose: Bool { has(.verbose) && !isQuiet }
  package var wantsJSON: Bool { has(.json) }
  package var isDryRun: Bool { has(.dryRun) }
  package var endsNamesWithNUL: Bool { has(.null) }

  package var color: ColorChoice { text(.color).flatMap(ColorChoice.init) ?? .auto }

  /// Seconds to wait for the vault's lock.
  package var wait: Int { number(.wait) ?? 10 }

  /// The folder of `-C`; given more than once, each is relative to the one before, as in git.
  package var directory: [UInt8]? {
    all(.directory).reduce(nil) { (path: [UInt8]?, next) in
      guard let path, next.first != UInt8(ascii: "/") else { return next }
      return next.isEmpty ? path : path + [UInt8(ascii: "/")] + next
    }
  }

  /// The value of `-m`; given more than once, each is a paragraph, as in git.
  package var message: [UInt8]? {
    let paragraphs = all(.message)
    return paragraphs.isEmpty ? nil : Array(paragraphs.joined(separator: [0x0A, 0x0A]))
  }
}
