package spark

import (
	"context"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// A driver often closes within a tenth of a second after its last job. Often nothing else reports how that job
// ended. In that case a source polls the last running job between its observations if it may end soon.

const (
	peekEvery = 50 * time.Millisecond
	// peekAhead is how soon a job must be expected to end to be polled.
	peekAhead = 5 * time.Second
	// peekFor bounds how long a job is polled after an observation.
	peekFor = time.Minute
)

// Peek makes the source poll a job that may end soon between its observations. It returns the source.
func (s *Source) Peek() *Source {
	s.peeks = true
	return s
}

// A peek is what was polled between two observations. It is applied by the next one.
type peek struct {
	end  *Answer     // about the job, if it has ended; others may be older than that of the newest observation
	seen dag.Instant // the Date of the newest response
}

// startPeek starts to poll the only running job if it may end soon and nothing else reports its end.
func (s *Source) startPeek(ctx context.Context) {
	jobs := s.app.running()
	if !s.peeks || s.manager != nil || s.hasHistoryServer && s.app.historyTrouble == "" || s.app.hasEnd ||
		len(jobs) != 1 || !s.app.endsSoon(jobs[0], s.app.Time(s.driver.Now())) {
		return
	}
	ctx, stop := context.WithTimeout(ctx, peekFor)
	done, path := make(chan peek, 1), s.path("jobs/%d", jobs[0].id)
	go func() { done <- poll(ctx, s.driver, path) }()
	s.stopPeek = func() peek {
		stop()
		return <-done
	}
}

// poll requests a job until it has ended, a request fails or the context is done. A request in flight may finish.
func poll(ctx context.Context, driver Driver, path string) peek {
	p := peek{seen: dag.NoInstant}
	for p.end == nil && sleep(ctx, peekEvery) == nil {
		once, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		a, err := answerTo(once, driver, driver.Get, path)
		cancel()
		if err != nil {
			break
		}
		p.seen = a.At
		if jobs, _ := rows[wireJob](a); len(jobs) == 1 && (&job{status: string(jobs[0].Status)}).hasEnded() {
			p.end = a
		}
	}
	return p
}

// endPeek stops to poll and applies what was polled.
func (s *Source) endPeek() {
	if s.stopPeek == nil {
		return
	}
	p := s.stopPeek()
	s.stopPeek = nil
	if p.end != nil {
		s.app.Take(p.end)
	}
	s.app.lastSeen = max(s.app.lastSeen, p.seen)
}

// endsSoon reports whether a job may end within peekAhead, judged by the mean duration of its tasks so far. It assumes
// half the time that the remaining tasks take in waves, because running tasks have done a part. In the last wave it
// assumes the rest of the task that began last.
func (a *App) endsSoon(j *job, now dag.Instant) bool {
	left, ended, runMS, began := 0, 0, 0.0, dag.NoInstant
	for _, s := range j.stages {
		if a.planner.lacks[s.id] {
			left += s.tasks
		}
		if !s.ran() {
			continue
		}
		t := s.newest()
		if ended, runMS = ended+t.complete, runMS+t.runMS; t.status != "ACTIVE" {
			continue
		}
		left += t.tasks - t.complete
		for _, k := range t.list {
			began = max(began, k.Start)
		}
	}
	mean, waves := runMS/float64(max(ended, 1)), float64(left)/float64(max(1, a.cores()))
	ms := waves * mean / 2
	if waves <= 1 && began.Known() {
		ms = mean - float64(now-began)
	}
	return ms <= float64(peekAhead.Milliseconds()) && (ended > 0 || waves <= 1)
}

// sleep waits for d or until the context is done. In the second case it returns an error.
func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
	return ctx.Err()
}
