package import VersoModel

/// What became of a folder's tree, and of the folders below it that changed.
///
/// Whoever writes new trees hands this to ``IndexPatch``, which keeps git's cache of tree ids true
/// with it. A folder that is not named here did not change.
package final class FolderChange {
  /// The id of the folder's tree before; `nil` where there was no such folder.
  package var old: ObjectID?
  /// The id of the folder's tree now; `nil` where there is no such folder, or it is not known.
  package var new: ObjectID?
  /// By name, the folders in this one that changed.
  package var children: [[UInt8]: FolderChange]

  package init(
    old: ObjectID? = nil, new: ObjectID? = nil, children: [[UInt8]: FolderChange] = [:]
  ) {
    self.old = old
    self.new = new
    self.children = children
  }
}
