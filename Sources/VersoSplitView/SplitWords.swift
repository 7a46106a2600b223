/// The words of a split view's own buttons, for another language.
public struct SplitWords: Hashable, Sendable {
  public var show: String
  public var hide: String
  public var close: String

  public init(show: String = "Show", hide: String = "Hide", close: String = "Close") {
    self.show = show
    self.hide = hide
    self.close = close
  }
}
