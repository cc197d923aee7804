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

// A peek polls jobs between two observations. Its responses are applied after it has stopped.
type peek struct {
	cancel  context.CancelFunc
	stop    chan struct{}
	done    chan struct{}
	answers []*Answer   // of jobs that have ended
	seen    dag.Instant // the Date of the newest response
}

// Peek makes the source poll jobs that may end soon between its observations. It returns the source.
func (s *Source) Peek() *Source {
	s.peeks = true
	return s
}

// startPeek starts to poll the running jobs if they may end soon and nothing else reports their end.
func (s *Source) startPeek(ctx context.Context) {
	if !s.peeks || s.manager != nil || s.hasHistoryServer && s.app.historyTrouble == "" || s.app.hasEnd {
		return
	}
	ids := s.app.ending(s.app.Time(s.driver.Now()))
	if len(ids) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, peekFor)
	p := &peek{cancel: cancel, stop: make(chan struct{}), done: make(chan struct{}), seen: dag.NoInstant}
	s.peek = p
	paths := make([]string, len(ids))
	for i, id := range ids {
		paths[i] = s.path("jobs/%d", id)
	}
	go p.run(ctx, s.driver, paths)
}

func (p *peek) run(ctx context.Context, driver Driver, paths []string) {
	defer close(p.done)
	for len(paths) > 0 {
		select {
		case <-ctx.Done():
			return
		case <-p.stop:
			return
		case <-time.After(peekEvery):
		}
		left := paths[:0]
		for _, path := range paths {
			a, err := answerTo(ctx, driver, driver.Get, path)
			if err != nil {
				return
			}
			p.seen = a.At
			jobs, ok := rows[wireJob]([]byte(a.Body()))
			if ok && len(jobs) == 1 && (&job{status: string(jobs[0].Status)}).hasEnded() {
				p.answers = append(p.answers, a)
			} else {
				left = append(left, path)
			}
		}
		paths = left
	}
}

// endPeek stops the peek and applies its responses. It applies only ends of jobs, because other responses may be
// older than those of the newest observation.
func (s *Source) endPeek() {
	if s.peek == nil {
		return
	}
	close(s.peek.stop)
	select { // a request in flight may finish, for at most a second
	case <-s.peek.done:
	case <-time.After(time.Second):
	}
	s.peek.cancel()
	<-s.peek.done
	for _, a := range s.peek.answers {
		s.app.Take(a)
	}
	s.app.lastSeen = max(s.app.lastSeen, s.peek.seen)
	s.peek = nil
}

// ending returns the running jobs if all of them may end soon, otherwise none.
func (a *App) ending(now dag.Instant) (ids []int) {
	g := newGraph(a.facts)
	for _, id := range a.unitJobs() {
		j := a.jobs[id]
		if j.hasEnded() {
			continue
		}
		if ids = append(ids, id); len(ids) > mostPeeked || !a.mayEnd(j, g, now) {
			return nil
		}
	}
	return ids
}

// mayEnd reports whether a job may end within peekAhead, judged by the mean duration of its tasks so far. It assumes
// half the time that its remaining tasks take in waves, because running tasks have done a part. In the last wave it
// assumes the rest of the task that began last.
func (a *App) mayEnd(j *job, g *graph, now dag.Instant) bool {
	lacks := map[int]bool{}
	g.lacking(j, lacks)
	left, ended, runMS, began := 0, 0, 0.0, dag.NoInstant
	for _, id := range j.stages {
		s := a.stages[id]
		if s == nil {
			continue
		}
		if try := s.newest(); try != nil {
			ended, runMS = ended+try.complete, runMS+try.runMS
			if try.status == "ACTIVE" {
				left += try.tasks - try.complete
				for _, k := range try.list {
					began = max(began, k.launch)
				}
				continue
			}
		}
		if s.status != "COMPLETE" && lacks[id] {
			left += s.tasks
		}
	}
	waves := float64(left) / float64(max(1, a.cores()))
	if ended == 0 {
		return waves <= 1
	}
	ms := waves * runMS / float64(ended) / 2
	if waves <= 1 && began.Known() {
		ms = runMS/float64(ended) - float64(now-began)
	}
	return ms <= float64(peekAhead.Milliseconds())
}

// sleep waits for d or until the context is done. In the second case it returns the cause.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(max(0, d))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}
