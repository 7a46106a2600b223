package import VersoModel

/// A queue that gives the latest commit first, and among equals the one that came first, as git's
/// own walk does: 12 commits of one second stay in the order of their ancestry.
package struct CommitQueue<Element> {
  private struct Slot {
    let time: Int64
    /// Decides among equal times; `nil` where the order of arrival does.
    let id: ObjectID?
    let number: Int
    let element: Element

    func precedes(_ other: Slot) -> Bool {
      if time != other.time { return time > other.time }
      if let id, let their = other.id, id != their { return their < id }
      return number < other.number
    }
  }

  private var heap: [Slot] = []
  private var count = 0

  package init() {}

  /// Adds an element.
  ///
  /// - Parameter id: Among equal times the greater id comes first, whatever came when: for what must
  ///   not depend on the way that led there.
  package mutating func push(_ element: Element, time: Int64, id: ObjectID? = nil) {
    heap.append(Slot(time: time, id: id, number: count, element: element))
    count += 1
    var child = heap.count - 1
    while child > 0, heap[child].precedes(heap[(child - 1) / 2]) {
      heap.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  package mutating func pop() -> Element? {
    guard let last = heap.popLast() else { return nil }
    guard let top = heap.first else { return last.element }
    heap[0] = last
    var parent = 0
    while true {
      var best = parent
      for child in (2 * parent + 1)...(2 * parent + 2) where child < heap.count {
        if heap[child].precedes(heap[best]) { best = child }
      }
      if best == parent { return top.element }
      heap.swapAt(parent, best)
      parent = best
    }
  }
}
