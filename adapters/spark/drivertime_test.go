package spark

import (
	"bytes"
	"io"
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/internal/testkit/fixtures"
)

func readLog(in io.Reader) (*Log, error) {
	l := newLog()
	if err := l.read(in); err != nil {
		return nil, err
	}
	return l, l.arrange()
}

func logOf(t *testing.T, l *fixtures.SparkLog) *Log {
	t.Helper()
	log, err := readLog(bytes.NewReader(l.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	return log
}

func secs(n float64) time.Duration { return time.Duration(n * float64(time.Second)) }

// TestDriverAlone checks that the time in which no job runs shows while it lasts, and that applications and executions
// of SQL end with their own ends.
func TestDriverAlone(t *testing.T) {
	t.Parallel()
	// Jobs from 100 s to 110 s and from 140 s to 150 s; the driver works on until 450 s.
	pauses := fixtures.NewSparkLog(4)
	pauses.Job(secs(140), secs(10), 4, -1)
	pauses.Job(secs(100), secs(10), 4, -1)
	pauses.End(secs(450))

	threads := fixtures.NewSparkLog(8) // one thread pauses from 11 s to 41 s, another one has a job until 61 s
	threads.Job(secs(1), secs(10), 2, -1)
	threads.Job(secs(1), secs(60), 2, -1)
	threads.Job(secs(41), secs(5), 2, -1)
	threads.End(secs(70))

	sql := fixtures.NewSparkLog(4) // a commit of 40 s after the only job
	sql.Execution(0, secs(1), secs(51))
	sql.Job(secs(1), secs(10), 4, 0)
	sql.End(secs(90))

	open := fixtures.NewSparkLog(4) // the log has no end
	open.Job(secs(1), secs(10), 4, -1)
	open.Job(secs(60), secs(10), 4, -1)

	for _, c := range []struct {
		name  string
		log   *fixtures.SparkLog
		unit  string
		alone map[float64]float64 // at a second since when the driver works alone, 0: it does not
		ended float64             // 0: it runs
	}{
		{"pauses", pauses, "", map[float64]float64{105: 0, 120: 110, 145: 0, 151: 150, 449: 150, 451: 0}, 450},
		{"threads", threads, "", map[float64]float64{20: 0, 50: 0, 65: 61}, 70},
		{"sql", sql, "/sql/0", map[float64]float64{5: 0, 30: 11, 60: 0}, 51},
		{"sql's application", sql, "", map[float64]float64{5: 0, 60: 11}, 90},
		{"no end", open, "", map[float64]float64{30: 11, 65: 0}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			log := logOf(t, c.log)
			for at, want := range c.alone {
				s, ok := log.Reader(c.unit).At(dag.Instant(fixtures.SparkBegin).Add(secs(at)))
				if !ok {
					t.Fatal("no job")
				}
				got := 0.0
				if since := s.DriverAlone(); since.Known() {
					got = since.Seconds(fixtures.SparkBegin)
				}
				if got < want-0.02 || got > want+0.02 {
					t.Errorf("at %v s: alone since %v s, want %v s", at, got, want)
				}
			}
			s, _ := log.Reader(c.unit).At(dag.Instant(fixtures.SparkBegin).Add(time.Hour))
			got := s.Jobs[0].Finished
			if got.Known() != (c.ended > 0) || got.Known() && got.Seconds(fixtures.SparkBegin) != c.ended {
				t.Errorf("%v, it ended at %v, want %v s", s.State, got, c.ended)
			}
		})
	}
}

// TestDriverAloneLive checks the same of a driver that is watched: after its only job it works until the history server
// has its end.
func TestDriverAloneLive(t *testing.T) {
	t.Parallel()
	f := &fake{tasks: 4, done: 0, now: 1795366700500}
	s := NewSource(f, "app-1")
	f.observe(t, s)
	f.done, f.now = 4, 1795366710000
	if snap := f.observe(t, s); snap.State != dag.Running || !snap.DriverAlone().Known() || !snap.Plan.Open {
		t.Errorf("%v, alone %v, open %v", snap.State, snap.DriverAlone(), snap.Plan.Open)
	}
	f.jobEnd, f.now, f.down, f.over = f.now, f.now+60_000, true, true
	if snap := f.observe(t, s); snap.State != dag.Succeeded || snap.Jobs[0].Finished != f.now {
		t.Errorf("got %v at %v, want the end at %v, as in the history server", snap.State, snap.Jobs[0].Finished, f.now)
	}
}

func (f *fake) observe(t *testing.T, s *Source) *dag.Snapshot {
	t.Helper()
	snap, err := s.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return snap
}
