extension SplitConfiguration {
  /// Reads a configuration file: lines of `key = value`, comments after `#` at the start of a line.
  ///
  /// What is not named has its default. ``text`` shows all keys.
  ///
  /// - Throws: ``SplitError/Code/unreadableSetting`` for an unknown key, and for a value that the
  ///   key cannot have.
  public init(text: String) throws(SplitError) {
    self = try Setting.read(text, Setting.configuration).configuration
  }

  /// The configuration as a file that ``init(text:)`` reads.
  public var text: String {
    Setting.write(LayoutRequest(configuration: self), Setting.configuration)
  }
}

extension SplitState {
  /// Brings back a session that was saved as ``text``.
  ///
  /// - Parameter originalWidths: The widths that a reset brings back; those in the text are the
  ///   user's.
  /// - Throws: As ``SplitConfiguration/init(text:)``.
  public init(text: String, originalWidths: SplitWidths = .init()) throws(SplitError) {
    let request = try Setting.read(text, Setting.configuration + Setting.session)
    self.init(request.configuration, originalWidths: originalWidths)
    self.request.sidebarHidden = request.sidebarHidden
    self.request.preferredMode = request.preferredMode
  }

  /// What the user and the app decided, to be brought back in another session: the configuration,
  /// the widths, whether the sidebar is hidden, and the mode (without zen). Bounds and content are
  /// not in it.
  public var text: String {
    var request = request
    request.preferredMode = modeBeforeZen ?? request.preferredMode
    return Setting.write(request, Setting.configuration + Setting.session)
  }
}
