//go:build e2e

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/dag"
)

// TestTapPig streams a Pig script's groups through the tap, twice. Pig's maps promise nothing, so in the first run the
// groups that are left are not known; in the second they are those of the first, which is remembered.
func TestTapPig(t *testing.T) {
	l := up(t)
	const input = "4x1500x300z1.0w400"
	c := l.collector()
	state := filepath.Join(l.dir, "state")
	var watchers []*watcher
	for i, name := range []string{"first", "second"} {
		output := filepath.Join(l.dir, name+".output")
		pig := l.client("pig-"+name, "pig", script("../examples/stream.pig"), "-p", "makes="+input, "-p",
			"input="+filepath.Join(l.root, "data", input), "-p", "output="+output,
			"-p", "tap="+tapBinary, "-p", "program="+script("stream/power.py"), "-p", `command="python3 power.py 2 24"`,
			"-p", "collect="+c.address, "-p", "token="+c.token)
		l.await("run "+name, func() bool { return len(l.apps()) == i+1 })
		w := l.attach(name, l.apps()[i].ID, append(c.flags(), "--no-history=false", "--state-dir", state)...)
		w.ends(0, "succeeded")
		pig.succeed()
		l.outputOfPig(output, input)
		w.hides(c)
		w.all(input)
		watchers = append(watchers, w)
	}
	first, second := watchers[0], watchers[1]
	profile := filepath.Join(l.dir, "given.yaml")
	l.run("export", 0, "history", "profile", "stream.pig", "--before", deref(second.last().Workflow.ID), "--state-dir",
		state, "-o", profile)
	second.replayFlags = append(second.replayFlags, "--profile", profile)
	second.recordings(0)
	scores := second.grade("tape", "--estimators", "all", "--profile", profile, second.tape)
	t.Logf("first\n%s", l.run("first-score-tape", 0, "score", "--estimators", "all", first.tape))
	if ours, hadoop := scores.mean(t, "standard"), scores.mean(t, "hadoop"); ours > hadoop/2 {
		t.Errorf("with the key sizes of the run before the mean error is %.1f points, that of hadoop %.1f: want at most half", ours, hadoop)
	}
	if !second.frames[0].warned("key_groups") {
		t.Error("the second run does not go by the keys of the first from its first frame on")
	}
	bare := second.score("bare")
	l.addRow("Pig: STREAM THROUGH the tap, watched with the key sizes of the run before", bare, &scores, "",
		"quadratic cost, Zipf keys; all groups of 4 reduces are reported, output as it must be")
}

// outputOfPig checks that each key is in the output once, with its number of records. Pig's own types hash otherwise
// than Text, so which reduce it comes from is not checked.
func (l *lab) outputOfPig(folder, input string) {
	l.t.Helper()
	want := map[string]bool{}
	for key, one := range l.shuffled(input, 1)[0] {
		want[fmt.Sprintf("%s\t%d", key, one.records)] = true
	}
	files, err := filepath.Glob(filepath.Join(folder, "part-*"))
	l.must(err)
	lines := 0
	for _, file := range files {
		b, err := os.ReadFile(file)
		l.must(err)
		for line := range strings.Lines(string(b)) {
			lines++
			if !want[strings.TrimSuffix(line, "\n")] {
				l.t.Errorf("%s has %q", file, line)
			}
		}
	}
	if lines != len(want) {
		l.t.Errorf("%d keys came out, want %d", lines, len(want))
	}
}

// all checks that the reduces' taps have reported all records: Pig gives a command its lines as they are.
func (w *watcher) all(input string) {
	l := w.lab
	l.t.Helper()
	got := w.lastSnapshot().Jobs[0].Groups
	if got == nil {
		l.t.Fatal("the tape has no key groups")
	}
	var done, count float64
	for _, r := range got.Reduces {
		for _, p := range r.Done {
			done += p.Bytes * p.Count
			count += p.Count
		}
	}
	want := l.shuffled(input, 1)[0]
	if got.Origin != dag.GroupsTapped || !near(done, want.total()) || int(count+0.5) != len(want) {
		l.t.Errorf("groups of origin %d: %.1f of %.0f bytes, want %d of %.0f", got.Origin, count, done, len(want),
			want.total())
	}
}
