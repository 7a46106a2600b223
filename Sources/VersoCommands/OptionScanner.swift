import CLinux
import Glibc

/// The options and operands that `getopt_long` finds, with the table's flags.
struct OptionScanner {
  /// What was given for each option, in order; an empty value for those that take none.
  private(set) var values: [Flag.Name: [[UInt8]]] = [:]
  /// The words that are no options; with `stopsAtOperand`, all from the first of them.
  private(set) var operands: [[UInt8]] = []
  /// Whether an option was wrong.
  private(set) var problem: Problem?

  enum Problem {
    /// No option begins like this word.
    case unknown(String)
    /// Several options begin like this word.
    case ambiguous(String, [String])
    case missingValue(Flag)
    case unexpectedValue(Flag)
  }

  /// Scans until the end or the first problem.
  ///
  /// - Parameters:
  ///   - words: The words after the program's name, or after the command's.
  ///   - flags: The options to know.
  ///   - stopsAtOperand: Whether the first operand ends the options; else they may stand anywhere
  ///     before a `--`.
  init(_ words: [[UInt8]], flags: [Flag], stopsAtOperand: Bool = false) {
    var shorts = stopsAtOperand ? "+:" : ":"
    for flag in flags {
      guard let short = flag.short else { continue }
      shorts += flag.value == nil ? "\(short)" : "\(short):"
    }
    let scan = Self.scan(words, shorts: shorts, flags: flags)
    operands = scan.operands
    for (code, value) in scan.found {
      guard let flag = Self.flag(code, in: flags) else { continue }
      values[flag.name, default: []].append(value)
    }
    problem = scan.end.problem == 0 ? nil : Self.problem(scan.end, scan.word, flags)
    if problem == nil, values[.allowMassDelete] != nil { refuseTooShort(words) }
  }

  /// `--all` means every vault or every version elsewhere: where it is no option, it must not mean the
  /// one that accepts mass deletions.
  private mutating func refuseTooShort(_ words: [[UInt8]]) {
    let typed = words.lazy.map { String(decoding: $0, as: UTF8.self) }
      .filter { $0.count > 2 && "--\(Flag.Name.allowMassDelete.rawValue)".hasPrefix($0) }
    if let word = typed.first, typed.allSatisfy({ $0.count < "--allow".count }) {
      problem = .unknown(word)
    }
  }

  /// Long options have codes from here on, above every character.
  private static let firstCode: Int32 = 0x100

  private static func flag(_ code: Int32, in flags: [Flag]) -> Flag? {
    if code >= firstCode { return flags[Int(code - firstCode)] }
    return flags.first { $0.short?.asciiValue.map(Int32.init) == code }
  }

  private static func problem(
    _ end: verso_options_end, _ word: String, _ flags: [Flag]
  ) -> Problem {
    if let flag = flag(end.code, in: flags), end.code != 0 {
      return end.problem == Int32(UInt8(ascii: ":")) ? .missingValue(flag) : .unexpectedValue(flag)
    }
    if end.code != 0, let short = Unicode.Scalar(UInt32(bitPattern: end.code) & 0xFF) {
      return .unknown("-\(Character(short))")
    }
    let typed = String(word.prefix { $0 != "=" })
    let candidates = flags.compactMap { $0.long.map { "--\($0)" } }.filter { $0.hasPrefix(typed) }
    return candidates.count > 1 ? .ambiguous(typed, candidates) : .unknown(typed)
  }
}

// MARK: The C side

extension OptionScanner {
  private struct Scan {
    var found: [(code: Int32, value: [UInt8])] = []
    var operands: [[UInt8]] = []
    var end = verso_options_end()
    /// The word that holds the problem.
    var word = ""
  }

  private static func scan(_ words: [[UInt8]], shorts: String, flags: [Flag]) -> Scan {
    // getopt_long skips the first word, the program's name.
    var argv = CStrings([Array("verso".utf8)] + words)
    let longs = CStrings(flags.map { Array(($0.long ?? "").utf8) })
    let options = flags.indices.filter { flags[$0].long != nil }.map { index in
      verso_option(
        name: longs.pointers[index], takes_value: flags[index].value == nil ? 0 : 1,
        code: firstCode + Int32(index))
    }
    var scan = Scan()
    var end = verso_options_end()
    withUnsafeMutablePointer(to: &scan) { context in
      verso_parse_options(
        Int32(words.count + 1), &argv.pointers, shorts, options, Int32(options.count), context,
        { context, code, value in
          let scan = context?.assumingMemoryBound(to: Scan.self)
          scan?.pointee.found.append((code, value.map(CStrings.bytes) ?? []))
        }, &end)
    }
    scan.end = end
    scan.word = scan.end.word.map { String(decoding: CStrings.bytes($0), as: UTF8.self) } ?? ""
    scan.operands = argv.pointers.dropLast().dropFirst(Int(scan.end.first_operand))
      .compactMap { $0.map { CStrings.bytes($0) } }
    return scan
  }
}

/// A NULL-terminated array of C strings, as `argv` is one, freed when dropped.
struct CStrings: ~Copyable {
  var pointers: [UnsafeMutablePointer<CChar>?]
  private let owned: [UnsafeMutablePointer<CChar>?]

  init(_ strings: [[UInt8]]) {
    owned = strings.map { bytes in bytes.withUnsafeBytes { Self.copy($0) } }
    pointers = owned + [nil]
  }

  deinit { for pointer in owned { free(pointer) } }

  private static func copy(_ bytes: UnsafeRawBufferPointer) -> UnsafeMutablePointer<CChar>? {
    guard let base = bytes.baseAddress else { return strdup("") }
    return strndup(base.assumingMemoryBound(to: CChar.self), bytes.count)
  }

  /// The bytes up to the NUL.
  static func bytes(_ string: UnsafePointer<CChar>) -> [UInt8] {
    UnsafeRawBufferPointer(start: string, count: strlen(string)).map { $0 }
  }
}
