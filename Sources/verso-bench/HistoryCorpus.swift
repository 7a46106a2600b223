import Glibc

/// A long history of notes: most edits fall on few of them, one commit in a hundred renames, one in
/// fifty is a small branch that comes back.
///
/// It is the same every time.
struct HistoryCorpus {
  let root: String
  /// A note that was changed often, and one that hardly was.
  private(set) var busy = ""
  private(set) var rare = ""
  /// A phrase that one old version of a note had, and that nobody has now.
  private(set) var phrase = ""
  /// A time in the middle, in seconds since 1970.
  private(set) var middle: Int64 = 0

  private let words: [String]
  private var random = Random(state: 11)
  private var paths: [String]
  private var texts: [[String]] = []
  private var time: Int64 = 1_600_000_000
  private var mark = 0
  private var edits: [Int]

  init(root: String, notes: Int) {
    self.root = root
    var random = Random(state: 5)
    words = (0..<3_000).map { _ in
      let letters = (0..<(2 + random.below(8))).map { _ in 97 + UInt8(random.below(26)) }
      return String(decoding: letters, as: UTF8.self)
    }
    paths = (0..<notes).map { "d\($0 % 20)/s\($0 / 20 % 5)/note-\($0).md" }
    edits = [Int](repeating: 0, count: notes)
  }

  /// Makes the repository with so many commits.
  mutating func make(_ commits: Int, _ place: Workplace) throws(BenchError) {
    try makeFolders(root)
    let name = "\(root).stream"
    guard let file = fopen(name, "w") else { throw BenchError("cannot write \(name)") }
    write(commits, to: file)
    fclose(file)
    let corpus = Corpus(root: root, count: paths.count)
    try place.git(["init", "-q"], in: corpus)
    try Child.run(
      ["sh", "-c", "git fast-import --quiet < '\(name)' && git reset -q --hard"], in: root,
      environment: place.environment)
    unlink(name)
  }

  private mutating func write(_ commits: Int, to file: UnsafeMutablePointer<FILE>) {
    texts = paths.indices.map { number in
      ["# Note \(number)", ""] + (0..<14).map { _ in line() }
    }
    var head = commit("import", paths.indices.map(written).joined(), to: file)
    while mark < commits {
      if mark * 2 >= commits, middle == 0 { middle = time }
      switch random.below(100) {
      case 0: head = rename(after: head, file)
      case 1, 2: head = branch(after: head, file)
      default: head = commit("edit", edit(picked()), from: head, to: file)
      }
    }
    let order = edits.indices.sorted { edits[$0] > edits[$1] }
    // About 120 versions, as a note that is worked on for half a year.
    busy = paths[order.first { edits[$0] <= 120 } ?? order[0]]
    rare = paths[order[order.count - 1]]
  }

  private mutating func rename(after head: Int, _ file: UnsafeMutablePointer<FILE>) -> Int {
    let note = picked()
    let before = paths[note]
    paths[note] = "d\(random.below(20))/s\(random.below(5))/renamed-\(note)-\(mark).md"
    return commit("rename", "R \(before) \(paths[note])\n", from: head, to: file)
  }

  private mutating func branch(after base: Int, _ file: UnsafeMutablePointer<FILE>) -> Int {
    let one = picked()
    var other = picked()
    while other == one { other = random.below(paths.count) }
    let side = commit("side", edit(one), from: base, to: file)
    let main = commit("main", edit(other), from: base, to: file)
    return commit("merge", written(one), from: main, merging: side, to: file)
  }

  /// Half of the edits fall on few notes.
  private mutating func picked() -> Int {
    if random.below(2) == 0 { return random.below(paths.count) }
    let part = random.below(1_000) + 1
    return min(paths.count - 1, 1_000_000 / (part * part) % paths.count)
  }

  private mutating func line() -> String {
    (0..<12).map { _ in words[random.below(words.count)] }.joined(separator: " ") + "."
  }

  private mutating func edit(_ note: Int) -> String {
    edits[note] += 1
    let place = random.below(texts[note].count)
    // One line of the first tenth of history, if it is overwritten later, is what is searched for.
    if phrase.isEmpty, edits[note] > 3, texts[note][place].count > 20 {
      phrase = texts[note][place].split(separator: " ").prefix(4).joined(separator: " ")
    }
    texts[note][place] = line()
    return written(note)
  }

  private func written(_ note: Int) -> String {
    let text = texts[note].joined(separator: "\n") + "\n"
    return "M 100644 inline \(paths[note])\ndata \(text.utf8.count)\n\(text)\n"
  }

  private mutating func commit(
    _ message: String, _ changes: String, from parent: Int? = nil, merging other: Int? = nil,
    to file: UnsafeMutablePointer<FILE>
  ) -> Int {
    mark += 1
    time += 300
    var text = "commit refs/heads/main\nmark :\(mark)\n"
    text += "committer N <n@example.invalid> \(time) +0000\ndata \(message.utf8.count)\n"
    text += message + "\n"
    if let parent { text += "from :\(parent)\n" }
    if let other { text += "merge :\(other)\n" }
    text += changes
    fputs(text, file)
    return mark
  }
}
