import Testing
import VersoSplitView

/// Movements as functions of the time, and what is told meanwhile.
@Suite struct AnimationTests {
  /// A drawer of two columns whose sidebar is 20 cells wide.
  private func drawer() -> SplitState { scene(60, preset: .double, style: .drawer) }

  @Test func `D22 showing takes 0,3 seconds and slows down`() throws {
    var state = drawer()
    let animation = state.show().animation(at: 10)
    #expect(animation.duration == 0.3 && state.layout[.primary]?.frame.width == 20)
    for (time, x, dim, colour) in [
      (0.0, -20, 0.0, (200, 100, 50)), (0.1, -9, 0.222, (156, 78, 39)),
      (0.15, -5, 0.3, (140, 70, 35)), (0.2, -2, 0.356, (129, 64, 32)),
      (0.3, 0, 0.4, (120, 60, 30)),
    ] as [(Double, Int, Double, (UInt8, UInt8, UInt8))] {
      let layout = animation.layout(at: 10 + time)
      let secondary = try #require(layout[.secondary])
      #expect(layout[.primary]?.frame.x == x, "\(time)")
      #expect(abs(secondary.dim - dim) < 0.0006, "\(time): \(secondary.dim)")
      #expect(
        RGBColor(red: 200, green: 100, blue: 50).dimmed(by: secondary.dim)
          == RGBColor(red: colour.0, green: colour.1, blue: colour.2), "\(time)")
    }
  }

  @Test func `D22 the duration can be set, and 0 is at once`() throws {
    var state = drawer()
    try state.setAnimationDuration(1)
    #expect(state.show().animation(at: 0).layout(at: 0.5)[.primary]?.frame.x == -5)
    try state.setAnimationDuration(0)
    let animation = state.hide().animation(at: 4)
    #expect(animation.isFinished(at: 4) && animation.layout(at: 4) == state.layout)
    for wrong in [-0.1, .nan, .infinity] {
      #expect(throws: SplitError.self) { try state.setAnimationDuration(wrong) }
    }
    #expect(state.configuration.animationDuration == 0)
    #expect(state.show(animated: false).duration == 0)
  }

  @Test func `D29 turned around midway a movement goes on from where it is`() {
    var state = drawer()
    let there = state.show().animation(at: 0)
    let back = state.hide().animation(at: 0.15, after: there)
    #expect(there.layout(at: 0.15)[.primary]?.frame.x == -5)
    #expect(back.layout(at: 0.15)[.primary]?.frame.x == -5)
    #expect(back.layout(at: 0.15)[.secondary]?.dim == there.layout(at: 0.15)[.secondary]?.dim)
    #expect(back.layout(at: 0.3)[.primary]?.frame.x == -16)
    #expect(back.layout(at: 0.45) == state.layout)
  }

  @Test func `a pane that leaves is drawn until it is gone`() {
    var state = scene(100, preset: .double)
    let animation = state.hide().animation(at: 0)
    #expect(
      animation.layout(at: 0.1).drawn()[0]
        == String(repeating: "p", count: 14) + "|" + String(repeating: "S", count: 85))
    #expect(animation.layout(at: 0.3).drawn()[0] == String(repeating: "S", count: 100))
  }

  @Test func `a movement from right to left is the mirror`() {
    var (one, other) = (scene(100), scene(100) { $0.direction = .rightToLeft })
    let (left, right) = (one.hide().animation(at: 0), other.hide().animation(at: 0))
    for time in [0, 0.05, 0.1, 0.2, 0.29] {
      let (a, b) = (left.layout(at: time), right.layout(at: time))
      #expect(a.drawn()[0] == String(b.drawn()[0].reversed()), "\(time)")
    }
  }

  @Test func `D11 showing tells all in order`() {
    let desk = Desk(70, style: .sticky)
    desk.split.hide(animated: false, at: 0)
    desk.forget()
    var log: [SplitEvent] = []
    var toldAtCompletion: Int?
    desk.split.observer = { log.append($0) }
    desk.split.show(at: 1) { toldAtCompletion = log.count }
    #expect(log == [.willShow(.primary), .willAppear(.primary), .drawn(.primary), .framesMove])
    #expect(desk.split.button.toggleTitle == "Show")
    desk.split.advance(to: 1.29)
    #expect(log.count == 4 && toldAtCompletion == nil)
    desk.split.advance(to: 1.31)
    #expect(
      log.dropFirst(4) == [
        .toggleFlips(.hide), .didAppear(.primary), .didShow(.primary), .completed,
      ])
    #expect(toldAtCompletion == 8 && desk.split.button.toggleTitle == "Hide")
  }

  @Test(arguments: [true, false])
  func `D12 hiding tells all in order, animated or in one turn`(animated: Bool) {
    let desk = Desk(100)
    var log: [SplitEvent] = []
    var completions = 0
    desk.split.observer = { log.append($0) }
    desk.split.hide(animated: animated, at: 1) { completions += 1 }
    if animated {
      #expect(log == [.willHide(.primary), .willDisappear(.primary), .framesMove])
      #expect(completions == 0)
      desk.split.advance(to: 2)
    }
    #expect(
      log == [
        .willHide(.primary), .willDisappear(.primary), .framesMove, .undrawn(.primary),
        .toggleFlips(.show), .didDisappear(.primary), .didHide(.primary), .completed,
      ])
    #expect(completions == 1)
  }

  /// A pane that notes what it hears between what its delegate hears.
  private final class LoggingPane: Pane {
    let title = "Logged"
    weak var split: SplitView?
    var log: (String) -> Void = { _ in }
    func willAppear() { log("pane willAppear") }
    func didAppear() { log("pane didAppear") }
    func willDisappear() { log("pane willDisappear") }
    func didDisappear() { log("pane didDisappear") }
  }

  @Test(arguments: [true, false])
  func `D11 and D12 the pane itself hears between will and did`(animated: Bool) {
    let pane = LoggingPane()
    let split = SplitView(columns: [pane, BasicPane("d")], style: .sticky)
    split.resize(to: CellSize(width: 100, height: 22))
    let recorder = Recorder()
    split.delegate = recorder
    pane.log = { recorder.heard.append($0) }
    split.hide(animated: animated, at: 0)
    split.advance(to: 1)
    #expect(
      recorder.heard == [
        "willHide Logged", "pane willDisappear", "pane didDisappear", "didHide Logged",
      ])
    recorder.heard = []
    split.show(animated: animated, at: 2)
    split.advance(to: 3)
    #expect(
      recorder.heard == [
        "willShow Logged", "pane willAppear", "pane didAppear", "didShow Logged",
      ])
  }

  @Test func `D24 the delegate hears of will and did, for showing and hiding`() {
    let desk = Desk(100)
    desk.split.hide(at: 0)
    #expect(desk.recorder.heard == ["willHide Notes of mine"])
    desk.split.advance(to: 0.3)
    desk.split.show(at: 1)
    #expect(desk.recorder.heard.suffix(2) == ["didHide Notes of mine", "willShow Notes of mine"])
    desk.split.advance(to: 1.3)
    #expect(desk.recorder.heard.last == "didShow Notes of mine" && desk.recorder.heard.count == 4)
  }

  @Test func `D27 doing what is done calls no delegate, and the completion once, at once`() {
    let desk = Desk(100)
    var completions = 0
    desk.split.show(at: 0) { completions += 1 }
    #expect(completions == 1)
    desk.split.hide(animated: false, at: 1)
    desk.forget()
    desk.split.hide(at: 2) { completions += 1 }
    #expect(completions == 2 && desk.recorder.heard.isEmpty && desk.events == [.completed])
  }

  @Test func `D28 the toggle's title flips with the did callbacks`() {
    let desk = Desk(100)
    desk.split.words = SplitWords(show: "Zeigen", hide: "Verbergen", close: "Zu")
    #expect(desk.split.button.toggleTitle == "Verbergen")
    desk.split.hide(at: 0)
    desk.split.advance(to: 0.2)
    #expect(desk.split.button.toggleTitle == "Verbergen")
    desk.split.advance(to: 0.3)
    #expect(desk.split.button.toggleTitle == "Zeigen")
    #expect(SplitWords() == SplitWords(show: "Show", hide: "Hide", close: "Close"))
  }

  @Test func `a change turned around tells only what came true, and both completions`() {
    let desk = Desk(100)
    var completed: [String] = []
    desk.split.hide(at: 0) { completed.append("hide") }
    desk.split.show(at: 0.1) { completed.append("show") }
    #expect(completed == ["hide"])
    desk.split.advance(to: 0.5)
    #expect(completed == ["hide", "show"])
    #expect(
      desk.recorder.heard == [
        "willHide Notes of mine", "willShow Notes of mine", "didShow Notes of mine",
      ])
    #expect(desk.split.nextFrame(after: 0.5) == nil)
  }

  @Test func `a change asked for in a callback waits for the present one`() {
    let desk = Desk(100)
    desk.recorder.onHide = { [unowned desk] _ in desk.split.show(animated: false, at: 1) }
    desk.split.hide(animated: false, at: 0)
    #expect(
      desk.recorder.heard == [
        "willHide Notes of mine", "didHide Notes of mine", "willShow Notes of mine",
        "didShow Notes of mine",
      ])
    #expect(!desk.split.isPrimaryHidden)
  }

  @Test func `pictures are due 30 times a second while something moves`() {
    let desk = Desk(100)
    #expect(desk.split.nextFrame(after: 0) == nil)
    desk.split.hide(at: 0)
    #expect(desk.split.nextFrame(after: 0) == 1.0 / 30)
  }
}
