package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/internal/testkit/fixtures"
)

// recordings lists the recorded runs.
func recordings(t *testing.T) []string {
	t.Helper()
	files, err := fixtures.Recordings("recordings")
	if err != nil {
		t.Fatal(err)
	}
	if few := 3; testing.Short() && len(files) > few {
		// The race detector makes minutes of this; nothing here runs at once with anything else.
		t.Logf("short: %d of %d recordings", few, len(files))
		files = files[:few]
	}
	return files
}

func open(t *testing.T, file string) *recording.Answers {
	t.Helper()
	rec, err := recording.ReadAnswers(bytes.NewReader(fixtures.Read(t, file)))
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

// play returns all snapshots of a workflow and a hash of each fourth at the time it was handed out.
func play(t *testing.T, rec *recording.Answers, o recording.Options) (run []*dag.Snapshot, hashes []uint64) {
	t.Helper()
	src, err := Replay(rec, o)
	if err != nil {
		t.Fatal(err)
	}
	for {
		s, err := src.Next(context.Background())
		if errors.Is(err, io.EOF) {
			return run, hashes
		}
		if err != nil {
			t.Fatalf("after %d snapshots: %v", len(run), err)
		}
		if len(run)%4 == 0 {
			hashes = append(hashes, hash(s))
		}
		run = append(run, s)
	}
}

func hash(s *dag.Snapshot) uint64 {
	h := fnv.New64a()
	fmt.Fprint(h, *s.Plan, s.At, s.ID, s.State, s.Jobs, s.Nodes, s.Load, s.Warnings)
	return h.Sum64()
}

// A truth is a workflow in the history server, read from the raw lines by other code than the adapter's.
type truth struct {
	submitted, finished float64
	state               string
	jobs                int
	edges               map[string]string // adjacency entries
}

var jobPath = regexp.MustCompile(`/ws/v1/history/mapreduce/jobs/(job_\d+_\d+)(/conf)?$`)

func truthOf(t *testing.T, rec *recording.Answers, workflow string) truth {
	t.Helper()
	out := truth{state: "succeeded", edges: map[string]string{}}
	confs, jobs := map[string]map[string]string{}, map[string]map[string]any{}
	for i := range rec.All() {
		a := &rec.All()[i]
		m := jobPath.FindStringSubmatch(a.URL.Path)
		if m == nil {
			continue
		}
		var body map[string]map[string]any
		if err := json.Unmarshal([]byte(a.Text()), &body); err != nil {
			t.Fatal(err)
		}
		if m[2] == "" {
			jobs[m[1]] = body["job"]
			continue
		}
		confs[m[1]] = map[string]string{}
		for _, p := range body["conf"]["property"].([]any) {
			p := p.(map[string]any)
			confs[m[1]][p["name"].(string)] = fmt.Sprint(p["value"])
		}
	}
	for id, job := range jobs {
		conf := confs[id]
		if conf["mapreduce.workflow.id"] != workflow && id != workflow {
			continue
		}
		out.jobs++
		if at := job["submitTime"].(float64); out.submitted == 0 || at < out.submitted {
			out.submitted = at
		}
		out.finished = max(out.finished, job["finishTime"].(float64))
		if job["state"] != "SUCCEEDED" {
			out.state = strings.ToLower(job["state"].(string))
		}
		for k, v := range conf {
			if node, ok := strings.CutPrefix(k, "mapreduce.workflow.adjacency."); ok {
				out.edges[node] = v
			}
		}
	}
	return out
}

// TestRecordings checks every recorded run to what any run must keep.
func TestRecordings(t *testing.T) {
	for _, file := range recordings(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			rec := open(t, file)
			run, hashes := play(t, rec, recording.Options{})
			if len(run) == 0 {
				t.Fatal("no snapshot")
			}
			t.Run("truth", func(t *testing.T) { sameAsHistory(t, rec, run) })
			t.Run("graph", func(t *testing.T) { sameGraph(t, run) })
			t.Run("forward", func(t *testing.T) { nothingGoesBack(t, run) })
			for i, h := range hashes {
				if hash(run[4*i]) != h {
					t.Errorf("snapshot %d was changed after it was handed out", 4*i)
				}
			}
		})
	}
}

// sameAsHistory: the state and the total that the history server reports are reached.
func sameAsHistory(t *testing.T, rec *recording.Answers, run []*dag.Snapshot) {
	last := run[len(run)-1]
	want := truthOf(t, rec, last.ID)
	if want.jobs == 0 {
		t.Fatalf("the history server has no job of %s", last.ID)
	}
	if last.State.String() != want.state {
		t.Errorf("got state %v, want %s, as in the history server", last.State, want.state)
	}
	finished, submitted := dag.NoInstant, 0
	for i := range last.Jobs {
		finished = max(finished, last.Jobs[i].Finished)
		if last.Jobs[i].ID != "" {
			submitted++
		}
	}
	if submitted != want.jobs {
		t.Errorf("%d jobs, the history server has %d", submitted, want.jobs)
	}
	if got := finished.Seconds(last.Origin()); got != (want.finished-want.submitted)/1000 {
		t.Errorf("got a total of %v s, want %v, as in the history server", got, (want.finished-want.submitted)/1000)
	}
	for node, to := range want.edges {
		for to := range strings.SplitSeq(to, ",") {
			if to != "" && !strings.Contains(edges(last.Plan), node+">"+to+" ") {
				t.Errorf("edge %s > %s is missing in %s", node, to, edges(last.Plan))
			}
		}
	}
}

// sameGraph: the graph is whole from the first snapshot on that has the workflow's id, which is reported by the first
// conf.
func sameGraph(t *testing.T, run []*dag.Snapshot) {
	last := run[len(run)-1]
	for _, s := range run {
		if got := edges(s.Plan); s.ID == last.ID && got != edges(last.Plan) {
			t.Fatalf("graph %s at %v, %s in the end", got, s.At, edges(last.Plan))
		}
	}
	if len(run) > 1 && run[len(run)/2].ID != last.ID {
		t.Errorf("half way the workflow is still called %s", run[len(run)/2].ID)
	}
}

func edges(p *dag.Plan) string {
	var b strings.Builder
	for i := range p.Jobs {
		b.WriteString(p.Jobs[i].Node + " ")
		for _, a := range p.Jobs[i].After {
			b.WriteString(p.Jobs[a].Node + ">" + p.Jobs[i].Node + " ")
		}
	}
	return b.String()
}

// nothingGoesBack: between two snapshots nothing is taken back without a reason that stands in them.
func nothingGoesBack(t *testing.T, run []*dag.Snapshot) {
	for i := 1; i < len(run); i++ {
		a, b := run[i-1], run[i]
		if b.At <= a.At || b.State < a.State {
			t.Fatalf("%v %v after %v %v", b.At, b.State, a.At, a.State)
		}
		if len(b.Jobs) < len(a.Jobs) {
			t.Fatalf("%d jobs at %v, %d before", len(b.Jobs), b.At, len(a.Jobs))
		}
		for n := range a.Nodes {
			if a.Nodes[n].Name != b.Nodes[n].Name {
				t.Fatalf("node %d is %s, was %s", n, b.Nodes[n].Name, a.Nodes[n].Name)
			}
		}
		for k := range a.Jobs {
			if a.Plan.Jobs[k].Node == b.Plan.Jobs[k].Node {
				forward(t, &a.Jobs[k], &b.Jobs[k])
			}
		}
	}
}

func forward(t *testing.T, a, b *dag.JobState) {
	t.Helper()
	if b.State < a.State && b.Attempt <= a.Attempt {
		t.Fatalf("%s is %v, was %v, with the same master", b.ID, b.State, a.State)
	}
	if a.State == dag.Submitted && a.ID != b.ID {
		return // until the conf is known, which of a wave's jobs an application is was a guess
	}
	if a.ID != "" && a.ID != b.ID || a.Submitted.Known() && !b.Submitted.Known() {
		t.Fatalf("%s submitted %v, was %s %v", b.ID, b.Submitted, a.ID, a.Submitted)
	}
	for _, k := range []dag.StageIndex{dag.Map, dag.Reduce} {
		type key struct{ task, number int32 }
		now := map[key]dag.Attempt{}
		last := key{-1, -1}
		for _, x := range b.Stages[k].Attempts {
			at := key{x.Task, x.Number}
			if at.task < last.task || at.task == last.task && at.number <= last.number {
				t.Fatalf("%s: attempts out of order: %v after %v", b.ID, at, last)
			}
			last = at
			now[at] = x
		}
		for _, x := range a.Stages[k].Attempts {
			y, there := now[key{x.Task, x.Number}]
			switch {
			case !there:
				t.Fatalf("%s: %v %d.%d is gone", b.ID, k, x.Task, x.Number)
			case x.State == dag.AttemptSucceeded && y.State != dag.AttemptSucceeded && y.Diagnosis == "":
				t.Fatalf("%s: %v %d.%d had succeeded and is %v, without a reason", b.ID, k, x.Task, x.Number, y.State)
			case (x.State == dag.AttemptFailed || x.State == dag.AttemptKilled) && y.State != x.State:
				t.Fatalf("%s: %v %d.%d was %v and is %v", b.ID, k, x.Task, x.Number, x.State, y.State)
			case x.First.At.Known() && y.First != x.First:
				t.Fatalf("%s: %v %d.%d: the first mark moved from %v to %v", b.ID, k, x.Task, x.Number, x.First,
					y.First)
			}
			for p := range x.Done {
				if y.Done[p] < x.Done[p] && b.Attempt == a.Attempt {
					t.Fatalf("%s: %v %d.%d: pipeline %d went from %v back to %v", b.ID, k, x.Task, x.Number, p,
						x.Done[p], y.Done[p])
				}
			}
		}
	}
}
