package main

import "github.com/paratimer/paratimer/lab/replaytest"

const (
	paceFile    = "estimators/cost/pace.go"
	sizesFile   = "estimators/cost/sizes.go"
	profileFile = "estimators/profiles/open.go"
	pairFile    = "estimators/profiles/pair.go"
)

// sparkParts are the parts of the model for an application of Spark.
var sparkParts = []part{
	{"nothing", nil},
	{"the profile has the stages to come: only those that are announced", []replaytest.Edit{{
		File: profileFile, Old: "complete, submitted := s.State.Ended(),", New: "complete, submitted := true,",
	}}},
	{"stages are recognized by their RDDs: by their place in the program", []replaytest.Edit{{
		File: pairFile, Old: "d += nameCost\n", New: "d += 0 * nameCost\n",
	}}},
	{"input by what the stages before wrote: by their own tasks", []replaytest.Edit{{
		File: growthFile, Old: "case in > 0 && of < p.Total*(1-1e-9):", New: "case in < 0 && of < p.Total:",
	}}},
	{"scans to come have as many more tasks as others: as in the profile", []replaytest.Edit{{
		File: growthFile, Old: "		if g.n > 0 {\n", New: "		if g.n > 0 && g.n < 0 {\n",
	}}},
	{"paces as tasks show them: as in the profile", []replaytest.Edit{{
		File: paceFile, Old: "p.factor, p.loaded = math.Exp(p.a), math.Exp(p.b)",
		New: "p.a, p.b, p.factor, p.loaded = 0, 0, 1, 1",
	}}},
	{"the first executor's start-up shows the load: nothing does before the first task", []replaytest.Edit{{
		File: overheadFile, Old: "o.boot(), shown(all)", New: "normal{0, o.numbers.Load}, shown(all)",
	}}},
	{"tasks that run late show the paces: only those that have ended", []replaytest.Edit{{
		File: overheadFile, Old: "if r.took > 0 && !(r.part > 0) {", New: "if r.took < 0 && !(r.part > 0) {",
	}}},
	{"the first task of a stage on a core takes longer: as others", []replaytest.Edit{{
		File: sizesFile, Old: "	usual := first - head //", New: "	head = 0\n	usual := first - head //",
	}}},
}
