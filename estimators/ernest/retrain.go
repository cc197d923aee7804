package ernest

// A Signal says whether real runs still are what the model says (§5.1).
type Signal struct {
	Retrain bool
	Outside int     // runs out of their predicted range
	Runs    int     // runs looked at
	Error   float64 // mean of predicted/actual - 1: above 0 the model is too slow
	Chance  float64 // how likely so many outside are where the model is right
	Text    string
}

// Retrain compares runs that were made, oldest first, with what the model says of them.
func Retrain(m *Model, runs ...Row) Signal { return Signal{} }

// A TrainingOverhead is what the training runs cost beside the run that they are for (§6.2).
type TrainingOverhead struct {
	Seconds, MachineSeconds float64 // of the training runs, one after another
	TimeRatio, WorkRatio    float64 // the same over the full run's; NaN where that is not known
}

// Overhead compares training runs with the full run, predicted or made.
func Overhead(training []Row, full Row) TrainingOverhead { return TrainingOverhead{} }
