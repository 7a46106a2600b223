import VersoGit
import VersoModel

/// For each file of a tip, the saves that only the tip's side has and that touched it.
struct OwnSaves {
  /// Saves that changed what is in a file, and those that changed its name.
  struct Touches {
    var content: Set<ObjectID> = []
    var name: Set<ObjectID> = []

    mutating func formUnion(_ other: Touches) {
      content.formUnion(other.content)
      name.formUnion(other.name)
    }
  }

  private typealias Files = [RelativePath: Touches]

  /// Files that no save of this side touched are not among them.
  private(set) var files: [RelativePath: Touches] = [:]

  private let reader: MergeReader
  private let commits: Set<ObjectID>
  private var known: [ObjectID: Files] = [:]
  private var uses: [ObjectID: Int] = [:]

  /// Looks through `commits`, what only the tip's side has, parents first.
  init(of tip: ObjectID, over commits: [ObjectID], _ reader: MergeReader) throws(GitError) {
    self.reader = reader
    self.commits = Set(commits)
    for id in commits {
      for parent in try reader.node(id).commit.parents where self.commits.contains(parent) {
        uses[parent, default: 0] += 1
      }
    }
    for id in commits { known[id] = try touches(id) }
    files = known[tip] ?? [:]
    known = [:]
  }

  private mutating func take(_ id: ObjectID) -> Files {
    uses[id, default: 1] -= 1
    return (uses[id] == 0 ? known.removeValue(forKey: id) : known[id]) ?? [:]
  }

  private mutating func touches(_ id: ObjectID) throws(GitError) -> Files {
    let node = try reader.node(id)
    let parents = node.commit.parents
    var files: Files
    if parents.count == 1, commits.contains(parents[0]) {
      files = try inherited(take(parents[0]), by: id)
    } else {
      files = try combined(id, parents)
    }
    if node.commit.isMerge { return files }
    try addOwn(id, parents, to: &files)
    return files
  }

  /// What a child has of what its only parent knows, each file under its new name.
  private func inherited(_ before: Files, by id: ObjectID) throws(GitError) -> Files {
    let tree = try reader.node(id).tree
    let parent = try reader.node(id).commit.parents[0]
    let moves = try reader.moves(of: id)[0]
    var files = before
    var moved: Files = [:]
    for (old, new) in moves.sorted(by: { $0.key < $1.key }) where moved[new] == nil {
      moved[new] = before[old] ?? Touches()
    }
    for change in try reader.difference(reader.node(parent).tree, tree)
    where change.old == nil || change.new == nil {
      files.removeValue(forKey: change.path)
    }
    for (old, new) in moves {
      files.removeValue(forKey: old)
      files.removeValue(forKey: new)
    }
    for (path, touches) in moved { files[path] = touches }
    return files
  }

  private mutating func combined(
    _ id: ObjectID, _ parents: [ObjectID]
  ) throws(GitError) -> Files {
    let tree = try reader.node(id).tree
    var files: Files = [:]
    for (number, parent) in parents.enumerated() where commits.contains(parent) {
      let before = take(parent)
      let moves = try reader.moves(of: id)[number]
      let sources = MoveSources(moves)
      let parentTree = try reader.node(parent).tree
      for path in Set(before.keys).union(before.keys.compactMap { moves[$0] }) {
        guard try reader.file(at: path, in: tree) != nil,
          let old = try sources.source(of: path, in: parentTree, reader),
          let touches = before[old]
        else { continue }
        files[path, default: Touches()].formUnion(touches)
      }
    }
    return files
  }

  /// Adds a save itself to the files that it changed or named.
  ///
  /// A merge that somebody else's tool made is a save where its file is that of none of its parents.
  private func addOwn(
    _ id: ObjectID, _ parents: [ObjectID], to files: inout Files
  ) throws(GitError) {
    let tree = try reader.node(id).tree
    var changes: [RelativePath: (content: Bool, name: Bool)] = [:]
    for number in parents.isEmpty ? [-1] : Array(parents.indices) {
      let found = try self.changes(
        of: id, tree, parent: number < 0 ? nil : (number, parents[number]))
      if number <= 0 {
        changes = found
      } else {
        for (path, change) in changes {
          let other = found[path] ?? (false, false)
          changes[path] = (change.content && other.content, change.name && other.name)
        }
      }
    }
    for (path, change) in changes {
      if change.content { files[path, default: Touches()].content.insert(id) }
      if change.name { files[path, default: Touches()].name.insert(id) }
    }
  }

  /// Which files a commit has otherwise than a parent.
  private func changes(
    of id: ObjectID, _ tree: LayeredTree, parent: (number: Int, id: ObjectID)?
  ) throws(GitError) -> [RelativePath: (content: Bool, name: Bool)] {
    guard let parent else {
      let all = try reader.files(of: tree)
      return Dictionary(uniqueKeysWithValues: all.map { ($0, (content: true, name: true)) })
    }
    let before = try reader.node(parent.id).tree
    let moves = try reader.moves(of: id)[parent.number]
    let sources = MoveSources(moves)
    var found: [RelativePath: (content: Bool, name: Bool)] = [:]
    let changed = try reader.difference(before, tree).map(\.path)
    for path in Set(changed).union(moves.values) {
      guard let file = try reader.file(at: path, in: tree) else { continue }
      if let old = try sources.source(of: path, in: before, reader) {
        found[path] = (try reader.file(at: old, in: before) != file, old != path)
      } else {
        found[path] = (true, true)
      }
    }
    return found
  }
}
