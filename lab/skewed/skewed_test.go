package skewed

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/estimators/nearestfit"
	"github.com/paratimer/paratimer/lab/skewed/phase"
)

// small is a lab that takes a second.
var small = lab{largest: 200, seeds: 1}

var committed = filepath.Join("..", "..", "docs", "nearestfit.md")

// TestCommittedRows: the committed document has what the tool measures.
func TestCommittedRows(t *testing.T) {
	text, err := os.ReadFile(committed)
	if err != nil {
		t.Fatal(err)
	}
	l := lab{largest: 10_000, seeds: 5}
	var rows []row
	var settings []setting
	for _, s := range fig6 {
		if s.sigma == 1.8 { // few groups
			rows, settings = append(rows, row{l.run(s.synthetic), all}), append(settings, s)
		}
	}
	if len(rows) == 0 {
		t.Fatal("no row is compared")
	}
	for name, words := range map[string]string{
		"live.md": liveWords, "table3.md": table3Words,
		"words/maps.md": mapsWords, "words/fig6.md": fig6Words,
	} {
		if !strings.Contains(string(text), strings.TrimSpace(words)) {
			t.Errorf("docs/nearestfit.md has not what %s says: make nearestfit", name)
		}
	}
	for i, r := range measure(rows, l.seeds) {
		if want := settings[i].line(r); !strings.Contains(string(text), "\n"+want+"\n") {
			t.Errorf("docs/nearestfit.md has not this line: make nearestfit\n%s", want)
		}
	}
}

// TestWrite: a small document has every section, the same each time, and says nothing of what is not a number.
func TestWrite(t *testing.T) {
	sections := func() []experiment {
		degrees := phase.Levels(30, 1.5)
		return []experiment{
			fig6Experiment(small), realisticExperiment([]graph{{"toy", degrees}}), wavesExperiment(small),
			lambdaExperiment(small),
			partsExperiment(small),
			mapsExperiment(small),
		}
	}
	var first, second bytes.Buffer
	if err := write(&first, small, sections()); err != nil {
		t.Fatal(err)
	}
	if err := write(&second, small, sections()); err != nil {
		t.Fatal(err)
	}
	if first.String() != second.String() {
		t.Error("two documents of the same seeds differ")
	}
	for _, e := range sections() {
		if !strings.Contains(first.String(), "\n## "+e.title+"\n") {
			t.Errorf("no section %q", e.title)
		}
	}
	for _, bad := range []string{"NaN", "Inf", "%!"} {
		if strings.Contains(first.String(), bad) {
			t.Errorf("the document says %q", bad)
		}
	}
}

// TestKept: what cannot be measured here stays as it was; where it never was, that is an error.
func TestKept(t *testing.T) {
	file := filepath.Join(t.TempDir(), "before.md")
	if err := os.WriteFile(file, []byte("# T\n\n## One\n\nold\n\ntext\n\n## Two\n\nmore\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for title, want := range map[string]string{"One": "old\n\ntext\n", "Two": "more\n"} {
		var b bytes.Buffer
		p := func(format string, args ...any) { b.WriteString(args[0].(string) + "\n") }
		if err := kept(title, file, "things").write(p, nil); err != nil || b.String() != want {
			t.Errorf("%s: got %q, %v, want %q", title, &b, err, want)
		}
	}
	if err := kept("Three", file, "things").write(nil, nil); err == nil ||
		!strings.Contains(err.Error(), "things are missing") {
		t.Errorf("a section that was never there: %v", err)
	}
	if err := kept("One", file+"x", "things").write(nil, nil); err == nil {
		t.Error("no earlier document: no error")
	}
}

// TestScore: equation 2 in points, the mean of the seeds' means, and the worst of all.
func TestScore(t *testing.T) {
	var a, b score
	a.add(.5, .4)
	a.add(.5, .2)
	a.add(math.NaN(), .9)
	b.add(0, .1)
	if got := over([]score{a, b}); math.Abs(got.avg-15) > 1e-9 || math.Abs(got.max-30) > 1e-9 || got.none != 1 {
		t.Errorf("got %+v, want 15, 30 and 1", got)
	}
	if got := over([]score{a, {}}).String(); got != "none" {
		t.Errorf("a run without a prediction is %q", got)
	}
}

// TestForeseen: without noise, who knows the curve is never wrong.
func TestForeseen(t *testing.T) {
	s := small.spec(synthetic{2, 1.4, 4, 2}, 1)
	s.Noise = 0
	run := phase.Play(phase.Make(s), 2)
	got := watch(run, []*watcher{newWatcher(everything(run.Work), nearestfit.Default(), run.Seen,
		foreseen(foreknown, run.Work))})
	if sc := got[foreknown]; sc.ticks == 0 || sc.none > 0 || sc.max > 1e-6 {
		t.Errorf("got %+v", sc)
	}
}

// TestReduceInputs: all keys known leave nothing implicit, counters nothing explicit; bytes are always the task's.
func TestReduceInputs(t *testing.T) {
	w := phase.Make(small.spec(synthetic{2, 1.2, 3, 3}, 1))
	sizes := w.Bytes()
	for name, promise := range map[string]func(*phase.Work) []nearestfit.Task{
		"everything": everything, "nothing": nothing, "paper": paper, "few": keys(10, 20), "counts": counts(10, 20),
	} {
		for i, task := range promise(w) {
			known := bytesOf(task.Explicit)
			if task.Bytes != sizes[i] || known+task.Implicit < sizes[i]-1e-6 {
				t.Errorf("%s: task %d of %v bytes has %v, %v explicit and %v implicit", name, i, sizes[i], task.Bytes,
					known, task.Implicit)
			}
			if name == "everything" && known != sizes[i] || name == "nothing" && known != 0 {
				t.Errorf("%s: task %d has %v of %v bytes explicit", name, i, known, sizes[i])
			}
		}
	}
}

// TestWire: the tap's format holds what a run tells, and lambda bounds a map's profile.
func TestWire(t *testing.T) {
	run := small.run(synthetic{2, 1.2, 3, 3})(1)
	few, err := wire(run, 10)
	if err != nil {
		t.Fatal(err)
	}
	many, err := wire(run, 1000)
	if err != nil {
		t.Fatal(err)
	}
	if !(few.maps < many.maps && few.explicit < many.explicit && many.explicit <= 1) || few.reduces != many.reduces ||
		few.shuffle != run.Work.Shuffle() {
		t.Errorf("lambda 10: %+v, 1000: %+v", few, many)
	}
	count := 0.0
	for task := range run.Start {
		for _, b := range reduceBatches(run, task) {
			for _, p := range b.Points {
				count += p.Count
			}
		}
	}
	if n := float64(len(run.Work.Groups)); count != n {
		t.Errorf("batches have %v groups of %v", count, n)
	}
}

func TestGraphs(t *testing.T) {
	folder := t.TempDir()
	if got, err := graphs(filepath.Join(folder, "absent")); got != nil || err != nil {
		t.Errorf("no folder: %v, %v", got, err)
	}
	if _, err := graphs(folder); err == nil {
		t.Error("a folder without histograms: no error")
	}
	write := func(text string) {
		if err := os.WriteFile(filepath.Join(folder, "toy"+histograms), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("1 2\n3 1\n")
	if got, err := graphs(folder); err != nil || len(got) != 1 || got[0].name != "toy" || len(got[0].degrees) != 3 {
		t.Errorf("got %v, %v", got, err)
	}
	write("what\n")
	if _, err := graphs(folder); err == nil || !strings.Contains(err.Error(), "toy") {
		t.Errorf("a bad file: %v", err)
	}
}

func TestLabIsChecked(t *testing.T) {
	for _, l := range []lab{{10_000, 0}, {0, 5}, {math.NaN(), 5}, {1e9, 1}} {
		if err := run(nil, l, "", ""); err == nil {
			t.Errorf("%+v: no error", l)
		}
	}
}

// TestMaps: of maps whose records differ split by split standard is right by their counters, as nearly as by samples of
// the running splits.
func TestMaps(t *testing.T) {
	for _, s := range splittings() {
		if s.splits != containers || s.power != 2 || s.spread == 0 {
			continue
		}
		got, err := s.scores(1)
		if err != nil {
			t.Fatal(err)
		}
		standard, sampled := over([]score{got["standard"]}), over([]score{got["running splits sampled"]})
		if !(standard.avg <= sampled.avg+3) {
			t.Errorf("%s: standard %v, sampled %v", s.name, standard, sampled)
		}
	}
}
