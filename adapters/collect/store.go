package collect

import (
	"container/list"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/paratimer/paratimer/adapters/tap"
)

// Errors of Take. The batch changed nothing.
var (
	// ErrFull means that there is no room for the batch.
	ErrFull = errors.New("the watcher has no room for more key groups")
	// ErrOver means that no source needs the job's batches any more.
	ErrOver = errors.New("the job has ended, or is not watched any more")
)

// A ReducesError means that two maps of a job report different numbers of reduces.
type ReducesError struct {
	Job       string
	Is, Other int
}

func (e *ReducesError) Error() string {
	return fmt.Sprintf("map.r: this map has %d reduces, others of %s have %d", e.Other, e.Job, e.Is)
}

// A TaskError means that a job has no such task.
type TaskError struct {
	Attempt string
	Tasks   int
}

func (e *TaskError) Error() string {
	return fmt.Sprintf("att: %s, but its job has %d such tasks", e.Attempt, e.Tasks)
}

// Counts are what a store has processed and keeps.
type Counts struct {
	Taken, Refused int // batches, since the start
	Jobs, Orphans  int // that have batches: those that are watched, and the others
	Bytes          int // kept
}

// A Store keeps the reports of taps, by job, within its limits. Several goroutines may use it.
type Store struct {
	limits Limits

	mu             sync.Mutex
	jobs           map[string]*job
	watched        map[string]int // number of sources that watch a job, which may have no batch yet
	orphans        list.List      // of *job, the longest silent first
	held, orphaned int            // bytes of all, and of the orphans
	lambda, points int            // limits of a map's keys, and of an attempt's points
	over           map[string]bool
	ended          [maxOver]string // a ring of the keys of over
	next           int
	taken, refused int
}

// NewStore returns an empty store.
func NewStore(l Limits) *Store {
	return &Store{
		limits: l, jobs: map[string]*job{}, watched: map[string]int{}, over: map[string]bool{},
		lambda: tap.MaxKeys, points: max(l.Points, minPoints),
	}
}

// Counts returns what the store has processed and keeps now.
func (s *Store) Counts() Counts {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.orphans.Len()
	return Counts{s.taken, s.refused, len(s.jobs) - n, n, s.held}
}

// Take adds a batch that was received at a time of the collector's clock. The batch must be valid. Errors are
// ErrFull, ErrOver, *ReducesError and *TaskError.
func (s *Store) Take(b *tap.Batch, received time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.take(b, received)
	if err != nil {
		s.refused++
	} else {
		s.taken++
	}
	return err
}

// Refused counts a batch that was refused before Take.
func (s *Store) Refused() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refused++
}

func (s *Store) take(b *tap.Batch, received time.Time) error {
	a, err := tap.ParseAttempt(b.Attempt)
	if err != nil {
		return err
	}
	if s.over[b.Job] {
		return ErrOver
	}
	j := s.jobs[b.Job]
	if j != nil && b.Map != nil && j.reduces > 0 && j.reduces != b.Map.Reduces {
		return &ReducesError{b.Job, j.reduces, b.Map.Reduces}
	}
	if j != nil && j.tasksOf(a.Reduce) > 0 && a.Task >= j.tasksOf(a.Reduce) {
		return &TaskError{b.Attempt, j.tasksOf(a.Reduce)}
	}
	if j != nil && !a.Reduce && b.Map != nil && !j.wants(int32(a.Task), int32(a.Number)) {
		return nil
	}
	var p *profile
	need := attemptCost + lateCost + len(b.Note)
	switch {
	case a.Reduce:
		need += pointCost * (2*len(b.Points) + 64)
		if j != nil {
			if t := j.find(int32(a.Task), int32(a.Number)); t != nil {
				need += pointCost * len(t.course.points)
			}
		}
	case b.Map != nil:
		p = profileOf(b.Map, int32(a.Number), s.lambda)
		need += p.cost()
	}
	if j == nil {
		need += jobCost
	}
	if !s.room(need, j, s.watched[b.Job] == 0) {
		return ErrFull
	}
	if p != nil {
		p = p.cut(s.lambda) // room may have lowered lambda
	}
	if j == nil || s.jobs[b.Job] == nil {
		j = newJob(b.Job)
		s.jobs[b.Job] = j
		if s.watched[b.Job] == 0 {
			j.orphan = s.orphans.PushBack(j)
		}
		s.charge(j, j.cost)
	} else if j.orphan != nil {
		s.orphans.MoveToBack(j.orphan)
	}
	before := j.cost
	j.take(b, a, p, received, s.pointsOf(j))
	s.charge(j, j.cost-before)
	return nil
}

// pointsOf returns how many points an attempt of a job may have.
func (s *Store) pointsOf(j *job) int {
	return max(minPoints, min(s.points, maxJobPoints/max(1, j.reduces, len(j.tasks))))
}

// charge adds bytes to the store's counts of a job.
func (s *Store) charge(j *job, bytes int) {
	s.held += bytes
	if j.orphan != nil {
		s.orphaned += bytes
	}
}

// room makes room for bytes of a job, nil if it is new, and reports whether it could.
func (s *Store) room(need int, j *job, orphan bool) bool {
	if orphan {
		for s.orphaned+need > s.limits.Orphans {
			if !s.evict(j) {
				return false
			}
		}
	}
	for s.held+need > s.limits.Bytes {
		if !s.evict(j) && !s.shrink() {
			return false
		}
	}
	return true
}

// evict drops the longest silent orphan other than keep, and reports whether there was one.
func (s *Store) evict(keep *job) bool {
	for e := s.orphans.Front(); e != nil; e = e.Next() {
		if j := e.Value.(*job); j != keep {
			s.forget(j)
			return true
		}
	}
	return false
}

func (s *Store) forget(j *job) {
	s.charge(j, -j.cost)
	if j.orphan != nil {
		s.orphans.Remove(j.orphan)
	}
	delete(s.jobs, j.id)
}

// shrink lowers the limit of a map's keys, or else that of an attempt's points, and reports whether it could.
func (s *Store) shrink() bool {
	switch {
	case s.lambda > minLambda:
		s.lambda = max(minLambda, s.lambda/2)
	case s.points > minPoints:
		s.points = max(minPoints, s.points/2)
	default:
		return false
	}
	for _, j := range s.jobs {
		before := j.cost
		j.lower(s.lambda)
		j.condense(s.points)
		s.charge(j, j.cost-before)
	}
	return true
}

// watch records that a source watches a job. The job's batches are kept as long as one does.
func (s *Store) watch(id string) {
	delete(s.over, id)
	s.watched[id]++
	if j := s.jobs[id]; j != nil && j.orphan != nil {
		s.orphaned -= j.cost
		s.orphans.Remove(j.orphan)
		j.orphan = nil
	}
}

// leave records that a source no longer watches a job. If no other source does, the store drops a job that has
// ended and refuses its later batches. A job that still runs becomes an orphan again.
func (s *Store) leave(id string, ended bool) {
	if s.watched[id] == 0 {
		return
	}
	if s.watched[id]--; s.watched[id] > 0 {
		return
	}
	delete(s.watched, id)
	j := s.jobs[id]
	if !ended {
		s.lose(j)
		return
	}
	if j != nil {
		s.forget(j)
	}
	delete(s.over, s.ended[s.next])
	s.ended[s.next], s.over[id] = id, true
	s.next = (s.next + 1) % maxOver
	if s.held < s.limits.Bytes/4 { // there is room again
		s.lambda, s.points = tap.MaxKeys, max(s.limits.Points, minPoints)
	}
}

// lose makes a job an orphan once no source watches it; j may be nil.
func (s *Store) lose(j *job) {
	if j == nil {
		return
	}
	j.orphan = s.orphans.PushBack(j)
	s.orphaned += j.cost
	for s.orphaned > s.limits.Orphans && s.evict(nil) {
	}
}
