import VersoModel

/// What `verso browse` can be asked for.
package struct Browse: Sendable {
  package var root: String
  package var options = BrowserModel.Options()
  package var tracksMouse = true
  /// `--color`; `nil` to decide by environment and terminal.
  package var color: Bool?

  package init(root: String) {
    self.root = root
    let name = root.split(separator: "/").last.map(String.init) ?? root
    options.vaultName = SafeText.text(name)
  }

  /// Shows the vault on the terminal until somebody quits.
  ///
  /// - Returns: The paths of notes whose unsaved text could be neither saved nor kept as a draft.
  /// - Throws: ``ScreenError`` where there is no terminal that can show it.
  package func run(
    environment: @escaping (String) -> String?
  ) throws(ScreenError) -> [[UInt8]] {
    if environment("TERM") == "dumb" { return try runInLines(environment: environment) }
    let screen = try CursesScreen(
      .init(theme: options.theme, color: color, tracksMouse: tracksMouse),
      environment: environment)
    defer { screen.close() }
    var options = options
    options.isUTF8 = screen.isUTF8
    let app = BrowserApp(root: root, screen: screen, options: options, environment: environment)
    return app.run().map(\.bytes)
  }

  /// The same on a terminal whose cursor cannot be placed.
  private func runInLines(
    environment: @escaping (String) -> String?
  ) throws(ScreenError) -> [[UInt8]] {
    let screen = try LineScreen(environment: environment)
    defer { screen.close() }
    var options = options
    options.isUTF8 = screen.isUTF8
    (options.isAccessible, options.isLinear, options.animates) = (true, true, false)
    let app = BrowserApp(root: root, screen: screen, options: options, environment: environment)
    var told = 0
    screen.view = { [unowned app] in app.model.lineView }
    screen.isIdle = { [unowned app] in app.isIdle && app.model.operations == 0 }
    screen.announcements = { [unowned app] in
      defer { told = app.model.sayingCount }
      return app.model.sayings(after: told)
    }
    return app.run().map(\.bytes)
  }

  /// One frame as text: everything read, nothing done.
  ///
  /// - Returns: `nil` where the vault could not be read within a minute.
  package func dump(_ size: CellSize, environment: @escaping (String) -> String?) -> String? {
    let runner = ScriptRunner(
      root: root, size: size, options: options, saves: false,
      isColored: color == true, environment: environment, print: { _ in })
    defer { runner.finish() }
    return runner.settle() ? runner.text : nil
  }

  /// Plays a script.
  ///
  /// - Parameter print: Takes what it prints.
  package func play(
    _ script: Script, _ size: CellSize, environment: @escaping (String) -> String?,
    print: @escaping (String) -> Void
  ) throws(ScriptRunner.Failure) {
    let runner = ScriptRunner(
      root: root, size: size, options: options, isColored: color == true,
      environment: environment, print: print)
    defer { runner.finish() }
    try runner.play(script)
  }
}
