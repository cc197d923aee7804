// Package compareview shows a comparison of runs: as text, as JSON, as a page. It only rounds and
// formats.
package compareview

import (
	"io"
	"math"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/chart"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/compare"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// SchemaVersion is the version of the JSON. Fields may be added within a version, never renamed or removed.
const SchemaVersion = 2

// A Document is the content of all views of a comparison. In its JSON, as in that of frames, unknown is null.
type Document struct {
	SchemaVersion int        `json:"schema_version"`
	Workflow      string     `json:"workflow"`
	Runs          []Run      `json:"runs"`     // in order of their start
	Run           int        `json:"run"`      // the compared run, counted from 1
	BaseRun       *int       `json:"base_run"` // the run that it is compared with; null if none succeeded
	Difference    Difference `json:"difference"`
	Otherwise     []string   `json:"otherwise"` // how its circumstances differ from the base's
	Regressed     bool       `json:"regressed"`
	Findings      []Finding  `json:"findings"`
	CriticalPath  Path       `json:"critical_path"`
	Jobs          []Job      `json:"jobs"`

	zone  *time.Location // time zone for display; nil: UTC
	gantt *chart.Gantt   // of the base and of the run; nil: not drawn
}

// In sets the time zone for display.
func (d *Document) In(zone *time.Location) *Document {
	d.zone = zone
	return d
}

// A Run is one run.
type Run struct {
	From         string         `json:"from"`
	Script       string         `json:"script"`
	ID           *string        `json:"id"`
	State        dag.State      `json:"state"`
	StartAt      *frame.Time    `json:"start_at"`
	TotalSeconds *frame.Seconds `json:"total_seconds"` // null if it did not end
	Excluded     *string        `json:"excluded"`      // why its length is not a baseline

	Circumstances compare.Circumstances `json:"circumstances"`
}

// A Difference is how much longer the run took than its base. The effects add up to it, to the millisecond.
type Difference struct {
	Seconds *frame.Seconds `json:"seconds"`
	Ratio   units.Float    `json:"ratio"` // of the base's length; negative: sooner
	// in a fixed order, those of at least a millisecond; empty if unknown
	Effects []Effect `json:"effects"`
	Says    string   `json:"says"`
}

// An Effect is one cause's part of the difference.
type Effect struct {
	Effect  compare.Effect `json:"effect"`
	Seconds frame.Seconds  `json:"seconds"`
	Meaning string         `json:"meaning"`
}

// A Finding is a phase with a significant change of cost from earlier runs.
type Finding struct {
	Job           string        `json:"job"`
	Phase         string        `json:"phase"`
	Slower        bool          `json:"slower"`
	BeforeSeconds frame.Seconds `json:"before_seconds"` // median length of a task
	Seconds       frame.Seconds `json:"seconds"`
	Unit          string        `json:"unit"`
	CostRatio     units.Float   `json:"cost_ratio"` // cost per unit, divided by the earlier runs'
	LowRatio      units.Float   `json:"low_ratio"`  // its 99 % interval, by the tasks
	HighRatio     units.Float   `json:"high_ratio"`
	AmountRatio   units.Float   `json:"amount_ratio"` // number of units, divided by the earlier runs'
	EarlierRuns   int           `json:"earlier_runs"`
	ChanceRatio   units.Float   `json:"chance_ratio"` // factor by which earlier runs differ by chance; null for fewer than three
	Doubtful      bool          `json:"doubtful"`     // too few earlier runs
	Says          string        `json:"says"`
}

// A Path has the jobs on the critical paths, by node.
type Path struct {
	compare.PathChange
	Says string `json:"says"`
}

// A Job is one job over the runs.
type Job struct {
	Node          string         `json:"node"`
	Name          *string        `json:"name"`
	Status        string         `json:"status"` // both, added or removed: in the run and its base; other: in neither
	OnPathSeconds *frame.Seconds `json:"on_path_seconds"`
	BeforeSeconds *frame.Seconds `json:"before_on_path_seconds"`
	Effects       []Effect       `json:"effects"`
	Runs          []*JobRun      `json:"runs"` // by run; null if it does not have the job
}

// A JobRun is a job in one run.
type JobRun struct {
	LengthSeconds *frame.Seconds `json:"length_seconds"`
	WaitSeconds   *frame.Seconds `json:"wait_seconds"` // from its submission to its first task
	Stages        []Stage        `json:"stages"`
}

// A Stage has the succeeded tasks of a stage in one run, and its failed and killed attempts.
type Stage struct {
	Name             string         `json:"name"`
	Tasks            *int           `json:"tasks"`
	MedianSeconds    *frame.Seconds `json:"median_seconds"`
	InputRecords     units.Float    `json:"input_records"`
	InputBytes       units.Float    `json:"input_bytes"`
	SecondsPerRecord units.Float    `json:"seconds_per_record"` // of work, without start-up
	Short            bool           `json:"short"`              // the work is too short to measure its cost well
	FailedAttempts   int            `json:"failed_attempts"`
	KilledAttempts   int            `json:"killed_attempts"`
}

// JSON writes the document.
func (d *Document) JSON(w io.Writer) error {
	return view.JSON(w, d, "  ")
}

func seconds(ms float64) *frame.Seconds {
	if math.IsNaN(ms) {
		return nil
	}
	s := frame.Seconds(math.Round(ms) / 1000)
	return &s
}

// figure rounds to six significant digits.
func figure(v float64) units.Float {
	if f := units.Float(v); v == 0 || !f.Known() {
		return f
	}
	scale := math.Pow(10, 6-math.Ceil(math.Log10(math.Abs(v))))
	return units.Float(math.Round(v*scale) / scale)
}
