/// A queue that gives the latest commit first, and among equals the one that came first, as git's
/// own walk does: 12 commits of one second stay in the order of their ancestry.
struct CommitQueue<Element> {
  private struct Slot {
    let time: Int64
    let number: Int
    let element: Element

    func precedes(_ other: Slot) -> Bool {
      time > other.time || time == other.time && number < other.number
    }
  }

  private var heap: [Slot] = []
  private var count = 0

  mutating func push(_ element: Element, time: Int64) {
    heap.append(Slot(time: time, number: count, element: element))
    count += 1
    var child = heap.count - 1
    while child > 0, heap[child].precedes(heap[(child - 1) / 2]) {
      heap.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  mutating func pop() -> Element? {
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
