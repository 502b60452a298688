public import Foundation
public import NetworkCore
public import RxLite

extension ObservableType where Element == Data {
  /// Splits a text that comes in chunks into its lines, wherever the chunks part it.
  ///
  /// The lines are delivered where the chunks are. What is kept is the beginning of one line.
  ///
  /// - Parameters:
  ///   - ending: what ends a line.
  ///   - limit: the most bytes that a line may have; with more the sequence fails with `NetworkError.underlying` and
  ///     `StreamError.lineTooLong`.
  /// - Returns: the sequence of lines, without their endings; the last one may do without.
  public func lines(ending: LineSplitter.Ending = .any, limit: Int = 1 << 20) -> Observable<String> {
    parsed { LineSplitter(ending: ending, limit: limit) }
  }

  /// Decodes each line of a body that comes in chunks (newline-delimited JSON); empty lines are left out.
  ///
  /// - Parameters:
  ///   - type: what each line is decoded to.
  ///   - decoder: the decoder to use.
  ///   - limit: the most bytes that a line may have.
  /// - Returns: the sequence of values; it fails with `NetworkError.underlying` and `StreamError.undecodableLine` or
  ///   `.lineTooLong`.
  public func decodeLines<Value: Decodable & Sendable>(
    as type: Value.Type, decoder: JSONDecoder = .standard, limit: Int = 1 << 20
  ) -> Observable<Value> {
    parsed { LineDecoder(type, decoder: decoder, limit: limit) }
  }

  private func parsed<Parser: ChunkParser>(
    with makeParser: @escaping () -> Parser
  ) -> Observable<Parser.Element> {
    let chunks = asObservable()
    return Observable<Parser.Element>.create { observer in
      var parser = makeParser()
      func deliver(_ parse: (inout [Parser.Element]) throws(StreamError) -> Void) -> Bool {
        var elements: [Parser.Element] = []
        var failure: StreamError?
        do throws(StreamError) { try parse(&elements) } catch { failure = error }
        // What came before it first.
        for element in elements { observer.onNext(element) }
        if let failure { observer.onError(NetworkError.underlying(failure, nil)) }
        return failure == nil
      }
      return chunks.subscribe { event in
        switch event {
        case .next(let chunk):
          _ = deliver { elements throws(StreamError) in try parser.parse(chunk, into: &elements) }
        case .error(let error): observer.onError(error)
        case .completed:
          if deliver({ elements throws(StreamError) in try parser.finish(into: &elements) }) {
            observer.onCompleted()
          }
        }
      }
    }
  }
}
