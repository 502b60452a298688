import ReactiveNetworkExamples

launch("typeahead", help: Arguments.help) { words throws(Rejection) in
  try Arguments(&words)
} run: { arguments in
  try Program(arguments: arguments).run()
}
