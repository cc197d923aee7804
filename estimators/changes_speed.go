package estimators

import (
	"fmt"

	"github.com/paratimer/paratimer/dag"
)

// slower names the phase whose unfinished tasks the costs change most in all, "" where they change nothing.
func slower(w *World, costs Costs) string {
	var most float64
	var subject string
	w.eachPhase(func(job int, k dag.Kind, p *phase) {
		var diff, was float64
		for _, g := range p.Groups {
			diff += (tame(costs.Full(job, k, g.First)) - g.Full) * float64(g.Count)
			was += g.Full * float64(g.Count)
		}
		if abs := max(diff, -diff); abs > most && was > 0 {
			most = abs
			word := "slower"
			if diff < 0 {
				word, diff = "faster", -diff
			}
			subject = fmt.Sprintf("%s tasks of job %s are %.0f %% %s than thought", k, w.Now().Plan.Jobs[job].Node, 100*diff/was, word)
		}
	})
	return subject
}
