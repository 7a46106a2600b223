import VersoModel

/// Names of conflict copies: `n (conflict phone 2027-01-15 0801 850c244).md`.
enum ConflictName {
  private static let mark = Array(" (conflict ".utf8)

  /// Whether a file is a conflict copy by its name.
  static func isCopy(_ path: RelativePath) -> Bool {
    let name = Array(path.name)
    guard name.count > mark.count, let start = start(in: name),
      let end = name[(start + mark.count)...].firstIndex(of: UInt8(ascii: ")"))
    else { return false }
    return name[(start + mark.count)..<end].split(separator: 0x20).count == 4
  }

  /// The note that a copy is one of.
  static func original(of path: RelativePath) -> RelativePath? {
    guard isCopy(path) else { return nil }
    let name = Array(path.name)
    guard let start = start(in: name), let end = name[start...].firstIndex(of: UInt8(ascii: ")"))
    else { return nil }
    return path.parent.appending(name[..<start] + name[(end + 1)...])
  }

  private static func start(in name: [UInt8]) -> Int? {
    guard name.count > mark.count else { return nil }
    return (0...(name.count - mark.count)).last { name[$0...].starts(with: mark) }
  }
}
