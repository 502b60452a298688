extension Composition {
  /// The programs that have less in them.
  var smaller: [Composition] {
    var found: [Composition] = []
    func add(_ change: (inout Composition) -> Void) {
      var copy = self
      change(&copy)
      if copy.description != description { found.append(copy) }
    }
    for index in layers.indices { add { $0.layers.remove(at: index) } }
    for index in operators.indices { add { $0.operators.remove(at: index) } }
    for index in innerOperators.indices { add { $0.innerOperators.remove(at: index) } }
    for index in plugins.indices { add { $0.plugins.remove(at: index) } }
    if shape != .burst { add { $0.handler = .returns } }
    add { $0.hasStrangers = false }
    add { $0.isVirtual = false }
    if fault != .silent, tokenSource != .stalledInterceptor { add { $0.cancellation = .none } }
    if !changesUser {
      if cancellation != .seenByServer { add { $0.fault = .none } }
      add { $0.subscribers = 1 }
    }
    add { $0.sharesInflight = false }
    add { $0.tokenSource = .plugin }
    add { $0.loops = 1 }
    if shape != .burst { add { $0.isAlone = false } }
    return found
  }
}
