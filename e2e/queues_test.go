//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// A cluster that is shared: bob comes while our join runs, and goes before it ends.

// joinWide is the paper's script with maps for a minute on a whole node, so that there is time for somebody to come and
// go.
var joinWide = []string{
	"join", "-p", "a=16x240x120", "-p", "b=4x160x80", "-p", "pace=50", "-p", "pace_b=25", "-p", "pace_out=180",
	"-p", "parallel_a=3", "-p", "parallel_b=2", "-p", "parallel=3",
}

// What bob runs: maps of some seconds that take all they can get, or the same for as short a time as they can.
var (
	bobsLong  = []string{"-p", "a=12x300x60z1.2", "-p", "pace=25", "-p", "pace_out=10"}
	bobsShort = []string{"-p", "a=10x100x60z1.2", "-p", "pace=40", "-p", "pace_out=2"}
)

// share runs our join on a cluster of these queues, and bob's script beside it from when our maps work.
func share(t *testing.T, with, queue string, bobs []string, ours ...string) (l *lab, w *watcher) {
	l = up(t, "--with", with)
	l.learnJoin()
	pig := l.client("pig", append(append([]string{"pig"}, joinWide...), ours...)...)
	l.await("a job of ours", func() bool { return l.ours("join.pig") != nil })
	w = l.attach("attach", l.ours("join.pig")[0].ID)
	l.awaitTask(l.awaitJob(16), "m_000000", 20)
	bob := l.client("bob", append([]string{"pig", "skew", "--queue", queue, "--user", "bob"}, bobs...)...)
	w.ends(0, "succeeded")
	pig.succeed()
	bob.succeed()
	w.recordings(0)
	return l, w
}

// learnJoin runs the small join alone, so that the profile of an earlier run is there where TestJoin has not made one.
func (l *lab) learnJoin() {
	l.t.Helper()
	if profiles["join.pig"] != "" {
		return
	}
	pig := l.client("pig-alone", append([]string{"pig"}, joinSmall...)...)
	w := l.attach("alone", l.awaitApp("join.pig").ID)
	w.ends(0, "succeeded")
	pig.succeed()
	profiles["join.pig"] = w.learn()
}

// ours are the applications of that name that have not ended, oldest first.
func (l *lab) ours(name string) (out []app) {
	l.t.Helper()
	for _, a := range l.apps() {
		if strings.HasSuffix(a.Name, name) && a.FinalStatus == "UNDEFINED" {
			out = append(out, a)
		}
	}
	return out
}

// came is the first frame with a warning about another's load, -1 without one.
func (w *watcher) came() int {
	return slices.IndexFunc(w.frames, func(f frame) bool { return f.warned("other_load") })
}

// totals formats the totals of scenarios in the frame, for a table.
func (f frame) totals(scenarios ...string) string {
	var out []string
	for _, s := range scenarios {
		if t := f.total(s); t != nil {
			out = append(out, fmt.Sprintf("`%s` %.0f s", s, *t))
		}
	}
	return strings.Join(out, ", ")
}

// shared are the scenarios of a cluster that is shared.
var shared = []string{"standard", "slots_as_now", "slots_fair_share", "alone"}

// scoreShared checks the frames about bob and adds the row.
func (w *watcher) scoreShared(scenario, checked string) {
	l := w.lab
	l.t.Helper()
	came := w.came()
	if came < 0 {
		l.t.Error("no frame reports bob's load")
		return
	}
	for _, f := range w.frames[came:] {
		alone, standard := f.total("alone"), f.total("standard")
		if alone != nil && standard != nil && *alone > *standard+0.001 {
			l.t.Errorf("at %.1f s: got %.1f s for alone, %.1f s for standard", *f.Elapsed, *alone, *standard)
			break
		}
	}
	w.logChanges()
	// Some ticks later bob's master has got a request.
	then := w.frames[min(came+10, len(w.frames)-1)]
	l.t.Logf("%.1f s: %s", *then.Elapsed, then.totals(shared...))
	totals := fmt.Sprintf("`alone` never above `standard`; `other_load` from %.0f s on, 10 ticks later %s",
		*w.frames[came].Elapsed, then.totals(shared...))
	w.summarize(scenario, came,
		strings.Join(slices.DeleteFunc([]string{checked, totals}, func(s string) bool { return s == "" }), "; "))
}

// checkNeeds checks that bob's master got requests of its remaining work, but few.
func (w *watcher) checkNeeds() {
	l := w.lab
	l.t.Helper()
	bob := ""
	for _, a := range l.apps() {
		if a.User == "bob" {
			bob = a.job()
		}
	}
	n := 0
	for _, r := range l.records(w.capture) {
		if r.Status == 200 && strings.HasSuffix(r.path(), "/jobs/"+bob) && strings.Contains(r.path(), "/proxy/") {
			n++
		}
	}
	if most := len(w.frames)/10 + 2; bob == "" || n == 0 || n > most {
		l.t.Errorf("bob's master (%s) got %d requests in %d ticks, want some, at most %d", bob, n, len(w.frames),
			most)
	}
}

// TestQueues: bob has a queue of his own, of 40%.
func TestQueues(t *testing.T) {
	_, w := share(t, "queues", "b", bobsLong)
	w.checkNeeds()
	w.scoreShared("our join in queue a (60%); bob comes to queue b (40%), and goes", "few requests to bob's master")
}

// TestFairOrder: bob comes into our queue, which serves who holds least first.
func TestFairOrder(t *testing.T) {
	_, w := share(t, "queues=fair", "a", bobsLong)
	w.scoreShared("bob comes into our queue, whose order is fair", "")
}

// TestUserLimit: bob comes into our queue; each of us may hold the queue's share and no more.
func TestUserLimit(t *testing.T) {
	l, w := share(t, "queues=limited", "a", bobsLong)
	most := 0
	for _, f := range w.frames {
		running := 0
		for _, j := range f.Jobs {
			running += j.Maps.Running + j.Reduces.Running
		}
		most = max(most, running)
	}
	// Of 3072 MB a user may hold 1843: with two masters of 512 room for four tasks of 256, as the last one may go
	// beyond.
	if most == 0 || most > 6 {
		l.t.Errorf("%d tasks of ours ran at once, though a user may hold 1843 MB", most)
	}
	w.scoreShared("bob comes into our queue, which gives a user at most 60% of the cluster",
		fmt.Sprintf("%d tasks at most at once", most))
}

// TestFairScheduler: two queues of weight 6 and 4 under the FairScheduler, which reports no pending memory.
func TestFairScheduler(t *testing.T) {
	_, w := share(t, "queues=fairscheduler", "b", bobsLong)
	w.scoreShared("the FairScheduler, weights 6 and 4; bob comes to the other queue, and goes", "")
}

// TestPreemption: what we hold above our 60% is taken back when bob comes: attempts are killed, which is no failure.
func TestPreemption(t *testing.T) {
	l, w := share(t, "queues=preempt", "b", bobsLong, "-p", "pace=100")
	attempts := l.preempted(w)
	if len(attempts) == 0 {
		t.Fatal("no attempt of ours was preempted: nothing was tried")
	}
	for _, f := range w.frames {
		for _, x := range f.Failures {
			if slices.Contains(attempts, x.Attempt) {
				t.Errorf("%s was preempted, and is listed as a failure: %s", x.Attempt, deref(x.Why))
			}
		}
	}
	named := ""
	for _, f := range w.frames {
		for _, c := range f.Changes {
			if c.Reason == "failure" && strings.Contains(deref(c.Subject), "preempted") && named == "" {
				named = *c.Subject
			}
		}
	}
	t.Logf("%d attempts were preempted; changes say %q", len(attempts), named)
	w.scoreShared("preemption: what we hold above 60% is taken back when bob comes",
		fmt.Sprintf("%d attempts preempted, none a failure", len(attempts)))
}

// TestPreemptedMaster: our queue has 10%, so that a master of ours goes too; Pig runs its job again from the start.
func TestPreemptedMaster(t *testing.T) {
	l, w := share(t, "queues=preempt,scant", "b", bobsShort)
	var list struct {
		Apps struct {
			App []struct {
				ID      string
				Masters int `json:"numAMContainerPreempted"`
			}
		}
	}
	l.get(l.rm+"/ws/v1/cluster/apps", &list)
	masters := 0
	for _, a := range list.Apps.App {
		masters += a.Masters
	}
	if masters == 0 {
		t.Fatal("no master was preempted")
	}
	if !slices.ContainsFunc(w.frames, func(f frame) bool { return f.warned("am_restarted") }) {
		t.Error("a master was preempted, and no frame warns of am_restarted")
	}
	w.scoreShared("preemption with 10% of our own: masters too",
		fmt.Sprintf("%d attempts and %d masters preempted, no false end", len(l.preempted(w)), masters))
}

// preempted are the attempts of ours that the scheduler took back, as the history server or the capture shows.
func (l *lab) preempted(w *watcher) (out []string) {
	l.t.Helper()
	for _, r := range l.records(w.capture) {
		if r.Status != 200 || !strings.HasSuffix(r.path(), "/attempts") {
			continue
		}
		var got struct {
			TaskAttempts struct {
				TaskAttempt []struct{ ID, State, Diagnostics string }
			}
		}
		l.must(json.Unmarshal([]byte(r.Body), &got))
		for _, a := range got.TaskAttempts.TaskAttempt {
			if a.State == "KILLED" && strings.Contains(a.Diagnostics, "preempted by scheduler") &&
				!slices.Contains(out, a.ID) {
				out = append(out, a.ID)
			}
		}
	}
	return out
}
