//go:build e2e

package e2e

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/dag"
)

// quick is a quarter of quadratic: the longest reduce takes 20 s.
const quick = "python3 power.py 2 1.25"

// TestTapAlone kills the watcher while reduces run. The job goes on, and the measurements are in the spool.
func TestTapAlone(t *testing.T) {
	l := up(t)
	c := l.collector()
	job := l.streaming("alone", zipf, 4, c.wrapper(), "cat", quick)
	cmd := l.paratimer(append([]string{"attach", "--output", "ndjson", "--every", "1s", job.app.ID}, c.flags()...)...)
	w := l.start("attach", cmd)
	l.awaitTask(job.app, "r_000003", 67)
	l.must(cmd.Process.Kill())
	<-w.done
	job.succeed()
	job.counted(zipf)
	// Reduce 3 is the one that works on.
	spools := l.logs(job.app, "paratimer-tap.*_r_*")
	if !slices.ContainsFunc(spools, func(file string) bool { return strings.Contains(file, "_r_000003_0") }) {
		t.Errorf("reduce 3 has no spool; spools: %v", spools)
	}
	reduces := len(spools)
	for _, file := range spools {
		info, err := os.Stat(file)
		l.must(err)
		t.Logf("%s: %d bytes", filepath.Base(file), info.Size())
	}
	logged := 0
	for line := range strings.Lines(l.stderrOf(job.app)) {
		if strings.HasPrefix(line, "paratimer-tap: ") {
			logged++
			t.Log(strings.TrimSpace(line))
		}
	}
	if logged != reduces {
		t.Errorf("%d tasks spool and %d log it; each should, once", reduces, logged)
	}
	l.note("Hadoop Streaming through the tap: the watcher killed while reduces run", l.truth([]string{job.app.job()}),
		fmt.Sprintf("the job succeeds, its output is right, %d reduces spool", reduces))
}

// TestTapAgain kills a reduce attempt in its largest group. The next one's groups replace its own.
func TestTapAgain(t *testing.T) {
	l := up(t)
	c := l.collector()
	job := l.streaming("again", zipf, 4, c.wrapper(), "cat", quick)
	w := l.attach("attach", job.app.ID, c.flags()...)
	l.awaitTask(job.app, "r_000003", 67)
	l.await("groups of reduce 3 on the tape", func() bool { return w.hasGroups(3) })
	l.fault("kill-task", job.app.ID, "r_000003_0")
	w.ends(0, "succeeded")
	job.succeed()
	w.recordings(0)
	job.counted(zipf)
	w.promised(job, zipf, 0.99)
	if n := w.lastSnapshot().Jobs[0].Groups.Reduces[3].Attempt; n != 1 {
		t.Errorf("the groups of reduce 3 are of its attempt %d, want 1", n)
	}
	scores := w.grade("tape", "--estimators", "all", w.tape)
	s := scores.of("standard")
	l.addRow("Hadoop Streaming through the tap: a reduce killed in its largest group", w.score("capture"), nil, "",
		fmt.Sprintf("with the tap `standard` %s; the next attempt's groups replace its own, none counts twice; output as it must be", s.String()))
}

// hasGroups reports whether the tape of a watcher that still runs has finished groups of a reduce.
func (w *watcher) hasGroups(reduce int) bool {
	l := w.lab
	raw, err := os.ReadFile(w.tape)
	l.must(err)
	f, err := recording.NewReader(bytes.NewReader(raw))
	l.must(err)
	for {
		snap, err := f.Next(l.ctx)
		if err != nil {
			return false // its end, or the half of a line
		}
		if g := snap.Jobs[0].Groups; g != nil && len(g.Reduces) > reduce && len(g.Reduces[reduce].Done) > 0 {
			return true
		}
	}
}

// strange are unusual keys.
var strange = []string{
	"", " ", "a", "ab", "München", "日本語", "\x80", "\xff\xfe\xfd", "\x00", "a\x00b", "\x1b[31mred\x1b[0m", "\"quoted\"",
	`back\slash`,
	"reporter:status:no", "\u202eabc", strings.Repeat("k", 127), strings.Repeat("k", 128), strings.Repeat("ü", 200),
	strings.Repeat("long ", 12_000), // the tap keeps 64 KiB of a key
}

// TestTapKeys sends strange keys through the tap, to as many reduces as there is room for.
func TestTapKeys(t *testing.T) {
	l := up(t)
	input := filepath.Join(l.dir, "input")
	l.must(os.Mkdir(input, 0o755))
	for f := range 2 {
		var lines bytes.Buffer
		for i, key := range strange {
			for n := range i%5 + 1 {
				fmt.Fprintf(&lines, "%s\t%d %d\n", key, f, n)
			}
			fmt.Fprintf(&lines, "%s%d\n", key, f) // no separator: all of it is the key
		}
		for i := range 500 {
			fmt.Fprintf(&lines, "key%d\tvalue\twith\ttabs %d\n", i*i, f)
		}
		l.must(os.WriteFile(filepath.Join(input, fmt.Sprint(f)), lines.Bytes(), 0o600))
	}
	const reduces = 7
	w, job := l.tapped("keys", input, reduces, "cat", "cat")
	w.promised(job, input, 0)
	for r, part := range l.shuffled(input, reduces) {
		var keys []string
		for line := range bytes.Lines(job.file(r)) {
			key, _, _ := bytes.Cut(bytes.TrimSuffix(line, []byte("\n")), []byte("\t"))
			if n := len(keys); n == 0 || keys[n-1] != string(key) {
				keys = append(keys, string(key))
			}
		}
		if want := slices.Sorted(maps.Keys(part)); !slices.Equal(keys, want) {
			t.Errorf("reduce %d has %d keys, want %d: %.200q, want %.200q", r, len(keys), len(want), keys, want)
		}
	}
	if records := l.counters(job.app)["REDUCE_OUTPUT_RECORDS"]; records != l.counters(job.app)["MAP_INPUT_RECORDS"] {
		t.Errorf("%d records came out", records)
	}
	if w.lastSnapshot().Jobs[0].Groups.Origin != dag.GroupsComplete {
		t.Error("all keys fit, and yet the groups are not complete")
	}
	l.note("Hadoop Streaming through the tap: binary, empty and long keys", l.truth([]string{job.app.job()}),
		fmt.Sprintf("the partition of %d reduces to the byte, all records in order", reduces))
}
