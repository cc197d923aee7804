package nearestfit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"testing"

	"github.com/paratimer/paratimer/sketch"
)

// endToEnd is a case of a whole reduce phase.
type endToEnd struct {
	Tasks    int `json:"tasks"`
	Slots    int `json:"slots"`
	Lambda   int `json:"lambda"`
	Capacity int `json:"ss_capacity"`
	Params   struct {
		Delta        float64 `json:"delta_bytes"`
		Match        float64 `json:"match_rel"`
		Smooth       float64 `json:"smooth_s"`
		R2           float64 `json:"r2"`
		Weight       string  `json:"fit_weight"`
		TaskRatioMin float64 `json:"taskratio_min_bytes_fraction"`
	} `json:"params"`
	Maps []struct {
		Candidates [][3]float64 `json:"explicit_candidates"`
	} `json:"map_profiles"`
	Explicit [][]float64     `json:"expected_explicit_sizes"`
	Implicit []float64       `json:"expected_implicit_bytes"`
	Bytes    []float64       `json:"task_total_bytes"`
	Stream   []goldenArrival `json:"stream"`
	Instants []goldenInstant `json:"instants"`

	// What nothing is compared with.
	Name  any `json:"name"`
	Start any `json:"start_s"`
	End   any `json:"end_s"`
}

type goldenArrival struct {
	Visible float64      `json:"visible_s"`
	Task    int          `json:"task"`
	Records [][2]float64 `json:"records_bytes_seconds"`
}

type goldenInstant struct {
	At          float64            `json:"t_s"`
	Running     map[string]float64 `json:"running_start_s"`
	Finished    map[string]float64 `json:"finished_end_s"`
	Unscheduled []int              `json:"unscheduled"`

	NearestFit *float64                          `json:"nearestfit_end_s"`
	JobRatio   *float64                          `json:"jobratio_end_s"`
	TaskRatio  *float64                          `json:"taskratio_end_s"`
	Hadoop     *float64                          `json:"hadoop_progress"`
	Remaining  map[string]*float64               `json:"remaining_s"`
	Explicit   [][]float64                       `json:"explicit_left"`
	Implicit   []float64                         `json:"implicit_left"`
	Fits       []*map[string]float64             `json:"fits"`
	Sources    map[string]map[string][2]*float64 `json:"sources"`
}

func (g *goldenRun) endToEnd(t *testing.T, raw json.RawMessage) {
	var c endToEnd
	decode(t, raw, &c)
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(new(endToEnd)); err != nil {
		t.Logf("a figure that nobody compares, or a parameter that nobody obeys: %v", err)
	}
	tasks := g.promised(t, &c)
	p := Params{
		DeltaBytes: c.Params.Delta, MatchRatio: c.Params.Match, SmoothSeconds: c.Params.Smooth, R2: c.Params.R2,
		Weights: goldenWeights(t, c.Params.Weight), TaskRatioMin: c.Params.TaskRatioMin,
	}
	job, fed := New(tasks, p), 0
	for i := range c.Instants {
		in := &c.Instants[i]
		for _, task := range slices.Sorted(maps.Keys(in.Running)) {
			job.Start(int(number(t, task)), in.Running[task])
		}
		for ; fed < len(c.Stream) && c.Stream[fed].Visible <= in.At; fed++ {
			s := c.Stream[fed]
			for _, r := range s.Records {
				job.Record(s.Task, s.Visible, r[0], r[1], 1)
			}
		}
		g.instant(t, &c, in, job)
		g.equal(t, "hadoop_progress", c.hadoop(in), value(in.Hadoop))
	}
}

// promised compares what is derived from the maps' profiles.
func (g *goldenRun) promised(t *testing.T, c *endToEnd) []Task {
	var profiles []sketch.Profile[int]
	for _, m := range c.Maps {
		p := sketch.Profile[int]{Bytes: make([]float64, c.Tasks)}
		for _, k := range m.Candidates {
			p.Keys = append(p.Keys, sketch.Key[int]{Key: int(k[0]), Reduce: int(k[1]), Bytes: k[2]})
			p.Bytes[int(k[1])] += k[2]
		}
		profiles = append(profiles, p)
	}
	tasks := tasksOf(profiles, c.Tasks, c.Lambda, c.Capacity)
	for i, task := range tasks {
		g.sizes(t, fmt.Sprintf("task %d expected_explicit_sizes", i), newSizes(task.Explicit), c.Explicit[i])
		g.equal(t, "expected_implicit_bytes", task.Implicit, c.Implicit[i])
		g.equal(t, "task_total_bytes", task.Bytes, c.Bytes[i])
	}
	return tasks
}

func (g *goldenRun) sizes(t *testing.T, name string, left *sizes, want []float64) {
	t.Helper()
	g.fields["explicit sizes"] += len(want)
	var got []float64
	for _, s := range left.rest() {
		for range int(s.Count) {
			got = append(got, s.Bytes)
		}
	}
	if !slices.Equal(got, want) && len(got)+len(want) > 0 {
		t.Errorf("%s are %v, want %v", name, got, want)
	}
}

func (g *goldenRun) instant(t *testing.T, c *endToEnd, in *goldenInstant, job *Job) {
	p := job.Predict()
	nearest, byJob, byTask := make([]turn, c.Tasks), make([]turn, c.Tasks), make([]turn, c.Tasks)
	for i := range c.Tasks {
		left := p.Remaining(i)
		now := turn{}
		if end, ok := in.Finished[strconv.Itoa(i)]; ok {
			now = turn{state: finished, at: end}
		} else if _, ok := in.Running[strconv.Itoa(i)]; ok {
			now = turn{state: running, at: left.At}
		} else if !slices.Contains(in.Unscheduled, i) {
			t.Fatalf("t=%v: task %d is neither finished, running nor unscheduled", in.At, i)
		}
		nearest[i], byJob[i], byTask[i] = now, now, now
		nearest[i].seconds, byJob[i].seconds, byTask[i].seconds = left.Seconds, p.JobRatio(i), p.TaskRatio(i)

		if want, ok := in.Remaining[strconv.Itoa(i)]; ok {
			g.fitted(t, "remaining_s", left.Seconds, value(want))
		}
		g.shares(t, left)
		if i < len(in.Explicit) && i < len(in.Implicit) {
			g.sizes(t, fmt.Sprintf("t=%v task %d explicit_left", in.At, i), job.tasks[i].left, in.Explicit[i])
			g.equal(t, "implicit_left", left.Implicit, in.Implicit[i])
		}
		if i < len(in.Fits) {
			g.model(t, p, c, in, i)
		}
		for _, size := range slices.Sorted(maps.Keys(in.Sources[strconv.Itoa(i)])) {
			want := in.Sources[strconv.Itoa(i)][size]
			f, rule := p.Time(i, number(t, size))
			g.fitted(t, "sources f", f, value(want[0]))
			g.fields["sources rule"]++
			if want[1] != nil && rule != Rule(*want[1]) {
				t.Errorf("t=%v task %d: %s bytes by rule %d, want %v", in.At, i, size, rule, *want[1])
			}
		}
	}
	g.fitted(t, "nearestfit_end_s", naiveEnd(nearest, c.Slots, in.At), value(in.NearestFit))
	g.equal(t, "jobratio_end_s", naiveEnd(byJob, c.Slots, in.At), value(in.JobRatio))
	g.equal(t, "taskratio_end_s", naiveEnd(byTask, c.Slots, in.At), value(in.TaskRatio))
}

// shares checks that what the rules predict adds up.
func (g *goldenRun) shares(t *testing.T, left Left) {
	t.Helper()
	seconds, size := 0.0, 0.0
	for _, s := range left.Shares {
		seconds += s.Seconds
		size += s.Bytes
	}
	compare(t, "the shares' seconds", seconds, left.Seconds, 1e-9)
	compare(t, "the shares' bytes", size, left.Explicit+left.Implicit, 1e-9)
}

// fitOf is the fit that rule 2 asks for a task: its own, or with Params.Pooled the job's.
func fitOf(p *Prediction, task int) (powerFit, bool) {
	if p.tasks[task].fit == nil {
		return powerFit{}, false
	}
	return *p.tasks[task].fit, true
}

// model compares fits by what they say: a, b and c are not well determined.
func (g *goldenRun) model(t *testing.T, p *Prediction, c *endToEnd, in *goldenInstant, task int) {
	t.Helper()
	f, ok := fitOf(p, task)
	want := in.Fits[task]
	if g.fields["fits"]++; ok != (want != nil) {
		t.Errorf("t=%v task %d has a fit: %v", in.At, task, ok)
		return
	}
	if !ok {
		return
	}
	w := *want
	g.fitted(t, "fits r2", f.R2, w["r2"])
	reference := powerFit{A: w["a"], B: w["b"], C: w["c"]}
	largest := slices.Max(append([]float64{100}, c.Explicit[task]...))
	for _, x := range []float64{largest / 10, largest / 2, largest} {
		g.fields["fits at a size"]++
		// Where a curve crosses 0, only what it says elsewhere is a measure.
		off := math.Abs(f.At(x)-reference.At(x)) / max(reference.At(x), reference.At(largest)/1000)
		if g.worstFit = max(g.worstFit, off); off > 1e-4 {
			t.Errorf("t=%v task %d: a group of %v takes %v, want %v", in.At, task, x, f.At(x), reference.At(x))
		}
	}
}

// hadoop is Hadoop's progress: bytes done by bytes, the burst that is being processed by the share of its time.
func (c *endToEnd) hadoop(in *goldenInstant) float64 {
	sum := 0.0
	for i := range c.Tasks {
		_, finished := in.Finished[strconv.Itoa(i)]
		start, running := in.Running[strconv.Itoa(i)]
		switch {
		case finished || c.Bytes[i] == 0:
			sum++
		case running:
			sum += c.done(i, start, in.At) / c.Bytes[i]
		}
	}
	return sum / float64(c.Tasks)
}

func (c *endToEnd) done(task int, start, now float64) float64 {
	done, before := 0.0, start
	for _, s := range c.Stream {
		if s.Task != task {
			continue
		}
		share := 1.0
		if s.Visible > now {
			share = (now - before) / (s.Visible - before)
		}
		for _, r := range s.Records {
			done += share * r[0]
		}
		if s.Visible > now {
			break
		}
		before = s.Visible
	}
	return done
}

// value is NaN for null.
func value(v *float64) float64 {
	if v == nil {
		return math.NaN()
	}
	return *v
}
