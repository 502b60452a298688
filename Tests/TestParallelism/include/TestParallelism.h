// Limits the number of tests that a process runs at a time, unless the environment sets a limit.
//
// Without a limit, Swift Testing starts all tests before the first one ends. Each `await` then queues behind
// thousands of others while wall-clock limits run, and tests fail on machines with few processors. Swift
// Testing reads the limit from the environment when it starts, so a constructor sets it earlier.
