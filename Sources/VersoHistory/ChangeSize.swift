package import VersoGit

/// How much was written and struck out: `+41 −12 words`.
package struct ChangeSize: Hashable, Sendable {
  package var addedWords = 0
  package var removedWords = 0
  /// By how many bytes files that are not text grew; negative where they shrank.
  package var binaryBytes = 0
  /// How many files that are not text changed.
  package var binaryFiles = 0

  package init() {}

  /// Measures the change from one content to another; an absent file is empty.
  package init(from old: [UInt8], to new: [UInt8]) throws(GitError) {
    if old == new { return }
    if TextDifference.isBinary(old) || TextDifference.isBinary(new) {
      binaryBytes = new.count - old.count
      binaryFiles = 1
      return
    }
    if old.isEmpty || new.isEmpty {
      addedWords = WordTokens.count(in: new[...])
      removedWords = WordTokens.count(in: old[...])
      return
    }
    let (mine, theirs) = (Lines(old), Lines(new))
    for region in try TextDifference.regions(from: old, to: new) {
      let words = try WordDifference(
        from: Array(mine[region.old]), to: Array(theirs[region.new]))
      addedWords += words.addedWords
      removedWords += words.removedWords
    }
  }

  package static func += (sum: inout ChangeSize, more: ChangeSize) {
    sum.addedWords += more.addedWords
    sum.removedWords += more.removedWords
    sum.binaryBytes += more.binaryBytes
    sum.binaryFiles += more.binaryFiles
  }
}
