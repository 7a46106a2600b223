import Testing
import VersoGit
import VersoHistory
import VersoModel
import VersoTestSupport

/// Random histories whose generator keeps what happened to each note, beside what history tells.
@Suite struct ModelHistoryTests {
  /// What is to be told of each name, newest first: mark, letter, name at that time.
  private struct Model {
    var script = Script()
    private var random: SeededGenerator
    private var serial = 0
    private var texts: [String: String] = [:]
    /// Of the notes that are there.
    private(set) var stories: [String: [String]] = [:]
    /// Of the names that are vacant.
    private(set) var pasts: [String: [String]] = [:]

    init(seed: UInt64, count: Int) {
      random = SeededGenerator(seed: seed)
      for mark in 1...count { commit(mark) }
    }

    private mutating func name() -> String {
      let folder = ["", "a/", "b/", "a/deep/"].randomElement(using: &random) ?? ""
      return "\(folder)n\(Int.random(in: 1...6, using: &random)).md"
    }

    private mutating func text() -> String {
      serial += 1
      return paragraph("p\(serial)")
    }

    private mutating func commit(_ mark: Int) {
      var edits: [Script.Edit] = []
      var trailers: [String] = []
      let present = texts.keys.sorted()
      let path = present.randomElement(using: &random)
      switch (Int.random(in: 0...9, using: &random), path) {
      case (0...2, _), (_, nil): add(mark, &edits)
      case (3...5, let path?):
        serial += 1
        write((texts[path] ?? "") + "more \(serial)\n", to: path, &edits)
        stories[path]?.insert("\(mark) M \(path)", at: 0)
      case (6, let path?): delete(path, mark, &edits)
      case (7...8, let path?): rename(path, to: name(), mark, &edits, &trailers)
      case (_, let path?):
        let folder = path.split(separator: "/").dropLast().joined(separator: "/")
        if folder.isEmpty { break }
        for old in present where old.hasPrefix(folder + "/") {
          rename(old, to: "moved/" + old, mark, &edits, &trailers)
        }
      }
      // Clocks jump, also back; nothing depends on them in one line of commits.
      let skew = random.chance(5) ? Int64.random(in: -500_000...500_000, using: &random) : 0
      let body = trailers.isEmpty ? "" : "\n\n" + trailers.joined(separator: "\n")
      script.commit("c\(mark)\n\nbody\(body)\n", edits, at: 1_600_000_000 + Int64(mark) * 60 + skew)
    }

    private mutating func write(_ text: String, to path: String, _ edits: inout [Script.Edit]) {
      texts[path] = text
      edits.append(.write(path, text))
    }

    private mutating func add(_ mark: Int, _ edits: inout [Script.Edit]) {
      let path = name()
      if texts[path] != nil { return }
      write(text(), to: path, &edits)
      stories[path] = ["\(mark) A \(path)"] + (pasts.removeValue(forKey: path) ?? [])
    }

    private mutating func delete(_ path: String, _ mark: Int, _ edits: inout [Script.Edit]) {
      edits.append(.delete(path))
      texts[path] = nil
      pasts[path] = ["\(mark) D \(path)"] + (stories.removeValue(forKey: path) ?? [])
    }

    private mutating func rename(
      _ old: String, to new: String, _ mark: Int, _ edits: inout [Script.Edit],
      _ trailers: inout [String]
    ) {
      guard texts[new] == nil, let text = texts[old] else { return }
      let story = stories[old] ?? []
      delete(old, mark, &edits)
      // Rewritten besides, so that only the trailer tells.
      let isRewritten = random.chance(3)
      write(isRewritten ? self.text() : text, to: new, &edits)
      if isRewritten || random.chance(2) { trailers.append("Verso-Renamed: \(old) -> \(new)") }
      // Whoever takes a vacant name brings a history of his own.
      pasts[new] = nil
      stories[new] = ["\(mark) R \(new)"] + story
    }
  }

  @Test(arguments: seeds(isFullRun ? 300 : 20))
  func `history tells of every name what happened to it`(seed: UInt64) throws {
    let model = Model(seed: seed, count: 60)
    let vault = try model.script.run()
    for (name, story) in model.stories.merging(model.pasts, uniquingKeysWith: { a, _ in a }) {
      // The walk is compared with the one by an index on the way.
      let found = try vault.story(RelativePath(stringLiteral: name))
      #expect(found == story, "seed \(seed), \(name)")
    }
    #expect(model.pasts.count > 2 || model.stories.count > 2)
  }
}
