package estimators

// gnm is the total getnext model (Chaudhuri et al., SIGMOD 2004): as dne, but every operator counts; the map pipeline
// has three (record reader, map runner, combine), so its tuples count three times (docs/facts/paratimer.md A5, A10).
func gnm(w *ReplayContext) (Estimate, error) { return w.tuples(3), nil }
