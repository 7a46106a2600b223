import Glibc

/// Notes of about 1 KB of made-up words, spread over folders in folders. The same every time.
struct Corpus {
  let root: String
  let count: Int
  private let folders: [String]
  private let words: [[UInt8]]

  /// The shape for so many notes: 50 in a folder.
  private static func shape(_ count: Int) -> (top: Int, sub: Int) {
    switch count {
    case ..<1_000: (2, 3)
    case ..<10_000: (4, 5)
    case ..<100_000: (10, 20)
    case ..<1_000_000: (40, 50)
    default: (100, 200)
    }
  }

  init(root: String, count: Int) {
    self.root = root
    self.count = count
    var random = Random(state: 7)
    words = Self.words(&random)
    let (top, sub) = Self.shape(count)
    var folders: [String] = []
    for i in 0..<top {
      for j in 0..<sub {
        folders.append("\(padded(i, 2))-\(text(words[i]))/\(padded(j, 2))-\(text(words[100 + j]))")
      }
    }
    self.folders = folders
  }

  private static func words(_ random: inout Random) -> [[UInt8]] {
    let consonants = Array("bcdfghklmnprstvz".utf8)
    let vowels = Array("aeiou".utf8)
    return (0..<4_000).map { _ in
      var word: [UInt8] = []
      for _ in 0...random.below(4) {
        word.append(consonants[random.below(consonants.count)])
        word.append(vowels[random.below(vowels.count)])
      }
      return word
    }
  }

  /// A note's path below the root.
  func path(_ number: Int) -> String {
    "\(folders[number % folders.count])/note-\(padded(number, 7)).md"
  }

  /// Writes all notes.
  func make() throws(BenchError) {
    var random = Random(state: 11)
    for (number, folder) in folders.enumerated() {
      try makeFolders("\(root)/\(folder)")
      for note in stride(from: number, to: count, by: folders.count) {
        try overwrite("\(root)/\(path(note))", with: body(of: note, &random))
      }
    }
  }

  private func body(of note: Int, _ random: inout Random) -> [UInt8] {
    var bytes = Array("# Note \(note)\n\n".utf8)
    var size = 0
    while size < 960 {
      let start = bytes.count
      for position in 0..<12 {
        if position > 0 { bytes.append(UInt8(ascii: " ")) }
        bytes += words[random.below(words.count)]
      }
      bytes += [UInt8(ascii: "."), UInt8(ascii: "\n")]
      size += bytes.count - start
    }
    return bytes
  }

  /// Changes a note by one more line.
  func edit(_ note: Int, _ line: String) throws(BenchError) {
    let name = "\(root)/\(path(note))"
    let file = open(name, O_WRONLY | O_APPEND | O_CLOEXEC)
    defer { close(file) }
    let bytes = Array((line + "\n").utf8)
    guard file >= 0, write(file, bytes, bytes.count) == bytes.count else {
      throw BenchError("cannot write \(name)")
    }
  }
}

/// SplitMix64: small, fast, the same everywhere.
struct Random {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
}

private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

private func padded(_ number: Int, _ width: Int) -> String {
  let digits = String(number)
  return String(repeating: "0", count: max(0, width - digits.count)) + digits
}

func makeFolders(_ path: String) throws(BenchError) {
  var made = ""
  for part in path.split(separator: "/") {
    made += "/\(part)"
    if mkdir(made, 0o777) != 0, errno != EEXIST { throw BenchError("cannot make \(made)") }
  }
}

func overwrite(_ path: String, with bytes: [UInt8]) throws(BenchError) {
  let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
  defer { close(file) }
  guard file >= 0, write(file, bytes, bytes.count) == bytes.count else {
    throw BenchError("cannot write \(path)")
  }
}
