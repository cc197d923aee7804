package chaos

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/paratimer/paratimer/dag"
)

// responses has the numbers of complete responses: "name field number". It is below the faults, and reads JSON by
// other code than the adapter's.
type responses struct {
	next http.RoundTripper

	mu   sync.Mutex
	fact map[string]bool
	seen map[string][]byte // newest body of each address, so that it is read once
}

func newResponses(next http.RoundTripper) *responses {
	return &responses{next: next, fact: map[string]bool{}, seen: map[string][]byte{}}
}

func (s *responses) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := s.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	resp.Body = body{bytes.NewReader(b)}
	s.mu.Lock()
	defer s.mu.Unlock()
	at := r.URL.RequestURI()
	if resp.StatusCode == http.StatusOK && !strings.HasSuffix(r.URL.Path, "/conf") && !bytes.Equal(s.seen[at], b) {
		s.seen[at] = b
		var v any
		if json.Unmarshal(b, &v) == nil {
			of := ""
			if path.Base(r.URL.Path) == "counters" {
				of = path.Base(path.Dir(r.URL.Path)) // of a task, or a job
			}
			s.walk(of, v)
		}
	}
	return resp, nil
}

// walk notes every number under the id of the object that it is in.
func (s *responses) walk(of string, v any) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			s.walk(of, e)
		}
	case map[string]any:
		if id, ok := v["id"].(string); ok {
			of = id
		}
		if name, ok := v["name"].(string); ok && v["value"] != nil { // a counter
			s.note(of, name, v["value"])
		}
		for k, e := range v {
			s.note(of, k, e)
			s.walk(of, e)
		}
	}
}

func (s *responses) note(of, field string, v any) {
	switch v := v.(type) {
	case float64:
		s.fact[key(of, field, v)] = true
	case string:
		if n, err := strconv.ParseFloat(v, 64); err == nil {
			s.fact[key(of, field, n)] = true
		}
	}
}

func key(of, field string, v float64) string {
	return of + " " + field + " " + strconv.FormatFloat(v, 'f', -1, 64)
}

// check fails if a snapshot has a number that no complete response has reported.
func (s *responses) check(t *testing.T, snap *dag.Snapshot) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	is := func(v float64, of string, fields ...string) {
		t.Helper()
		if math.IsNaN(v) {
			return
		}
		for _, f := range fields {
			if s.fact[key(of, f, v)] {
				return
			}
		}
		t.Errorf("at %v: %s: %v %v: no complete response has reported it", snap.At, of, fields, v)
	}
	when := func(at dag.Instant, of string, fields ...string) {
		t.Helper()
		if at.Known() {
			is(float64(at), of, fields...)
		}
	}
	if mb := snap.Plan.Cluster.MemoryMB; mb > 0 {
		is(float64(mb), "", "totalMB")
	}
	for i := range snap.Load {
		if mb := snap.Load[i].HeldMB; mb > 0 {
			is(float64(mb), snap.Load[i].ID, "allocatedMB")
		}
	}
	for i := range snap.Jobs {
		j, p := &snap.Jobs[i], &snap.Plan.Jobs[i]
		if j.ID == "" {
			continue
		}
		app := "application" + strings.TrimPrefix(j.ID, "job")
		if j.HeldMB > 0 {
			is(float64(j.HeldMB), app, "allocatedMB")
		}
		if p.Stages[dag.Map].Known {
			is(float64(p.Stages[dag.Map].Tasks), j.ID, "mapsTotal")
			is(float64(p.Stages[dag.Reduce].Tasks), j.ID, "reducesTotal")
		}
		if !s.fact[key(app, "startedTime", float64(j.Submitted))] {
			when(j.Submitted, j.ID, "submitTime")
		}
		when(j.Started, j.ID, "startTime")
		if !s.fact[key(app, "finishedTime", float64(j.Finished))] {
			when(j.Finished, j.ID, "finishTime")
		}
		for _, k := range []dag.StageIndex{dag.Map, dag.Reduce} {
			for _, a := range j.Stages[k].Attempts {
				letter := map[dag.StageIndex]string{dag.Map: "m", dag.Reduce: "r"}[k]
				task := fmt.Sprintf("task%s_%s_%06d", strings.TrimPrefix(j.ID, "job"), letter, a.Task)
				name := fmt.Sprintf("attempt%s_%d", strings.TrimPrefix(task, "task"), a.Number)
				if !s.fact[key(task, "startTime", float64(a.Start))] {
					when(a.Start, name, "startTime")
				}
				// A lost attempt ends at the observation, a copy that was killed with the other attempt.
				derived := a.Diagnosis == "its new master lacks it: it must run again" ||
					a.State == dag.AttemptKilled && s.hasTwin(&j.Stages[k], &a)
				if !s.fact[key(task, "finishTime", float64(a.End))] && !derived {
					when(a.End, name, "finishTime")
				}
				when(a.CopyEnd, name, "shuffleFinishTime")
				when(a.SortEnd, name, "mergeFinishTime")
				if a.Ratio != 1 && !math.IsNaN(a.Ratio) && !s.near(task, a.Ratio) && !s.near(name, a.Ratio) {
					t.Errorf("at %v: %s: ratio %v: no complete response has reported it", snap.At, name, a.Ratio)
				}
				if k == dag.Map {
					is(a.Done[0], task, "MAP_INPUT_RECORDS")
					is(a.Out, task, "MAP_OUTPUT_RECORDS")
					continue
				}
				is(a.Done[dag.Copy], task, "SHUFFLED_MAPS")
				is(a.Done[dag.Work], task, "REDUCE_INPUT_RECORDS")
				is(a.Out, task, "REDUCE_OUTPUT_RECORDS")
				is(a.Bytes, task, "REDUCE_SHUFFLE_BYTES")
			}
		}
	}
}

// hasTwin reports whether another attempt of the task ended when this one did.
func (s *responses) hasTwin(p *dag.StageState, a *dag.Attempt) bool {
	return slices.ContainsFunc(p.Attempts, func(b dag.Attempt) bool {
		return b.Task == a.Task && b.Number != a.Number &&
			b.End == a.End
	})
}

// near reports whether a progress was reported, up to the rounding of a division by 100.
func (s *responses) near(of string, ratio float64) bool {
	for _, v := range []float64{ratio * 100, math.Nextafter(ratio*100, 0), math.Nextafter(ratio*100, 200)} {
		if s.fact[key(of, "progress", v)] {
			return true
		}
	}
	return false
}
