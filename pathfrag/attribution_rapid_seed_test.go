package pathfrag_test

import "flag"

// The drawn cases are the same in every run, so that a change is judged by them and not by luck.
// -rapid.seed=0 draws others.
func init() { _ = flag.Set("rapid.seed", "20261121") }
