package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/profiles"
	"github.com/paratimer/paratimer/units"
)

// SchemaVersion is the version of the JSON. Fields may be added within a version, never renamed or removed.
const SchemaVersion = 2

// A Comparison compares the last run with earlier ones. Text, JSON and page show it. As in the JSON of frames,
// unknown is null. Fields without JSON are milliseconds; NaN is unknown.
type Comparison struct {
	SchemaVersion int        `json:"schema_version"`
	Workflow      string     `json:"workflow"`
	Runs          []*Run     `json:"runs"`     // in order of their start
	Run           int        `json:"run"`      // the run that is compared, the last one, counted from 1
	BaseRun       *int       `json:"base_run"` // the run that it is compared with; null if none is suitable
	Difference    Difference `json:"difference"`
	Otherwise     []string   `json:"otherwise"` // how its circumstances differ from the base's
	Regressed     bool       `json:"regressed"` // a stage became slower
	Findings      []Finding  `json:"findings"`  // by job, maps first
	CriticalPath  Path       `json:"critical_path"`
	Jobs          []Row      `json:"jobs"`

	// Total is how much longer the subject took than the base. Effects split Total by cause and add up to it. They
	// are NaN and nil if one of the two did not succeed; Effects is also nil if a critical path is unknown.
	Total         float64            `json:"-"`
	Effects       map[Effect]float64 `json:"-"`
	subject, base int                // indices of runs; base is -1 without a base

	Zone *time.Location `json:"-"` // for display; nil: UTC
}

// A Difference is how much longer the run took than its base. The effects add up to it, to the millisecond.
type Difference struct {
	Seconds units.Float `json:"seconds"`
	Ratio   units.Float `json:"ratio"`   // of the base's length; negative: sooner
	Effects []Share     `json:"effects"` // in a fixed order, those of at least a millisecond; empty if unknown
	Says    string      `json:"says"`
}

// A Share is an effect's part of a difference.
type Share struct {
	Effect  Effect        `json:"effect"`
	Seconds frame.Seconds `json:"seconds"`
	Meaning string        `json:"meaning"`
}

// A Path has the jobs on the critical paths, by node in order of the path, each once.
type Path struct {
	Before []string `json:"before"`
	Now    []string `json:"now"`
	Came   []string `json:"came"`
	Left   []string `json:"left"`
	Says   string   `json:"says"`
}

// A Row is one job over the runs, and its part of the difference.
type Row struct {
	Node          string      `json:"node"`            // as in the newest run that has it
	Name          *string     `json:"name"`            // the script's name for it, else the engine's
	Status        string      `json:"status"`          // both, added or removed: in the run and its base; other: in neither
	OnPathSeconds units.Float `json:"on_path_seconds"` // null if the path is unknown or the run does not have the job
	BeforeSeconds units.Float `json:"before_on_path_seconds"`
	Effects       []Share     `json:"effects"`
	Runs          []*Job      `json:"runs"` // by run; null if it does not have the job

	newest  int                // the newest run that has the job
	index   []int              // by run: the job's index, -1 if the run does not have the job
	effects map[Effect]float64 // why its times on the critical paths differ
}

// A Job is a job in one run.
type Job struct {
	LengthSeconds units.Float `json:"length_seconds"` // from its submission to its end
	WaitSeconds   units.Float `json:"wait_seconds"`   // from its submission to its first task's start
	Stages        []*Stage    `json:"stages"`         // those of Phases that may have tasks; set by Compare

	Phases []Phase `json:"-"` // by stage
	// doubtful has, by a stage's name in the newest run, other phases that may also match it.
	doubtful map[string][]int
}

// A Stage has the succeeded tasks of a stage in one run, and its failed and killed attempts. An attempt does not count
// as killed if another attempt of its task had overtaken it.
type Stage struct {
	Name             string      `json:"name"`            // after Compare that in the newest run that has the job
	Title            string      `json:"title,omitempty"` // for people
	Tasks            *int        `json:"tasks"`           // from the plan; null if unknown
	MedianSeconds    units.Float `json:"median_seconds"`
	InputRecords     units.Float `json:"input_records"`
	InputBytes       units.Float `json:"input_bytes"`
	SecondsPerRecord units.Float `json:"seconds_per_record"` // of work, without start-up
	Short            bool        `json:"short"`              // the work is too short to measure its cost well
	FailedAttempts   int         `json:"failed_attempts"`
	KilledAttempts   int         `json:"killed_attempts"`
}

// Compare compares the last of at least two runs with base, counted from 1 in order of their starts; runs with the same
// start keep their order. If base is 0 it is the newest earlier run that succeeded. The error is that a run cannot be
// the base, or that the runs are of different scripts.
func Compare(runs []*Run, base int) (*Comparison, error) {
	slices.SortStableFunc(runs, func(a, b *Run) int { return cmp.Compare(a.Start, b.Start) })
	c := &Comparison{
		SchemaVersion: SchemaVersion, Workflow: runs[len(runs)-1].Plan.Name, Runs: runs, Run: len(runs),
		Findings: []Finding{}, Total: math.NaN(), subject: len(runs) - 1, base: base - 1,
		CriticalPath: Path{Before: []string{}, Now: []string{}, Came: []string{}, Left: []string{}},
	}
	for i, r := range runs {
		if r.TotalSeconds = seconds(r.Length); i == c.subject {
			break
		}
		if r.Excluded = frame.Text(r.notBaseline()); r.Excluded == nil && base == 0 {
			c.base = i
		}
	}
	if base < 0 || base > c.subject {
		return nil, fmt.Errorf("--base: run %d cannot be the base: it is one of the runs before the last: 1 to %d", base,
			c.subject)
	}
	if c.base >= 0 {
		n := c.base + 1
		if c.BaseRun = &n; runs[c.base].Excluded != nil {
			return nil, fmt.Errorf("--base: run %d cannot be the base: %s", n, *runs[c.base].Excluded)
		}
	}
	var err error
	if c.Jobs, err = align(runs); err != nil {
		return nil, err
	}
	c.differ()
	c.judge()
	c.describe()
	return c, nil
}

// notBaseline returns why a run's length is not a baseline for the script; "" if it is one.
func (r *Run) notBaseline() string {
	switch {
	case r.Succeeded():
		return ""
	case r.State == dag.Succeeded:
		return "its length is unknown"
	case r.State == dag.Failed:
		return "it failed"
	case r.State == dag.Killed:
		return "it was killed"
	}
	return "it was not seen to its end"
}

// statuses are those of a job, by whether the base and the run have it.
var statuses = map[[2]bool]string{
	{true, true}: "both", {false, true}: "added", {true, false}: "removed", {false, false}: "other",
}

// describe fills what is shown: figures in seconds, and sentences.
func (c *Comparison) describe() {
	d := &c.Difference
	d.Seconds, d.Ratio, d.Effects = seconds(c.Total), unknown, c.shares(c.Effects)
	if c.base >= 0 {
		d.Ratio = figure(c.Total / c.Runs[c.base].Length)
	}
	d.Says, c.Otherwise, c.CriticalPath.Says = c.saysDifference(), c.otherwise(), c.CriticalPath.says()
	for i := range c.Jobs {
		row := &c.Jobs[i]
		row.Effects = c.shares(row.effects)
		now := row.index[c.subject] >= 0
		before := now
		if c.base >= 0 {
			before = row.index[c.base] >= 0
		}
		row.Status = statuses[[2]bool{before, now}]
		row.Runs = make([]*Job, len(c.Runs))
		for at, r := range c.Runs {
			if n := row.index[at]; n >= 0 {
				row.Runs[at] = &r.Jobs[n]
				r.Jobs[n].describe()
			}
		}
	}
}

// shares rounds effects to milliseconds. The largest one includes the rounding error, so that they add up.
func (c *Comparison) shares(all map[Effect]float64) []Share {
	out := []Share{}
	left, largest := math.Round(sum(all)), 0
	for _, e := range Effects {
		ms := math.Round(all[e])
		if left -= ms; ms == 0 {
			continue
		}
		meaning := meanings[e]
		if c.Runs[c.subject].Plan.Cluster.Policy == dag.Executors {
			meaning = strings.ReplaceAll(meaning, "containers", "cores")
		}
		out = append(out, Share{Effect: e, Seconds: frame.Seconds(ms / 1000), Meaning: meaning})
		if n := len(out) - 1; out[n].size() > out[largest].size() {
			largest = n
		}
	}
	if len(out) > 0 {
		out[largest].Seconds = frame.Seconds(math.Round(1000*float64(out[largest].Seconds)+left) / 1000)
	}
	return out
}

// describe fills the figures of a job's stages.
func (j *Job) describe() {
	j.Stages = []*Stage{}
	for k := range j.Phases {
		p := &j.Phases[k]
		if p.Tasks != nil && *p.Tasks == 0 {
			continue
		}
		p.MedianSeconds, p.InputRecords = seconds(p.Median()), figure(p.sum(recordsOf))
		p.InputBytes, p.SecondsPerRecord = figure(p.sum(bytesOf)), figure(p.Cost()/1000)
		p.Short = medianOf(p.each(workOf)) < leastWork
		j.Stages = append(j.Stages, &p.Stage)
	}
}

// unknown is a figure that a run does not have.
var unknown = units.Float(math.NaN())

// seconds converts milliseconds; NaN stays NaN, which is null in JSON.
func seconds(ms float64) units.Float { return units.Float(math.Round(ms) / 1000) }

// figure rounds to six significant digits.
func figure(v float64) units.Float { return units.Float(profiles.Round(v)) }

// leastOnPath is the smallest fraction of a run's length on the path for which a job is named. It excludes jobs
// that only ended a moment after another one.
const leastOnPath = 0.01

// onPath returns the jobs on a run's critical path, in its order.
func (c *Comparison) onPath(run int) []string {
	r, nodes := c.Runs[run], []string{}
	for _, p := range r.Path {
		row := slices.IndexFunc(c.Jobs, func(row Row) bool { return p.Job >= 0 && row.index[run] == p.Job })
		if row >= 0 && r.onPath(p.Job) >= leastOnPath*r.Length && !slices.Contains(nodes, c.Jobs[row].Node) {
			nodes = append(nodes, c.Jobs[row].Node)
		}
	}
	return nodes
}
