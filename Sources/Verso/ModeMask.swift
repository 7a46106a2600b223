/// The permissions that a new file, and the folders that are made for it, have at most.
///
/// History knows no permissions but the execute bit: what comes under another name comes anew. A text
/// that some may not read here is not for them under its new name either.
struct ModeMask: Hashable, Sendable {
  var file: UInt32 = 0o777
  var folder: UInt32 = 0o777

  /// Whatever new files and folders get.
  static let all = ModeMask()
  /// For the owner alone.
  static let owner = ModeMask(file: 0o700, folder: 0o700)

  /// Whether it takes nothing from what new files and folders usually get.
  var isUsual: Bool { file & 0o644 == 0o644 && folder & 0o755 == 0o755 }

  /// What is left of the file's for those who do not get through the folders.
  var reached: UInt32 { Self.reach(file, through: folder) }

  /// Below a folder that a group, or others, may not search, a file is not for them.
  static func reach(_ file: UInt32, through folder: UInt32) -> UInt32 {
    var left = file
    if folder & 0o010 == 0 { left &= ~0o070 }
    if folder & 0o001 == 0 { left &= ~0o007 }
    return left
  }
}
