import RxLite

/// The error of test sources and closures; the vectors name it by its code: `E40`.
struct PipelineError: Error {
  let code: Int
}

func describe(_ event: Event<Int>) -> String {
  switch event {
  case .next(let element): "n\(element)"
  case .error(let error): "e:\(describe(error))"
  case .completed: "c"
  }
}

func describe(_ error: any Error) -> String {
  switch error {
  case let error as PipelineError: "E\(error.code)"
  case RxError.disposed: "disposed"
  case RxError.overflow: "overflow"
  case RxError.argumentOutOfRange: "outOfRange"
  case RxError.noElements: "noElements"
  case RxError.moreThanOneElement: "moreThanOne"
  case RxError.timeout: "timeout"
  default: "\(error)"
  }
}
