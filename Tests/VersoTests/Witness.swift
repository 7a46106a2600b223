import VersoModel

@testable import Verso
@testable import VersoWatch

/// What a watched vault is like at rest.
struct Rest: Sendable {
  /// What the disk holds; `nil` for folders.
  var disk: [RelativePath: LiveFile?] = [:]
  /// What the watcher believes.
  var model: [RelativePath: LiveFile?] = [:]
  /// Which folders the watcher believes to be where.
  var folders: [RelativePath: FileIdentity] = [:]
  /// Where another folder is than the watcher believes.
  var strangers: [RelativePath] = []
  /// Files with one name only.
  var single: [FileIdentity: RelativePath] = [:]
  /// The content's id by path, as of the last version.
  var contents: [RelativePath: String] = [:]
}

/// Somebody who was told of every change, and knows what was really done.
struct Witness {
  /// What was seen in a walk, in numbers.
  struct Sum: CustomStringConvertible {
    var renames = 0
    var simpleRenames = 0
    var renamesInHistory = 0
    var description: String {
      "\(renames) renames told, \(simpleRenames) of them simple, \(renamesInHistory) in history"
    }
  }

  private var before: Rest
  /// How many events are known.
  private var known: Int

  init(_ rest: Rest, events: Int) {
    before = rest
    known = events
  }

  mutating func problems(
    _ rest: Rest, _ events: [Watcher.Event], _ deeds: [Walk.Deed], isHistoryWhole: Bool,
    _ sum: inout Sum
  ) -> [String] {
    defer { (before, known) = (rest, events.count) }
    let news = events[known...]
    var problems: [String] = []
    for path in Set(rest.disk.keys).union(rest.model.keys) {
      if !Self.isSame(rest.model[path], rest.disk[path]) {
        problems.append("\(path): " + Self.difference(rest.model[path], rest.disk[path]))
      }
    }
    problems += rest.strangers.map { "\($0) is another folder than the model has" }
    let origins = origins(after: news, &problems)
    for path in Set(origins.keys).symmetricDifference(rest.disk.keys) {
      problems.append("\(path) is \(rest.disk[path] == nil ? "not " : "")there, against the events")
    }
    for case (let path, let origin?) in origins where origin != path {
      sum.renames += 1
      if !places(of: origin, deeds).contains(path.bytes) {
        problems.append("\(origin) was never renamed to \(path)")
      }
    }
    let wasHeld = news.contains { event in
      if case .saved(let outcome) = event { !outcome.held.isEmpty } else { false }
    }
    for (old, new) in simpleRenames(to: rest, deeds) {
      sum.simpleRenames += 1
      if origins[new] != .some(old) {
        problems.append("not told: \(old) was renamed to \(new)")
      }
      guard isHistoryWhole, !wasHeld, isMovedContent(from: old, to: new, rest) else { continue }
      sum.renamesInHistory += 1
      let change = PathChange(.renamed, new, from: old)
      let isSaved = news.contains { event in
        if case .saved(let outcome) = event { outcome.changes.contains(change) } else { false }
      }
      if isSaved { continue }
      problems.append("not in history: \(old) was renamed to \(new)")
      for case .saved(let outcome) in news {
        let saved = outcome.changes.filter {
          [old, new].contains($0.path) || [old, new].contains($0.oldPath)
        }
        if !saved.isEmpty { problems.append("but \(outcome.subject ?? ""): \(saved)") }
      }
    }
    if !problems.isEmpty { problems.append(Self.story(deeds, news)) }
    return problems
  }

  private static func isSame(_ a: LiveFile??, _ b: LiveFile??) -> Bool {
    guard let a, let b else { return (a == nil) == (b == nil) }
    guard let a, let b else { return (a == nil) == (b == nil) }
    // The status of a file changes without an event when another name of it comes or goes.
    return a.identity == b.identity && a.isSame(apartFromNames: b)
  }

  private static func difference(_ model: LiveFile??, _ disk: LiveFile??) -> String {
    "model \(String(describing: model)), disk \(String(describing: disk))"
  }

  /// What is there now, to one who was told of all changes, and where it was before; `nil` for what is
  /// new.
  private func origins(
    after events: ArraySlice<Watcher.Event>, _ problems: inout [String]
  ) -> [RelativePath: RelativePath?] {
    var origins: [RelativePath: RelativePath?] = [:]
    for path in before.disk.keys { origins[path] = path }
    for case .changed(let changes) in events { Self.apply(changes, to: &origins, &problems) }
    return origins
  }

  private static func apply(
    _ changes: [LiveChange], to origins: inout [RelativePath: RelativePath?],
    _ problems: inout [String]
  ) {
    func take(_ path: RelativePath) -> [(path: RelativePath, origin: RelativePath?)] {
      let taken = origins.filter { $0.key == path || path.contains($0.key) }
      for path in taken.keys { origins[path] = nil }
      if taken.isEmpty { problems.append("nothing was known at \(path) that went") }
      return taken.map { ($0.key, $0.value) }
    }
    func put(_ path: RelativePath, _ origin: RelativePath?) {
      if origins.updateValue(origin, forKey: path) != nil {
        problems.append("something was known at \(path) when more came")
      }
    }
    var renames: [(from: RelativePath, to: RelativePath)] = []
    for case .renamed(let from, let to) in changes { renames.append((from, to)) }
    var moved: [(path: RelativePath, origin: RelativePath?)] = []
    var leaving = renames.map { (from: $0.from, to: Optional($0.to)) }
    for case .removed(let path) in changes { leaving.append((path, nil)) }
    // What a folder holds goes before the folder.
    for (from, to) in leaving.sorted(by: { $1.from < $0.from }) {
      for (path, origin) in take(from) {
        if let to { moved.append((path.replacing(prefix: from, with: to) ?? to, origin)) }
      }
    }
    for change in changes {
      switch change {
      case .added(let path, _), .addedFolder(let path): put(path, nil)
      case .modified, .removed, .renamed: continue
      }
    }
    for (path, origin) in moved { put(path, origin) }
    for case .modified(let path) in changes where origins[path] == nil {
      problems.append("\(path) is modified and not there")
    }
  }

  // MARK: What was really done

  /// All of it, for whoever has to find out what went wrong.
  private static func story(
    _ deeds: [Walk.Deed], _ events: ArraySlice<Watcher.Event>
  ) -> String {
    var lines = deeds.map { deed in
      func text(_ path: [UInt8]) -> String {
        String(decoding: path, as: UTF8.self).debugDescription
      }
      return switch deed {
      case .made(let path): "made \(text(path))"
      case .renamed(let old, let new): "renamed \(text(old)) to \(text(new))"
      case .linked(let old, let new): "linked \(text(old)) to \(text(new))"
      }
    }
    for event in events {
      lines.append("told")
      if case .changed(let changes) = event { lines += changes.map { "  \($0)" } }
    }
    return "\n" + lines.joined(separator: "\n")
  }

  /// Where that which was at a path may be by now.
  ///
  /// Nobody can tell by which of its names a file came; one that takes the place of another file is that
  /// one's new content, and brings its other names with it.
  private func places(of origin: RelativePath, _ deeds: [Walk.Deed]) -> Set<[UInt8]> {
    var places: Set<[UInt8]> = [origin.bytes]
    var names = namesBefore
    for group in names where group.contains(origin.bytes) { places.formUnion(group) }
    for deed in deeds {
      switch deed {
      case .made: continue
      case .renamed(let old, let new):
        places.formUnion(Self.moved(places, from: old, to: new))
        for index in names.indices { Self.rename(old, to: new, in: &names[index]) }
      case .linked(let old, let new):
        places.formUnion(Self.moved(places, from: old, to: new))
        for index in names.indices where names[index].contains(old) { names[index].insert(new) }
        names.append([old, new])
      }
      for group in names where !group.isDisjoint(with: places) { places.formUnion(group) }
    }
    return places
  }

  /// The names of each file that had several.
  private var namesBefore: [Set<[UInt8]>] {
    var names: [FileIdentity: Set<[UInt8]>] = [:]
    for case (let path, let file?) in before.disk where file.links > 1 {
      names[file.identity, default: []].insert(path.bytes)
    }
    return Array(names.values)
  }

  private static func rename(
    _ old: [UInt8], to new: [UInt8], in names: inout Set<[UInt8]>
  ) {
    // Renaming a name of a file to another one of it does nothing, says rename(2).
    if names.contains(old), names.contains(new) { return }
    let moved = moved(names, from: old, to: new)
    names = names.filter { !isAtOrBelow($0, old) && !isAtOrBelow($0, new) }.union(moved)
  }

  private static func moved(
    _ paths: Set<[UInt8]>, from old: [UInt8], to new: [UInt8]
  ) -> Set<[UInt8]> {
    Set(paths.filter { isAtOrBelow($0, old) }.map { new + $0[old.count...] })
  }

  private static func isAtOrBelow(_ path: [UInt8], _ folder: [UInt8]) -> Bool {
    path == folder || (path.starts(with: folder) && path[folder.count] == UInt8(ascii: "/"))
  }

  /// Files that only one deed took to another path, where nothing had been.
  private func simpleRenames(
    to rest: Rest, _ deeds: [Walk.Deed]
  ) -> [(old: RelativePath, new: RelativePath)] {
    var found: [(old: RelativePath, new: RelativePath)] = []
    for (identity, old) in before.single {
      guard identity.isUnique, let new = rest.single[identity], new != old,
        before.disk[new] == nil
      else { continue }
      if Self.isSimple(from: old.bytes, to: new.bytes, deeds) { found.append((old, new)) }
    }
    return found
  }

  private static func isSimple(
    from old: [UInt8], to new: [UInt8], _ deeds: [Walk.Deed]
  ) -> Bool {
    var (place, moves, arrivals) = (old, 0, 0)
    for deed in deeds {
      let target: [UInt8]
      switch deed {
      case .made(let path): target = path
      case .renamed(let source, let path):
        target = path
        if isAtOrBelow(place, source) {
          moves += 1
          place = path + place[source.count...]
        }
      case .linked(let source, let path):
        target = path
        if source == old || source == new { return false }
      }
      if isAtOrBelow(old, target) { return false }
      if isAtOrBelow(new, target) { arrivals += 1 }
    }
    return moves == 1 && arrivals == 1 && place == new
  }

  /// Whether both versions tell by the content alone that it moved.
  private func isMovedContent(
    from old: RelativePath, to new: RelativePath, _ rest: Rest
  ) -> Bool {
    guard let content = before.contents[old], content == rest.contents[new],
      case .some(.some(let file)) = before.disk[old], file.size > 0
    else { return false }
    return before.contents.values.filter { $0 == content }.count == 1
      && rest.contents.values.filter { $0 == content }.count == 1
  }
}
