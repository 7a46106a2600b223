import Testing
import VersoGit
import VersoHistory
import VersoModel
import VersoTestSupport

/// Which files that went are which of those that came, where contents are equal.
@Suite struct RenamesTests {
  private static func repository() throws -> (scratch: Scratch, repository: Repository) {
    let scratch = try Scratch(inMemory: true)
    try scratch.git("init", "-q")
    return (scratch, try Repository(at: scratch.path))
  }

  /// An id that no object has.
  private static func id(_ number: Int) throws -> ObjectID {
    let digits = String(number, radix: 16)
    return try #require(ObjectID(hex: String(repeating: "f", count: 40 - digits.count) + digits))
  }

  private static func entry(
    _ path: String, old: PathFinder.Found? = nil, new: PathFinder.Found? = nil
  ) throws -> TreeDifference.Entry {
    .init(path: try #require(RelativePath(Array(path.utf8))), old: old, new: new)
  }

  /// The plainest way: for each file that came a look at all that went.
  private static func plainly(_ entries: [TreeDifference.Entry]) -> [Renames.Pair] {
    var left = entries.filter { $0.new == nil }
    var pairs: [Renames.Pair] = []
    for entry in entries {
      guard entry.old == nil, let new = entry.new else { continue }
      let same = left.filter {
        $0.old?.id == new.id && ($0.old?.mode ?? 0) & 0o170000 == new.mode & 0o170000
      }
      let named = same.first { $0.path.name.elementsEqual(entry.path.name) }
      guard let source = named ?? same.first else { continue }
      left.removeAll { $0.path == source.path }
      pairs.append(.init(old: source.path, new: entry.path, percent: 100))
    }
    return pairs
  }

  @Test(arguments: seeds(isFullRun ? 400 : 60))
  func `equal contents are paired, those of one name first`(seed: UInt64) throws {
    let (scratch, repository) = try Self.repository()
    var random = SeededGenerator(seed: seed)
    let modes: [Item.Kind] = [.file, .file, .executable, .link]
    var entries: [TreeDifference.Entry] = []
    for number in 0..<Int.random(in: 1...60, using: &random) {
      let kind = modes.randomElement(using: &random) ?? .file
      let content = Int.random(in: 0...3, using: &random)
      let file = PathFinder.Found(mode: kind.rawValue, id: try Self.id(content))
      let name = "\(number)/n\(Int.random(in: 0...3, using: &random))"
      entries.append(
        random.chance(2)
          ? try Self.entry(name, old: file) : try Self.entry(name, new: file))
    }
    #expect(try Renames.find(in: entries, of: repository) == Self.plainly(entries), "seed \(seed)")
    withExtendedLifetime(scratch) {}
  }

  /// Empty notes all have one content: what grows with their square takes minutes.
  @Test(arguments: ["n", "n%"])
  func `tens of thousands of notes of one content are paired in a moment`(name: String) throws {
    let (scratch, repository) = try Self.repository()
    let file = PathFinder.Found(mode: Item.Kind.file.rawValue, id: try Self.id(0))
    var entries: [TreeDifference.Entry] = []
    for number in 0..<30_000 {
      let name = name.replacing("%", with: "\(number)")
      entries.append(try Self.entry("a/\(number)/\(name)", old: file))
      entries.append(try Self.entry("b/\(number)/\(name)", new: file))
    }
    let pairs = try Renames.find(in: entries, of: repository)
    #expect(pairs.count == 30_000)
    #expect(pairs.allSatisfy { $0.old.bytes.dropFirst() == $0.new.bytes.dropFirst() })
    withExtendedLifetime(scratch) {}
  }
}
