package spark

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"github.com/paratimer/paratimer/adapters/rest"
)

// askSQL requests the watched execution, or all executions while it is unknown which one is watched.
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

// askPlans requests the plans of running executions after a job has started or ended, because they do not change
// otherwise. Drivers without executions of SQL return an error, which is ignored.
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

// After returns the id of the newest running execution of SQL that began after the watched one, or "". over reports
// that the driver is gone.
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

// askBrief requests jobs that started and ended between two polls, so that no list of running jobs contained them.
// Job ids have no gaps. askBrief therefore requests all ids without a response and the id after the last one.
func (s *Source) askBrief(ctx context.Context) error {
	last := s.app.lastJob()
	left := partsRound
	for id := s.next; left > 0; id++ {
		if s.app.jobs[id] == nil && s.absent[id] < pageTries {
			left--
			err := s.get(ctx, s.driver.Get, s.path("jobs/"+strconv.Itoa(id)))
			if e, ok := errors.AsType[*rest.Error](err); ok && e.Status == http.StatusNotFound {
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

// askEnded requests jobs that have left the list of running jobs, and stages that have left the list of running and
// waiting stages, even if their job still runs.
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

// askPages requests the pages of jobs with several stages. They show the dependencies between stages.
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
		} else if e, ok := errors.AsType[*rest.Error](err); ok && e.Status == http.StatusForbidden {
			s.asked[id] = pageTries // it will be refused again
		}
	}
}

// askTasks requests the running tasks of running stages, and some of the ended ones.
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

// askLate requests from the history server the tasks that ended shortly before the driver closed, such as the
// failure that ended the application. Tasks that it does not have stay unchanged.
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

// A window is the position in the list of an attempt's tasks. Each poll reads a part of the list. All tasks before
// from have ended, and so have those in ends. The next part begins at next.
type window struct {
	from, next int
	ends       map[int]bool
	whole      bool // all tasks have been listed since the attempt ended
}

// askWindow requests tasks from the first one without a known end. The list is in launch order, so all tasks before
// it are unchanged. If one long task blocks the beginning, the next window begins after the last one.
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
		*w = window{} // the driver has dropped the oldest tasks, so that positions have changed
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
