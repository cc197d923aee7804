package main

import "github.com/paratimer/paratimer/lab/replaytest"

// tezParts are the parts of the model for a DAG of Tez.
var tezParts = []part{
	{"nothing", nil},
	{"edges: all vertices at once", []replaytest.Edit{{
		File: "estimators/profiles/complete.go", Old: "stage := &job.Stages[k]\n\t\t\tif was",
		New: "stage := &job.Stages[k]\n\t\t\tstage.After, bare = nil, false\n\t\t\tif was",
	}}},
	{"containers that are reused: a launch for each task", []replaytest.Edit{{
		File: "schedule/master.go", Old: "for took < n && len(j.kept) > 0 {", New: "for took < n && len(j.kept) < 0 {",
	}}},
	{"launches as this run shows them: as in the profile", []replaytest.Edit{{
		File: overheadFile, Old: "l.shown, l.was = taskcost.MS(shown.SetupMin),", New: "l.shown, l.was = 0*taskcost.MS(shown.SetupMin),",
	}}},
	{"the master's start-up shows the load: nothing does before the first launch", []replaytest.Edit{{
		File: overheadFile, Old: "o.boot(), shown(all)", New: "normal{0, o.numbers.Load}, shown(all)",
	}}},
	{"launches show the pace of overhead: tasks alone do", []replaytest.Edit{{
		File: overheadFile, Old: "append([]group{o.launch.group()}, pauses...)", New: "pauses",
	}}},
	{"a launch by itself is faster: as one among many", []replaytest.Edit{{
		File: overheadFile, Old: "-o.numbers.Alone)", New: "-0*o.numbers.Alone)",
	}}},
	{"the first task of a container takes longer: as others", []replaytest.Edit{{
		File: "estimators/cost/cost.go", Old: "m.cold = taskcost.MS(m.s.Plan.Overheads.Cold)",
		New: "m.cold = 0 * taskcost.MS(m.s.Plan.Overheads.Cold)",
	}}},
	{"paces as tasks show them: as in the profile", []replaytest.Edit{{
		File: paceFile, Old: "p.factor, p.loaded = math.Exp(p.a), math.Exp(p.b)",
		New: "p.a, p.b, p.factor, p.loaded = 0, 0, 1, 1",
	}}},
	{"input by what the vertices before wrote: by their own tasks", []replaytest.Edit{{
		File: growthFile, Old: "case in > 0 && of < p.Total*(1-1e-9):", New: "case in < 0 && of < p.Total:",
	}}},
	{"running tasks by their own records: by their vertex", []replaytest.Edit{{
		File: leftFile, Old: "left, shown := max(whole-r.took, 0.1*whole), 0.0\n\tif r.read > 0 {",
		New: "left, shown := max(whole-r.took, 0.1*whole), 0.0\n\tif r.read < 0 {",
	}}},
	{"running tasks by Tez' progress: by their records", []replaytest.Edit{{
		File: "estimators/cost/stage.go", Old: "if share > 0.02 && share <= 1 {", New: "if share > 2 && share <= 1 {",
	}}},
}
