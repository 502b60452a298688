import ReactiveNetworkExamples

launch("storm", help: Arguments.help) { reader throws(ArgumentError) in
  try Arguments(&reader)
} run: { arguments in
  try Storm(arguments).run()
}
