/// A script of keys and of changes on the disk, for `--script FILE`.
///
/// One step a line; empty lines and those that begin with `#` are nothing. Words are separated by
/// spaces; what takes text takes the rest of the line, in which `\n`, `\t`, `\e` and `\\` stand for
/// a line feed, a tab, an escape byte and a backslash.
package struct Script: Hashable, Sendable {
  /// A step and the number of its line, from 1.
  package struct Entry: Hashable, Sendable {
    package let line: Int
    package let step: Step

    package init(line: Int, step: Step) { (self.line, self.step) = (line, step) }
  }

  package enum Step: Hashable, Sendable {
    /// `size 80x24`
    case size(CellSize)
    /// `key j j Enter Ctrl-S`: keys by their names.
    case keys([KeyEvent])
    /// `type TEXT`: every character a key.
    case type(String)
    /// `paste TEXT`
    case paste(String)
    /// `click X Y [left|middle|right]`, from 0: a button pressed and released.
    case click(CellPoint, MouseEvent.Button)
    /// `drag X Y X Y`: with the left button, from one place to another.
    case drag(CellPoint, CellPoint)
    /// `wheel up|down X Y`
    case wheel(MouseEvent.Kind, CellPoint)
    /// `wait idle`: until nothing is left to do, what the watcher will see included.
    case waitUntilIdle
    /// `wait 120ms`, `wait 2s`: as long as the clock of the browser says.
    case wait(Duration)
    /// `frame [NAME]`: prints what is to be seen.
    case frame(String)
    /// `log`: prints which states were gone to since this was last asked.
    case log
    /// `expect TEXT`, `expect-not TEXT`: the frame has it, or has it not, in one of its rows.
    case expect(String, isThere: Bool)
    /// `write PATH TEXT`, `append PATH TEXT`: a file of the vault, as another program does it.
    case write(path: String, text: String)
    case append(path: String, text: String)
    /// `mkdir PATH`, `touch PATH`, `remove PATH` with all that is in it, `move PATH PATH`.
    case makeFolder(String)
    case touch(String)
    case remove(String)
    case move(String, String)
    /// `suspend`: what the terminal's stop key does.
    case suspend
    /// `end`: the terminal is closed.
    case end
  }

  /// Why a line is not understood.
  package struct LineError: Error, Hashable, Sendable, CustomStringConvertible {
    package let line: Int
    package let problem: String

    package init(line: Int, problem: String) { (self.line, self.problem) = (line, problem) }
    package var description: String { "line \(line): \(problem)" }
  }

  package let entries: [Entry]

  /// Reads a script.
  ///
  /// - Throws: ``LineError`` for the first line that is not understood.
  package init(_ text: String) throws(LineError) {
    var entries: [Entry] = []
    for (index, line) in text.fileLines.enumerated() {
      let trimmed = line.trimmed
      guard !trimmed.isEmpty, !trimmed.hasPrefix("#") else { continue }
      do throws(Problem) {
        var reader = LineReader(line)
        entries.append(Entry(line: index + 1, step: try reader.step()))
      } catch {
        throw LineError(line: index + 1, problem: error.text)
      }
    }
    self.entries = entries
  }

  struct Problem: Error {
    let text: String
    init(_ text: String) { self.text = text }
  }
}

/// Takes a line of a script apart.
private struct LineReader {
  private var rest: Substring

  init(_ line: Substring) { rest = line.trimmedAtStart }

  mutating func step() throws(Script.Problem) -> Script.Step {
    let name = try word("a step")
    let step = try step(named: name)
    guard rest.trimmed.isEmpty else {
      throw .init("“\(name)” does not take “\(rest.trimmed)”")
    }
    return step
  }

  private mutating func step(named name: String) throws(Script.Problem) -> Script.Step {
    switch name {
    case "size": return .size(try size())
    case "key", "keys": return .keys(try keys())
    case "type": return .type(try text())
    case "paste": return .paste(try text())
    case "click": return .click(try point(), try button())
    case "drag": return .drag(try point(), try point())
    case "wheel": return .wheel(try wheel(), try point())
    case "wait": return try wait()
    case "frame":
      defer { rest = "" }
      return .frame(String(rest.trimmed))
    case "log": return .log
    case "expect": return .expect(try text(), isThere: true)
    case "expect-not": return .expect(try text(), isThere: false)
    default: return try diskStep(named: name)
    }
  }

  private mutating func diskStep(named name: String) throws(Script.Problem) -> Script.Step {
    switch name {
    case "write": return .write(path: try path(), text: try text())
    case "append": return .append(path: try path(), text: try text())
    case "mkdir": return .makeFolder(try path())
    case "touch": return .touch(try path())
    case "remove": return .remove(try path())
    case "move": return .move(try path(), try path())
    case "suspend": return .suspend
    case "end": return .end
    default: throw .init("there is no step “\(name)”")
    }
  }

  // MARK: Words

  private mutating func word(_ what: String) throws(Script.Problem) -> String {
    rest = rest.trimmedAtStart
    let word = rest.prefix { $0 != " " && $0 != "\t" }
    guard !word.isEmpty else { throw .init("\(what) is missing") }
    rest = rest.dropFirst(word.count)
    return String(word)
  }

  private mutating func number(_ what: String) throws(Script.Problem) -> Int {
    let text = try word(what)
    guard let number = Int(text) else { throw .init("“\(text)” is not a number") }
    return number
  }

  /// A path of the vault; quotes allow spaces.
  private mutating func path() throws(Script.Problem) -> String {
    rest = rest.trimmedAtStart
    guard rest.first == "\"" else { return try checked(try word("a path")) }
    let body = rest.dropFirst()
    guard let end = body.firstIndex(of: "\"") else { throw .init("a quote is not closed") }
    rest = body[body.index(after: end)...]
    return try checked(String(body[..<end]))
  }

  private func checked(_ path: String) throws(Script.Problem) -> String {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    guard !parts.contains(where: { $0 == "" || $0 == "." || $0 == ".." }) else {
      throw .init("“\(path)” is no path within the vault")
    }
    return path
  }

  /// The rest of the line, but one space before it.
  private mutating func text() throws(Script.Problem) -> String {
    defer { rest = "" }
    var (result, isEscaped) = ("", false)
    for character in rest.dropFirst() {
      guard isEscaped else {
        if character == "\\" { isEscaped = true } else { result.append(character) }
        continue
      }
      isEscaped = false
      switch character {
      case "n": result.append("\n")
      case "t": result.append("\t")
      case "e": result.append("\u{1B}")
      case "\\": result.append("\\")
      default: throw .init("“\\\(character)” stands for nothing")
      }
    }
    guard !isEscaped else { throw .init("“\\” stands for nothing at the end") }
    return result
  }

  // MARK: Values

  private mutating func size() throws(Script.Problem) -> CellSize {
    let text = try word("a size")
    guard let size = CellSize(text) else { throw .init("“\(text)” is not a size like 80x24") }
    return size
  }

  private mutating func keys() throws(Script.Problem) -> [KeyEvent] {
    var keys: [KeyEvent] = []
    repeat {
      let name = try word("a key")
      guard let key = KeyEvent(name: name) else { throw .init("there is no key “\(name)”") }
      keys.append(key)
    } while !rest.trimmed.isEmpty
    return keys
  }

  private mutating func point() throws(Script.Problem) -> CellPoint {
    CellPoint(x: try number("a column"), y: try number("a row"))
  }

  private mutating func button() throws(Script.Problem) -> MouseEvent.Button {
    guard !rest.trimmed.isEmpty else { return .left }
    switch try word("a button") {
    case "left": return .left
    case "middle": return .middle
    case "right": return .right
    case let name: throw .init("there is no button “\(name)”")
    }
  }

  private mutating func wheel() throws(Script.Problem) -> MouseEvent.Kind {
    switch try word("a direction") {
    case "up": return .wheelUp
    case "down": return .wheelDown
    case let name: throw .init("the wheel does not turn “\(name)”")
    }
  }

  private mutating func wait() throws(Script.Problem) -> Script.Step {
    let text = try word("a time, or “idle”,")
    if text == "idle" { return .waitUntilIdle }
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    guard let number = Int(digits), number <= 1_000_000 else {
      throw .init("“\(text)” is not a time like 120ms or 2s")
    }
    switch text.dropFirst(digits.count) {
    case "ms": return .wait(.milliseconds(number))
    case "s": return .wait(.seconds(number))
    default: throw .init("“\(text)” is not a time like 120ms or 2s")
    }
  }
}

extension CellSize {
  /// A size as it is written, such as `80x24`.
  ///
  /// - Returns: `nil` for anything else, and for what is smaller than 1 or larger than 10,000.
  package init?(_ text: some StringProtocol) {
    let parts = text.split(separator: "x", omittingEmptySubsequences: false)
    guard parts.count == 2, let width = Int(parts[0]), let height = Int(parts[1]),
      1...10_000 ~= width, 1...10_000 ~= height
    else { return nil }
    self.init(width: width, height: height)
  }
}

extension StringProtocol {
  fileprivate var trimmedAtStart: SubSequence { drop { $0 == " " || $0 == "\t" } }
}
