//go:build e2e

package e2e

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/dag"
)

// jar builds the jar that measures key groups within a job's own tasks.
func (l *lab) jar() string {
	l.t.Helper()
	file := filepath.Join(l.dir, "paratimer-tap.jar")
	if out, err := exec.CommandContext(l.ctx, script("../cmd/paratimer-tap/java/build"), file).CombinedOutput(); err != nil {
		l.t.Fatalf("the tap's jar does not build: %v\n%s", err, out)
	}
	return file
}

// properties returns the output of `paratimer-tap job hadoop`, as a shell reads it.
func (l *lab) properties(c collector) []string {
	l.t.Helper()
	printed, err := exec.CommandContext(l.ctx, tapBinary, "job", "hadoop", "--collect", c.address, l.jar()).Output()
	l.must(err)
	shell := exec.CommandContext(l.ctx, "sh", "-c", `printf '%s\n' `+string(printed))
	shell.Env = append(os.Environ(), "PARATIMER_TOKEN="+c.token)
	words, err := shell.Output()
	l.must(err)
	return strings.Split(strings.TrimSuffix(string(words), "\n"), "\n")
}

// squares starts a Java job of udf/Squares.java and waits until the cluster lists it.
func (l *lab) squares(name, kind, input string, properties []string) *streaming {
	l.t.Helper()
	s := &streaming{output: filepath.Join(l.dir, name+".output"), reduces: 4, basename: "part-r-"}
	if kind == "old" {
		s.basename = ""
	}
	args := []string{"run", "Squares", "-D", "mapreduce.job.name=" + name, "-D", "mapreduce.job.reduces=4"}
	args = append(append(args, properties...), kind, input, "file://"+s.output)
	s.process = l.client(name, args...)
	s.app = l.awaitApp(name)
	return s
}

// squared runs a job of quadratic cost with the jar in it, watched, and again as it is. Both must do the same, and the
// goals hold.
func (l *lab) squared(scenario, kind string) {
	l.t.Helper()
	c := l.collector()
	tapped := l.squares(kind, kind, zipf, l.properties(c))
	w := l.attach("attach-"+kind, tapped.app.ID, c.flags()...)
	w.ends(0, "succeeded")
	tapped.succeed()
	w.recordings(0)
	w.hides(c)
	bare := l.squares(kind+"-bare", kind, zipf, nil)
	bare.succeed()
	tapped.same(bare)
	if kind == "plain" || kind == "old" {
		tapped.counted(zipf)
		w.promised(tapped, zipf, 0.99)
	}
	w.conserved(tapped.app)
	scores, without := w.grade("tape", "--estimators", "all", w.tape), w.score("capture")
	l.goals(scores)
	l.jarRow(scenario, scores, without, tapped, bare)
}

// lastGroup is how large a reduce's last group may be that the jar does not report, in bytes: the time from its first
// record to the task's end is the task's own end unless the group is large or the reduce's groups are slow
// (Groups.LARGE).
const lastGroup = 4096

// conserved checks that what maps promise each reduce is what it gets, though a combiner or partitioner stands between
// them, and that all its groups are reported. What stands between two groups belongs to the first: so all groups have
// ended but perhaps the last.
func (w *watcher) conserved(a app) {
	l := w.lab
	l.t.Helper()
	got := w.lastSnapshot().Jobs[0].Groups
	if got == nil {
		l.t.Fatal("the tape has no key groups")
	}
	if got.Origin < dag.GroupsTapped || got.Note != "" {
		l.t.Errorf("groups are of origin %d, and say %q", got.Origin, got.Note)
	}
	var count float64
	for r, g := range got.Reduces {
		var done float64
		for _, p := range g.Done {
			done += p.Bytes * p.Count
			count += p.Count
		}
		l.t.Logf("reduce %d: %.0f bytes reported by maps, %.0f processed in %d points", r, g.Bytes, done, len(g.Done))
		if done < min(0.99*g.Bytes, g.Bytes-lastGroup) || done > g.Bytes && !near(done, g.Bytes) {
			l.t.Errorf("maps reported for reduce %d %.0f bytes, it has had %.0f", r, g.Bytes, done)
		}
	}
	groups := float64(l.counters(a)["REDUCE_INPUT_GROUPS"])
	if missed := groups - math.Round(count); missed < 0 || missed > float64(len(got.Reduces)) {
		l.t.Errorf("%.1f groups are reported, Hadoop counts %.0f", count, groups)
	}
}

// ours is NearestFit in the form that the groups allow: all keys known, or the largest.
func ours(g graded) score {
	if s := g.of("nearestfit"); s.Mean != nil {
		return s
	}
	return g.of("nearestfit_stream")
}

// goals checks that NearestFit's error is small, and at most half of that of Hadoop's own percentage.
func (l *lab) goals(with graded) {
	l.t.Helper()
	s, hadoop := ours(with), with.of("hadoop")
	if s.Mean == nil || hadoop.Mean == nil {
		l.t.Errorf("no score: %v of NearestFit, %v of Hadoop's percentage", s.Mean, hadoop.Mean)
		return
	}
	if *s.Mean > 6 || *s.Mean > *hadoop.Mean/2 {
		l.t.Errorf("with the tap the mean error is %.1f points, Hadoop's own %.1f: want at most 6, and half", *s.Mean,
			*hadoop.Mean)
	}
}

func (l *lab) jarRow(scenario string, scores, without graded, tapped, bare *streaming) {
	l.t.Helper()
	reduces := math.NaN()
	if bare != nil {
		reduces, _ = l.cost(tapped, bare)
	}
	s := ours(scores)
	ratio := scores.of("task_ratio")
	l.addRow("the tap's jar: "+scenario, without, nil, "", fmt.Sprintf(
		"with the tap %s %s, `standard` %s, `task_ratio` %s; map output sizes as shuffled, all groups reported",
		"`"+s.Name+"`", s.String(), text(scores, "standard"), ratio.String()))
	live = append(live, liveRow{scenario, scores, without, reduces})
}

func text(g graded, name string) string {
	s := g.of(name)
	return s.String()
}

// TestJarPlain measures a Java job of Hadoop's new API with a driver that sets its own classes.
func TestJarPlain(t *testing.T) { up(t).squared("Java, quadratic cost, Zipf keys", "plain") }

// TestJarOld measures one of the old API.
func TestJarOld(t *testing.T) { up(t).squared("Java, the same by the old API", "old") }

// TestJarCombined measures one with a combiner: the shuffled bytes are the counted ones.
func TestJarCombined(t *testing.T) { up(t).squared("Java, the same with a combiner", "combined") }

// TestJarOwn measures one with its own partitioner, order and grouping: no two keys of a group are equal.
func TestJarOwn(t *testing.T) {
	up(t).squared("Java, the same with its own partitioner, order and grouping", "own")
}

// TestJarCost runs a job that does nothing but move 400 MB, in pairs, with and without the jar, in either order. The
// processor time of all pairs together is held to a limit: a busy machine makes little more of it, and a single pair
// differs by a fifth for no reason of the jar's.
func TestJarCost(t *testing.T) {
	l := up(t)
	const moved = "4x240000x1000z1.0w400"
	idle := []string{"-D", "squares.micros=0"}
	l.squares("warm", "plain", moved, idle).succeed()
	var cpu, walls []float64
	var total, with, without float64 // seconds of the jobs with the jar; milliseconds of processor time
	for i := range 5 {
		c := l.collector()
		jobs := map[string]*streaming{}
		for k := range 2 {
			name := fmt.Sprintf("pair-%d-bare", i)
			properties := idle
			if k == i%2 {
				name, properties = fmt.Sprintf("pair-%d", i), append(l.properties(c), idle...)
			}
			job := l.squares(name, "plain", moved, properties)
			if k == i%2 {
				l.attach("attach-"+name, job.app.ID, c.flags()...).ends(0, "succeeded")
			}
			job.succeed()
			jobs[strings.TrimPrefix(name, fmt.Sprintf("pair-%d", i))] = job
		}
		tapped, bare := jobs[""], jobs["-bare"]
		a, b := float64(l.counters(tapped.app)["CPU_MILLISECONDS"]), float64(l.counters(bare.app)["CPU_MILLISECONDS"])
		took := l.truth([]string{tapped.app.job()})
		cpu, walls = append(cpu, a/b), append(walls, took/l.truth([]string{bare.app.job()}))
		total, with, without = total+took, with+a, without+b
		t.Logf("pair %d: %.0f ms of processor time with the jar, %.0f without; time %.3f of that without", i, a, b,
			walls[i])
	}
	slices.Sort(cpu)
	slices.Sort(walls)
	// Tasks of three seconds that only move data are the worst case (docs/hadoop.md): the limit finds regressions, it
	// is not the goal.
	if with/without > 1.5 {
		t.Errorf("with the jar jobs take %.3f of the processor time without, want at most 1.5", with/without)
	}
	l.note("the tap's jar: what it costs, five pairs of runs that move 400 MB", total/5, fmt.Sprintf(
		"with the jar over without: %.3f of the processor time of all (%.3f to %.3f a pair), median %.3f of the jobs' time (%.3f to %.3f)",
		with/without, cpu[0], cpu[4], walls[2], walls[0], walls[4]))
}

// TestJarPig measures Pig's own GROUP, with a combiner and without.
func TestJarPig(t *testing.T) {
	for _, nocombiner := range []string{"true", "false"} {
		t.Run("nocombiner="+nocombiner, func(t *testing.T) {
			l := up(t)
			c := l.collector()
			output := filepath.Join(l.dir, "output")
			pig := l.client("pig", "pig", "squares", "-p", "nocombiner="+nocombiner, "-p", "out="+output,
				"-p", "tap="+l.jar(), "-p", "collect="+c.address, "-p", "token="+c.token)
			l.await("the run", func() bool { return len(l.apps()) == 1 })
			w := l.attach("attach", l.apps()[0].ID, c.flags()...)
			w.ends(0, "succeeded")
			pig.succeed()
			w.recordings(0)
			w.hides(c)
			l.outputOfPig(output, zipf)
			w.conserved(l.apps()[0])
			scores, without := w.grade("tape", "--estimators", "all", w.tape), w.score("capture")
			l.goals(scores)
			scenario := "Pig, GROUP and a UDF of quadratic cost"
			if nocombiner == "false" {
				scenario += ", with a combiner"
			}
			l.jarRow(scenario, scores, without, nil, nil)
		})
	}
}
