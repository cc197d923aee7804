package calibration

import (
	"fmt"
	"io"
)

func write(w io.Writer, runs int, all []report) {
	p := func(format string, args ...any) { fmt.Fprintf(w, format+"\n", args...) }
	failed, rough, flows := 0, 0, 0
	for _, r := range all {
		failed, rough, flows = failed+r.Failed, rough+r.Rough, flows+r.Workflows
	}
	p("# How often ranges hold")
	p("")
	p("Written by `make calibration`: `paratimer calibrate --runs %d` with %d seeds. %d workflows, each a random DAG of 1 to 4 jobs on a", runs, len(all), flows)
	p("random cluster (slots or YARN), run 40 to 80 times. Each run has the data of its day. Its noise is of a family that the sampler does")
	p("not assume (Weibull, double Pareto, bimodal, gamma), with its own pace and start-ups. Some workflows have skew, slow and lost nodes,")
	p("and failures. Each run is watched with the profile and the residuals of that workflow's earlier runs, as `attach` keeps them, and")
	p("none of later ones.")
	p("")
	p("*at* is a ratio of the run's true length; *width* is in lengths of the run. *raw* is the sampler's own range, without correction by")
	p("earlier runs. Of %d runs, %d did not end well and are left out; %d came too early in their workflow's history for a backed 80 %%", runs*len(all), failed, rough)
	p("range (9 earlier runs; 95 %% needs 39). These are rough and have columns of their own.")
	p("")
	p("| at | range | held | lowest and highest of the seeds | width | raw held | runs | rough: held | rough runs |")
	p("|---|---|---|---|---|---|---|---|---|")
	for i, first := range all[0].Coverage {
		var backed, apart mean
		for _, r := range all {
			backed.add(r.Coverage[i])
			apart.add(r.Roughly[i])
		}
		p("| %.0f %% | %.0f %% | %s | %.1f – %.1f %% | %s | %s | %d | %s | %d |", 100*first.At, 100*first.Range,
			backed.share(backed.held), 100*backed.low, 100*backed.high,
			backed.share(backed.width), backed.share(backed.raw), int(backed.runs), apart.share(apart.held),
			int(apart.runs))
	}
}

// A mean is weighted by runs; low and high are the extremes over seeds.
type mean struct{ runs, held, raw, width, low, high float64 }

func (m *mean) add(h held) {
	if h.Held == nil || h.Raw == nil || h.Width == nil {
		return
	}
	if m.runs == 0 {
		m.low, m.high = *h.Held, *h.Held
	}
	m.low, m.high = min(m.low, *h.Held), max(m.high, *h.Held)
	n := float64(h.Runs)
	m.runs += n
	m.held += n * *h.Held
	m.raw += n * *h.Raw
	m.width += n * *h.Width
}

func (m *mean) share(sum float64) string {
	if m.runs == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f %%", 100*sum/m.runs)
}
