package spark

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// bubble runs a test in virtual time.
func bubble(t *testing.T, name string, test func(t *testing.T)) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, test)
	})
}

func warned(s *dag.Snapshot, text string) bool {
	for _, w := range s.Warnings {
		if strings.Contains(w.Text, text) {
			return true
		}
	}
	return false
}

// TestEndWithoutHistory checks how an application without a history server ends: by the observed ends of its jobs,
// and at the time at which its driver was last seen.
func TestEndWithoutHistory(t *testing.T) {
	t.Parallel()
	notFound := func(*webSpark) (int, string) { return http.StatusNotFound, `{"message":"no such app"}` }
	unfinished := func(w *webSpark) (int, string) { return http.StatusOK, w.applications(false) }
	for name, c := range map[string]struct {
		w        webSpark
		history  string
		every    time.Duration
		state    dag.State
		from, to time.Duration // of the application's start: its end lies between
		words    string
	}{
		"clean": {
			every: time.Second, state: dag.Succeeded, from: jobEnd, to: webEnd, words: "not confirmed by a history server",
		},
		"clean, seldom looked": {every: 4 * time.Second, state: dag.Succeeded, from: jobEnd, to: webEnd},
		"closed at once": {
			w: webSpark{exit: jobEnd + 100*time.Millisecond}, every: 5 * time.Second, state: dag.Succeeded,
			from: jobEnd, to: jobEnd + 100*time.Millisecond,
		},
		"killed in a job": {
			w: webSpark{exit: 10 * time.Second}, every: time.Second, state: dag.EndedUnconfirmed,
			from: 9 * time.Second, to: 10 * time.Second, words: "while 1 job ran",
		},
		"killed in the last wave": {
			w: webSpark{exit: 18 * time.Second}, every: 3 * time.Second, state: dag.EndedUnconfirmed,
			from: 17 * time.Second, to: 18 * time.Second,
		},
		"the job fails": {w: webSpark{fails: true}, every: time.Second, state: dag.Failed, from: jobEnd, to: webEnd},
		"out of reach": {
			w: webSpark{cut: true}, every: 10 * time.Second, state: dag.EndedUnconfirmed, from: 10 * time.Second,
			to: webEnd, words: "no longer answers",
		},
		"a history server that is down": {
			history: "http://history", every: time.Second, state: dag.Succeeded, from: jobEnd, to: webEnd,
			words: "history server does not answer",
		},
		"a history server that does not have it": {
			w: webSpark{history: notFound}, history: "http://history", every: time.Second, state: dag.Succeeded,
			from: jobEnd, to: webEnd,
		},
		"a history server without its end": {
			w: webSpark{history: unfinished}, history: "http://history", every: time.Second,
			state: dag.EndedUnconfirmed, from: jobEnd, to: webEnd, words: "its event log has no end",
		},
	} {
		bubble(t, name, func(t *testing.T) {
			w := c.w
			all := w.watch(t, w.source(t, c.history), c.every)
			last := all[len(all)-1]
			j := &last.Jobs[0]
			end := j.Finished.Sub(webStart)
			if last.State != c.state || j.State != c.state || end < c.from-50*time.Millisecond ||
				end > c.to+50*time.Millisecond {
				t.Errorf("it ended %v at %v, want %v between %v and %v", last.State, end, c.state, c.from, c.to)
			}
			if !warned(last, c.words) {
				t.Errorf("no %q in %+v", c.words, last.Warnings)
			}
			if got := last.Jobs[0].Stages[len(j.Stages)-1].Succeeded(); c.state == dag.Succeeded && got != 8 {
				t.Errorf("%d of 8 tasks have succeeded", got)
			}
		})
	}
}

// TestPages checks the addresses of the pages of stages and jobs: at the driver, then at the history server.
func TestPages(t *testing.T) {
	t.Parallel()
	for history, want := range map[string]string{
		"":               "http://driver:4040",
		"http://history": "http://history/history/" + webID,
	} {
		bubble(t, history, func(t *testing.T) {
			w := &webSpark{history: func(w *webSpark) (int, string) {
				return http.StatusOK, w.applications(w.now() > webEnd)
			}}
			all := w.watch(t, w.source(t, history), time.Second)
			for i, base := range map[int]string{len(all) / 2: "http://driver:4040", len(all) - 1: want} {
				got := all[i].Plan.Jobs[0].Stages[0]
				if got.URL != base+"/stages/stage/?id=0&attempt=0" {
					t.Errorf("observation %d: stage at %s, want %s", i, got.URL, base)
				}
				if want := (dag.Page{Name: "Job 0", URL: base + "/jobs/job/?id=0"}); got.Group != want {
					t.Errorf("observation %d: got %v, want %v", i, got.Group, want)
				}
			}
		})
	}
}

// TestDeadHistoryServer checks that a history server that does not answer is named in the first observation.
func TestDeadHistoryServer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, historyServerDown)
}

func historyServerDown(t *testing.T) {
	t.Helper()
	w := &webSpark{from: 2 * time.Second}
	s := w.source(t, "http://history")
	snap, err := s.Next(t.Context())
	if err != nil || !warned(snap, "will not be confirmed") || !warned(snap, "http://history") {
		t.Fatalf("%v, %+v", err, snap)
	}
	w.history = func(*webSpark) (int, string) { return http.StatusNotFound, `{"message":"no such app"}` }
	for range checkRounds {
		if snap, err = s.Next(t.Context()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
	}
	if warned(snap, "will not be confirmed") {
		t.Errorf("it answers again: %+v", snap.Warnings)
	}
}

// TestStartingDriver checks that the source waits for a driver that responds with its start page, and that a warning
// reports it.
func TestStartingDriver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, startingDriver)
}

func startingDriver(t *testing.T) {
	t.Helper()
	w := &webSpark{starting: 11 * time.Second}
	s := w.source(t, "")
	for ; w.now() < 11*time.Second; time.Sleep(time.Second) {
		snap, err := s.Next(t.Context())
		if err != nil || snap.State != dag.Submitted || !warned(snap, "Spark is starting up") {
			t.Fatalf("at %v: %v, %+v", w.now(), err, snap)
		}
	}
	if snap, err := s.Next(t.Context()); err != nil || snap.State != dag.Running || warned(snap, "starting up") {
		t.Errorf("then: %v, %+v", err, snap)
	}
}

// TestDateOfDriver checks that times are the driver's own if the Date headers of its answers are hours off.
func TestDateOfDriver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, dateOfDriver)
}

func dateOfDriver(t *testing.T) {
	t.Helper()
	for _, skew := range []time.Duration{0, 3 * time.Second, time.Hour, -2 * time.Hour, 26 * time.Hour} {
		for _, noTime := range []bool{false, true} {
			w := &webSpark{from: 5 * time.Second, skew: skew, noTime: noTime}
			s := w.source(t, "")
			last := dag.NoInstant
			for round := 0; w.now() < webEnd; round++ {
				snap, err := s.Next(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				// A time that the driver does not report follows from its jobs, from the second round on.
				off := snap.At.Sub(webStart.Add(w.now())).Abs()
				if most := 5 * time.Second; off > most && (!noTime || skew < 0 || w.now() >= 8*time.Second) {
					t.Errorf("skew %v, no time %v: the time is %v off after %v", skew, noTime, off, w.now())
				}
				if is := warned(snap, "by the driver's clock"); is != (skew.Abs() > time.Minute) && (!noTime || w.now() > 8*time.Second) {
					t.Errorf("skew %v, no time %v: %+v", skew, noTime, snap.Warnings)
				}
				if snap.At < last && round > 3 {
					t.Errorf("skew %v: at %v after %v", skew, snap.At, last)
				}
				last = snap.At
				time.Sleep(time.Second)
			}
		}
	}
}

// TestEndFromLocalLog checks that an event log on this machine confirms how an application ended.
func TestEndFromLocalLog(t *testing.T) {
	t.Parallel()
	synctest.Test(t, endFromLocalLog)
}

func endFromLocalLog(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	w := &webSpark{exit: 17 * time.Second, conf: `,["spark.eventLog.enabled","true"],["spark.eventLog.dir","file:` + dir + `"]`}
	lines := strings.NewReplacer("{id}", webID).Replace(`{"Event":"SparkListenerLogStart","Spark Version":"3.5.6"}
{"Event":"SparkListenerApplicationStart","App Name":"nightly","App ID":"{id}","Timestamp":1760000000000,"User":"me"}
{"Event":"SparkListenerJobStart","Job ID":0,"Submission Time":1760000001000,"Stage Infos":[],"Stage IDs":[0,1]}
{"Event":"SparkListenerJobEnd","Job ID":0,"Completion Time":1760000016800,"Job Result":{"Result":"JobSucceeded"}}
{"Event":"SparkListenerApplicationEnd","Timestamp":1760000017000}
`)
	if err := os.WriteFile(filepath.Join(dir, webID), []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	all := w.watch(t, w.source(t, ""), 3*time.Second)
	last := all[len(all)-1]
	if last.State != dag.Succeeded || warned(last, "not confirmed") || last.At.Sub(webStart) > 25*time.Second {
		t.Errorf("it ended %v at %v: %+v", last.State, last.At.Sub(webStart), last.Warnings)
	}
}
