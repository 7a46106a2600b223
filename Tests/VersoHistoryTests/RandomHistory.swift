import VersoModel
import VersoTestSupport

/// A history of random edits on random branches, with what every commit holds.
struct RandomHistory {
  var script = Script()
  /// What each commit holds, by mark.
  private(set) var trees: [Int: [String: String]] = [:]
  private var generator: SeededGenerator
  private var serial = 0
  /// All names that there ever were, folders among them.
  private(set) var names: Set<String> = []

  /// Makes `count` commits.
  ///
  /// - Parameter branches: Whether there are branches and merges.
  init(seed: UInt64, count: Int, branches: Bool) {
    generator = SeededGenerator(seed: seed)
    for mark in 1...count { add(mark, branches: branches) }
  }

  private mutating func add(_ mark: Int, branches: Bool) {
    var parents = mark > 1 ? [mark - 1] : []
    if branches, mark > 1 {
      parents = [max(1, mark - Int.random(in: 1...3, using: &generator))]
      let other = max(1, mark - Int.random(in: 1...6, using: &generator))
      if generator.chance(3), other != parents[0] { parents.append(other) }
    }
    var tree = parents.first.flatMap { trees[$0] } ?? [:]
    let start = tree
    if parents.count > 1, let other = trees[parents[1]] { merge(other, into: &tree) }
    var trailers: [String] = []
    for _ in 0..<Int.random(in: parents.count > 1 ? 0...1 : 1...3, using: &generator) {
      edit(&tree, &trailers)
    }
    script.commit(
      "c\(mark)\n\nbody\n\n\(trailers.joined(separator: "\n"))\n",
      Self.edits(from: start, to: tree),
      parents: parents)
    trees[mark] = tree
    for path in tree.keys {
      let path = RelativePath(stringLiteral: path)
      for name in [path] + path.ancestors { names.insert("\(name)") }
    }
  }

  /// Takes some paths from the other side, and joins none.
  private mutating func merge(_ other: [String: String], into tree: inout [String: String]) {
    for path in Set(tree.keys).union(other.keys).sorted() where tree[path] != other[path] {
      if generator.chance(2) { Self.put(other[path], at: path, in: &tree) }
    }
  }

  /// Writes or removes a file; what stands in its way goes.
  private static func put(_ text: String?, at path: String, in tree: inout [String: String]) {
    guard let text else {
      tree[path] = nil
      return
    }
    let name = RelativePath(stringLiteral: path)
    for other in tree.keys {
      let there = RelativePath(stringLiteral: other)
      if there != name, there.contains(name) || name.contains(there) { tree[other] = nil }
    }
    tree[path] = text
  }

  private mutating func freshName() -> String {
    let folders = ["", "a/", "b/", "a/deep/", "c/d/e/"]
    let folder = folders.randomElement(using: &generator) ?? ""
    return "\(folder)n\(Int.random(in: 1...9, using: &generator)).md"
  }

  private mutating func text() -> String {
    serial += 1
    return paragraph("s\(serial)")
  }

  private mutating func edit(_ tree: inout [String: String], _ trailers: inout [String]) {
    let path = tree.keys.sorted().randomElement(using: &generator)
    switch (Int.random(in: 0...9, using: &generator), path) {
    case (0...1, _), (_, nil): Self.put(text(), at: freshName(), in: &tree)
    case (2...4, let path?):
      serial += 1
      tree[path] = (tree[path] ?? "") + "line \(serial) more\n"
    case (5, let path?): tree[path] = nil
    case (6, let path?): rename(path, &tree, &trailers)
    case (7, let path?):
      // A folder moves, or what is left of it.
      let folder = path.contains("/") ? String(path.prefix { $0 != "/" }) : nil
      guard let folder else { return }
      for (old, text) in tree.sorted(by: { $0.key < $1.key }) where old.hasPrefix(folder + "/") {
        tree[old] = nil
        Self.put(text, at: "moved" + old.dropFirst(folder.count), in: &tree)
      }
    case (8, let path?):
      // A file becomes a folder.
      let text = tree[path]
      tree[path] = nil
      Self.put(text, at: path + "/inner.md", in: &tree)
    case (_, let path?):
      guard let other = tree.keys.sorted().randomElement(using: &generator) else { return }
      (tree[path], tree[other]) = (tree[other], tree[path])
    }
  }

  private mutating func rename(
    _ path: String, _ tree: inout [String: String], _ trailers: inout [String]
  ) {
    let goal = freshName()
    guard goal != path, let text = tree[path] else { return }
    tree[path] = nil
    // Without a likeness only the trailer tells.
    Self.put(generator.chance(2) ? text : self.text(), at: goal, in: &tree)
    if generator.chance(2) { trailers.append("Verso-Renamed: \(path) -> \(goal)") }
  }

  private static func edits(
    from old: [String: String], to new: [String: String]
  ) -> [Script.Edit] {
    let gone = old.keys.filter { new[$0] == nil }.sorted().map { Script.Edit.delete($0) }
    let written = new.filter { old[$0.key] != $0.value }.sorted { $0.key < $1.key }
    return gone + written.map { Script.Edit.write($0.key, $0.value) }
  }
}
