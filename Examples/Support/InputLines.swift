package import ReactiveNetwork

#if canImport(Glibc)
  import Glibc
#endif

/// Emits the lines of standard input, which a separate thread reads, and completes at its end.
///
/// Only one subscription may read at a time. Disposing it does not end the thread, because a read cannot be
/// cancelled.
package func inputLines() -> Observable<String> {
  Observable.create { observer in
    Thread {
      var (rest, bytes) = ([UInt8](), [UInt8](repeating: 0, count: 4_096))
      // Not `readLine`, whose lock a blocked read would hold while the process exits.
      while true {
        let count = read(STDIN_FILENO, &bytes, bytes.count)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { break }
        rest += bytes[..<count]
        var lines = rest.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        rest = Array(lines.removeLast())
        for line in lines { observer.onNext(String(decoding: line, as: UTF8.self)) }
      }
      if !rest.isEmpty { observer.onNext(String(decoding: rest, as: UTF8.self)) }
      observer.onCompleted()
    }.start()
    return Disposables.create()
  }
}
