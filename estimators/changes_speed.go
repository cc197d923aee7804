package estimators

import (
	"fmt"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/schedule"
)

// slower names the phase whose unfinished tasks the costs change most in all, "" where no phase changes by a percent.
func slower(w *World, costs Costs) string {
	var most float64
	var subject string
	w.eachPhase(func(job int, k dag.Kind, p *phase) {
		var was, is float64
		worst := schedule.Observed
		p.each(0, p.Tasks, func(g *group, n int) {
			was += g.Full * float64(n)
			is += tame(costs.Full(job, k, g.First)) * float64(n)
			worst = max(worst, g.Origin)
		})
		if diff := max(is-was, was-is); was > 0 && diff >= was/100 && diff > most {
			most = diff
			subject = fmt.Sprintf("%s tasks of job %s %s", k, w.Now().Plan.Jobs[job].Node, wording(is/was, worst))
		}
	})
	return subject
}

// wording words a change of costs by a factor: "take 12 % longer than was thought".
func wording(factor float64, before schedule.Origin) string {
	thought := "was thought"
	if before >= schedule.Assumed {
		thought = "was assumed"
	}
	switch {
	case factor >= 2:
		return fmt.Sprintf("take %.1f times as long as %s", factor, thought)
	case factor > 1:
		return fmt.Sprintf("take %.0f %% longer than %s", 100*(factor-1), thought)
	}
	return fmt.Sprintf("take %.0f %% less time than %s", 100*(1-factor), thought)
}
