package spark

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// A driver often closes within a tenth of a second of its last job, and takes the only report of how that ended with
// it. If nothing else will report the end, a source therefore looks at jobs that may end soon between its observations.

const (
	peekEvery = 50 * time.Millisecond
	// peekAhead is how far ahead the end of a job may be that is looked at.
	peekAhead = 5 * time.Second
	// peekFor is how long a job is looked at after an observation.
	peekFor = time.Minute
	// mostPeeked bounds the jobs that are looked at.
	mostPeeked = 3
)

// A peek looks at jobs between two observations. Its answers are taken when it has stopped.
type peek struct {
	cancel  context.CancelFunc
	stop    chan struct{}
	done    chan struct{}
	answers []*Answer   // of jobs that have ended
	seen    dag.Instant // the Date of the newest answer
}

// Peek has the source look at jobs that may end between observations, until the context of an observation is done.
func (s *Source) Peek() *Source {
	s.peeks = true
	return s
}

// startPeek begins to look at the jobs that run, if they may end soon and nothing else reports how.
func (s *Source) startPeek(ctx context.Context) {
	if !s.peeks || s.manager != nil || s.named && s.app.historyTrouble == "" || s.app.over {
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
		paths[i] = s.path("jobs/" + strconv.Itoa(id))
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
			body, err := driver.Get(ctx, path)
			if err != nil {
				return
			}
			u, err := url.Parse(path)
			if err != nil {
				return
			}
			a := &Answer{
				URL: u, At: driver.Now(), Status: http.StatusOK, Type: "application/json",
				Body: func() string { return string(body) },
			}
			p.seen = a.At
			jobs, ok := oneOrList[wireJob](body)
			if ok && len(jobs) == 1 && (&job{status: string(jobs[0].Status)}).over() {
				p.answers = append(p.answers, a)
			} else {
				left = append(left, path)
			}
		}
		paths = left
	}
}

// endPeek stops to look, and takes what was seen. Only ends of jobs are taken: other answers may be older than those of
// the newest observation.
func (s *Source) endPeek() {
	if s.peek == nil {
		return
	}
	close(s.peek.stop)
	select { // a question that is under way is not cut off, unless it takes long
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

// ending returns the jobs that run if all of them may end soon; none if not.
func (a *App) ending(now dag.Instant) (ids []int) {
	g := a.graph()
	for _, id := range a.unitJobs() {
		j := a.jobs[id]
		if j.over() {
			continue
		}
		if ids = append(ids, id); len(ids) > mostPeeked || !a.mayEnd(j, g, now) {
			return nil
		}
	}
	return ids
}

// mayEnd reports whether a job may end soon, by the mean length of its tasks so far: after half the time that its tasks
// would take in waves, since those that run have done a part, or in its last wave after the task that began last.
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

// sleep waits for d, or until the context is done, whose cause it returns then.
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
