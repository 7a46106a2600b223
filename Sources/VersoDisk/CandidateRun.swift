/// What one thread of a scan has found, in the order of the paths.
///
/// Numbers are sorted instead of the candidates, which are large, and each thread sorts its own: a
/// first import finds all there is.
struct CandidateRun {
  private let candidates: [Scan.Candidate]
  private let order: ContiguousArray<UInt32>

  init(_ candidates: [Scan.Candidate]) {
    self.candidates = candidates
    var order = ContiguousArray(0..<UInt32(candidates.count))
    candidates.withUnsafeBufferPointer { all in
      order.sort { all[Int($0)].path < all[Int($1)].path }
    }
    self.order = order
  }

  private func candidate(_ place: Int) -> Scan.Candidate? {
    place < order.count ? candidates[Int(order[place])] : nil
  }

  /// The candidates of all runs, sorted by path.
  static func merged(_ runs: [CandidateRun]) -> [Scan.Candidate] {
    var merged: [Scan.Candidate] = []
    merged.reserveCapacity(runs.reduce(0) { $0 + $1.order.count })
    var places = [Int](repeating: 0, count: runs.count)
    var heads = runs.map { $0.candidate(0) }
    // There are as few runs as threads, so that to look at each head is quick enough.
    while true {
      var first: Int?
      for run in heads.indices {
        guard let head = heads[run] else { continue }
        if let best = first.flatMap({ heads[$0] }), best.path < head.path { continue }
        first = run
      }
      guard let first, let head = heads[first] else { return merged }
      merged.append(head)
      places[first] += 1
      heads[first] = runs[first].candidate(places[first])
    }
  }
}
