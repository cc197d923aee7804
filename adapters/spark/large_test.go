package spark

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/internal/testkit/restsim"
)

// A longRun is the driver of a generated application.
type longRun struct {
	*restsim.SparkDriver
	now dag.Instant
}

func generate(a *restsim.SparkApplication) *longRun {
	p := &longRun{now: restsim.SparkBegin}
	p.SparkDriver = &restsim.SparkDriver{SparkApplication: a, Now: func() dag.Instant { return p.now }}
	return p
}

func (p *longRun) Now() dag.Instant { return p.now }

func (p *longRun) Get(ctx context.Context, path string) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://driver:4040"+path, nil)
	if err != nil {
		return nil, err
	}
	resp, _ := p.RoundTrip(r)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if resp.StatusCode != http.StatusOK {
		err = &rest.Error{URL: path, Status: resp.StatusCode}
	}
	return body, err
}

func (p *longRun) History(context.Context, string) ([]byte, error) { return nil, errNoHistory }

// TestForget watches a stream with a small limit of kept jobs: the plan has the newest jobs, and memory is bounded.
func TestForget(t *testing.T) {
	t.Parallel()
	const kept = 60
	p := generate(restsim.SparkStream(200))
	s := NewSource(p, "")
	s.app.kept = kept
	oldest := 0
	for range 60 {
		p.now = p.now.Add(3 * time.Second)
		snap, err := s.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		a, stages := s.app, snap.Plan.Jobs[0].Stages
		title, newest := stages[len(stages)-1].Title, fmt.Sprintf("Stage %d ", 2*a.lastJob()+1)
		if !strings.HasPrefix(title, newest) {
			t.Fatalf("the last stage is %q, want %q", title, newest)
		}
		tasks := 0
		for _, of := range a.stageList {
			for _, u := range of.tries {
				tasks += len(u.list)
			}
		}
		if len(stages) > kept+10 || len(a.jobs) > kept+10 || len(a.stages) > kept+10 || len(a.executions) > kept+10 ||
			len(a.byJob) > kept+10 || len(a.planner.names) > kept+10 || a.tasks != tasks || len(a.launched) > tasks {
			t.Fatalf("%d stages of the plan, %d jobs, %d stages, %d executions, %d and %d tasks", len(stages),
				len(a.jobs), len(a.stages), len(a.executions), a.tasks, tasks)
		}
		for k := range stages {
			for _, e := range stages[k].After {
				if int(e.From) >= k {
					t.Fatalf("stage %d reads stage %d", k, e.From)
				}
			}
		}
		if at := snap.Jobs[0].Submitted; at != restsim.SparkBegin.Add(20*time.Millisecond) || len(snap.Warnings) > 0 {
			t.Fatalf("submitted at %d, warnings %v", at-restsim.SparkBegin, snap.Warnings)
		}
		oldest = max(oldest, 2*len(a.jobList)-len(stages), a.jobList[0].id)
	}
	if oldest < 100 {
		t.Errorf("the oldest job is %d, want at least 100", oldest)
	}
}

// TestNewestExecution checks that a watch of an execution of SQL in a long session requests little of the others.
func TestNewestExecution(t *testing.T) {
	t.Parallel()
	p := generate(restsim.SparkNotebook(100))
	p.now = p.now.Add(90*20*time.Second + time.Second)
	id := IDOf("", Newest, "")
	for n := range 5 {
		s := NewSource(p, id)
		snap, err := s.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		_, all, by := p.Counts()
		if want := fmt.Sprintf("%s/sql/%d", p.ID, 90+n); snap.ID != want || len(snap.Jobs[0].Stages) != 3 {
			t.Fatalf("%s with %d stages, want %s", snap.ID, len(snap.Jobs[0].Stages), want)
		}
		if most := p.Naive() / 20; all > most {
			t.Errorf("execution %d: %d bytes, want at most %d: %v", n, all, most, by)
		}
		p.now = p.now.Add(20 * time.Second)
		if id, _, err = s.After(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}
