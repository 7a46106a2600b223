import VersoGit
import VersoModel
import VersoTestSupport

@testable import VersoSync

extension MergeWalk {
  private func line(_ device: Device) -> [UInt8] {
    device.written += 1
    let start = pick(["", "- ", "10:\(Int.random(in: 10...59, using: &random)) "])
    return Array("\(start)t\(device.number).\(device.written)".utf8)
  }

  private func title() -> [UInt8] {
    titles += 1
    return Array("T0.\(titles)".utf8)
  }

  /// Whether a new file may be at a path: no twin for those who keep to one spelling.
  private func isFree(_ path: Path, in files: Files) -> Bool {
    if files[path] != nil || path.ancestors.contains(where: { files[$0] != nil }) { return false }
    if files.keys.contains(where: { path.contains($0) }) { return false }
    guard keepsCase else { return true }
    var seen: [FoldedPath: Path] = [:]
    for place in Set((Array(files.keys) + [path]).flatMap { [$0] + $0.ancestors }) {
      if seen.updateValue(place, forKey: FoldedPath(place)) != nil { return false }
    }
    return true
  }

  func create(_ device: Device, _ files: inout Files) {
    if isDense, files.count >= 3 { return }
    let name =
      isDense && chance(80)
      ? pick(["n1.md", "a/n1.md", "a"])
      : pick(["", "", "a/", "a/", "b/", "a/c/", "A/"])
        + pick([
          "n1.md", "n2.md", "N1.md", "n3", "daily.md", "\u{E9}.md", "e\u{301}.md", "c.canvas",
        ])
    let path = RelativePath(stringLiteral: name)
    guard isFree(path, in: files) else { return }
    let title = title()
    if chance(12) {
      files[path] = .init([0] + title + [0x20] + line(device))
    } else if chance(9) {
      files[path] = .init(title + [0x2F] + line(device), kind: .link)
    } else {
      var lines: [[UInt8]] = []
      if chance(25) {
        lines += ["---", "updated: 2024-01-01T00:00:00Z", "---"].map { Array($0.utf8) }
      }
      if chance(40) { lines.append(Array("# day".utf8)) }
      lines.append(title)
      for _ in 0..<Int.random(in: 0...(isDense ? 3 : 6), using: &random) {
        lines.append(line(device))
      }
      let end: [UInt8] = chance(25) ? [0x0D, 0x0A] : [0x0A]
      files[path] = .init(
        Array(lines.joined(separator: end)) + (chance(66) ? [0x0A] : []),
        kind: chance(20) ? .executable : .file)
    }
  }

  private func edit(_ device: Device, _ files: inout Files, _ path: Path) {
    guard var file = files[path] else { return }
    if file.kind != .link, chance(5) { file.kind = file.kind == .file ? .executable : .file }
    if file.kind == .link || !TextLines.isText(file.content) {
      let title = Self.tokens(file).first { $0.hasPrefix("T") } ?? ""
      let isLink = file.kind == .link
      file.content = (isLink ? [] : [0]) + Array(title.utf8) + [isLink ? 0x2F : 0x20] + line(device)
    } else {
      file.content = edited(file.content, device)
    }
    files[path] = file
  }

  private func edited(_ content: [UInt8], _ device: Device) -> [UInt8] {
    let isCRLF = TextLines.ending(of: content) == .crlf
    let text = TextLines(content, stripping: isCRLF)
    var lines = text.lines.map { Array($0.bytes) }
    let front = FrontMatter.end(in: text.lines)
    if front > 0, chance(80) {
      let (month, day) = (
        Int.random(in: 10...12, using: &random), Int.random(in: 10...28, using: &random)
      )
      lines[1] = Array("updated: 2024-\(month)-\(day)T00:00:00Z".utf8)
    }
    let title = lines.lastIndex { line in
      line.contains(UInt8(ascii: "T")) && Self.tokens(.init(line)).contains { $0.hasPrefix("T") }
    }
    let start = max(front, (title ?? -1) + 1)
    for _ in 0..<Int.random(in: 1...3, using: &random) { change(&lines, from: start, device) }
    let isEnded = chance(4) ? !text.isEnded : text.isEnded
    let end: [UInt8] = isCRLF != chance(3) ? [0x0D, 0x0A] : [0x0A]
    return Array(lines.joined(separator: end)) + (isEnded ? end : [])
  }

  private func change(_ lines: inout [[UInt8]], from start: Int, _ device: Device) {
    let dice = Int.random(in: 0..<100, using: &random)
    let place = Int.random(in: start...max(start, lines.count), using: &random)
    if dice < 30 || lines.count <= start {
      lines.append(line(device))
    } else if dice < 50 {
      lines.insert(line(device), at: place)
    } else if dice < 55 {
      lines.insert(contentsOf: [[], line(device), line(device)], at: place)
    } else if dice < 85 {
      lines[min(place, lines.count - 1)] = line(device)
    } else if dice < 90 {
      lines.append(Array("shared \(Int.random(in: 0...2, using: &random))".utf8))
    } else {
      let first = min(place, lines.count - 1)
      lines.removeSubrange(first..<min(lines.count, first + Int.random(in: 1...3, using: &random)))
    }
  }

  /// One save with up to three edits.
  func operate(_ device: Device) throws {
    let old = files(device.head)
    var files = old
    var moves: [Path: Path] = [:]
    for _ in 0..<pick([1, 1, 1, 2, 3]) {
      let paths = files.keys.sorted()
      let dice = Int.random(in: 0..<100, using: &random)
      guard !paths.isEmpty, dice >= 12 else {
        create(device, &files)
        continue
      }
      let path = pick(paths)
      switch dice {
      case ..<62: edit(device, &files, path)
      case ..<72: files[path] = nil
      case ..<82: rename(path, &files, old, &moves)
      case ..<90: moveFolder(&files, old, &moves)
      case ..<94: makeFolder(of: path, device, &files)
      case ..<96: makeFile(device, &files)
      default: resolve(&files)
      }
    }
    try save(device, files, moves: moves)
  }

  private func record(
    _ old: Path, _ new: Path, _ before: Files, _ moves: inout [Path: Path]
  ) {
    let source = moves.first { $0.value == old }?.key ?? old
    moves[source] = nil
    if before[source] != nil, before[new] == nil { moves[source] = new }
  }

  private func rename(
    _ path: Path, _ files: inout Files, _ old: Files, _ moves: inout [Path: Path]
  ) {
    let name = pick([
      "n1.md", "n2.md", "r1.md", "r2.md", String(decoding: path.name, as: UTF8.self),
    ])
    let target = RelativePath(stringLiteral: pick(["", "a/", "b/", "c/"]) + name)
    var rest = files
    rest[path] = nil
    guard target != path, isFree(target, in: rest) else { return }
    rest[target] = files[path]
    files = rest
    record(path, target, old, &moves)
  }

  private func folders(_ files: Files) -> [Path] {
    Set(files.keys.map(\.parent)).filter { !$0.isRoot }.sorted()
  }

  private func moveFolder(_ files: inout Files, _ old: Files, _ moves: inout [Path: Path]) {
    let all = folders(files)
    if all.isEmpty { return }
    let folder = pick(all)
    let target = RelativePath(stringLiteral: pick(["a", "b", "e", "f", "g/h"]))
    if folder.contains(target) || target.contains(folder) { return }
    let inside = files.keys.filter { folder.contains($0) && $0 != folder }.sorted()
    let rest = files.filter { !inside.contains($0.key) }
    let pairs = inside.compactMap { path in
      path.replacing(prefix: folder, with: target).map { (path, $0) }
    }
    guard pairs.allSatisfy({ isFree($0.1, in: rest) }) else { return }
    let before = files
    files = rest
    for (path, new) in pairs {
      files[new] = before[path]
      record(path, new, old, &moves)
    }
  }

  private func makeFolder(of path: Path, _ device: Device, _ files: inout Files) {
    var rest = files
    rest[path] = nil
    let inner = path.appending(Array("in.md".utf8))
    guard path.name.count < 40, isFree(inner, in: rest) else { return }
    files = rest
    files[inner] = .init(title() + [0x0A] + line(device) + [0x0A])
  }

  private func makeFile(_ device: Device, _ files: inout Files) {
    let all = folders(files)
    if all.isEmpty { return }
    let folder = pick(all)
    files = files.filter { !folder.contains($0.key) }
    files[folder] = .init(title() + [0x0A] + line(device) + [0x0A])
  }

  /// Takes the text of a copy into the note, or drops the copy.
  private func resolve(_ files: inout Files) {
    let copies = files.keys.filter(isConflictCopy).sorted()
    if copies.isEmpty { return }
    let copy = pick(copies)
    let note = copy.parent.appending(CopyName(of: copy.name).root)
    if chance(50), files[note] != nil { files[note] = files[copy] }
    files[copy] = nil
  }
}
