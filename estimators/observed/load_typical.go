package observed

import (
	"math"

	"github.com/paratimer/paratimer/dag"
)

// typicalNeed is what an application is taken to need of which nothing is known yet: as many tasks as jobs have in the
// mean of which something is known, our own and those of others whose masters have told, each as long as this run's
// tasks are.
func typicalNeed(run dag.Run, plan *dag.Plan) *dag.Need {
	var n dag.Need
	reported := reportedNeeds(run)
	for _, k := range [...]dag.StageIndex{dag.Map, dag.Reduce} {
		p := needPhase(&n, k)
		sum := 0
		for j := range plan.Jobs {
			sum += plan.Jobs[j].Stages[k].Count()
			p.TaskMB = max(p.TaskMB, limitMB(&plan.Jobs[j].Limits, k))
		}
		for _, o := range reported {
			sum += needPhase(o, k).Tasks
		}
		p.Tasks = int(math.Round(float64(sum) / float64(max(len(plan.Jobs)+len(reported), 1))))
		p.LengthMS = strangerRatio * typicalTask(run.Now(), k)
		if p.TaskMB == 0 {
			p.TaskMB = usualMB
		}
	}
	return &n
}

// strangerRatio makes a mean length a median one: the lengths of strangers' tasks are as skewed as the sampler draws
// them, and an estimate is to be as often too long as too short. It is exp(-loadSigma²/2).
const strangerRatio = 0.78

// reportedNeeds are the newest needs of all other applications that were seen.
func reportedNeeds(run dag.Run) []*dag.Need {
	var out []*dag.Need
	seen := map[string]bool{}
	for i := len(run.Window) - 1; i >= 0; i-- {
		loads := run.Window[i].Load
		for k := range loads {
			if o := &loads[k]; o.Need != nil && !seen[o.ID] {
				seen[o.ID] = true
				out = append(out, o.Need)
			}
		}
	}
	return out
}

func limitMB(l *dag.Limits, k dag.StageIndex) int {
	if k == dag.Map {
		return l.MapMB
	}
	return l.ReduceMB
}

// begunNeed is a typical need of an application whose master has come: its maps are those that it runs and asks for.
func begunNeed(n dag.Need, l *dag.Load) *dag.Need {
	running, waits := max(0, l.HeldMB-l.AMMB)/n.Map.TaskMB, max(0, l.PendingMB)/n.Map.TaskMB
	if running+waits > 0 {
		n.Map.Tasks, n.Map.Running, n.Map.Progress = running+waits, running, math.NaN()
	}
	return &n
}
