package runreport

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/page"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// A SkewReport has the tasks of a query at one moment: the output of `paratimer report --skew`.
type SkewReport struct {
	SchemaVersion    int            `json:"schema_version"`
	At               *frame.Time    `json:"at"` // null for a plan
	Workflow         frame.Workflow `json:"workflow"`
	ElapsedSeconds   *frame.Seconds `json:"elapsed_seconds"`
	RemainingSeconds *frame.Seconds `json:"remaining_seconds"`
	EndAt            *frame.Time    `json:"end_at"`
	// Skew has all unfinished jobs or stages, uneven or not, and their longest tasks, done or not. A frame has only
	// uneven ones.
	Skew []frame.Skew `json:"skew"`
}

// Skew returns what `report --skew` shows: a sentence for each stage, and for each uneven one a table of its longest
// tasks and what another partitioning would save.
func Skew(r *SkewReport) *page.Document {
	task := "task"
	if r.Workflow.Engine == "" {
		task = "reduce"
	}
	d := &page.Document{Title: skewTitle(r)}
	switch {
	case r.Skew == nil && r.Workflow.State.Ended():
		d.Add(page.Say(fmt.Sprintf("it has %s, so there is no prediction", r.Workflow.State)))
	case r.Skew == nil:
		d.Add(page.Say("too early: there is no data yet on its " + task + "s"))
	case len(r.Skew) == 0:
		d.Add(page.Say("no " + task + " is skewed"))
	}
	var sections []page.Block
	for _, s := range r.Skew {
		stage, all := view.SkewedStage(&s)+": "+units.Count(s.Reduces, view.SkewedTask(&s)), units.Unknown
		median := units.About(s.MedianSeconds.Duration())
		if s.Skewed > 0 {
			d.Add(page.Say(view.SkewSentence(&s)))
			sections = append(sections, page.Section{Title: stage + ", median " + median, Blocks: skewTables(&s, false)})
			continue
		}
		if len(s.Worst) > 0 {
			all = units.About(s.Worst[0].WorkSeconds.Duration())
		}
		d.Add(page.Say(stage + ", none is skewed: the longest works " + all + ", the median one " + median))
	}
	return d.Add(sections...)
}

// skewTitle returns the query's name, its elapsed time and the time left.
func skewTitle(r *SkewReport) string {
	name := cmp.Or(r.Workflow.Label(), "query")
	switch {
	case r.Workflow.State == dag.Blocked:
		name += ", before it runs"
	case r.ElapsedSeconds != nil && r.Workflow.State == dag.Succeeded:
		name += " took " + units.Elapsed(r.ElapsedSeconds.Duration())
	case r.ElapsedSeconds != nil:
		name += " after " + units.Elapsed(r.ElapsedSeconds.Duration())
	}
	if r.RemainingSeconds != nil {
		name += ": ~" + units.About(r.RemainingSeconds.Duration()) + " left"
	}
	return name
}

// mostKeys is the greatest number of keys of a task in the table.
const mostKeys = 3

// skewTables returns the table of the longest tasks of a stage, with bars and a mark at the median, and notes about
// its keys.
func skewTables(s *frame.Skew, bars bool) []page.Block {
	word := view.SkewedTask(s)
	t := &page.Table{
		Caption: fmt.Sprintf("%s, longest first; median %s. A task held the end back by what the "+
			"run would save if this task alone worked no longer than that", units.Count(s.Reduces, word),
			units.Seconds(s.MedianSeconds)),
		Columns: page.Heads(page.Capital(word), ">Works", "", ">Input", ">Share", ">Ends after", ">Holds the end back",
			"Of it, keys"),
		More: s.Reduces - len(s.Worst),
	}
	top := frame.Seconds(0.001)
	for i := range s.Worst {
		top = max(top, 1.02*s.Worst[i].WorkSeconds)
	}
	for _, r := range s.Worst {
		length, input := page.Cell{}, sizeCell(r.SizeBytes, "B")
		if bars {
			length.Bar = &page.Bar{To: float64(r.WorkSeconds / top), Mark: float64(s.MedianSeconds / top)}
			if r.WorkSeconds > s.MedianSeconds {
				length.Bar.Class = page.Open
			}
		}
		if r.SizeBytes == nil && r.SizeRecords != nil {
			input = page.Number(*r.SizeRecords, units.Size(*r.SizeRecords, "")+" records")
		}
		ends := page.Cell{}
		if !r.Done && r.EndSeconds != nil {
			ends.Text = units.Elapsed(r.EndSeconds.Duration())
		}
		keys := units.Each(r.Keys[:min(len(r.Keys), mostKeys)], func(k frame.SkewedKey) string {
			return units.Known(k.Key, view.ShortKey) + " " + units.About(k.PredictedSeconds.Duration())
		})
		t.Row(r.DelaySeconds != nil, page.Cell{Text: strconv.Itoa(r.Task)},
			page.Number(float64(r.WorkSeconds), units.About(r.WorkSeconds.Duration())), length, input,
			page.Cell{Text: units.Have(r.ShareRatio, units.Percent)}, ends, page.Cell{Text: delay(s, &r)},
			page.Cell{Text: strings.Join(keys, ", ")})
	}
	out := []page.Block{t.Compact()}
	if gains := view.SkewGains(s); gains != "" {
		out = append(out, page.Note(gains+" (parts only if the job can merge them)"))
	}
	if s.Stage == "" && s.KeysFrom == dag.GroupsNone {
		out = append(out, page.Note("its keys are not known: run it with paratimer-tap and `paratimer attach --collect`"))
	}
	return out
}

// delay returns how long a task alone delays the query. A task that delays it only together with others is marked so.
func delay(s *frame.Skew, one *frame.SkewedTask) string {
	switch d := one.DelaySeconds; {
	case d == nil:
		return "-"
	case *d < 1 && s.DelaySeconds >= 1:
		return "with others"
	case *d < 1:
		return "0s"
	default:
		return units.About(d.Duration())
	}
}
