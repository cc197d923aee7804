package main

import "github.com/paratimer/paratimer/lab/replaytest"

const (
	startupFile = "estimators/staged/startup.go"
	ratesFile   = "estimators/staged/rates.go"
	stagedFile  = "estimators/staged/sizes.go"
)

// tezParts are those that the estimate of a DAG of Tez is made of.
var tezParts = []part{
	{"nothing", nil},
	{"edges: all vertices at once", []replaytest.Edit{{
		File: "estimators/staged/complete.go", Old: "stage := &job.Stages[k]\n",
		New: "stage := &job.Stages[k]\nstage.After, bare = nil, false\n",
	}}},
	{"containers that are reused: a launch for each task", []replaytest.Edit{{
		File: "schedule/master.go", Old: "for took < n && len(kept) > 0 {", New: "for took < n && len(kept) < 0 {",
	}}},
	{"launches as long as this run shows: as in the profile", []replaytest.Edit{{
		File: startupFile, Old: "st.launch, st.late = taskcost.MS(o.SetupMin), launchWait",
		New: "st.launch, st.late = 0*taskcost.MS(o.SetupMin)+expected, launchWait",
	}}},
	{"the master's start-up tells how busy the machine is: nothing does before the first launch", []replaytest.Edit{{
		File: startupFile, Old: "bootPower = 0.7", New: "bootPower = 0.",
	}}},
	{"what a task does beyond its records goes by launches: by its records", []replaytest.Edit{{
		File: ratesFile, Old: "taskOverhead = 0.07", New: "taskOverhead = 0.",
	}}},
	{"a launch by itself is faster: as one among many", []replaytest.Edit{{
		File: startupFile, Old: "alonePower = 0.4", New: "alonePower = 0.",
	}}},
	{"the first task of a container takes longer: as others", []replaytest.Edit{{
		File: startupFile, Old: "m.start.extra = max(0, (sum+coldTasks*expected)/(n+coldTasks))",
		New: "m.start.extra = 0 * (sum + coldTasks*expected)",
	}}},
	{"this run's pace: the profile's", []replaytest.Edit{{
		File: ratesFile, Old: "m.pace = min(max(math.Exp(before+shrunk*mean), 1/paceMax), paceMax)",
		New: "m.pace = math.Exp(0 * (before + shrunk*mean))",
	}}},
	{"input by what the sources wrote: as in the profile", []replaytest.Edit{{
		File: stagedFile, Old: "case in > 0 && rest > 0:", New: "case in < 0 && rest > 0:",
	}}},
	{"running tasks by their own records: by their vertex", []replaytest.Edit{{
		File: "estimators/staged/left.go", Old: "rate := ownRate(l.rate, took, units)",
		New: "rate := ownRate(l.rate, 0*took, units)",
	}}},
	{"running tasks by Tez' progress: by their records", []replaytest.Edit{{
		File: "estimators/staged/left.go", Old: "if !(share > 0.02) || share > 1 {", New: "if share > -1 {",
	}}},
}
