/// How alike two contents are, found without git: for files that are in no object database yet.
package enum Likeness {
  /// From so much on, two files are taken for one that was renamed and edited.
  package static let threshold = 50

  /// The bytes in lines that both contents have, in percent of the larger one.
  package static func percent(of old: [UInt8], and new: [UInt8]) -> Int {
    let larger = max(old.count, new.count)
    // Sizes alone may rule it out, as in git.
    if larger == 0 || min(old.count, new.count) * 100 < larger * threshold {
      return larger == 0 ? 100 : 0
    }
    let (mine, theirs) = (Lines(old), Lines(new))
    var counts: [ArraySlice<UInt8>: Int] = [:]
    for number in 0..<mine.count { counts[mine[number], default: 0] += 1 }
    var shared = 0
    for number in 0..<theirs.count {
      let line = theirs[number]
      guard let left = counts[line], left > 0 else { continue }
      counts[line] = left - 1
      shared += line.count
    }
    return shared * 100 / larger
  }
}
