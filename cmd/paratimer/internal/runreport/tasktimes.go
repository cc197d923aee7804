package runreport

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/page"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// A StageTime has the times of the ended tasks of a stage on the critical path, by the engine's counters. Sums are over
// the tasks with counters, also those that failed.
type StageTime struct {
	Job                 string        `json:"job"`
	Stage               string        `json:"stage"`
	URL                 string        `json:"url,omitempty"` // its page at the engine
	OnPathSeconds       frame.Seconds `json:"on_path_seconds"`
	Tasks               int           `json:"tasks"` // those with counters
	InputBytes          float64       `json:"input_bytes"`
	InputRecords        float64       `json:"input_records"`
	ShuffleReadBytes    float64       `json:"shuffle_read_bytes"`
	ShuffleReadRecords  float64       `json:"shuffle_read_records"`
	ShuffleWriteBytes   float64       `json:"shuffle_write_bytes"`
	ShuffleWriteRecords float64       `json:"shuffle_write_records"`
	SpilledBytes        float64       `json:"spilled_bytes"`
	Longest             int           `json:"longest"`         // the number of tasks behind LongestSeconds
	LongestSeconds      frame.Seconds `json:"longest_seconds"` // their mean length
	TimeParts           []TimePart    `json:"times"`           // in the order in which a task spends them
}

// A TimePart is a part of the time of tasks: the mean of the longest ones, and the sum of all.
type TimePart struct {
	Name       string        `json:"name"`
	Seconds    frame.Seconds `json:"seconds"`
	AllSeconds frame.Seconds `json:"all_seconds"`

	part int
}

// The parts of a task's time.
const (
	schedulerDelay = iota
	deserialization
	garbageCollection
	cpuTime
	fetchWait
	pythonTime
	shuffleWriting
	offCPU
	resultTime
	timeParts
)

// timePartTexts are how the parts of a task's time are named and drawn.
var timePartTexts = [timeParts]struct{ name, title, class string }{
	schedulerDelay:    {"scheduler_delay", "scheduler delay", page.Soft},
	deserialization:   {"deserialize", "deserialization", page.Soft},
	garbageCollection: {"gc", "garbage collection", page.Bad},
	cpuTime:           {"cpu", "CPU", page.Open},
	fetchWait:         {"fetch_wait", "waiting for shuffle", page.Soft},
	pythonTime:        {"python", "Python", page.Good},
	shuffleWriting:    {"shuffle_write", "writing shuffle", ""},
	offCPU:            {"off_cpu", "off the JVM's CPU", ""},
	resultTime:        {"result", "result", ""},
}

// partsOf divides the length of an attempt. The parts add up to it: what overlaps counts for the earlier part.
func partsOf(a *dag.Attempt) (parts [timeParts]time.Duration) {
	m, left := a.Metrics, a.End.Sub(a.Start)
	take := func(part int, d time.Duration) {
		parts[part] = min(d, left)
		left -= parts[part]
	}
	take(deserialization, m.Deserialize.Duration())
	take(resultTime, m.Result.Duration())
	take(schedulerDelay, max(left-m.Run.Duration(), 0))
	take(garbageCollection, m.GC.Duration())
	take(cpuTime, m.CPU.Duration())
	take(fetchWait, m.FetchWait.Duration())
	take(pythonTime, m.Python.Duration())
	take(shuffleWriting, m.ShuffleWriteTime.Duration())
	take(offCPU, left)
	return parts
}

// longestShare is the share of a stage's tasks that count as the longest, and mostLongest their greatest number.
const (
	longestShare = 0.05
	mostLongest  = 20
)

// measured returns the attempts of a stage with counters and a length.
func measured(stage *dag.StageState) (list []*dag.Attempt) {
	for i := range stage.Attempts {
		if a := &stage.Attempts[i]; a.Metrics != nil && a.Start.Known() && a.End.Known() && a.End >= a.Start {
			list = append(list, a)
		}
	}
	return list
}

// stageTimesOf returns the stages of the critical path that have tasks with counters, in the order of the plan.
func stageTimesOf(s *dag.Snapshot, onPath map[stageKey]time.Duration) []StageTime {
	out := []StageTime{}
	for j := range s.Jobs {
		for k := range s.Jobs[j].NumStages() {
			list, path := measured(&s.Jobs[j].Stages[k]), onPath[stageKey{j, k}]
			if len(list) == 0 || path <= 0 {
				continue
			}
			t := StageTime{Job: s.Plan.Jobs[j].Node, Stage: s.Plan.StageName(j, k), Tasks: len(list)}
			t.URL = s.Plan.Jobs[j].Stages[k].URL
			t.OnPathSeconds = frame.SecondsOf(path)
			t.sum(list)
			out = append(out, t)
		}
	}
	return out
}

// sum adds up the counters of attempts.
func (t *StageTime) sum(list []*dag.Attempt) {
	slices.SortStableFunc(list, func(a, b *dag.Attempt) int { return cmp.Compare(lengthOf(b), lengthOf(a)) })
	t.Longest = min(max(int(longestShare*float64(len(list))), 1), mostLongest)
	var all, longest [timeParts]time.Duration
	for i, a := range list {
		m := a.Metrics
		t.InputBytes, t.InputRecords = t.InputBytes+float64(m.InputBytes), t.InputRecords+float64(m.InputRecords)
		t.ShuffleReadBytes += float64(m.ShuffleReadBytes)
		t.ShuffleReadRecords += float64(m.ShuffleReadRecords)
		t.ShuffleWriteBytes += float64(m.ShuffleWriteBytes)
		t.ShuffleWriteRecords += float64(m.ShuffleWriteRecords)
		t.SpilledBytes += float64(m.SpilledBytes)
		for part, d := range partsOf(a) {
			all[part] += d
			if i < t.Longest {
				longest[part] += d
			}
		}
	}
	length := time.Duration(0)
	for part := range all {
		if d := longest[part] / time.Duration(t.Longest); all[part] > 0 {
			t.TimeParts = append(t.TimeParts, TimePart{
				timePartTexts[part].name, frame.SecondsOf(d), frame.SecondsOf(all[part]), part,
			})
			length += d
		}
	}
	t.LongestSeconds = frame.SecondsOf(length)
}

// leastShown is the least share of a task's time that the table names.
const leastShown = 0.03

// stageTimesTable returns the table of task times of the stages on the critical path, with one bar for each stage.
func stageTimesTable(s *Report) *page.Table {
	t := &page.Table{
		Caption: "Stages of the critical path; the bar is where the time of their longest tasks went. " +
			"Off the JVM's CPU are disks, locks and, unless it was measured, Python",
		Columns: page.Heads("Stage", ">On the path", ">Tasks", ">Input", ">Shuffle read", ">Shuffle write", ">Spilled",
			"", "Longest tasks"),
	}
	top := frame.Seconds(0.001)
	for i := range s.StageTimes {
		top = max(top, s.StageTimes[i].LongestSeconds)
	}
	for _, v := range s.StageTimes {
		amount := func(bytes, records float64) page.Cell {
			if bytes == 0 && records == 0 {
				return page.Cell{}
			}
			c := sizeCell(&bytes, "B")
			c.Notes = []string{units.Size(records, "") + " records"}
			return c
		}
		var spilled page.Cell
		if v.SpilledBytes > 0 {
			spilled = sizeCell(&v.SpilledBytes, "B")
		}
		bar, at, shares := &page.Bar{}, frame.Seconds(0), []string{}
		for _, p := range v.TimeParts {
			of := timePartTexts[p.part]
			part := page.Bar{From: float64(at / top), To: float64((at + p.Seconds) / top), Class: of.class}
			bar.Parts = append(bar.Parts, part)
			at += p.Seconds
			if share := float64(p.Seconds / max(v.LongestSeconds, 0.001)); share >= leastShown {
				shares = append(shares, of.title+" "+units.Percent(share))
			}
		}
		longest := page.Wide(units.Seconds(v.LongestSeconds))
		longest.Notes = []string{strings.Join(shares, ", ")}
		t.Row(true, page.Cell{Text: v.Stage, Link: v.URL}, timeCell(&v.OnPathSeconds),
			page.Number(float64(v.Tasks), strconv.Itoa(v.Tasks)), amount(v.InputBytes, v.InputRecords),
			amount(v.ShuffleReadBytes, v.ShuffleReadRecords),
			amount(v.ShuffleWriteBytes, v.ShuffleWriteRecords), spilled, page.Cell{Bar: bar}, longest)
	}
	return t.Compact()
}
