package recording

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/dag"
)

const appsPath = "/ws/v1/cluster/apps"

func isApps(u *url.URL) bool { return u.Path == appsPath }

// A tick shows all that was asked in it. What a master says in the last tick before it ends would be lost otherwise,
// the final counters of its tasks among it.
func TestATickHasAllItsAnswers(t *testing.T) {
	const task = "/proxy/application_1_0001/ws/v1/mapreduce/jobs/job_1_0001/tasks/task_1_0001_r_000000/counters"
	text := answerLine(1000, appsPath, "a") + answerLine(1020, task, "early") + answerLine(1090, task, "b") +
		answerLine(3990, "/ws/v1/cluster/metrics", "m") + answerLine(4000, appsPath, "c") + answerLine(4400, task, "d") +
		answerLine(7000, appsPath, "e") + answerLine(7100, task, "f")
	rec, err := ReadAnswers(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := rec.Polls(isApps), []dag.Instant{1090, 4400, 7100}; !slices.Equal(got, want) {
		t.Fatalf("ticks at %v, want %v", got, want)
	}
	p := NewPlayer(rec)
	p.Seek(4400)
	if a, _ := p.answer(&url.URL{Path: task}); a.Text() != "d" {
		t.Errorf("the second tick shows %q", a.Text())
	}
}
