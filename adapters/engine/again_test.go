package engine

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/adapters/mapreduce"
	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/adapters/tez"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
)

// recordAgain watches the newest job of a recording through a transport that plays it, and records what it reads. It
// returns the new recording and the last snapshot.
func recordAgain(
	t *testing.T, rec *recording.Answers, player *recording.Player, through http.RoundTripper,
) (to string, last *dag.Snapshot) {
	t.Helper()
	to = filepath.Join(t.TempDir(), "again.jsonl.gz")
	w, err := recording.CreateAnswers(to, player.Now)
	if err != nil {
		t.Fatal(err)
	}
	rm := yarn.RecordedManager(rec)
	client, err := mapreduce.NewClient(yarn.Site{RMs: []yarn.Manager{{URL: rm}}, JHS: rm},
		rest.Options{User: "alice", Transport: through, Now: player.Now, Tap: w.Layer})
	if err != nil {
		t.Fatal(err)
	}
	target, err := mapreduce.RecordedTarget(rec, "")
	if err != nil {
		t.Fatal(err)
	}
	target.Made = player.Made
	src := mapreduce.NewSource(client, target)
	for _, at := range rec.Polls(yarn.IsPoll) {
		player.Seek(at)
		if s, err := src.Next(context.Background()); err == nil {
			last = s
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return to, last
}

// TestRecordedAgain: a recording that is watched and recorded again plays to the same end.
func TestRecordedAgain(t *testing.T) {
	for _, file := range recordings(t) {
		if name := filepath.Base(file); !strings.HasPrefix(name, "join-1") && !strings.HasPrefix(name, "failing") &&
			!strings.HasPrefix(name, "v350") {
			continue
		}
		rec := open(t, file)
		player := tez.NewPlayer(rec)
		to, last := recordAgain(t, rec, player, player)
		run, _ := play(t, open(t, to), recording.Options{})
		got := run[len(run)-1]
		if got.ID != last.ID || got.State != last.State || len(got.Jobs) != len(last.Jobs) {
			t.Fatalf("%s: %s %v, %d jobs; it was %s %v, %d jobs", file, got.ID, got.State, len(got.Jobs), last.ID,
				last.State, len(last.Jobs))
		}
		for i := range got.Jobs {
			a, b := &got.Jobs[i], &last.Jobs[i]
			if a.Submitted != b.Submitted || a.Finished != b.Finished ||
				len(a.Stages[dag.Map].Attempts) != len(b.Stages[dag.Map].Attempts) {
				t.Errorf("%s: job %d is %v-%v with %d maps, it was %v-%v with %d", file, i, a.Submitted, a.Finished,
					len(a.Stages[dag.Map].Attempts), b.Submitted, b.Finished, len(b.Stages[dag.Map].Attempts))
			}
		}
		if _, err := recording.CreateAnswers(to, player.Now); err == nil {
			t.Error("a capture that exists is overwritten")
		}
	}
}

// TestChoice chooses a workflow by its own id, a job's, or an application's. The error for another id lists the
// workflows of the recording.
func TestChoice(t *testing.T) {
	for _, file := range recordings(t) {
		if !strings.HasPrefix(filepath.Base(file), "two-1") {
			continue
		}
		rec := open(t, file)
		first, _ := play(t, rec, recording.Options{})
		id := first[len(first)-1].ID
		for _, choice := range []string{id, first[0].Jobs[0].ID, strings.Replace(first[0].Jobs[0].ID, "job",
			"application", 1)} {
			run, _ := play(t, rec, recording.Options{Workflow: choice})
			if len(run) != len(first) || run[len(run)-1].ID != id {
				t.Errorf("%s: %d snapshots of %s, want %d of %s", choice, len(run), run[len(run)-1].ID, len(first), id)
			}
		}
		var unknown *recording.UnknownError
		if _, err := Replay(rec, recording.Options{Workflow: "pig_none"}); !errors.As(err, &unknown) ||
			len(unknown.Holds) < 4 || !strings.Contains(err.Error(), id) {
			t.Errorf("an unknown workflow: %v", err)
		}
		other := ""
		for _, a := range yarn.RecordedApps(rec) {
			if strings.HasSuffix(a.FullName, "skew.pig") && a.Submitted > rec.First {
				other = a.ID
			}
		}
		run, _ := play(t, rec, recording.Options{Workflow: other, Every: 5e9})
		if last := run[len(run)-1]; last.ID == id || last.State != dag.Succeeded || len(last.Jobs) != 1 {
			t.Errorf("the other workflow: %s %v, %d jobs", last.ID, last.State, len(last.Jobs))
		}
	}
}

// TestFirstWorkflow: a job submitted after the recording began may belong to a workflow that began before.
func TestFirstWorkflow(t *testing.T) {
	app := func(n, at int) string {
		return fmt.Sprintf(`{"id":"application_1_%04d","startedTime":%d,"applicationType":"MAPREDUCE","state":"RUNNING"}`, n, at)
	}
	conf := func(n int, workflow string) string {
		return line(1100, fmt.Sprintf("/proxy/application_1_%04d/ws/v1/mapreduce/jobs/job_1_%04d/conf", n, n),
			`{"conf":{"property":[{"name":"mapreduce.workflow.id","value":"`+workflow+`"}]}}`)
	}
	for want, apps := range map[string][]string{
		"application_1_0003": {app(1, 500), app(2, 1500), app(3, 1600), app(4, 1700)},
		"application_1_0002": {app(2, 1500), app(3, 1600)},
		"":                   {app(1, 500)},
	} {
		rec, err := recording.ReadAnswers(strings.NewReader(line(1000, "/ws/v1/cluster/apps", `{"apps":{"app":[`+strings.Join(apps, ",")+`]}}`) +
			conf(1, "old") + conf(2, "old") + conf(3, "new") + conf(4, "new")))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := mapreduce.RecordedTarget(rec, ""); got.ID != want || err != nil {
			t.Errorf("chosen is %q, want %q; %v", got.ID, want, err)
		}
	}
}
