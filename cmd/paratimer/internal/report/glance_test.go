package report

import (
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/runreport"
	"github.com/paratimer/paratimer/dag"
)

// TestGlance holds the four answers of the first screen: of a run that missed its deadline, of one that goes on, and of
// one that failed.
func TestGlance(t *testing.T) {
	t.Parallel()
	s := sample()
	s.Glance = runreport.Glance{
		Against: &runreport.Against{
			Bound:      of("deadline"),
			DeadlineAt: frame.TimeOf(s.EndAt.Instant.Add(-10 * time.Second)), LaterSeconds: of(frame.Seconds(10)),
		},
		Lost: []runreport.Loss{
			{Kind: "failures", Seconds: 5, Ratio: frame.RatioOf(.05)},
			{Kind: "waiting", Seconds: 0, Ratio: frame.RatioOf(0)},
			{Kind: "skew", Seconds: 27, Ratio: frame.RatioOf(.27)},
		},
		Helps: &s.Limits.Rows[1],
	}
	tiles := func(s *runreport.Report) string {
		var all []string
		for _, x := range glanceOf(s, time.UTC).Tiles {
			all = append(all, x.Title+": "+x.Value+" ("+x.Note+")")
		}
		return strings.Join(all, "\n")
	}
	want := `Took: 1m40s ()
Against its deadline: 10s late (deadline: 02:00:56 UTC)
Lost on the critical path: 32s, 32 % ()
Would have helped most: 27s sooner (with Reduces as long as the median one; doubtful, see below)`
	if got := tiles(s); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if bar := glanceOf(s, time.UTC).Tiles[2].Bar; len(bar) != 2 || bar[1].X != "5%" || bar[1].W != "27%" {
		t.Errorf("the bar of what was lost: %+v", bar)
	}
	open := halfway()
	for i := range open.Limits.Rows {
		open.Limits.Rows[i].TotalSeconds = nil
	}
	if got := tiles(open); !strings.HasPrefix(got, "Left: ~") || strings.Contains(strings.SplitN(got, "\n", 2)[0],
		"((") || !strings.Contains(got, "Would help most: not known") {
		t.Error(got)
	}
	s.Workflow.State, s.Glance.Helps = dag.Failed, nil
	s.Glance.Failure = &runreport.Failure{Title: "Job join failed", Reason: "<b>Boom"}
	page := written(t, s)
	if box := strings.Index(page, "&lt;b&gt;Boom"); box < 0 || box > strings.Index(page, `class="lead"`) ||
		!strings.Contains(page, "to fix the failure") {
		t.Errorf("the cause stands at %d of the page", box)
	}
}
