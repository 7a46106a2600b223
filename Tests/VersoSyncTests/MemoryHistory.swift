import VersoGit
import VersoModel

@testable import VersoSync

/// Commits, trees and contents in memory, for planning without a disk.
final class MemoryHistory: MergeSource {
  typealias Files = [RelativePath: MergeEntry]

  private struct Stored {
    let files: Files
    let folders: [RelativePath: Set<[UInt8]>]
  }

  private var commits: [ObjectID: MergeCommit] = [:]
  private var trees: [ObjectID: Stored] = [:]
  private var blobs: [ObjectID: [UInt8]] = [:]

  func add(_ commit: MergeCommit) { commits[commit.id] = commit }

  @discardableResult
  func add(_ content: [UInt8]) -> ObjectID {
    let id = SHA1.id(of: .blob, content)
    blobs[id] = content
    return id
  }

  /// Keeps a tree, under an id that is that of no git tree.
  func add(_ files: Files) -> ObjectID {
    var text: [UInt8] = []
    for (path, entry) in files.sorted(by: { $0.key < $1.key }) {
      text += Array("\(entry.mode) \(entry.id) ".utf8) + path.bytes + [0]
    }
    let id = SHA1.id(of: .tree, text)
    if trees[id] != nil { return id }
    var folders: [RelativePath: Set<[UInt8]>] = [:]
    for path in files.keys {
      for place in [path] + path.ancestors {
        folders[place.parent, default: []].insert(Array(place.name))
      }
    }
    trees[id] = Stored(files: files, folders: folders)
    return id
  }

  func files(of tree: ObjectID) -> Files { trees[tree]?.files ?? [:] }

  private func missing(_ id: ObjectID) -> GitError {
    GitError(code: .notFound, function: "MemoryHistory", message: "\(id) is not there")
  }

  func commit(_ id: ObjectID) throws(GitError) -> MergeCommit {
    guard let commit = commits[id] else { throw missing(id) }
    return commit
  }

  func differences(_ old: ObjectID?, _ new: ObjectID?) throws(GitError) -> [MergeChange] {
    let (before, after) = (old.map(files(of:)) ?? [:], new.map(files(of:)) ?? [:])
    return Set(before.keys).union(after.keys).sorted().compactMap { path in
      before[path] == after[path]
        ? nil : MergeChange(path: path, old: before[path], new: after[path])
    }
  }

  func entry(at path: RelativePath, in tree: ObjectID) throws(GitError) -> MergeEntry? {
    guard let stored = trees[tree] else { throw missing(tree) }
    if let file = stored.files[path] { return file }
    if stored.folders[path] == nil { return nil }
    return MergeEntry(mode: Item.Kind.folder.rawValue, id: .zero)
  }

  func entries(
    in folder: RelativePath, of tree: ObjectID
  ) throws(GitError) -> [(name: [UInt8], entry: MergeEntry)] {
    var found: [(name: [UInt8], entry: MergeEntry)] = []
    for name in trees[tree]?.folders[folder] ?? [] {
      if let entry = try entry(at: folder.appending(name), in: tree) { found.append((name, entry)) }
    }
    return found
  }

  func size(of blob: ObjectID) throws(GitError) -> Int { try content(of: blob).count }

  func content(of blob: ObjectID) throws(GitError) -> [UInt8] {
    guard let content = blobs[blob] else { throw missing(blob) }
    return content
  }

  func alike(
    removed: [MergeChange], added: [MergeChange]
  ) throws(GitError) -> [MergeCommit.Move] { [] }
}
