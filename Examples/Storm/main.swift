import ReactiveNetworkExamples

launch("storm", help: Arguments.help) { words throws(Rejection) in
  try Arguments(&words)
} run: { arguments in
  try Storm(arguments).run()
}
