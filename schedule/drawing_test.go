package schedule_test

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/schedule"
)

// columns is how wide a drawing's time axis is at most.
const columns = 60

// ascii draws a schedule of the plan in ASCII, a row a slot and a column a stretch of time:
//
//	one column is 500ms, now is 2s
//	           0s        5s
//	map      0 a1==------------
//	map      1 ..b1------xb1'--
//	a = scope-35
//
// A task is its job's letter and its index from 1, with a prime for each earlier attempt, as far as there is room. Then
// '=' is time before now, '-' time to come, 'x' the end of an attempt that fails, '.' an idle slot. Pauses have a row
// of their own. Times count from the first submission. What is shorter than a column has one if the slot is idle then.
func ascii(plan *dag.Plan, s *schedule.Schedule) string {
	origin := s.Now
	for _, t := range s.Submitted {
		if t.Known() {
			origin = min(origin, t)
		}
	}
	for i := range s.Spans {
		origin = min(origin, s.Spans[i].Start)
	}
	d := drawing{s: s, origin: origin, column: columnFor(s.End - origin)}
	d.width = int((s.End - origin + d.column - 1) / d.column)
	d.head()
	for k, title := range stageTitles(plan) {
		d.slots(dag.StageIndex(k), title)
	}
	d.pauses()
	d.legend(plan)
	return d.String()
}

// columnFor returns a round length of time of which no more than columns cover total.
func columnFor(total dag.Instant) dag.Instant {
	for _, ms := range []dag.Instant{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 15_000, 30_000} {
		if total <= ms*columns {
			return ms
		}
	}
	return (total + 60_000*columns - 1) / (60_000 * columns) * 60_000
}

type drawing struct {
	strings.Builder
	s      *schedule.Schedule
	origin dag.Instant
	column dag.Instant
	width  int
	used   []bool // jobs
}

func (d *drawing) head() {
	fmt.Fprintf(d, "one column is %s, now is %s\n           ", length(d.column), length(d.s.Now-d.origin))
	var line strings.Builder
	for c := 0; c <= d.width; c += 10 {
		line.WriteString(fmt.Sprintf("%-10s", length(dag.Instant(c)*d.column)))
	}
	d.line(line.String())
}

func (d *drawing) line(s string) { d.WriteString(strings.TrimRight(s, " ") + "\n") }

// length writes a time without zeros: 1m30s, 2h.
func length(ms dag.Instant) string {
	s := (time.Duration(ms) * time.Millisecond).String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// stageTitles are the names of stages by index: what all jobs call it, else its number.
func stageTitles(plan *dag.Plan) []string {
	var titles []string
	for j := range plan.Jobs {
		for k := range plan.Jobs[j].Stages {
			name := plan.Jobs[j].Stages[k].Name
			switch {
			case k == len(titles):
				titles = append(titles, name)
			case titles[k] != name:
				titles[k] = fmt.Sprint("stage ", k+1)
			}
		}
	}
	return titles
}

func (d *drawing) slots(k dag.StageIndex, title string) {
	rows := map[int32][]byte{}
	for i := range d.s.Spans {
		sp := &d.s.Spans[i]
		if sp.Stage != k || sp.Pause != dag.NoPause {
			continue
		}
		for at, slot := range sp.Slots {
			if slot < 0 {
				continue
			}
			if rows[slot] == nil {
				rows[slot] = []byte(strings.Repeat(".", d.width))
			}
			label := d.letter(sp.Job) + strconv.Itoa(int(sp.First)+at+1) + strings.Repeat("'", max(0, int(sp.Attempt)))
			d.bar(rows[slot], sp, label)
		}
	}
	for _, slot := range slices.Sorted(maps.Keys(rows)) {
		d.line(fmt.Sprintf("%-6s %3d %s", title, slot, rows[slot]))
	}
}

// bar draws a span into a row.
func (d *drawing) bar(row []byte, sp *schedule.Span, label string) {
	from, to := int((sp.Start-d.origin)/d.column), int((sp.End-d.origin)/d.column)
	if sp.End == sp.Start || from >= len(row) {
		return
	}
	to = min(to, len(row))
	if to <= from {
		if row[from] == '.' {
			row[from] = label[0]
		}
		return
	}
	now := int((d.s.Now - d.origin) / d.column)
	for c := from; c < to; c++ {
		row[c] = '-'
		if c < now {
			row[c] = '='
		}
	}
	copy(row[from:to], label)
	if sp.Outcome == schedule.Fails {
		row[to-1] = 'x'
	}
}

func (d *drawing) pauses() {
	row := []byte(strings.Repeat(".", d.width))
	drawn := false
	for i := range d.s.Spans {
		if sp := &d.s.Spans[i]; sp.Pause != dag.NoPause {
			drawn = true
			d.bar(row, sp, sp.Pause.String()+" "+d.letter(sp.Job))
		}
	}
	if drawn {
		d.line("pauses     " + string(row))
	}
}

// letter returns the sign of a job: a to z, A to Z, then # for all others.
func (d *drawing) letter(job int32) string {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	if job < 0 || int(job) >= len(letters) {
		return "#"
	}
	for int(job) >= len(d.used) {
		d.used = append(d.used, false)
	}
	d.used[job] = true
	return letters[job : job+1]
}

// legend lists which letter is which job, where the letter is not its name.
func (d *drawing) legend(plan *dag.Plan) {
	var names []string
	for j, used := range d.used {
		if !used || j >= len(plan.Jobs) {
			continue
		}
		if l := d.letter(int32(j)); plan.Jobs[j].Node != l {
			names = append(names, l+" = "+plan.Jobs[j].Node)
		}
	}
	if len(names) > 0 {
		d.line(strings.Join(names, ", "))
	}
}
