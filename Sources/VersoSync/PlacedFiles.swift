import VersoGit
import VersoModel

/// The claims that have their place: files of the result, and the names that they take.
struct PlacedFiles {
  private(set) var files: [RelativePath: MergeEntry] = [:]
  private var folders: [RelativePath: [RelativePath]] = [:]
  /// Names of files and of the folders above them, as file systems see them.
  private var names = Set<FoldedPath>()

  mutating func put(_ entry: MergeEntry, at path: RelativePath) {
    if files.updateValue(entry, forKey: path) != nil { return }
    folders[path.parent, default: []].append(path)
    names.insert(FoldedPath(path))
    for folder in path.ancestors where !names.insert(FoldedPath(folder)).inserted { break }
  }

  /// The files directly in a folder.
  func paths(in folder: RelativePath) -> [RelativePath] { folders[folder] ?? [] }

  /// Whether a file or folder has that name, or a twin of it.
  func hasTwin(of path: RelativePath) -> Bool { names.contains(FoldedPath(path)) }
}
