package import VersoModel

/// The ignore rules that apply in one folder.
///
/// Precedence is git's: a folder's own file beats those of the folders above it, these beat
/// `info/exclude`, and that beats `core.excludesFile`; within a file the last match decides.
package struct IgnoreStack: Sendable {
  /// In rising precedence.
  private var levels: ContiguousArray<IgnoreRules>

  /// Makes the stack for a place where no folder has been entered yet.
  ///
  /// - Parameter global: In rising precedence: `core.excludesFile`, then `info/exclude`.
  package init(global: [IgnoreRules]) {
    levels = ContiguousArray(global.filter { !$0.isEmpty })
  }

  /// Goes into a folder.
  ///
  /// Begin with the root, whose `.gitignore` counts like any other. git ignores a `.gitignore` that
  /// is a symbolic link.
  ///
  /// - Parameter rules: The folder's own `.gitignore`; `nil` where it has none, which costs nothing.
  /// - Returns: The stack inside the folder.
  package func entering(_ rules: IgnoreRules?) -> IgnoreStack {
    guard let rules, !rules.isEmpty else { return self }
    var inner = self
    inner.levels.append(rules)
    return inner
  }

  /// The line that decides about a name.
  package struct Match: Hashable, Sendable {
    /// The line began with `!`: the name is not ignored.
    package let isNegated: Bool
    /// Which file, in rising precedence from 0; files without patterns do not count.
    package let level: Int
    /// The number of the line, from 1.
    package let line: Int
  }

  /// Finds the line that decides about `name`.
  ///
  /// - Parameters:
  ///   - name: One component.
  ///   - folder: The folder that was entered last.
  ///   - isFolder: Whether `name` is a folder; a link to one is not.
  /// - Returns: `nil` where no line matches.
  package func match(
    _ name: UnsafeRawBufferPointer, in folder: RelativePath, isFolder: Bool
  ) -> Match? {
    // The pointers of a view are good while its level is.
    withExtendedLifetime(levels) {
      let name = name.assumingMemoryBound(to: UInt8.self)
      return folder.bytes.withUnsafeBufferPointer { folder in
        for level in levels.indices.reversed() {
          let view = levels[level].view
          if let number = view.lastMatch(name, folder: folder, isFolder: isFolder) {
            let pattern = view.patterns[number]
            return Match(
              isNegated: pattern.flags.contains(.negated), level: level, line: Int(pattern.line))
          }
        }
        return nil
      }
    }
  }

  /// Whether the rules ignore `name`.
  ///
  /// Decides about the name alone. A caller that walks does not descend into ignored folders, which
  /// is what ignores everything below them, whatever a later `!` says.
  ///
  /// - Parameters:
  ///   - name: One component.
  ///   - folder: The folder that was entered last.
  ///   - isFolder: Whether `name` is a folder; a link to one is not.
  /// - Returns: Whether to leave it out.
  package func isIgnored(
    _ name: UnsafeRawBufferPointer, in folder: RelativePath, isFolder: Bool
  ) -> Bool {
    guard let match = match(name, in: folder, isFolder: isFolder) else { return false }
    return !match.isNegated
  }

  /// Whether the rules ignore `path`, or a folder above it, as `git check-ignore --no-index` says.
  ///
  /// Call it on a stack where no folder has been entered. The root is never ignored.
  ///
  /// - Parameters:
  ///   - path: What to decide about.
  ///   - isFolder: Whether it is a folder; a link to one is not.
  ///   - rulesFor: Gives the rules of a folder's own `.gitignore`; asked from the root down, and not
  ///     for what lies below an ignored folder.
  /// - Returns: Whether to leave it out.
  /// - Throws: What `rulesFor` throws.
  package func isIgnored<E: Error>(
    path: RelativePath, isFolder: Bool, rulesFor: (RelativePath) throws(E) -> IgnoreRules?
  ) throws(E) -> Bool {
    var stack = self
    var folder = RelativePath.root
    let components = path.components
    for (index, name) in components.enumerated() {
      stack = stack.entering(try rulesFor(folder))
      let isLast = index == components.count - 1
      let isIgnored = name.withUnsafeBytes { name in
        stack.isIgnored(name, in: folder, isFolder: !isLast || isFolder)
      }
      if isIgnored { return true }
      folder = folder.appending(name)
    }
    return false
  }
}
