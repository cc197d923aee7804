package pathfrag

import (
	"testing"
	"testing/fstest"
	"time"

	"github.com/paratimer/paratimer/adapters/spark"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/internal/testkit/fixtures"
)

// TestDriverOfSpark checks that time in which no job runs is the driver's, and that tasks wait for cores only while
// others hold them.
func TestDriverOfSpark(t *testing.T) {
	t.Parallel()
	const second = time.Second
	pauses := fixtures.NewSparkLog(4) // three jobs of 5 s, a minute after each
	for end, i := time.Duration(0), 0; i < 3; i++ {
		end = pauses.Job(end+60*second, 5*second, 4, -1)
		pauses.End(end + 60*second)
	}
	threads := fixtures.NewSparkLog(8) // the thread that ends last pauses for 30 s while a job of another one runs
	threads.Job(0, 10*second, 2, -1)
	threads.Job(0, 50*second, 2, -1)
	threads.Job(40*second, 60*second, 2, -1)
	threads.End(103 * second)

	full := fixtures.NewSparkLog(2) // the second job waits for the cores of the first one
	full.Job(0, 30*second, 2, -1)
	full.Job(10*second, 10*second, 1, -1)
	full.End(33 * second)

	for _, c := range []struct {
		name               string
		log                *fixtures.SparkLog
		at                 time.Duration // 0: the end
		launch, work, last float64       // seconds
	}{
		{"pauses", pauses, 0, 120, 15, 60},
		{"in a pause", pauses, 100 * second, 35, 5, 0},
		{"threads", threads, 0, 30, 70, 3},
		{"full", full, 0, 0, 30, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			files, err := spark.FindLogs(t.Context(), fstest.MapFS{"app-1": {Data: c.log.Bytes()}}, "app-1")
			if err != nil || len(files) != 1 {
				t.Fatalf("%d logs, %v", len(files), err)
			}
			log, err := files[0].Open()
			if err != nil {
				t.Fatal(err)
			}
			at := log.Last
			if c.at > 0 {
				at = dag.Instant(fixtures.SparkBegin).Add(c.at)
			}
			s, _ := log.Reader("").At(at)
			a, err := Attribute(s, nil)
			if err != nil {
				t.Fatal(err)
			}
			sums := a.ByCause()
			for cause, want := range map[Cause]float64{Launch: c.launch, Work: c.work, Finish: c.last, Containers: 0} {
				if got := sums[cause].Seconds(); got < want-0.1 || got > want+0.1 {
					t.Errorf("%v took %.2f s, want %v s", cause, got, want)
				}
			}
		})
	}
}
