import VersoDisk
import VersoGit
import VersoModel

/// Files that are as they were, and another content by other attributes.
///
/// git stores a file again when it reads it again: when it changed, and also where its entry in the
/// index is made to be doubted, as it was read within the second of its last change (racy-git.txt).
/// `git status` names such a file once attributes convert it differently. All others stay as they were
/// saved until somebody changes them.
extension Engine {
  /// Saves what changed attributes made of files that git will read again.
  ///
  /// A version of its own: it is no part of what is taken back when the attributes are.
  ///
  /// Where that fails, the next save does it: what changed the attributes is done and saved.
  ///
  /// - Parameters:
  ///   - changed: The attribute files that changed; others are passed over.
  ///   - restless: Paths that are being edited, with what lies below them: their next save does it.
  func saveReconverted(
    after changed: some Sequence<RelativePath>, leaving restless: Set<RelativePath> = [],
    wait: Double, _ lock: borrowing HeldVault
  ) {
    let folders = changed.filter(\.setsAttributes).map(\.parent)
    if folders.isEmpty { return }
    do throws(VersoError) {
      let paths = try doubtedPaths(below: folders)
      if paths.isEmpty { return }
      var request = SaveRequest(paths: paths)
      request.settles = false
      request.wait = wait
      _ = try saveLocked(request, lock) { restless }
    } catch { return }
  }

  private func doubtedPaths(
    below folders: [RelativePath]
  ) throws(VersoError) -> [RelativePath] {
    let table = try openIndex()?.table ?? .empty
    var paths: Set<RelativePath> = []
    for folder in folders {
      for row in table.rows[table.rows(below: folder)] where table.isDoubted(row) {
        paths.insert(row.path)
      }
    }
    return paths.sorted()
  }
}

extension RelativePath {
  /// Whether what is here says how other files are converted.
  var setsAttributes: Bool { name.elementsEqual(".gitattributes".utf8) }
}

extension StatTable {
  /// Whether git reads the file again, however its status is.
  fileprivate func isDoubted(_ row: Row) -> Bool {
    let isSmudged = row.size == 0 && row.id != .emptyBlob
    return isSmudged || Int64(row.modified.seconds) >= written.seconds
  }
}
