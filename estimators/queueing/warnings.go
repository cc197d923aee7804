package queueing

import "fmt"

// A Warning is a doubt about a result, for programs by Code and for people by Text.
type Warning struct {
	Code string `json:"code"`
	Text string `json:"text"`
}

// calibrated is said with every answer of ViannaTable4.
var calibrated = Warning{"calibrated", "this reading of the paper was selected by the figures that it prints: " +
	"within 7 % of its Table 4, and far from the simulation of its Fig. 7 to 9 (docs/models.md); vianna-fj is the estimate to use"}

// How far Product was from the simulation of clusters drawn by chance with several jobs at once (docs/models.md).
const severalMedian, severalNinetieth = "3.6 %", "15.5 %"

// severalJobs is said where jobs share a cluster: the worst of what the model was tried on.
var severalJobs = Warning{
	"several_jobs",
	fmt.Sprintf("several jobs at once are taken to meet at random places of their timelines, each "+
		"beginning again as it ends: of clusters drawn by chance half were more than %s off the simulation, a tenth more than %s, nearly always "+
		"too long (docs/models.md)", severalMedian, severalNinetieth),
}

// several says that more than one job is in the system.
func (s *Spec) several() bool { return len(s.Jobs) > 1 || s.Jobs[0].Copies > 1 }
