package engine

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/internal/testkit/fixtures"
)

// replay returns the snapshots of a recording of Spark, and how many rounds were missed.
func replay(t *testing.T, name string, o recording.Options) (all []*dag.Snapshot, missed int) {
	t.Helper()
	return playedFile(t, filepath.Join("..", "spark", "testdata", name), o)
}

func playedFile(t *testing.T, path string, o recording.Options) (all []*dag.Snapshot, missed int) {
	t.Helper()
	rec, err := recording.ReadAnswers(bytes.NewReader(fixtures.Read(t, path)))
	if err != nil {
		t.Fatal(err)
	}
	src, err := Replay(rec, o)
	if err != nil {
		t.Fatal(err)
	}
	for {
		s, err := src.Next(t.Context())
		if _, is := errors.AsType[*dag.MissedError](err); is {
			missed++
			continue
		}
		if errors.Is(err, io.EOF) {
			return all, missed
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
}

// TestSparkKilledOnYARN checks that of an application that the ResourceManager has killed the end is its word, as it
// was live.
func TestSparkKilledOnYARN(t *testing.T) {
	t.Parallel()
	const rm, app = "http://rm:8088", "application_1_0001"
	root := rm + "/proxy/" + app + "/api/v1/applications"
	var lines []string
	for _, r := range []struct {
		at        int
		url, body string
		status    int
	}{
		{0, root, `[{"id":"` + app + `","name":"n","attempts":[{"attemptId":"1"}]}]`, 200},
		{10, root + "/" + app + "/1/jobs", `[{"jobId":0,"stageIds":[0],"status":"RUNNING","submissionTime":"2026-11-22T15:30:42.878GMT"}]`, 200},
		{20, root + "/" + app + "/1/stages", `[{"stageId":0,"attemptId":0,"status":"ACTIVE","numTasks":4,"rddIds":[1]}]`, 200},
		{1000, root, `[{"id":"` + app + `","name":"n","attempts":[{"attemptId":"1"}]}]`, 200},
		{1010, root + "/" + app + "/1/jobs", `[]`, 200},
		{2000, root, ``, 302},
		{2010, rm + "/ws/v1/cluster/apps/" + app, `{"app":{"id":"` + app + `","state":"KILLED","finalStatus":"KILLED","finishedTime":1795361444000}}`, 200},
	} {
		b, err := json.Marshal(map[string]any{
			"t": 1795361443000 + r.at, "url": r.url, "status": r.status, "type": "application/json", "body": r.body,
		})
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, string(b)+"\n")
	}
	path := filepath.Join(t.TempDir(), "killed.jsonl")
	if err := os.WriteFile(path, []byte(strings.Join(lines, "")), 0o600); err != nil {
		t.Fatal(err)
	}
	all, _ := playedFile(t, path, recording.Options{Workflow: app})
	if last := all[len(all)-1]; last.State != dag.Killed || last.Jobs[0].Finished != 1795361444000 {
		t.Errorf("it ends %v at %d", last.State, last.Jobs[0].Finished)
	}
}

// pending counts the tasks of a stage that have not succeeded.
func pending(s *dag.Snapshot, k int) int {
	return s.Plan.Jobs[0].Stages[k].Tasks - s.Jobs[0].Stages[k].Succeeded()
}

// TestSparkRounds checks that a recording of a driver is played round by round, to the end of the last job.
func TestSparkRounds(t *testing.T) {
	t.Parallel()
	all, missed := replay(t, "skew-3.jsonl.gz", recording.Options{})
	first, last := all[0], all[len(all)-1]
	if first.At >= all[1].At || first.State != dag.Running || !first.Plan.Open {
		t.Errorf("the first snapshot is of %d, %v, open %v", first.At, first.State, first.Plan.Open)
	}
	if len(all) < 40 || missed == 0 {
		t.Errorf("%d snapshots and %d missed rounds: the driver goes before the history server has the end", len(all),
			missed)
	}
	if last.State != dag.Succeeded || last.Plan.Open || last.Plan.Engine != "Spark" {
		t.Errorf("the last snapshot is %v, open %v, of %q", last.State, last.Plan.Open, last.Plan.Engine)
	}
	if got := last.Jobs[0].Finished.Sub(last.Origin()).Seconds(); got < 45 || got > 46 {
		t.Errorf("got %.1f s, want 45.6, as in the history server", got)
	}
	for k := range last.Plan.Jobs[0].Stages {
		if n := pending(last, k); n != 0 {
			t.Errorf("%d tasks of %s are open at the end", n, last.Plan.Jobs[0].Stages[k].Name)
		}
	}
	for _, s := range all {
		if s.Plan.Cluster.Cores != 4 {
			t.Fatalf("%d cores at %d", s.Plan.Cluster.Cores, s.At)
		}
	}
}

// TestSparkLostExecutor checks that what an executor had written runs again when it is lost, and no more.
func TestSparkLostExecutor(t *testing.T) {
	t.Parallel()
	all, _ := replay(t, "fetch-3.jsonl.gz", recording.Options{})
	again := 0
	for _, s := range all {
		if s.Jobs[0].Stages[1].Succeeded() > 0 || len(s.Jobs[0].Stages[1].Attempts) > 4 {
			again = max(again, pending(s, 0))
		}
	}
	if again != 8 {
		t.Errorf("%d tasks of the map stage were open at most after the loss, Spark ran 8 again", again)
	}
	if last := all[len(all)-1]; last.State != dag.Succeeded || pending(last, 0)+pending(last, 1) != 0 {
		t.Errorf("at the end it is %v, with %d and %d tasks open", last.State, pending(last, 0), pending(last, 1))
	}
}

// TestSparkUnknown checks that the error lists the applications of a recording.
func TestSparkUnknown(t *testing.T) {
	t.Parallel()
	rec, err := recording.ReadAnswers(bytes.NewReader(fixtures.Read(t, filepath.Join("..", "spark", "testdata", "skew-3.jsonl.gz"))))
	if err != nil {
		t.Fatal(err)
	}
	var unknown *recording.UnknownError
	if _, err = Replay(rec, recording.Options{Workflow: "application_1_0001"}); !errors.As(err, &unknown) ||
		len(unknown.Holds) != 1 {
		t.Errorf("error %v", err)
	}
}
