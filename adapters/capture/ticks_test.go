package capture

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/dag"
)

// A tick shows all that was asked in it. What a master says in the last tick before it ends would be lost otherwise,
// the final counters of its tasks among it.
func TestATickHasAllItsAnswers(t *testing.T) {
	const task = "/proxy/application_1_0001/ws/v1/mapreduce/jobs/job_1_0001/tasks/task_1_0001_r_000000/counters"
	text := line(1000, appsPath, "a") + line(1020, task, "early") + line(1090, task, "b") +
		line(3990, "/ws/v1/cluster/metrics", "m") + line(4000, appsPath, "c") + line(4400, task, "d") +
		line(7000, appsPath, "e") + line(7100, task, "f")
	rec, err := Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := rec.ticks(), []dag.Instant{1090, 4400, 7100}; !slices.Equal(got, want) {
		t.Fatalf("ticks at %v, want %v", got, want)
	}
	if a, _ := rec.at(&url.URL{Path: task}, rec.ticks()[1]); a.body.String() != "d" {
		t.Errorf("the second tick shows %q", a.body.String())
	}
}
