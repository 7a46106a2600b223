/// The one owner of a file descriptor; closed when dropped.
package struct Descriptor: ~Copyable {
  package let number: Int32
  private let store: any FileStore

  package init(number: Int32, store: any FileStore) {
    self.number = number
    self.store = store
  }

  deinit { store.close(number) }
}
