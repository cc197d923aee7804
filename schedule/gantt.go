package schedule

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// A Gantt is how to draw a schedule.
type Gantt struct {
	Columns int // of the time axis at most; 0: 72
	Rows    int // slots of a kind at most, the others are counted; 0: 32
}

// Draw draws a schedule of the plan in ASCII, a row a slot and a column a stretch of time:
//
//	one column is 500ms, now is 2s
//	           0s        5s
//	map      0 a1==------------
//	map      1 ..b1------xb1'--
//	a = scope-35
//
// A task is its job's letter and its index from 1, with a prime for each earlier attempt, as far as there is room. Then '=' is
// time before now, '-' time to come, 'x' the end of an attempt that fails, '.' an idle slot. Pauses have a row of
// their own. Times count from the first submission. What is shorter than a column has one if the slot is idle then.
func (g Gantt) Draw(plan *dag.Plan, s *Schedule) string {
	if g.Columns <= 0 {
		g.Columns = 72
	}
	if g.Rows <= 0 {
		g.Rows = 32
	}
	origin := s.origin()
	d := drawing{Gantt: g, s: s, origin: origin, column: columnFor(s.End-origin, g.Columns)}
	d.width = int((s.End - origin + d.column - 1) / d.column)
	d.head()
	for _, k := range [...]dag.Kind{dag.Map, dag.Reduce} {
		d.slots(k)
	}
	d.pauses()
	d.legend(plan)
	return d.String()
}

// origin is the first submission or start.
func (s *Schedule) origin() dag.Instant {
	origin := s.Now
	for _, t := range s.Submitted {
		if t.Known() {
			origin = min(origin, t)
		}
	}
	for i := range s.Spans {
		origin = min(origin, s.Spans[i].Start)
	}
	return origin
}

// columnFor returns a round length of time of which no more than n cover total.
func columnFor(total dag.Instant, n int) dag.Instant {
	steps := []dag.Instant{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 15_000, 30_000, 60_000}
	for _, ms := range steps {
		if total <= ms*dag.Instant(n) {
			return ms
		}
	}
	minutes := (total + 60_000*dag.Instant(n) - 1) / (60_000 * dag.Instant(n))
	return minutes * 60_000
}

type drawing struct {
	Gantt
	strings.Builder
	s      *Schedule
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

func (d *drawing) slots(k dag.Kind) {
	rows := map[int32][]byte{}
	hidden := map[int32]bool{}
	for i := range d.s.Spans {
		sp := &d.s.Spans[i]
		if sp.Kind != k {
			continue
		}
		for at, slot := range sp.Slots {
			switch {
			case slot < 0:
			case int(slot) >= d.Rows:
				hidden[slot] = true
			default:
				if rows[slot] == nil {
					rows[slot] = []byte(strings.Repeat(".", d.width))
				}
				label := d.letter(sp.Job) + strconv.Itoa(int(sp.First)+at+1) + strings.Repeat("'", max(0, int(sp.Attempt)))
				d.bar(rows[slot], sp, label)
			}
		}
	}
	for slot := range int32(d.Rows) {
		if rows[slot] != nil {
			d.line(fmt.Sprintf("%-6s %3d %s", k, slot, rows[slot]))
		}
	}
	if len(hidden) > 0 {
		d.line(fmt.Sprintf("%-6s     (%d more slots)", k, len(hidden)))
	}
}

// bar draws a span into a row.
func (d *drawing) bar(row []byte, sp *Span, label string) {
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
	if sp.Outcome == Fails {
		row[to-1] = 'x'
	}
}

func (d *drawing) pauses() {
	row := []byte(strings.Repeat(".", d.width))
	drawn := false
	for i := range d.s.Spans {
		if sp := &d.s.Spans[i]; sp.Kind > dag.Reduce {
			drawn = true
			d.bar(row, sp, sp.Kind.String()+" "+d.letter(sp.Job))
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

// legend says which letter is which job, where the letter is not its name.
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
