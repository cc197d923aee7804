package compare

import (
	"fmt"
	"io"
	"math"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/chart"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// SchemaVersion is the version of the JSON. Fields may be added within a version, never renamed or removed.
const SchemaVersion = 2

// A Comparison compares the last run with earlier ones. It is what text, JSON and page show. As in the JSON of frames,
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

	zone  *time.Location // time zone for display; nil: UTC
	gantt *chart.Gantt   // of the base and of the run; nil: not drawn
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
	Runs          []*JobRun   `json:"runs"` // by run; null if it does not have the job

	index  []int // by run: the job's index, -1 if the run does not have the job
	change Change
}

// A Change is a job's part of the difference: its milliseconds on the critical paths, and why they differ.
type Change struct {
	Before, Now float64
	Effects     map[Effect]float64
}

// A JobRun is a job in one run.
type JobRun struct {
	LengthSeconds units.Float `json:"length_seconds"`
	WaitSeconds   units.Float `json:"wait_seconds"` // from its submission to its first task
	Stages        []Stage     `json:"stages"`
}

// A Stage has the succeeded tasks of a stage in one run, and its failed and killed attempts.
type Stage struct {
	Name             string      `json:"name"`
	Tasks            *int        `json:"tasks"`
	MedianSeconds    units.Float `json:"median_seconds"`
	InputRecords     units.Float `json:"input_records"`
	InputBytes       units.Float `json:"input_bytes"`
	SecondsPerRecord units.Float `json:"seconds_per_record"` // of work, without start-up
	Short            bool        `json:"short"`              // the work is too short to measure its cost well
	FailedAttempts   int         `json:"failed_attempts"`
	KilledAttempts   int         `json:"killed_attempts"`
}

// JSON writes the comparison.
func (c *Comparison) JSON(w io.Writer) error { return view.JSON(w, c, "  ") }

// In sets the time zone for display.
func (c *Comparison) In(zone *time.Location) *Comparison {
	c.zone = zone
	return c
}

// A BaseError is the error for a run that cannot be the base.
type BaseError struct {
	Run int // counted from 1
	Why string
}

func (e *BaseError) Error() string { return fmt.Sprintf("run %d cannot be the base: %s", e.Run, e.Why) }

// Compare compares the last of at least two runs with base, counted from 1 in order of their starts. If base is 0
// it is the newest earlier run that succeeded. The error is a *BaseError, or that the runs are of different scripts.
func Compare(runs []*Run, base int) (*Comparison, error) {
	InOrder(runs)
	c := &Comparison{
		SchemaVersion: SchemaVersion, Workflow: runs[len(runs)-1].Plan.Name, Runs: runs, Run: len(runs),
		Findings: []Finding{}, Total: math.NaN(), subject: len(runs) - 1, base: -1,
		CriticalPath: Path{Before: []string{}, Now: []string{}, Came: []string{}, Left: []string{}},
	}
	for i, r := range runs {
		r.Script, r.StartAt, r.TotalSeconds = r.Plan.Name, frame.TimeOf(r.Start), seconds(r.Length)
		if i == c.subject {
			break
		}
		if r.Excluded = frame.Text(r.notBaseline()); r.Excluded == nil {
			c.base = i
		}
	}
	switch {
	case base == 0:
	case base < 1 || base > c.subject:
		return nil, &BaseError{Run: base, Why: fmt.Sprintf("it is one of the runs before the last: 1 to %d", c.subject)}
	case runs[base-1].Excluded != nil:
		return nil, &BaseError{Run: base, Why: *runs[base-1].Excluded}
	default:
		c.base = base - 1
	}
	if c.base >= 0 {
		n := c.base + 1
		c.BaseRun = &n
	}
	var err error
	if c.Jobs, err = align(runs); err != nil {
		return nil, err
	}
	c.pairStages()
	c.differ()
	c.judge()
	c.describe()
	return c, nil
}

// notBaseline returns why a run's length is not a baseline for the script; "" if it is one.
func (r *Run) notBaseline() string {
	switch {
	case r.State == dag.Failed:
		return "it failed"
	case r.State == dag.Killed:
		return "it was killed"
	case r.State != dag.Succeeded:
		return "it was not seen to its end"
	case !r.Succeeded():
		return "its length is not known"
	}
	return ""
}

// describe fills what is shown: figures in seconds, and sentences.
func (c *Comparison) describe() {
	d := &c.Difference
	d.Seconds, d.Ratio, d.Effects = seconds(c.Total), units.Float(math.NaN()), c.shares(c.Effects, c.Total)
	if c.base >= 0 {
		d.Ratio = figure(c.Total / c.Runs[c.base].Length)
	}
	d.Says, c.Otherwise, c.CriticalPath.Says = c.saysDifference(), c.otherwise(), c.CriticalPath.says()
	for i := range c.Jobs {
		row := &c.Jobs[i]
		sum := 0.0
		for _, e := range Effects {
			sum += row.change.Effects[e]
		}
		row.OnPathSeconds, row.BeforeSeconds = seconds(row.change.Now), seconds(row.change.Before)
		row.Effects = c.shares(row.change.Effects, sum)
		now, before := row.index[c.subject] >= 0, c.base >= 0 && row.index[c.base] >= 0
		switch {
		case now && (before || c.base < 0):
			row.Status = "both"
		case now:
			row.Status = "added"
		case before:
			row.Status = "removed"
		default:
			row.Status = "other"
		}
		for at, r := range c.Runs {
			if n := row.index[at]; n >= 0 {
				row.Runs = append(row.Runs, r.Jobs[n].shown())
			} else {
				row.Runs = append(row.Runs, nil)
			}
		}
	}
}

// shares rounds effects to milliseconds. The largest one includes the rounding error, so that they add up to total.
func (c *Comparison) shares(all map[Effect]float64, total float64) []Share {
	out := []Share{}
	left, largest := math.Round(total), 0
	for _, e := range Effects {
		ms := math.Round(all[e])
		if left -= ms; ms == 0 {
			continue
		}
		out = append(out, Share{Effect: e, Seconds: frame.Seconds(ms / 1000), Meaning: c.meaning(e)})
		if n := len(out) - 1; out[n].size() > out[largest].size() {
			largest = n
		}
	}
	if len(out) > 0 {
		out[largest].Seconds = frame.Seconds(math.Round(1000*float64(out[largest].Seconds)+left) / 1000)
	}
	return out
}

// shown returns the figures of a job in a run.
func (j *Job) shown() *JobRun {
	r := &JobRun{LengthSeconds: seconds(j.Length), WaitSeconds: seconds(j.Wait), Stages: []Stage{}}
	for k := range j.Phases {
		p := &j.Phases[k]
		if p.Tasks == 0 {
			continue
		}
		stage := Stage{
			Name: p.Name, MedianSeconds: seconds(p.Median()), InputRecords: figure(p.sum(recordsOf)),
			InputBytes: figure(p.sum(bytesOf)), SecondsPerRecord: figure(p.Cost() / 1000),
			Short: medianOf(p.each(workOf)) < leastWork, FailedAttempts: p.Failed, KilledAttempts: p.Killed,
		}
		if p.Tasks > 0 {
			stage.Tasks = &p.Tasks
		}
		r.Stages = append(r.Stages, stage)
	}
	return r
}

// seconds converts milliseconds; NaN stays NaN, which is null in JSON.
func seconds(ms float64) units.Float { return units.Float(math.Round(ms) / 1000) }

// figure rounds to six significant digits.
func figure(v float64) units.Float {
	if f := units.Float(v); v == 0 || !f.Known() {
		return f
	}
	scale := math.Pow(10, 6-math.Ceil(math.Log10(math.Abs(v))))
	return units.Float(math.Round(v*scale) / scale)
}
