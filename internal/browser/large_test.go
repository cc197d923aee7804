package browser

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/dag"
)

// once is a source of one snapshot.
type once struct{ s *dag.Snapshot }

func (o *once) Next(context.Context) (s *dag.Snapshot, err error) {
	if o.s == nil {
		return nil, io.EOF
	}
	s, o.s = o.s, nil
	return s, nil
}

// large is a finished run of 100,000 tasks on 500 slots: rounds of maps with different ends.
func large() *dag.Snapshot {
	const slots, rounds = 500, 200
	s := &dag.Snapshot{
		Plan: &dag.Plan{Name: "large.pig", Cluster: dag.Cluster{Policy: dag.FIFO, MapSlots: slots, ReduceSlots: slots}},
		ID:   "large", State: dag.Succeeded, Stale: dag.NoInstant,
	}
	at := dag.Instant(1_795_000_000_000)
	for j := range 4 {
		job := dag.Job{
			Node:   fmt.Sprintf("job-%d", j),
			Stages: dag.MapReduce(dag.Stage{Tasks: slots * rounds / 4, Known: true}, dag.Stage{Known: true}),
		}
		state := dag.JobState{
			ID: fmt.Sprintf("job_1_%04d", j), State: dag.Succeeded, Submitted: at, Started: at,
			Attempt: 1, Stages: make([]dag.StageState, dag.MapReduceStages),
		}
		if j > 0 {
			job.After = []int{j - 1}
		}
		ends := [slots]dag.Instant{}
		for i := range ends {
			ends[i] = at
		}
		unknown := [dag.Pipelines]float64{math.NaN(), math.NaN(), math.NaN()}
		for i := range job.Stages[dag.Map].Tasks {
			slot := i % slots
			took := dag.Instant(10_000 + (i*7919)%4000)
			a := dag.Attempt{
				Task: int32(i), Slot: int32(slot), State: dag.AttemptSucceeded, Start: ends[slot], End: ends[slot] +
					took, Done: unknown, Total: unknown,
				Out: math.NaN(), Bytes: math.NaN(), Ratio: 1, CopyEnd: dag.NoInstant, SortEnd: dag.NoInstant,
				FirstReport: dag.NoInstant,
				First:       dag.Mark{At: dag.NoInstant}, Last: dag.Mark{At: dag.NoInstant},
			}
			a.Done[0], a.Total[0] = 1000, 1000
			ends[slot] = a.End
			state.Stages[dag.Map].Attempts = append(state.Stages[dag.Map].Attempts, a)
		}
		for _, e := range ends {
			at = max(at, e)
		}
		state.Finished = at
		s.Plan.Jobs, s.Jobs = append(s.Plan.Jobs, job), append(s.Jobs, state)
	}
	s.At = at
	return s
}

// TestLargeReport looks at the report of 100,000 tasks: it is small, soon there, and can be worked with. Times are
// told; machines are noisy, so what is held of them is generous.
func TestLargeReport(t *testing.T) {
	t.Parallel()
	if chromium == nil {
		t.Skip("no chromium here: apt-get install chromium")
	}
	if testing.Short() {
		t.Skip("it makes a report of 100,000 tasks")
	}
	folder := t.TempDir()
	f, err := recording.Create(filepath.Join(folder, "large.tape"))
	if err != nil {
		t.Fatal(err)
	}
	src := recording.Tee(&once{large()}, f)
	if _, err := src.Next(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	run(t, folder, "report", "large.tape", "-o", "large.html")
	info, err := os.Stat(filepath.Join(folder, "large.html"))
	if err != nil {
		t.Fatal(err)
	}
	p := open(t, address(filepath.Join(folder, "large.html")), viewport{})
	var painted struct{ First, Contentful, Loaded, Zoomed float64 }
	var bars int
	awaited(t, p, `new Promise(done => requestAnimationFrame(() => setTimeout(() => {
		const at = name => (performance.getEntriesByName(name)[0] || {startTime: -1}).startTime, before = performance.now();
		[...document.querySelectorAll("#gantt .tools button")].find(b => b.textContent === "+").click();
		document.querySelector("#gantt svg.plot").getBoundingClientRect();
		done({First: at("first-paint"), Contentful: at("first-contentful-paint"), Loaded: performance.getEntriesByType("navigation")[0].domComplete, Zoomed: performance.now() - before});
	}, 100)))`, &painted)
	p.eval(t, `document.querySelectorAll("#gantt .bars rect").length`, &bars)
	fmt.Printf("100,000 tasks: %.2f MB, %d bars, first paint %.0f ms, first content %.0f ms, complete %.0f ms, enlarged in %.0f ms\n",
		float64(info.Size())/1e6, bars, painted.First, painted.Contentful, painted.Loaded, painted.Zoomed)
	if info.Size() > 5_000_000 || bars < 100 {
		t.Errorf("%d bytes, %d bars", info.Size(), bars)
	}
	if !(painted.First > 0 && painted.First < 10_000 && painted.Zoomed < 5000) {
		t.Errorf("painted: %+v", painted)
	}
	p.checkFits(t, "a large report", 1280)
	p.checkQuiet(t)
}
