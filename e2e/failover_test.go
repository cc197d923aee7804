//go:build e2e

package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestFailover kills the active of two ResourceManagers in the middle of a run, then the other one once the first is
// back. ZooKeeper ends a session after ten seconds; until then no ResourceManager responds. Tasks go on meanwhile.
func TestFailover(t *testing.T) {
	l := up(t, "--with", "ha")
	managers := l.managers()
	o := l.oncall()
	pig := l.client("pig", append([]string{"pig"}, joinLong...)...)
	l.awaitApp("join.pig")
	w := l.attach("attach", "", append(o.sinks(), "--within", "15s", "--within", "2h", "--drift", "--no-progress", "5m",
		"--set", "hold=2")...)
	long := l.awaitJob(4)
	id := o.awaitAlert("within")
	mark := o.fingerprints("within")
	l.awaitTask(long, "m_000002", 20)

	first := l.killed(l.fault("kill-active-rm"))
	l.toActive(managers)
	late := l.attach("late", long.ID)
	l.hadoop("rm")
	second := l.killed(l.fault("kill-active-rm"))
	l.toActive(managers)
	if now := o.fingerprints("within"); !slices.Equal(mark, now) {
		t.Errorf("after two failovers Alertmanager has the alerts %v, before it had %v", now, mark)
	}
	w.ends(0, "succeeded")
	late.ends(0, "succeeded")
	pig.succeed()
	w.recordings(0)
	late.recordings(0)

	seen := w.outage(first)
	again := w.outage(second)
	w.kept(first, "within-2", "drift", "no-progress")
	w.undisturbed(first)
	late.undisturbed(first)
	o.over(id, "within")
	if o.alertmanager.url != "" && o.alertmanager.notified("", "within-2", "firing")+o.alertmanager.notified("", "no-progress",
		"firing") > 0 {
		t.Error("a bound that was kept has fired")
	}
	w.summarize("the active ResourceManager killed, then the other one", w.at(first),
		fmt.Sprintf("stale for %.0f s and %.0f s, then on; no lost work is counted; one alert with one fingerprint; a watcher that comes after the failover; replay", seen.Seconds(), again.Seconds()))
}

// TestForgetful starts the ResourceManager again without a state store: it has no applications, and the
// masters, stopped, leave no history.
func TestForgetful(t *testing.T) {
	l := up(t)
	l.client("pig", append([]string{"pig"}, joinSmall...)...)
	app := l.awaitApp("join.pig")
	w := l.attach("attach", app.ID)
	l.await("a master", func() bool {
		var got struct{ Job struct{ MapsTotal int } }
		return l.get(l.rm+"/proxy/"+app.ID+"/ws/v1/mapreduce/jobs/"+app.job(), &got) && got.Job.MapsTotal > 0
	})
	time.Sleep(3 * every)
	killed := l.killed(l.fault("kill-rm"))
	l.hadoop("rm")
	w.ends(3, "ended_unconfirmed")
	w.replays(3)
	if !w.last().hasWarning("the history server does not report how " + app.job() +
		" ended, the ResourceManager has no result") {
		t.Errorf("no warning that the application is unknown: %+v", w.last().Warnings)
	}
	l.note("the ResourceManager killed, and back without its memory", *w.last().Elapsed,
		fmt.Sprintf("stale for %.0f s; a warning that its result is unknown; exit code 3, `ended_unconfirmed`, not succeeded", w.outage(killed).Seconds()))
}

// sleepJob is a plain job of half a minute.
var sleepJob = []string{
	"run", "org.apache.hadoop.mapreduce.SleepJob", "-m", "4", "-r", "1", "-mt", "12000", "-rt",
	"6000", "-recordt", "500",
}

// TestHistoryAway has the history server down at the hand-over, once for a while and once for good.
func TestHistoryAway(t *testing.T) {
	l := up(t)
	job := l.client("sleep", sleepJob...)
	app := l.awaitApp("Sleep job")
	w := l.attach("attach", app.ID, "--within", "2h")
	l.fault("kill-jhs")
	over := l.awaitEnd(app.ID)
	time.Sleep(time.Until(over.Add(15 * time.Second)))
	l.hadoop("jhs")
	w.ends(0, "succeeded")
	job.succeed()
	w.recordings(0)
	waits := w.waitsForHistory(over)
	w.summarize("the history server down at the hand-over", -1,
		fmt.Sprintf("the end is known at once, and awaited for %.0f s; then the history server's own word",
			waits.Seconds()))

	l.client("sleep-again", append(slices.Clone(sleepJob), "-mt", "4000")...)
	l.await("the second job", func() bool { return len(l.apps()) > 1 })
	again := l.apps()[1]
	v := l.attach("attach-again", again.ID)
	l.fault("kill-jhs")
	over = l.awaitEnd(again.ID)
	v.ends(0, "succeeded")
	v.replays(0)
	waits = v.waitsForHistory(over)
	if !v.last().hasWarning("the ResourceManager reports") {
		t.Errorf("no warning names the source of the end: %+v", v.last().Warnings)
	}
	if waits < 2*time.Minute || waits > 5*time.Minute {
		t.Errorf("the history server is awaited for %v", waits)
	}
	l.note("the history server never back", *v.last().Elapsed,
		fmt.Sprintf("awaited for %.0f s, then the result of the ResourceManager, with a warning: exit code 0", waits.Seconds()))
}

// TestMasterKilledTwice kills both attempts that a master has.
func TestMasterKilledTwice(t *testing.T) {
	l := up(t)
	l.client("sleep", sleepJob...)
	app := l.awaitApp("Sleep job")
	w := l.attach("attach", app.ID)
	l.awaitTask(app, "m_000001", 10)
	l.fault("kill-am", app.ID)
	l.await("another master", func() bool {
		var got struct {
			AppAttempts struct {
				AppAttempt []struct{ AppAttemptState string }
			}
		}
		l.get(l.rm+"/ws/v1/cluster/apps/"+app.ID+"/appattempts", &got)
		all := got.AppAttempts.AppAttempt
		return len(all) == 2 && all[1].AppAttemptState == "RUNNING"
	})
	l.fault("kill-am", app.ID)
	w.ends(1, "failed")
	w.replays(1)
	restarted := slices.ContainsFunc(w.frames, func(f frame) bool { return f.warned("am_restarted") })
	if !restarted {
		t.Error("no frame warns of am_restarted")
	}
	l.note("a master killed twice, of two attempts", *w.last().Elapsed,
		"`am_restarted` after the first; then exit code 1, `failed`, though no history was left")
}

// TestPauses stops services for longer than a question may take. They take connections, and do not answer.
func TestPauses(t *testing.T) {
	l := up(t, "--with", "patient")
	pig := l.client("pig", append([]string{"pig"}, joinLong...)...)
	l.awaitApp("join.pig")
	w := l.attach("attach", "", "--within", "2h", "--no-progress", "5m")
	long := l.awaitJob(4)
	l.awaitTask(long, "m_000000", 10)
	var outages []string
	var from []time.Time
	for _, what := range []string{"rm", long.ID} {
		at := l.paused(l.fault("pause", what, "26"))
		from = append(from, at)
		time.Sleep(5 * every)
	}
	l.await("the last job", func() bool { return len(l.apps()) == 3 })
	l.await("its end", func() bool { return l.apps()[2].State == "FINISHED" })
	l.fault("pause", "jhs", "26")
	w.ends(0, "succeeded")
	pig.succeed()
	w.recordings(0)
	for i, what := range []string{"the ResourceManager", "the master"} {
		outages = append(outages, fmt.Sprintf("%.0f s by %s", w.outage(from[i]).Seconds(), what))
	}
	w.kept(from[0], "within", "no-progress")
	w.undisturbed(from[0])
	w.summarize("the ResourceManager, a master, the history server stopped for 26 s each", w.at(from[0]),
		"stale for "+strings.Join(outages, ", ")+"; no question lasts longer than its limit; then on")
}
