import CLinux
import Glibc
import VersoDisk
import VersoModel

/// The attributes of paths, from all the files that gitattributes(5) names.
///
/// Own code and not libgit2's, which reads all of `.git/index` to look for more attribute files there
/// (58 ms at 100,000 paths), applies them on top of newer ones on disk, and does not understand quoted
/// patterns, so that it would miss a filter on a folder whose name has a space.
final class AttributeReader {
  /// The attributes that change content.
  struct Attributes: Hashable {
    var text = AttributeValue.unspecified
    var crlf = AttributeValue.unspecified
    var eol = AttributeValue.unspecified
    var ident = AttributeValue.unspecified
    var filter = AttributeValue.unspecified
    var encoding = AttributeValue.unspecified
  }

  /// A `.gitattributes` as it was read, to be read again when it changes.
  private struct Known {
    let status: FileStatus
    let file: AttributeFile
  }

  private let store: any FileStore
  private let root: Descriptor
  private let ignoringCase: Bool
  /// In rising precedence: what git has built in, the system's, the user's.
  private var outer: [AttributeFile] = [.builtIn]
  /// `info/attributes`, which beats all others.
  private var inner: AttributeFile?
  private var folders: [RelativePath: Known] = [:]

  /// Reads the files that are outside the work tree.
  ///
  /// - Parameters:
  ///   - workTree: Its absolute path.
  ///   - outer: In rising precedence: the system's and the user's file, where there are any.
  ///   - inner: `info/attributes`.
  ///   - ignoringCase: `core.ignoreCase`.
  ///   - store: The disk.
  /// - Throws: ``DiskError`` where a file is there and cannot be read.
  init(
    workTree: String, outer: [String], inner: String, ignoringCase: Bool, store: any FileStore
  ) throws(DiskError) {
    self.store = store
    self.ignoringCase = ignoringCase
    root = try store.opening(
      Array(workTree.utf8), in: AT_FDCWD, flags: verso_o_path | O_DIRECTORY)
    for path in outer {
      if let file = try outside(path), !file.isEmpty { self.outer.append(file) }
    }
    if let file = try outside(inner), !file.isEmpty { self.inner = file }
  }

  /// Whether files outside the work tree say anything.
  var hasGlobalAttributes: Bool { outer.count > 1 || inner != nil }

  /// Finds the attributes of a file.
  ///
  /// - Parameters:
  ///   - path: A file in the work tree; need not exist.
  ///   - looksIntoFolders: Whether a `.gitattributes` may lie above it.
  /// - Returns: The attributes by what is on disk now.
  /// - Throws: ``DiskError`` where a file cannot be read.
  func attributes(
    of path: RelativePath, looksIntoFolders: Bool
  ) throws(DiskError) -> Attributes {
    var files = outer
    if looksIntoFolders {
      for folder in [.root] + path.ancestors.reversed() {
        if let file = try file(in: folder) { files.append(file) }
      }
    }
    if let inner { files.append(inner) }
    let values = Self.values(of: path, by: files)
    func value(_ name: String) -> AttributeValue { values[name] ?? .unspecified }
    return Attributes(
      text: value("text"), crlf: value("crlf"), eol: value("eol"), ident: value("ident"),
      filter: value("filter"), encoding: value("working-tree-encoding"))
  }

  /// The first value that is found for a name, from the file of the highest precedence down, counts.
  static func values(
    of path: RelativePath, by files: [AttributeFile]
  ) -> [String: AttributeValue] {
    var values: [String: AttributeValue] = [:]
    func assign(_ assignments: AttributeFile.Assignments) {
      for (name, value) in assignments.reversed() where values[name] == nil {
        values[name] = value
        guard value == .isTrue else { continue }
        if let macro = files.last(where: { $0.macros[name] != nil })?.macros[name] {
          assign(macro)
        }
      }
    }
    let folder = path.parent
    for file in files.reversed() {
      for assignments in file.assignments(to: path.name, in: folder) { assign(assignments) }
    }
    return values
  }

  /// A file outside the work tree; links are followed, as by git.
  private func outside(_ path: String) throws(DiskError) -> AttributeFile? {
    let path = Array(path.utf8)
    let descriptor: Descriptor
    do throws(DiskError) {
      // O_NONBLOCK: a FIFO of that name must not make us wait.
      descriptor = try store.opening(path, in: AT_FDCWD, flags: O_RDONLY | O_NONBLOCK)
    } catch {
      if error.isAbsence { return nil }
      throw error
    }
    let status = try store.status(of: descriptor.number)
    guard status.kind == .file else { return nil }
    let bytes = try store.readingAll(descriptor.number, expected: Int(status.size), path: path)
    return AttributeFile(bytes, base: .root, definesMacros: true, ignoringCase: ignoringCase)
  }

  /// The `.gitattributes` of a folder; a link of that name is none, as for git.
  private func file(in folder: RelativePath) throws(DiskError) -> AttributeFile? {
    let path = folder.appending(Array(".gitattributes".utf8))
    guard let status = try store.status(of: path.bytes, in: root.number), status.kind == .file
    else {
      folders[folder] = nil
      return nil
    }
    if let known = folders[folder], known.status.isUnchanged(since: status) { return known.file }
    let descriptor: Descriptor
    do throws(DiskError) {
      descriptor = try store.openingBeneath(
        path, root: root.number, flags: O_RDONLY | O_NONBLOCK)
    } catch {
      if error.isAbsence { return nil }
      throw error
    }
    let opened = try store.status(of: descriptor.number)
    let bytes = try store.readingAll(
      descriptor.number, expected: Int(opened.size), path: path.bytes)
    let file = AttributeFile(
      bytes, base: folder, definesMacros: folder.isRoot, ignoringCase: ignoringCase)
    folders[folder] = Known(status: opened, file: file)
    return file
  }
}
