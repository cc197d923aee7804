// The command nearestfit measures the accuracy of NearestFit and the other methods on reduce phases with skewed key
// groups and nonlinear costs. It compares them with the paper (E. Coppa, I. Finocchi, SoCC 2015, section 8) and with
// measurements of an independent reference program. The same seed gives the same result. Times are seconds, sizes
// bytes.

package main

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

var (
	// tablesText are the forms and the tables of the page, with what is published.
	//
	//go:embed tables.json
	tablesText []byte
	//go:embed nearestfit.tmpl
	nearestFitText string
	// Live are the measurements of the end-to-end test on a real cluster, benchmarks those of the paper's benchmarks.
	//
	//go:embed live.md
	live string
	//go:embed table3.md
	benchmarks string
)

// A lab makes the tables of the page.
type lab struct {
	Largest          float64 // values of the largest group: 10,000 in the paper
	Seeds            int     // runs of each setting
	Live, Benchmarks string
	graphs           string // folder of degree histograms
	forms            map[string]form
	tables           map[string]table
	cells            map[cell]*gridScore
}

// A table has a row for each setting and a column for each method, or, if Settings are given, a row for each form.
// The first text of a row is the setting or the form, the others are published: in the columns Right, or below.
type table struct {
	Left, Methods, Right, Settings []string
	Rows                           [][]string
}

// A cell is a method in a setting: a cost, σ, reduce tasks and slots, or a graph and a cost.
type cell struct{ setting, method string }

// runNearestFit writes docs/evidence/nearestfit.md.
func runNearestFit(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("lab nearestfit", flag.ContinueOnError)
	seeds := flags.Int("seeds", 5, "runs of each setting, with seeds from 1 on")
	largest := flags.Float64("largest", 10_000, "values of the largest group of the synthetic workload")
	graphs := flags.String("graphs", "../shared/data/snap", "folder of degree histograms (NAME.degcount.txt)")
	if err := flags.Parse(args); err != nil {
		return err
	}
	l, err := newLab(*largest, *seeds, *graphs)
	if err != nil {
		return err
	}
	for _, t := range l.tables {
		l.add(t)
	}
	if err := l.measure(); err != nil {
		return err
	}
	return Write(out, nearestFitText, l)
}

func newLab(largest float64, seeds int, graphs string) (*lab, error) {
	if seeds < 1 || !(largest >= 1 && largest <= 1e6) {
		return nil, fmt.Errorf("-seeds %d -largest %v: want at least one seed, and 1 to 1,000,000 values", seeds, largest)
	}
	var text struct {
		Forms  map[string]json.RawMessage
		Tables map[string]table
	}
	if err := json.Unmarshal(tablesText, &text); err != nil {
		return nil, fmt.Errorf("tables.json: %w", err)
	}
	l := &lab{largest, seeds, live, benchmarks, graphs, map[string]form{}, text.Tables, map[cell]*gridScore{}}
	for name, changes := range text.Forms {
		f := streaming()
		if err := json.Unmarshal(changes, &f); err != nil {
			return nil, fmt.Errorf("tables.json: %s: %w", name, err)
		}
		l.forms[name] = f
	}
	return l, nil
}

// cellsOf returns the cells of a row.
func (t table) cellsOf(row []string) (all []cell) {
	for _, s := range t.Settings {
		all = append(all, cell{s, row[0]})
	}
	for _, m := range t.Methods {
		all = append(all, cell{row[0], m})
	}
	return all
}

// add has the cells of a table measured.
func (l *lab) add(t table) {
	for _, row := range t.Rows {
		for _, c := range t.cellsOf(row) {
			l.cells[c] = &gridScore{}
		}
	}
}

// measure makes the runs of all cells' settings and scores the cells' methods on them.
func (l *lab) measure() error {
	type work struct {
		setting string
		still   bool
	}
	byWork := map[work][]string{}
	for c := range l.cells {
		w := work{c.setting, l.forms[methodOf(c.method).form].Still}
		byWork[w] = append(byWork[w], c.method)
	}
	var works []work
	for w := range byWork {
		works = append(works, w)
	}
	scores := make([]map[string]*gridScore, len(works)*l.Seeds)
	err := Each(len(scores), func(i int) error {
		w := works[i/l.Seeds]
		r, err := l.play(w.setting, w.still, uint64(i%l.Seeds)+1) //nolint:gosec // a handful
		if err != nil {
			return fmt.Errorf("%s: %w", w.setting, err)
		}
		scores[i] = l.watch(r, byWork[w])
		return nil
	})
	for i, seed := range scores {
		for name, s := range seed {
			l.cells[cell{works[i/l.Seeds].setting, name}].merge(s, l.Seeds)
		}
	}
	return err
}

// play makes the run of a setting.
func (l *lab) play(setting string, still bool, seed uint64) (*jobRun, error) {
	words := strings.Fields(setting)
	kind, reduces, slots, stream := words[0], 8, 8, uint64(0)
	var sizes []float64
	if len(words) == 4 {
		var sigma float64
		if _, err := fmt.Sscan(strings.Join(words[1:], " "), &sigma, &reduces, &slots); err != nil {
			return nil, err
		}
		sizes = levels(l.Largest, sigma)
	} else {
		var err error
		if sizes, err = degrees(filepath.Join(l.graphs, words[0]+".degcount.txt")); err != nil {
			return nil, err
		}
		kind, stream = words[1], 3
	}
	values, costs := costsOf(kind, sizes, rand.New(rand.NewPCG(seed, stream)))
	noise := 0.02
	if still {
		noise = 0
	}
	return playWork(newWork(values, costs, reduces, noise, seed), slots), nil
}

// degrees reads a histogram, with a degree and its number of nodes on each line, and returns the nodes' degrees.
func degrees(file string) ([]float64, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("%w: -graphs names the folder of degree histograms", err)
	}
	const most = 1 << 20 // limits the memory of an experiment
	var all []float64
	for line := range strings.Lines(string(text)) {
		var degree, count int
		_, err := fmt.Sscan(line, &degree, &count)
		if err != nil || degree < 1 || count < 0 || count > most-len(all) {
			return nil, fmt.Errorf("%s: %q is no degree with its number of nodes, of %d nodes at most", file, line, most)
		}
		for range count {
			all = append(all, float64(degree))
		}
	}
	return all, nil
}

// tick is the interval of predictions for a run.
const tick = 60 // seconds

// watch replays a run and scores methods along it.
func (l *lab) watch(r *jobRun, names []string) map[string]*gridScore {
	watchers, scores := map[string]*watcher{}, map[string]*gridScore{}
	for _, name := range names {
		scores[name] = &gridScore{}
		if form := methodOf(name).form; watchers[form] == nil {
			watchers[form] = newWatcher(r, l.forms[form])
		}
	}
	for t := float64(tick); t < r.end; t += tick {
		for _, w := range watchers {
			w.until(t)
		}
		for _, name := range names {
			m := methodOf(name)
			scores[name].add(m.value(watchers[m.form], t))
		}
	}
	return scores
}

// A gridScore is the error of a method's progress along a run: equation 2 of Morton et al. (SIGMOD 2010), |t/e - t/T|
// at each tick t. e is the end that the method predicts and T the true one. Over several runs it is the mean of their
// means, and the worst tick of all.
type gridScore struct {
	sum, most, mean float64
	ticks, none     int // ticks with and without a prediction
}

// add counts a tick: its error, NaN if there is no prediction.
func (s *gridScore) add(off float64) {
	if math.IsNaN(off) {
		s.none++
		return
	}
	s.sum, s.most, s.ticks = s.sum+off, max(s.most, off), s.ticks+1
	s.mean = s.sum / float64(s.ticks)
}

// merge adds the score of one of several runs.
func (s *gridScore) merge(one *gridScore, runs int) {
	mean := one.mean
	if one.ticks == 0 {
		mean = math.NaN()
	}
	s.mean, s.most, s.none = s.mean+mean/float64(runs), max(s.most, one.most), s.none+one.none
}

// String returns "avg / max" in points, or "none" if some run has no prediction at all.
func (s *gridScore) String() string {
	if math.IsNaN(s.mean) {
		return "none"
	}
	text := fmt.Sprintf("%.2f / %.1f", 100*s.mean, 100*s.most)
	if s.none > 0 {
		text += fmt.Sprintf(" (none: %d)", s.none)
	}
	return text
}

// Table returns a table of the page.
func (l *lab) Table(name string) string {
	t := l.tables[name]
	var head []any
	add := func(to []any, cells ...string) []any {
		for _, c := range cells {
			to = append(to, c)
		}
		return to
	}
	head = add(head, t.Left...)
	for _, s := range t.Settings {
		w := strings.Fields(s)
		title := fmt.Sprintf("%s, σ %s, %s tasks", w[0], w[1], w[2])
		head = add(head, strings.Replace(title, " 1 tasks", " 1 task", 1))
	}
	head = add(head, slices.Concat(t.Methods, t.Right)...)
	var rows [][]any
	for _, row := range t.Rows {
		names := strings.Fields(row[0])
		if t.Settings != nil {
			names = []string{row[0]}
		}
		cells := add(nil, names[:len(t.Left)]...)
		for _, c := range t.cellsOf(row) {
			text := l.cells[c].String()
			if name == "rules" {
				text = fmt.Sprintf("%.0f%%", 100*l.cells[c].mean)
			}
			cells = add(cells, text)
		}
		if len(t.Right) > 0 || len(row) == 1 {
			rows = append(rows, add(cells, row[1:]...))
		} else {
			rows = append(rows, cells, add([]any{"*reference*"}, row[1:]...))
		}
	}
	return Table(head, rows)
}

// A jobRun is a finished reduce phase, from instant 0 on.
type jobRun struct {
	*work
	slots       int
	start, stop []float64 // by task
	end         float64   // when the last task stopped
	seen        []point   // the reported points, by instant, then task
}

// A point is a number of finished groups of one task with the same size and time, and the instant of their report.
type point struct {
	at             float64
	task           int
	bytes, seconds float64 // of one group
	count          float64
}

// playWork runs the tasks in index order, each on the first free slot. The shuffle takes no time.
func playWork(w *work, slots int) *jobRun {
	r := &jobRun{work: w, slots: slots}
	free := make([]float64, slots)
	for task, order := range w.order {
		first := slices.Index(free, slices.Min(free))
		r.start = append(r.start, free[first])
		for _, key := range order {
			free[first] += w.groups[key].seconds
		}
		r.stop = append(r.stop, free[first])
		r.end = max(r.end, free[first])
		r.report(task)
	}
	slices.SortStableFunc(r.seen, func(a, b point) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.task, b.task))
	})
	return r
}

const (
	// smallGroup is the size of groups that are timed together, because their own time is too short to measure
	// (facts/nearestfit.md N11).
	smallGroup = 50 // bytes
	// burst is the largest number of small groups that wait for a report.
	burst = 100
)

// report adds a task's points. A larger group is reported alone when it ends. Small ones are reported together, when
// more than a burst wait or a larger one follows; each gets a share of their time by size.
func (r *jobRun) report(task int) {
	at := r.start[task]
	var count, bytes, seconds float64
	var sizes [smallGroup/valueBytes + 1]float64 // small groups by their number of values
	flush := func() {
		for values, n := range sizes {
			if size := float64(values) * valueBytes; n > 0 {
				r.seen = append(r.seen, point{at, task, size, seconds * size / bytes, n})
			}
		}
		clear(sizes[:])
		count, bytes, seconds = 0, 0, 0
	}
	for _, key := range r.order[task] {
		g := r.groups[key]
		if g.bytes > smallGroup {
			flush()
			at += g.seconds
			r.seen = append(r.seen, point{at, task, g.bytes, g.seconds, 1})
			continue
		}
		at += g.seconds
		sizes[int(g.bytes/valueBytes)]++
		count, bytes, seconds = count+1, bytes+g.bytes, seconds+g.seconds
		if count > burst {
			flush()
		}
	}
	flush()
}

// hadoop returns the progress that Hadoop shows at t: the mean over the tasks of the share of bytes that was read.
// The current group counts by its time, as the reader's position in it is not known (facts/nearestfit.md N15).
func (r *jobRun) hadoop(t float64) float64 {
	// Bytes and instants before the current report, and its own.
	type reader struct{ done, from, next, until float64 }
	tasks := make([]reader, len(r.start))
	for i := range tasks {
		tasks[i].from = r.start[i]
	}
	for _, p := range r.seen {
		switch x := &tasks[p.task]; {
		case p.at <= t:
			x.done, x.from = x.done+p.bytes*p.count, p.at
		case x.until == 0 || x.until == p.at:
			x.next, x.until = x.next+p.bytes*p.count, p.at
		}
	}
	sum := 0.0
	for i, x := range tasks {
		switch {
		case t < r.start[i]:
		case t >= r.stop[i]:
			sum++
		default:
			sum += (x.done + x.next*(t-x.from)/(x.until-x.from)) / r.bytes[i]
		}
	}
	return sum / float64(len(tasks))
}
