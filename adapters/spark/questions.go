package spark

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"github.com/paratimer/paratimer/adapters/hadoop"
)

// askSQL asks for the execution that is watched, or for all while it is not known which one that is.
func (s *Source) askSQL(ctx context.Context, ask func(context.Context, string) ([]byte, error)) error {
	if s.app.unit.kind != sqlUnit {
		return nil
	}
	part := "sql?length=" + strconv.Itoa(sqlRow) + "&"
	if x := s.app.execution(); x != nil {
		part = "sql/" + strconv.Itoa(x.id) + "?"
	}
	return s.get(ctx, ask, s.path(part+"details=false&planDescription=false"))
}

// askPlans asks for the plans of the executions that run, when a job has come or gone: only then they change. A driver
// that has none answers less, and nothing is wrong.
func (s *Source) askPlans(ctx context.Context) {
	now := [2]int{s.app.lastJob(), s.app.running()}
	if now == s.planned || now[1] == 0 {
		return
	}
	if s.app.unit.kind != sqlUnit {
		list := fmt.Sprintf("sql?offset=%d&length=%d&details=false&planDescription=false", s.offset, sqlRow)
		body, err := s.driver.Get(ctx, s.path(list))
		if err != nil {
			return
		}
		ids, over := s.app.takeExecutions(body)
		if s.offset += over; len(ids) == 0 {
			s.offset /= 2 // the driver has dropped some
		}
	}
	left := plansRound
	for _, id := range slices.Backward(sortedKeys(s.app.executions)) {
		x := s.app.executions[id]
		if x.status != "RUNNING" || left == 0 || s.app.unit.kind == sqlUnit && x != s.app.execution() {
			continue
		}
		left--
		if s.get(ctx, s.driver.Get, s.path(fmt.Sprintf("sql/%d?details=false&planDescription=true", id))) != nil {
			return
		}
	}
	s.planned = now
}

// After returns the id of the newest execution of SQL that runs and began after the one that was watched, "" while
// there is none. over says that the driver has gone.
func (s *Source) After(ctx context.Context) (id string, over bool, err error) {
	s.endPeek()
	list := "sql?length=" + strconv.Itoa(sqlRow) + "&details=false&planDescription=false"
	if err = s.get(ctx, s.driver.Get, s.path(list)); err != nil {
		if gone(err) {
			s.silent++
		}
		if s.silent >= giveUp {
			return "", true, nil
		}
		return "", false, err
	}
	s.silent = 0
	x := s.app.execution()
	for n, y := range s.app.executions {
		if y.status == "RUNNING" && (x == nil || n > x.id) {
			x = y
			id = IDOf(s.app.id, strconv.Itoa(n), "")
		}
	}
	return id, false, nil
}

// askBrief asks for jobs that came and ended between two rounds, so that no list of running jobs had them. Jobs are
// numbered without gaps: those that no answer had, and the one after the last.
func (s *Source) askBrief(ctx context.Context) error {
	last := s.app.lastJob()
	left := partsRound
	for id := s.next; left > 0; id++ {
		if s.app.jobs[id] == nil && s.absent[id] < pageTries {
			left--
			err := s.get(ctx, s.driver.Get, s.path("jobs/"+strconv.Itoa(id)))
			if e, ok := errors.AsType[*hadoop.Error](err); ok && e.Status == http.StatusNotFound {
				if id > last {
					return nil
				}
				s.absent[id]++
				continue
			}
			if err != nil {
				return err
			}
		} else if id > last {
			return nil
		}
		if id == s.next {
			s.next++
		}
	}
	return nil
}

// askEnded asks for jobs that ran in the round before and no longer do, and for stages that have left the list of those
// that run or wait, be it that their job goes on.
func (s *Source) askEnded(ctx context.Context) error {
	left := partsRound
	for _, id := range s.app.unitJobs() {
		j := s.app.jobs[id]
		if j.over() && j.settled {
			continue
		}
		if left <= 0 {
			return nil
		}
		if runs := !j.over() && j.seen == s.ticks && s.ticks > 1; !runs {
			left--
			if err := s.get(ctx, s.driver.Get, s.path("jobs/"+strconv.Itoa(id))); err != nil {
				return err
			}
		}
		open := false
		for _, sid := range j.stages {
			st := s.app.stages[sid]
			if st == nil || st.status == "COMPLETE" || st.status == "SKIPPED" || st.seen == s.ticks {
				continue
			}
			if !j.over() && st.status == "PENDING" {
				continue
			}
			if left--; left < 0 {
				open = true
				break
			}
			if err := s.get(ctx, s.driver.Get, s.path("stages/"+strconv.Itoa(sid)+"?details=false")); err != nil &&
				!gone(err) {
				return err
			}
		}
		j.settled = j.over() && !open
	}
	return nil
}

// askPages asks for the pages of jobs with several stages, which show which stage reads which.
func (s *Source) askPages(ctx context.Context) {
	n := 0
	for _, id := range s.app.unitJobs() {
		j := s.app.jobs[id]
		if len(j.stages) < 2 || s.app.edgesKnown(j) || s.asked[id] >= pageTries || n >= pagesRound {
			continue
		}
		n++
		s.asked[id]++
		body, err := s.driver.Get(ctx, "/jobs/job/?id="+strconv.Itoa(id))
		if err == nil {
			s.app.TakePage(string(body), id)
		} else if e, ok := errors.AsType[*hadoop.Error](err); ok && e.Status == http.StatusForbidden {
			s.asked[id] = pageTries // it will be refused again
		}
	}
}

// askTasks asks for the tasks of stages that run: those that run, and some of those that have ended.
func (s *Source) askTasks(ctx context.Context) error {
	past := 0
	asked := s.app.unitStages()
	for _, id := range sortedKeys(s.app.stages) {
		if s.app.unit.kind != "" && !asked[id] {
			continue
		}
		st := s.app.stages[id]
		t := st.newest()
		if t == nil || t.window.whole {
			continue
		}
		if t.status != "ACTIVE" {
			if past++; past > pastRound {
				continue
			}
		}
		list := s.path(fmt.Sprintf("stages/%d/%d/taskList", id, t.number))
		each := 1 + s.app.cores()/runningRow
		if t.status == "ACTIVE" && s.ticks%each == 0 {
			if err := s.get(ctx, s.driver.Get, list+"?status=RUNNING&length="+strconv.Itoa(runningRow*each*2)); err != nil {
				return err
			}
		}
		if err := s.askWindow(ctx, s.driver.Get, t, list); err != nil {
			return err
		}
	}
	return nil
}

// askLate asks the history server for tasks whose end the driver took with it, such as the failure that ended the
// application. What it does not have stays as it was.
func (s *Source) askLate(ctx context.Context) {
	asked := s.app.unitStages()
	left := partsRound
	for _, id := range sortedKeys(s.app.stages) {
		if t := s.app.stages[id].newest(); t != nil && !t.window.whole && asked[id] && left > 0 {
			left--
			_ = s.askWindow(ctx, s.driver.History, t, s.path(fmt.Sprintf("stages/%d/%d/taskList", id, t.number)))
		}
	}
}

// A window is how far the list of an attempt's tasks has been read, for a source that asks for a part at a time. The
// tasks before from have ended, as those of ends have. The next part begins at next.
type window struct {
	from, next int
	ends       map[int]bool
	whole      bool // all have been listed since the attempt ended
}

// askWindow asks for tasks from the first one on whose end is not known. Tasks are listed in the order of their launch,
// so that what is before it has not changed. Where one task holds the beginning, the next window begins behind the last
// one.
func (s *Source) askWindow(ctx context.Context, ask func(context.Context, string) ([]byte, error), t *try, list string,
) error {
	w := &t.window
	if w.ends == nil {
		w.ends = map[int]bool{}
	}
	for w.ends[w.from] {
		delete(w.ends, w.from)
		w.from++
	}
	at := w.from
	if w.next >= w.from && w.next < w.from+len(t.list)+tasksRound {
		at = w.next
	}
	for w.ends[at] {
		at++
	}
	body, err := ask(ctx, fmt.Sprintf("%s?offset=%d&length=%d", list, at, tasksRound))
	if err != nil {
		return err
	}
	states, ok := s.app.takeWindow(body, t, s.app.Time(s.driver.Now()))
	if !ok {
		return fmt.Errorf("spark: the answer to %s is not what it should be", list)
	}
	if len(states) < tasksRound && t.status == "ACTIVE" && at+len(states) < t.complete {
		*w = window{} // the driver has dropped the first ones, so that all others have moved up
		return nil
	}
	for i, ended := range states {
		if ended {
			w.ends[at+i] = true
		}
	}
	if w.next = at + len(states); len(states) < tasksRound {
		w.next = w.from
		if t.status != "ACTIVE" && at == w.from {
			w.whole = true
		}
	}
	return nil
}
