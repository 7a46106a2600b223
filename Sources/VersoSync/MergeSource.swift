package import VersoGit
package import VersoModel

/// A file in a tree: its mode and its blob.
package typealias MergeEntry = PathFinder.Found
/// How one path of a tree changes; `old` or `new` is `nil` where the file is not there.
package typealias MergeChange = TreeDifference.Entry

/// A commit as the planner sees it.
package struct MergeCommit: Hashable, Sendable {
  /// A file that went from one path of a parent to another path.
  package struct Move: Hashable, Sendable {
    package let old: RelativePath
    package let new: RelativePath

    package init(_ old: RelativePath, _ new: RelativePath) {
      self.old = old
      self.new = new
    }
  }

  package let id: ObjectID
  package let tree: ObjectID
  package let parents: [ObjectID]
  /// When the author says it was made, and in which zone.
  package let time: ZonedTime
  /// Where it was made.
  package let device: String
  /// Whether a merge by Verso: nobody's edits.
  package let isMerge: Bool
  /// For each parent, what the message says to have moved: claims, to be checked.
  package let claims: [[Move]]
  /// For each parent, what looks like a move in the trees and is none.
  package let denials: [[Move]]
  /// Whether moves are also found by comparing the trees.
  package let infersMoves: Bool

  package init(
    id: ObjectID, tree: ObjectID, parents: [ObjectID], time: ZonedTime, device: String,
    isMerge: Bool, claims: [[Move]], denials: [[Move]] = [], infersMoves: Bool
  ) {
    self.id = id
    self.tree = tree
    self.parents = parents
    self.time = time
    self.device = device
    self.isMerge = isMerge
    self.claims = claims
    self.denials = denials
    self.infersMoves = infersMoves
  }
}

/// Where the planner reads commits, trees and contents: a repository, or a test's memory.
package protocol MergeSource: AnyObject {
  /// A commit; one without parents where a shallow clone was cut off.
  func commit(_ id: ObjectID) throws(GitError) -> MergeCommit

  /// The files in which two trees differ; `nil` is a tree that holds nothing.
  func differences(_ old: ObjectID?, _ new: ObjectID?) throws(GitError) -> [MergeChange]

  /// What stands at a path, a folder too; `nil` where nothing does.
  func entry(at path: RelativePath, in tree: ObjectID) throws(GitError) -> MergeEntry?

  /// What a folder holds; nothing where there is no folder.
  func entries(
    in folder: RelativePath, of tree: ObjectID
  ) throws(GitError) -> [(name: [UInt8], entry: MergeEntry)]

  /// How many bytes a blob has.
  func size(of blob: ObjectID) throws(GitError) -> Int

  /// A blob's bytes.
  func content(of blob: ObjectID) throws(GitError) -> [UInt8]

  /// Pairs of files that went and files that came whose contents are alike, none equal.
  func alike(
    removed: [MergeChange], added: [MergeChange]
  ) throws(GitError) -> [MergeCommit.Move]
}
