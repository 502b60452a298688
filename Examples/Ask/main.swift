import ReactiveNetworkExamples

launch("ask", help: Arguments.help) { reader throws(ArgumentError) in
  try Arguments(&reader)
} run: { arguments in
  try Program(arguments: arguments).run()
}
