package main

import "github.com/paratimer/paratimer/lab/replaytest"

const (
	coresFile   = "estimators/staged/cores.go"
	openFile    = "estimators/staged/cores_open.go"
	profileFile = "estimators/profiles/open.go"
	pairFile    = "estimators/profiles/pair.go"
)

// sparkParts are those that the estimate of an application of Spark is made of.
var sparkParts = []part{
	{"nothing", nil},
	{"the profile tells the stages to come: only those that are announced", []replaytest.Edit{{
		File: profileFile, Old: "complete := s.Announced(), s.State.Ended()", New: "complete := s.Announced(), true",
	}}},
	{"stages are known by their RDDs: by their place in the program", []replaytest.Edit{{
		File: pairFile, Old: "byName[run[k].Name]; ok && !taken[i] {", New: "byName[run[k].Name+\"?\"]; ok && !taken[i] {",
	}}},
	{"input by what the stages before wrote: as in the profile", []replaytest.Edit{{
		File: stagedFile, Old: "case in > 0 && rest > 0:", New: "case in < 0 && rest > 0:",
	}}},
	{"pace and load as first tasks show them: as in the profile", []replaytest.Edit{{
		File: coresFile, Old: "m.pace, m.start.scale = bound(a, paceMax), bound(b, loadMax)",
		New: "m.pace, m.start.scale = bound(0*a, paceMax), bound(0*b, loadMax)",
	}}},
	{"the first executor's start-up tells the load: nothing does before the first task", []replaytest.Edit{{
		File: coresFile, Old: "a, b := coresPower*boot, boot\n", New: "boot, sigma = 0, loadSigma\na, b := coresPower*boot, boot\n",
	}}},
	{"the first task of a core takes longer: as others", []replaytest.Edit{{
		File: coresFile, Old: "m.start.extra = sum / n", New: "m.start.extra = 0 * sum / n",
	}}},
	{"the first task of a stage on a core takes longer: as others", []replaytest.Edit{{
		File: openFile, Old: "if task >= l.heads {", New: "if task >= 0*l.heads {",
	}}},
	{"running tasks by their own records: by their stage", []replaytest.Edit{{
		File: "estimators/staged/left.go", Old: "rate := ownRate(l.rate, took, units)",
		New: "rate := ownRate(l.rate, 0*took, units)",
	}}},
}
