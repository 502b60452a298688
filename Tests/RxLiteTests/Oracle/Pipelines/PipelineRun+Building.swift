import RxLite

extension PipelineRun {
  /// Creates the sequence of a node, and before it those of its children.
  func observable(_ node: PipelineNode) throws -> Observable<Int> {
    switch node.name {
    case "var": return try variable(call(node))
    case "let": return try sharedSequence(node)
    case "feedback": return try feedback(node)
    default:
      guard let build = OperatorCall.operators[node.name] else {
        throw InvalidPipeline(reason: "unknown operator '\(node.name)'")
      }
      return try build(call(node, node.children.map(observable)))
    }
  }

  private func call(_ node: PipelineNode, _ sources: [Observable<Int>] = []) -> OperatorCall {
    OperatorCall(run: self, numbers: node.numbers, sources: sources)
  }

  /// `var[depth]`: the sequence of an enclosing `let` or `feedback`; depth 0 is the innermost.
  private func variable(_ call: OperatorCall) throws -> Observable<Int> {
    guard call[0] < variables.count else { throw InvalidPipeline(reason: "no variable \(call[0])") }
    return variables[variables.count - 1 - call[0]]
  }

  /// `let[sharing](sequence,body)`: a body that refers to one sequence several times.
  private func sharedSequence(_ node: PipelineNode) throws -> Observable<Int> {
    let sharing: Sharing = try call(node).parameter(0)
    let shared = sharing(try observable(node.children[0]))
    return try withVariable(shared) { try observable(node.children[1]) }
  }

  /// `feedback[subject,count](body)`: a body whose first elements are sent, increased by 1, to a subject that
  /// the body refers to.
  private func feedback(_ node: PipelineNode) throws -> Observable<Int> {
    let kind: PipelineSubject = try call(node).parameter(0)
    let subject = kind.subject(number: 1)
    let body = try withVariable(subject.sequence) { try observable(node.children[0]) }
    var remaining = call(node)[1]
    return body.do(onNext: { element in
      guard remaining > 0 else { return }
      remaining -= 1
      subject.send(.next(bounded(element + 1)))
    })
  }

  private func withVariable<Result>(_ sequence: Observable<Int>, _ body: () throws -> Result) rethrows
    -> Result
  {
    variables.append(sequence)
    defer { variables.removeLast() }
    return try body()
  }
}
