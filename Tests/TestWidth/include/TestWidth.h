// Bounds how many tests of a process run at a time, unless the environment sets a bound.
//
// Without a bound, Swift Testing starts all tests before the first one ends. Each `await` then queues behind
// thousands of others while wall-clock limits run, and tests fail on machines with few processors. Swift
// Testing reads the bound from the environment when it starts, so a constructor sets it earlier.
