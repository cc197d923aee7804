package tap

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

const theJob = "job_1700000000000_0001"

// mapBatch is the profile of a map for two reduces: keys k0, k1 … of the sizes given, at reduce 0 and 1 in turn, and as
// much again of other keys.
func mapBatch(job string, task, number int, sizes ...float64) *Batch {
	m := &MapProfile{Reduces: 2, Bytes: make([]float64, 2), Records: 1, Lambda: 100}
	for i, s := range sizes {
		m.Top = append(m.Top, Key{Name: fmt.Sprintf("k%d", i), Reduce: i % 2, Bytes: s})
		m.Bytes[i%2] += 2 * s
	}
	slices.SortStableFunc(m.Top, func(a, b Key) int { return cmp.Compare(b.Bytes, a.Bytes) })
	return checked(&Batch{Job: job, Attempt: idOf(job, "m", task, number), Final: true, Map: m})
}

// reduceBatch has a group of each size, which took as many milliseconds as it has bytes.
func reduceBatch(job string, task, number, seq int, sizes ...float64) *Batch {
	b := &Batch{Job: job, Attempt: idOf(job, "r", task, number), Seq: seq}
	for _, s := range sizes {
		b.Points = append(b.Points, Point{Bytes: s, Seconds: s / 1000, Count: 1})
	}
	return checked(b)
}

func idOf(job, kind string, task, number int) string {
	return fmt.Sprintf("attempt_%s_%s_%06d_%d", job[len("job_"):], kind, task, number)
}

// checked is the batch as a collector gets it.
func checked(b *Batch) *Batch {
	b.Version = Version
	if _, err := b.Encode(); err != nil {
		panic(err)
	}
	return b
}

func take(t *testing.T, s *Store, batches ...*Batch) {
	t.Helper()
	for _, b := range batches {
		if err := s.Take(b, noon); err != nil {
			t.Fatal(err)
		}
	}
}

// cost counts anew what a store holds.
func (s *Store) cost() (all int) {
	for _, j := range s.jobs {
		all += jobCost + len(j.silent) + mapCost*len(j.maps) + reduceCost*j.reduces()
		if j.profiles != nil {
			all += keyCost * j.profiles.Len()
		}
		for _, attempts := range j.tasks {
			for _, a := range attempts {
				all += attemptCost + a.cost()
			}
		}
	}
	return all
}

func TestStoreTakesOnce(t *testing.T) {
	s := NewStore(Limits{})
	take(t, s, mapBatch(theJob, 3, 0, 10, 5), mapBatch(theJob, 3, 1, 10, 5), mapBatch(theJob, 3, 1, 10, 5))
	j := s.jobs[theJob]
	j.join()
	if j.joined != 1 || j.inputs[0].Bytes != 20 || j.inputs[0].Top[0].Bytes != 10 {
		t.Errorf("a later attempt adds: %+v", j.inputs)
	}
	take(t, s, reduceBatch(theJob, 0, 0, 0, 7), reduceBatch(theJob, 0, 0, 0, 7), reduceBatch(theJob, 0, 1, 0, 8, 9),
		reduceBatch(theJob, 0, 0, 1, 6))
	if n := len(j.tasks[0][0].points); n != 2 {
		t.Errorf("%d points after a batch that came twice, want 2", n)
	}
	if n := len(j.tasks[0][1].points); n != 2 {
		t.Errorf("%d points of another attempt, want 2", n)
	}
	if c := s.Counts(); c.Taken != 7 || c.Refused != 0 || c.Orphans != 1 || c.Jobs != 0 {
		t.Errorf("%+v", c)
	}
}

func TestStoreRefuses(t *testing.T) {
	s := NewStore(Limits{})
	take(t, s, mapBatch(theJob, 0, 0, 1))
	other := mapBatch(theJob, 1, 0, 1)
	other.Map.Reduces, other.Map.Bytes = 3, []float64{2, 0, 0}
	var refused *Refusal
	if err := s.Take(other, noon); !errors.As(err, &refused) || refused.Status != http.StatusConflict ||
		!strings.Contains(refused.Text, "has 3 reduces, others of job_1700000000000_0001 have 2") {
		t.Error(err)
	}
	s.watch(theJob)
	s.jobs[theJob].mapTasks, s.jobs[theJob].reduceTasks = 10, 2
	for _, b := range []*Batch{mapBatch(theJob, 10, 0, 1), reduceBatch(theJob, 2, 0, 0, 1)} {
		if err := s.Take(b, noon); !errors.As(err, &refused) || !strings.Contains(refused.Text, "such tasks") {
			t.Errorf("%s: %v", b.Attempt, err)
		}
	}
	s.leave(theJob, true)
	if err := s.Take(mapBatch(theJob, 0, 0, 1), noon); !errors.Is(err, ErrOver) {
		t.Errorf("of a job that has ended: %v", err)
	}
	if c := s.Counts(); c.Bytes != 0 || c.Jobs != 0 || c.Orphans != 0 || c.Refused != 4 {
		t.Errorf("%+v", c)
	}
	for i := range 3 * maxOver {
		id := fmt.Sprintf("job_1700000000000_%06d", i)
		s.watch(id)
		s.leave(id, true)
	}
	if len(s.ended) != maxOver {
		t.Errorf("got %d jobs that have ended in memory", len(s.ended))
	}
}

// TestStoreForgetsOrphans checks that unwatched jobs are dropped, the one with the oldest report first, and never a
// watched one.
func TestStoreForgetsOrphans(t *testing.T) {
	name := func(i int) string { return fmt.Sprintf("job_1700000000000_%04d", i) }
	const limit = 15 << 10
	s := NewStore(Limits{Bytes: limit})
	s.watch(name(0))
	for i := range 12 {
		take(t, s, reduceBatch(name(i), 0, 0, 0, 1, 2, 3))
		if i > 1 {
			take(t, s, reduceBatch(name(1), 0, 0, i, 1)) // is reported again and again
		}
	}
	var there []int
	for i := range 12 {
		if s.jobs[name(i)] != nil {
			there = append(there, i)
		}
	}
	if s.jobs[name(0)] == nil || s.jobs[name(1)] == nil || s.jobs[name(2)] != nil || s.jobs[name(11)] == nil {
		t.Errorf("there are still %v", there)
	}
	if n := len(s.jobs[name(1)].tasks[0][0].points); n != 3+10 {
		t.Errorf("of the job that is reported again and again %d points are left, want 13", n)
	}
	if all := s.cost(); all > limit {
		t.Errorf("%d bytes", all)
	}
	// The one with the oldest report has many groups: another one is dropped.
	quiet := name(there[2])
	take(t, s, reduceBatch(quiet, 0, 0, 50, make([]float64, 40)...))
	if n := len(s.jobs[quiet].tasks[0][0].points); n != 43 {
		t.Errorf("the job that still reports: got %d points, want 43", n)
	}
}

// TestStoreIsFull: where room is short, profiles are refused, and those that are there stay.
func TestStoreIsFull(t *testing.T) {
	const limit = 100 << 10
	s := NewStore(Limits{Bytes: limit})
	s.watch(theJob)
	taken := 0
	for i := range 200 {
		before := s.Counts().Bytes
		b := mapBatch(theJob, i, 0, 3, 2, 1)
		for k := range b.Map.Top {
			b.Map.Top[k].Name = fmt.Sprint(i, " ", k)
		}
		switch err := s.Take(b, noon); {
		case errors.Is(err, ErrFull):
			if s.Counts().Bytes > before {
				t.Fatalf("map %d was refused and takes room", i)
			}
		case err != nil:
			t.Fatal(err)
		default:
			taken++
		}
		if n := s.Counts().Bytes; n > limit {
			t.Fatalf("map %d: %d bytes", i, n)
		}
	}
	j := s.jobs[theJob]
	if taken == 200 || len(j.maps) != taken || taken < 100 || j.profiles.Len() != 3*taken {
		t.Errorf("%d taken, %d maps, %d keys", taken, len(j.maps), j.profiles.Len())
	}
}

// TestFlood: a million batches, of unknown jobs or of any task of one that is watched, stay within the
// limits.
func TestFlood(t *testing.T) {
	const limit = 4 << 20
	n := 1_000_000
	if testing.Short() {
		n = 50_000
	}
	for name, job := range map[string]func(i int) string{
		"of one job":   func(int) string { return theJob },
		"of many jobs": func(i int) string { return fmt.Sprintf("job_1700000000000_%06d", i) },
		"of both": func(i int) string {
			return []string{theJob, fmt.Sprintf("job_1700000000000_%06d", i%500_000)}[i%2]
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := NewStore(Limits{Bytes: limit})
			s.points = 500
			s.watch(theJob)
			b := reduceBatch(theJob, 0, 0, 0, 1, 10, 100)
			for i := range n / 3 {
				b.Job, b.Seq = job(i), i
				b.Attempt = idOf(b.Job, "r", i%7_000, i%5)
				for k := range b.Points {
					b.Points[k].Bytes = float64((i * (k + 7)) % 10_007)
				}
				if err := s.Take(b, noon); err != nil && !errors.Is(err, ErrFull) {
					t.Fatal(err)
				}
			}
			c := s.Counts()
			if all := s.cost(); all != c.Bytes || all > limit {
				t.Errorf("%d bytes held, %d counted", all, c.Bytes)
			}
			jobs := 1
			if name == "of many jobs" {
				jobs = 0
			}
			if c.Jobs != jobs || c.Orphans > limit/jobCost || c.Taken+c.Refused != n/3 || c.Taken < 1000 {
				t.Errorf("%+v", c)
			}
			if name == "of many jobs" && (c.Refused != 0 || c.Orphans < 100) {
				t.Errorf("%+v", c)
			}
		})
	}
}

// TestStoreCounts checks that the counts match the stored data, and the limits, for any batches.
func TestStoreCounts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const limit = 30 << 10
		s := NewStore(Limits{Bytes: limit})
		s.points = 70
		watched, reported := map[string]int{}, map[string]bool{}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			job := fmt.Sprintf("job_1700000000000_%04d", rapid.IntRange(0, 3).Draw(t, "job"))
			task, number := rapid.IntRange(0, 1).Draw(t, "task"), rapid.IntRange(0, 5).Draw(t, "number")
			sizes := rapid.SliceOfN(rapid.Float64Range(1, 100), 0, 60).Draw(t, "sizes")
			var err error
			switch rapid.IntRange(0, 5).Draw(t, "what") {
			case 0, 1:
				m := &MapProfile{Reduces: 2, Bytes: []float64{math.Inf(1), 0}, Lambda: 100}
				for i, v := range sizes {
					m.Top = append(m.Top, Key{Name: fmt.Sprint("k", i), Bytes: v})
				}
				err = s.Take(&Batch{Job: job, Attempt: idOf(job, "m", task, number), Map: m}, noon)
			case 2, 3:
				b := reduceBatch(job, task, number, rapid.IntRange(0, 5).Draw(t, "seq"), sizes...)
				b.Note = "coarse"
				err = s.Take(b, noon)
			case 4:
				s.watch(job)
				watched[job]++
			case 5:
				ended := rapid.Bool().Draw(t, "ended")
				s.leave(job, ended)
				if watched[job] = max(0, watched[job]-1); watched[job] == 0 {
					reported[job] = false
				}
			}
			reported[job] = reported[job] || err == nil && s.jobs[job] != nil && watched[job] > 0
			if err != nil && !errors.Is(err, ErrFull) && !errors.Is(err, ErrOver) {
				t.Fatal(err)
			}
			if all := s.cost(); all != s.held || all > limit {
				t.Fatalf("%d bytes held, %d counted", all, s.held)
			}
			for id := range reported {
				if reported[id] && s.jobs[id] == nil {
					t.Fatalf("%s is watched, and was dropped", id)
				}
			}
		}
	})
}

// BenchmarkFlood shows the memory that a full store takes beside what it counts.
func BenchmarkFlood(b *testing.B) {
	for b.Loop() {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		s := NewStore(Limits{})
		s.watch(theJob)
		for i := range 3000 {
			m := &MapProfile{Reduces: 100, Bytes: make([]float64, 100), Lambda: 2000}
			for k := range 2000 {
				m.Top = append(m.Top, Key{
					Name: fmt.Sprintf("#%016x", k*3001+i), Reduce: k % 100,
					Bytes: float64(k),
				})
			}
			_ = s.Take(&Batch{Job: theJob, Attempt: idOf(theJob, "m", i, 0), Map: m}, noon)
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/(1<<20), "MiB")
		b.ReportMetric(float64(s.Counts().Bytes)/(1<<20), "MiB-counted")
		runtime.KeepAlive(s)
	}
}
