package spark

import (
	"context"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// A driver often closes within a tenth of a second after its last job. Often nothing else reports how that job
// ended. In that case a source polls jobs that may end soon between its observations.

const (
	peekEvery = 50 * time.Millisecond
	// peekAhead is how soon a job must be expected to end to be polled.
	peekAhead = 5 * time.Second
	// peekFor bounds how long jobs are polled after an observation.
	peekFor = time.Minute
	// mostPeeked bounds the jobs that are polled.
	mostPeeked = 3
)

// Peek makes the source poll jobs that may end soon between its observations. It returns the source.
func (s *Source) Peek() *Source {
	s.peeks = true
	return s
}

// A peek is what was polled between two observations. It is applied by the next one.
type peek struct {
	ended []*Answer   // about jobs that have ended; others may be older than those of the newest observation
	seen  dag.Instant // the Date of the newest response
}

// startPeek starts to poll the running jobs if they may end soon and nothing else reports their end.
func (s *Source) startPeek(ctx context.Context) {
	if !s.peeks || s.manager != nil || s.hasHistoryServer && s.app.historyTrouble == "" || s.app.hasEnd {
		return
	}
	var paths []string
	for _, j := range s.app.endSoon(s.app.Time(s.driver.Now())) {
		paths = append(paths, s.path("jobs/%d", j.id))
	}
	if len(paths) == 0 {
		return
	}
	ctx, stop := context.WithTimeout(ctx, peekFor)
	done := make(chan peek, 1)
	go func() { done <- poll(ctx, s.driver, paths) }()
	s.stopPeek = func() peek {
		stop()
		return <-done
	}
}

// poll requests jobs until they have ended, a request fails or the context is done. Requests in flight may finish.
func poll(ctx context.Context, driver Driver, paths []string) peek {
	p := peek{seen: dag.NoInstant}
	for len(paths) > 0 && sleep(ctx, peekEvery) == nil {
		var left []string
		for _, path := range paths {
			once, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
			a, err := answerTo(once, driver, driver.Get, path)
			cancel()
			if err != nil {
				return p
			}
			p.seen = a.At
			jobs, _ := rows[wireJob](a)
			if len(jobs) == 1 && (&job{status: string(jobs[0].Status)}).hasEnded() {
				p.ended = append(p.ended, a)
			} else {
				left = append(left, path)
			}
		}
		paths = left
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
	for _, a := range p.ended {
		s.app.Take(a)
	}
	s.app.lastSeen = max(s.app.lastSeen, p.seen)
}

// endSoon returns the running jobs if all of them may end within peekAhead, judged by the mean duration of their tasks
// so far, otherwise none. It assumes half the time that the remaining tasks take in waves, because running tasks have
// done a part. In the last wave it assumes the rest of the task that began last.
func (a *App) endSoon(now dag.Instant) []*job {
	jobs := a.running()
	if len(jobs) > mostPeeked {
		return nil
	}
	left, ended, runMS, began := 0, 0, 0.0, dag.NoInstant
	for _, j := range jobs {
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
	}
	mean, waves := runMS/float64(max(ended, 1)), float64(left)/float64(max(1, a.cores()))
	ms := waves * mean / 2
	switch {
	case ended == 0 && waves > 1:
		return nil
	case waves <= 1 && began.Known():
		ms = mean - float64(now-began)
	}
	if ms > float64(peekAhead.Milliseconds()) {
		return nil
	}
	return jobs
}

// sleep waits for d or until the context is done. In the second case it returns an error.
func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
	return ctx.Err()
}
