/// The dialogue that the program plays.
enum DialogueScript {
  static let first = "Ada"
  static let second = "Grace"

  static let remarks: [Remark] = """
    Ada: Good morning, Grace.
    Grace: Good morning! This line is rather bad today.
    Ada: It cuts out in the middle of a
    Grace: I read “in the middle of a”.
    Ada: Then everything has arrived.
    Grace: Did you have to repeat it?
    Ada: Twice. The server knows each line by its identifier.
    Grace: So it can tell a repetition from a new line.
    Ada: And you ask for the lines that you have missed.
    Grace: By the number of the last one that I have.
    Ada: Then a lost connection is only a delay.
    Grace: As long as one of us keeps trying.
    Ada: I shall.
    Grace: Good night, Ada.
    """.split(separator: "\n").map { line in
      let parts = line.split(separator: ": ", maxSplits: 1).map(String.init)
      return Remark(author: parts[0], text: parts[1])
    }
}
