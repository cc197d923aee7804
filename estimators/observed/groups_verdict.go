package observed

import "math"

// A verdict is how far off two ways to predict were on groups that have ended: NearestFit, and the better one of the
// two linear models, time by bytes of the job or of the task. Groups are compared in batches, those of one task between
// two looks: what counts in the end is a sum of groups too. Times are seconds.
type verdict struct {
	took          float64 // of the groups that were predicted
	groups        float64 // how many these were
	batches       int
	nearest       float64 // sums of absolute errors
	byJob, byTask float64
	logs, weight  float64 // of squared logarithms of the errors of whole stretches
}

// What a verdict must rest on, and by how much NearestFit must be better than the linear model. Where the linear model
// is off by less than groupsWorth there is nothing to win. Bursts of counters are no key groups: they must win by more.
const (
	judgedLeast = 4 // seconds of groups
	// of judgedGroups groups at least, in few batches: one reduce may have no more before its first large key
	judgedSmall   = 2
	judgedGroups  = 200
	judgedBatches = 4
	groupsBetter  = 0.8
	groupsWorth   = 0.02
	countsLeast   = 15
	countsBetter  = 0.5
)

// settled says that there is evidence enough.
func (v *verdict) settled(counted bool) bool {
	switch {
	case counted:
		return v.took >= countsLeast && v.batches >= judgedBatches
	case v.groups >= judgedGroups:
		return v.took >= judgedSmall && v.batches >= 2
	}
	return v.took >= judgedLeast && v.batches >= judgedBatches
}

// better says that NearestFit is to be gone by.
func (v *verdict) better(counted bool) bool {
	ratio := groupsBetter
	if counted {
		ratio = countsBetter
	}
	return v.nearest < ratio*v.linear() && v.linear()-v.nearest > groupsWorth*v.took
}

// linear is the error of the better linear model.
func (v *verdict) linear() float64 { return min(v.byJob, v.byTask) }

// common is the standard deviation of the logarithm of what all tasks together took by what was predicted.
func (v *verdict) common() float64 {
	if v.weight == 0 {
		return profileSigma
	}
	return min(max(math.Sqrt(v.logs/v.weight), workSigma/2), wideSigma)
}

// A batch is what was predicted of groups, and what they took.
type batch struct{ groups, took, nearest, byJob, byTask float64 }

func (b *batch) add(o batch) {
	b.groups += o.groups
	b.took, b.nearest, b.byJob, b.byTask = b.took+o.took, b.nearest+o.nearest, b.byJob+o.byJob, b.byTask+o.byTask
}

// count takes in the batches of one stretch, by task.
func (v *verdict) count(batches []batch) {
	var all batch
	for _, b := range batches {
		all.add(b)
		if !(b.took > 0) || math.IsNaN(b.byJob) || math.IsNaN(b.nearest) {
			continue // none, or nothing was known of a byte
		}
		v.batches++
		v.took += b.took
		v.groups += b.groups
		v.nearest += math.Abs(b.nearest - b.took)
		v.byJob += math.Abs(b.byJob - b.took)
		v.byTask += math.Abs(b.byTask - b.took)
	}
	if all.took > 0 && all.nearest > 0 {
		off := math.Log(all.took / all.nearest)
		v.logs += all.took * off * off
		v.weight += all.took
	}
}
