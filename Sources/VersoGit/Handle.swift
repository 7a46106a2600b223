import CGit2

/// The one owner of a libgit2 object; not `Sendable`, so it never leaves its repository.
struct Handle: ~Copyable {
  let pointer: OpaquePointer
  private let free: @convention(c) (OpaquePointer?) -> Void

  /// Takes over what `make` wrote, or throws what it reported.
  init(
    _ function: StaticString, free: @escaping @convention(c) (OpaquePointer?) -> Void,
    make: (inout OpaquePointer?) -> Int32
  ) throws(GitError) {
    var made: OpaquePointer?
    try GitError.check(make(&made), function)
    guard let made else { preconditionFailure("\(function) succeeded without a result") }
    (pointer, self.free) = (made, free)
  }

  deinit { free(pointer) }
}
