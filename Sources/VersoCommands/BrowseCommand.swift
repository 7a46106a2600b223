import Verso

/// What is to be browsed, and how.
package struct BrowseRequest: Sendable {
  /// The root of the vault.
  package let root: String
  /// Columns and rows to print one frame of.
  package let dump: String?
  /// The path of a script.
  package let script: [UInt8]?
  package let tracksMouse: Bool
  package let animates: Bool
  package let isAccessible: Bool
  package let isRightToLeft: Bool
  package let theme: String?
  package let showsLayout: Bool
  /// `nil` to decide by environment and terminal.
  package let color: Bool?
}

/// `verso browse`: the split view. What draws it is another module, and comes as a function.
enum BrowseCommand {
  static func run(using browser: @escaping VersoMain.Browser) -> VersoMain.Runner {
    { invocation, context in
      let (engine, _) = try VaultOperands.open(invocation, context, requiresVault: true)
      let isRemote = ["SSH_CONNECTION", "SSH_TTY"].contains { context.environment($0) != nil }
      let color: Bool? =
        switch invocation.color {
        case .auto: nil
        case .always: true
        case .never: false
        }
      let request = BrowseRequest(
        root: engine.root, dump: invocation.text(.dump),
        script: try invocation.bytes(.script).map { try VaultOperands.bytes($0, invocation) },
        tracksMouse: !invocation.has(.noMouse),
        animates: !invocation.has(.noAnimation) && !invocation.has(.accessible) && !isRemote,
        isAccessible: invocation.has(.accessible), isRightToLeft: invocation.has(.rtl),
        theme: invocation.text(.theme), showsLayout: invocation.has(.debugLayout), color: color)
      return try browser(request, context)
    }
  }
}
