import ReactiveNetworkExamples

launch("typeahead", help: Arguments.help) { reader throws(ArgumentError) in
  try Arguments(&reader)
} run: { arguments in
  try Program(arguments: arguments).run()
}
