//go:build e2e

package e2e

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// upJoin runs the join on Tez, watched with the profile of a run in other sizes, and returns once its long maps have
// read some records of 600.
func upJoin(t *testing.T, records float64, options ...string) (l *lab, pig *process, w *watcher, a app, task string) {
	l = up(t, append([]string{"--with", "tez"}, options...)...)
	a, pig, w = l.joinOnTez(joinLong)
	return l, pig, w, a, l.awaitRecords(a, 4, 2, records)
}

// joinOnTez starts the join and a watcher that has the profile of a run in other sizes.
func (l *lab) joinOnTez(args []string) (a app, pig *process, w *watcher) {
	l.t.Helper()
	profile := l.learnTezJoin()
	pig = l.client("pig", append([]string{"pig"}, args...)...)
	l.await("the join", func() bool {
		all := l.ours("join.pig")
		if len(all) > 0 {
			a = all[0]
		}
		return len(all) > 0
	})
	return a, pig, l.attach("attach", a.ID, "--profile", profile)
}

// TestTezKilledTask kills the JVM of a task when two thirds of its work are done. Tez runs it again.
func TestTezKilledTask(t *testing.T) {
	l, pig, w, a, task := upJoin(t, 400)
	killed := l.killed(l.fault("kill-task", a.ID, task))
	w.ends(0, "succeeded")
	pig.succeed()
	if truth := w.ofTez(0); truth.failed != 1 {
		t.Errorf("the master's log has %d failed attempts, want one", truth.failed)
	}
	shown := w.costNamed("_000002_0")
	w.addTezRow("Tez: a task's JVM killed at two thirds", shown,
		fmt.Sprintf("cost named in `changes` %.0f s after the kill; edges, tasks and length of the master's log",
			w.frames[shown].At.Sub(killed).Seconds()))
}

// TestTezKilledMaster kills the master of a session on HDFS when tasks have ended. The next one recovers those that
// were written down, as soon as possible here: by default that is done every 30 s.
func TestTezKilledMaster(t *testing.T) {
	l := up(t, "--with", "tez", "--hdfs")
	a, pig, w := l.joinOnTez(append(slices.Clone(joinLong), "-D", "tez.dag.recovery.flush.interval.secs=1"))
	l.awaitRecords(a, 4, 2, 400)
	killed := l.killed(l.fault("kill-am", a.ID))
	w.ends(0, "succeeded")
	pig.succeed()
	w.ofTez(0)
	i := w.frameThat("warns of am_restarted", killed, func(f frame) bool { return f.warned("am_restarted") })
	w.frameThat("has tasks of the new master running", killed, func(f frame) bool {
		return f.warned("am_restarted") && len(f.Jobs) == 1 && f.Jobs[0].running() > 0
	})
	for _, f := range w.frames {
		if f.hasWarning("has recovered nothing") {
			t.Errorf("at %.1f s a frame reports that nothing could be recovered", *f.Elapsed)
			break
		}
	}
	before, after := w.before(killed).done(), w.last().done()
	kept := after
	for _, f := range w.frames[max(i, 0):] {
		kept = min(kept, f.done())
	}
	// What the new master did not start, it has recovered.
	logs := l.masterLogs(a.ID, "syslog_"+w.dag())
	log, err := os.ReadFile(logs[len(logs)-1])
	l.must(err)
	again := strings.Count(string(log), "[Event:TASK_ATTEMPT_STARTED]: ")
	if recovered := after - again; len(logs) != 2 || recovered <= 0 || kept != recovered {
		t.Errorf("%d masters; of %d tasks done at the kill %d are done in all later frames; the new master started %d of %d",
			len(logs), before, kept, again, after)
	}
	w.logChanges()
	w.addTezRow("Tez: the master killed, its DAG recovered from HDFS", i, fmt.Sprintf(
		"`am_restarted`; %d of %d tasks were done at the kill, %d recovered, the others run again; edges, tasks and length of the new master's log",
		before, after, kept))
}

// done counts tasks.
func (f frame) done() (n int) {
	for _, j := range f.Jobs {
		for _, s := range j.Stages {
			n += s.Done
		}
	}
	return n
}

// TestTezForgotten does the same without HDFS: the new master has no DAG, and the application runs on without one.
func TestTezForgotten(t *testing.T) {
	l, pig, w, a, _ := upJoin(t, 100)
	killed := l.killed(l.fault("kill-am", a.ID))
	l.await("the warning", func() bool { return strings.Contains(w.printed(), "has recovered nothing") })
	l.kill(a.ID)
	w.ends(1, "killed")
	if code := pig.wait(); code == 0 {
		t.Error("the script should have failed")
	}
	i := w.frameThat("says that nothing was recovered", killed, func(f frame) bool {
		return f.warned("am_restarted") && f.hasWarning("has recovered nothing")
	})
	for _, f := range w.frames[max(i, 0):] {
		if f.Workflow.State == "running" && len(f.Jobs) == 1 && f.Jobs[0].running() > 0 {
			t.Errorf("at %.1f s tasks run of a master that is gone: %+v", *f.Elapsed, f.Jobs[0].Stages)
			break
		}
	}
	w.plays(1)
	l.note("Tez: the master killed, and nothing to recover from", *w.last().Elapsed, fmt.Sprintf(
		"`am_restarted`, and that the DAG will not go on, %.0f s after the kill; the application killed: exit code 1, `killed`; replay",
		w.frames[max(i, 0)].At.Sub(killed).Seconds()))
}

// TestTezFailing watches a script of Pig and a query of Hive with tasks that fail four times.
func TestTezFailing(t *testing.T) {
	l := up(t, "--with", "hive")
	pig := l.client("pig", "pig", "failing", "-p", "a=4x240x120", "-p", "b=3x160x80", "-p", "pace=15", "-p",
		"pace_out=250",
		"-p", "bad=user00079", "-p", "parallel_a=3", "-p", "parallel_b=2", "-p", "parallel=3")
	w := l.attach("pig-attach", l.awaitApp("failing.pig").ID)
	w.failsOnTez(pig, "boom at user00079", 4)
	w.checkFailed("Tez: a script of Pig whose last vertex fails", "boom at user00079")

	hive := l.client("hive", "hive", "failing")
	session := l.awaitHive()
	w = l.attach("hive-attach", l.awaitDAG(session, 1), "--session=false")
	w.failsOnTez(hive, "assertion failed", 4, "Map 1 > Reducer 2 slow_start")
	w.hidesQuery("hunter2")
	if name := deref(w.last().Workflow.Name); !strings.HasPrefix(name, "SELECT k, assert_true") {
		t.Errorf("the workflow is called %q, not as its query begins", name)
	}
	w.checkFailed("Tez: a query of Hive whose reducer fails", "assertion failed; a literal that is cut from its name is nowhere")
}

// TestTezOrder runs a script with ORDER BY. Pig 0.17 needs Java 8 for it: since Java 9 fields are set after all of an
// object has been read, so that tasks cannot read ORDER's plan, which has a cycle. ParaTimer shows what happens.
func TestTezOrder(t *testing.T) {
	l := up(t, "--with", "tez", "--hdfs")
	pig := l.client("pig", "pig", "report", "-p", "a=4x240x120", "-p", "b=3x160x80", "-p", "pace=15", "-p",
		"pace_out=60")
	w := l.attach("attach", l.awaitApp("report.pig").ID)
	const why = "OperatorKey.hashCode()" // of an operator whose key is not set yet
	w.failsOnTez(pig, why, 4)
	edges := strings.Join(w.last().shape(), "\n")
	if !strings.Contains(edges, " one_to_one") || !strings.Contains(edges, " broadcast") {
		t.Errorf("the sampler's edges are not known: %s", edges)
	}
	w.checkFailed("Tez: a script of Pig with ORDER BY, which fails on Java 17",
		"an operator without its key; edges of kind `one_to_one` and `broadcast`")
}

// failsOnTez checks that a DAG has failed, with attempts that have the reason.
func (w *watcher) failsOnTez(client *process, why string, attempts int, shape ...string) {
	l := w.lab
	l.t.Helper()
	w.ends(1, "failed")
	if code := client.wait(); code == 0 {
		l.t.Errorf("%s should have failed", client.name)
	}
	if truth := w.ofTez(1, shape...); truth.failed < attempts {
		l.t.Errorf("the master's log has %d failed attempts, want %d", truth.failed, attempts)
	}
	withReason := map[string]bool{}
	for _, f := range w.frames {
		for _, x := range f.Failures {
			if strings.Contains(deref(x.Why), why) {
				withReason[x.Attempt] = true
			}
		}
	}
	if len(withReason) < attempts {
		l.t.Errorf("%s: %d failures say %q, want %d: %+v", w.name, len(withReason), why, attempts, w.last().Failures)
	}
}

func (w *watcher) checkFailed(scenario, why string) {
	w.lab.t.Helper()
	w.lab.addRow(scenario, w.score("bare"), nil, "",
		fmt.Sprintf("exit code 1, `failed`; four attempts with their reason (%s); replay, score", why))
}

// TestTezLostNode kills one of two nodes while maps run there. What had ended there runs again as well. Pig would give
// the master a GB, and leave two tasks too little; with Tez' own patience the consumers of a lost output wait for
// minutes.
func TestTezLostNode(t *testing.T) {
	l := up(t, "--nodes", "2", "--with", "tez")
	a, pig, w := l.joinOnTez([]string{
		"join", "-p", "a=10x300x150", "-p", "b=3x160x80", "-p", "pace=30", "-p", "pace_b=25", "-p", "pace_out=180",
		"-p", "parallel_a=3", "-p", "parallel_b=2", "-p", "parallel=3",
		"-D", "yarn.client.nodemanager-connect.max-wait-ms=10000", "-D", "pig.tez.configure.am.memory=false",
		"-D", "tez.runtime.shuffle.connect.timeout=3000",
	})
	l.awaitRecords(a, 10, 0, 200)
	other := "1"
	if strings.TrimSpace(l.output("fault.sh", "master-node", a.ID)) == "1" {
		other = "2"
	}
	killed := l.killed(l.fault("kill-node", other))
	w.ends(0, "succeeded")
	pig.succeed()
	w.ofTez(0)
	// The master may give its attempts up before the node counts as lost: then no task is left on it to warn of.
	i := w.frameThat("shows the lost node", killed, func(f frame) bool { return f.warned("node_lost") || f.nodesIn("lost") > 0 })
	w.logChanges()
	seen := w.frames[max(i, 0)]
	w.addTezRow("Tez: one of two nodes lost while maps run on it", i, fmt.Sprintf(
		"the node is lost %.0f s after the kill; `standard` then was %s s; edges, tasks and length of the master's log",
		seen.At.Sub(killed).Seconds(), short(seen.total("standard"))))
}

// TestTezTwoUsers watches the DAGs of two users that run at once.
func TestTezTwoUsers(t *testing.T) {
	l := up(t, "--with", "tez", "--hdfs")
	_, join, ours := l.joinOnTez(joinLong)
	skew := l.client("pig-skew", "pig", "skew", "--user", "bob", "-p", "a=4x300x60z1.2", "-p", "pace=25", "-p",
		"pace_out=15")
	two := l.awaitApp("skew.pig")
	bobs := l.attach("skew", two.ID)
	if two.User != "bob" {
		t.Errorf("skew.pig is %s's", two.User)
	}
	for _, w := range []*watcher{ours, bobs} {
		w.ends(0, "succeeded")
		w.ofTez(0)
		if w.came() < 0 {
			t.Errorf("%s: no frame reports the other user's load", w.name)
		}
	}
	join.succeed()
	skew.succeed()
	if n, m := len(ours.last().Jobs[0].Stages), len(bobs.last().Jobs[0].Stages); n != 5 || m != 2 {
		t.Errorf("join has %d vertices, skew %d: want 5 and 2", n, m)
	}
	ours.addTezRow("Tez: two users at once: the join", -1,
		"`other_load` from "+short(ours.frames[max(ours.came(), 0)].Elapsed)+" s on; only its own vertices")
	bobs.addTezRow("Tez: two users at once: bob's skewed reducers", -1, "`other_load`; only its own vertices")
}

// TestTezKerberos watches alice's DAG on a cluster that wants Kerberos, by her keytab and as bob, who may not see it.
func TestTezKerberos(t *testing.T) {
	k := kerberizedUp(t, "--with", "tez", "--hdfs")
	t.Setenv("HADOOP_USER_NAME", "alice") // who submits: RPC stays simple
	pig := k.client("pig", append([]string{"pig"}, joinLong...)...)
	t.Setenv("HADOOP_USER_NAME", "")
	app := k.awaitApp("join.pig")
	alice := k.attach("alice", app.ID, "--keytab", k.keytab("alice"))
	bob := k.attach("bob", app.ID, "--keytab", k.keytab("bob"))
	k.awaitDAG(app, 1)
	time.Sleep(3 * every) // so that the plan is written
	doctor := string(k.run("doctor", 0, "doctor", "--keytab", k.keytab("alice")))
	alice.ends(0, "succeeded")
	pig.succeed()
	alice.ofTez(0)
	bob.ends(0, "succeeded") // the ResourceManager reports to every user how applications end
	for _, part := range []string{"tez master", "tez files", "tez plan"} {
		if !strings.Contains(doctor, part) {
			t.Errorf("doctor prints no %q: %s", part, doctor)
		}
	}
	refused := bob.frameThat("says that bob may not read the files", time.Time{}, func(f frame) bool {
		return f.warned("no_edges")
	})
	if refused >= 0 && slices.ContainsFunc(bob.frames, func(f frame) bool { return len(f.shape()) > 0 }) {
		t.Error("bob sees edges of alice's DAG")
	}
	k.noSecrets()
	alice.addTezRow("Tez with Kerberos: the join, by keytab", -1,
		"bob may read neither the master nor its files: no edges, a warning, the end as the ResourceManager reports it; `doctor`; no key, ticket or cookie in any file")
}
