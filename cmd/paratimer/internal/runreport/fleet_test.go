package runreport

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/dag"
)

// fleet is some queries: one late, one held up by another, one that has ended.
func fleet() []view.Query {
	at := dag.InstantOf(time.Date(2026, 3, 14, 1, 59, 26, 0, time.UTC))
	in := func(d time.Duration) *frame.Time { return frame.TimeOf(at.Add(d)) }
	late := frame.SecondsOf(3 * time.Minute)
	early := frame.SecondsOf(-20 * time.Minute)
	return []view.Query{
		{
			ID: "wf-1", Name: "nightly.pig", User: "etl", Queue: "prod", State: dag.Running, Standing: view.IsLate,
			Bound: "by six", At: frame.TimeOf(at), DeadlineAt: in(4 * time.Minute), EndAt: in(7 * time.Minute),
			LaterSeconds: &late, Left: "~7m (6m – 9m)", HeldUpBy: &frame.HeldUp{
				ID:   of("wf-2"),
				Name: of("<b>report.hql"), Scope: "queue", Containers: 40, OfContainers: 60,
			},
		},
		{
			ID: "wf-2", Name: "<b>report.hql", User: "ann", Queue: "prod", State: dag.Running, Standing: view.IsOnTrack,
			At: frame.TimeOf(at), DeadlineAt: in(time.Hour), EndAt: in(40 * time.Minute), LaterSeconds: &early,
			Left: "~40m", HoldsUp: 1,
		},
		{
			ID: "wf-3", Name: "adhoc", User: "bob", Queue: "default", State: dag.Running, Standing: view.IsFree,
			At: frame.TimeOf(at), Left: "?",
		},
		{
			ID: "wf-0", Name: "hourly.pig", User: "etl", Queue: "prod", State: dag.Succeeded, Standing: view.HasEnded,
			At: frame.TimeOf(at), EndAt: in(0), Elapsed: of(frame.Seconds(312)),
		},
	}
}

// TestFleet checks that the page of all queries names each, links to its report, and shows no markup of a name.
func TestFleet(t *testing.T) {
	t.Parallel()
	var page, main bytes.Buffer
	if err := Fleet(fleet(), time.UTC).Live(&page, time.Second); err != nil {
		t.Fatal(err)
	}
	if err := Fleet(fleet(), time.UTC).Main(&main); err != nil {
		t.Fatal(err)
	}
	if path := os.Getenv("PARATIMER_FLEET_PAGE"); path != "" {
		if err := os.WriteFile(path, page.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if !strings.Contains(page.String(), main.String()) {
		t.Error("the page does not contain the part that updates replace")
	}
	for _, want := range []string{
		"3 running, 1 late<", "&lt;b&gt;report.hql is blocking 1<", `<a href="q/wf-1/">nightly.pig</a>`,
		"about 3m late", "about 20m early",
		`<a href="q/wf-2/">&lt;b&gt;report.hql: 40 of its queue&#39;s 60 containers</a>`, "took 5m12s", ">succeeded<",
	} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if strings.Contains(page.String(), "<b>") {
		t.Error("a name is markup")
	}
	headings(t, "fleet", page.String())
}
