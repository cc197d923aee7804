//go:build foreign

package history

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/internal/testkit/fixtures"
)

// TestHadoopsOwn reads histories that Hadoop's own tests have, of 0.23, 2.0 and 2.4.
func TestHadoopsOwn(t *testing.T) {
	dir := fixtures.Foreign("jhist")
	for _, c := range []struct {
		prefix        string
		state         dag.State
		maps, reduces int
		attempts      int
		seconds       float64 // from submission to end, as in the file
	}{
		{"job_0.23.9-FAILED", dag.Failed, 2, 1, 8, 29.950},
		{"job_2.4.0-FAILED", dag.Failed, 2, 1, 4, 27.010},
		{"job_1329348432655_0001-", dag.Succeeded, 10, 1, 12, 25.374},
		{"job_1416424547277_0002-", dag.Succeeded, 2, 0, 2, 10.152},
	} {
		files, _ := filepath.Glob(filepath.Join(dir, c.prefix+"*.jhist"))
		if len(files) != 1 {
			t.Errorf("%s: %v", c.prefix, files)
			continue
		}
		b, err := os.ReadFile(files[0])
		if err != nil {
			t.Fatal(err)
		}
		j := read(t, b)
		if j.State != c.state || j.Maps != c.maps || j.Reduces != c.reduces ||
			len(j.Attempts[0])+len(j.Attempts[1]) != c.attempts ||
			j.Bad > 0 || j.Torn || j.Finished.Seconds(j.Submitted) != c.seconds {
			t.Errorf("%s: %v, %d maps, %d reduces, %d attempts, %v s, %d bad", c.prefix, j.State, j.Maps, j.Reduces,
				len(j.Attempts[0])+len(j.Attempts[1]), j.Finished.Seconds(j.Submitted), j.Bad)
		}
	}
}

// TestTrackersOwn reads histories of real JobTrackers.
func TestTrackersOwn(t *testing.T) {
	dir := fixtures.Foreign("history")
	for _, c := range []struct {
		prefix                    string
		jobs, maps, reduces, ends int // attempts of all jobs, and those that succeeded
		bad                       int
	}{
		{"11-", 1, 9, 8, 17, 0},
		{"46-", 4, 224, 52, 203, 0},
		{"50-", 1, 21, 1, 21, 1},
		{"61-", 1, 2, 2, 4, 0},
		{"66-", 1, 1, 1, 2, 0},
	} {
		files, _ := filepath.Glob(filepath.Join(dir, c.prefix+"*"))
		if len(files) != 1 {
			t.Errorf("%s: %v", c.prefix, files)
			continue
		}
		maps, reduces, ends, bad := 0, 0, 0, 0
		jobs, err := readEvents(bytes.NewReader(fixtures.Read(t, files[0])))
		for _, j := range jobs {
			maps, reduces, bad = maps+len(j.Attempts[0]), reduces+len(j.Attempts[1]), bad+j.Bad
			for _, a := range append(append([]*Attempt{}, j.Attempts[0]...), j.Attempts[1]...) {
				if a.State == dag.AttemptSucceeded && a.End.Known() && a.Node != "" {
					ends++
				}
			}
			if !j.Ended() || !j.Slots || j.Torn {
				t.Errorf("%s: %+v", c.prefix, j)
			}
		}
		if err != nil || len(jobs) != c.jobs || maps != c.maps || reduces != c.reduces || ends != c.ends ||
			bad != c.bad {
			t.Errorf("%s: %d jobs, %d maps, %d reduces, %d ends, %d bad, %v", c.prefix, len(jobs), maps, reduces, ends,
				bad, err)
		}
	}
}
