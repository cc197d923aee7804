package report

import (
	"fmt"
	"strconv"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/story"
)

// jobs is the table of jobs. It is cut where a page could not hold it.
type jobs struct {
	Columns []column
	Rows    []jobRow
	More    int
}

// A column says in a title what its heading leaves out.
type column struct {
	Head, Title string
	Number      bool
}

type jobRow struct {
	Node, Name string
	Critical   bool
	Cells      []cell
}

// A cell is what is read and, of a number, what it is sorted by.
type cell struct {
	Text, Sort string
	Notes      []string // below it, small
	Number     bool
}

const mostJobs = 1000

func jobsOf(s *story.Story) *jobs {
	t := &jobs{Columns: []column{
		{"Job", "its name in the plan", false},
		{"State", "how it stood last", false},
		{"Submitted", "since the run began", true},
		{"Waited", "from its submission to its first task", true},
		{"Took", "from its submission to its end", true},
		{"On the path", "how much of the critical path is its", true},
		{"Maps", "how many, and how long the median and the longest took", true},
		{"Reduces", "how many, and how long the median and the longest took", true},
		{"Read", "input of its maps", true},
		{"Shuffled", "what its reduces were given", true},
		{"Wrote", "records that it put out", true},
		{"Lost attempts", "attempts that failed or were killed", true},
	}}
	for i := range s.Jobs {
		if i == mostJobs {
			t.More = len(s.Jobs) - mostJobs
			break
		}
		t.Rows = append(t.Rows, jobRowOf(&s.Jobs[i]))
	}
	return t
}

func jobRowOf(j *story.Job) jobRow {
	r := jobRow{Node: text(j.Node), Critical: j.Critical || j.OnPathSeconds != nil && *j.OnPathSeconds > 0}
	if name := textOf(j.Name); name != r.Node {
		r.Name = cut(name, 48)
	}
	r.Cells = []cell{
		{Text: j.State.String()},
		timeCell(j.SubmittedSeconds), timeCell(j.WaitSeconds), timeCell(j.LengthSeconds), timeCell(j.OnPathSeconds),
		tasksCell(j.Maps, j.MapSeconds), tasksCell(j.Reduces, j.ReduceSeconds),
		sizeCell(j.InputBytes, j.InputRecords), sizeCell(j.ShuffleBytes, nil), numberCell(j.OutputRecords),
		{Text: strconv.Itoa(j.FailedAttempts + j.KilledAttempts), Sort: strconv.Itoa(j.FailedAttempts + j.KilledAttempts), Number: true},
	}
	if last := &r.Cells[len(r.Cells)-1]; j.FailedAttempts > 0 {
		last.Notes = []string{fmt.Sprintf("✗ %d failed", j.FailedAttempts)}
	}
	return r
}

func timeCell(s *frame.Seconds) cell {
	c := cell{Text: exactOf(s), Number: true}
	if s != nil {
		c.Sort = strconv.FormatFloat(float64(*s), 'g', -1, 64)
	}
	return c
}

func tasksCell(n frame.Tasks, lengths *story.Spread) cell {
	c := cell{Text: unknown, Number: true}
	if n.Total != nil {
		c.Text, c.Sort = strconv.Itoa(*n.Total), strconv.Itoa(*n.Total)
		if n.Done < *n.Total {
			c.Text = fmt.Sprintf("%d of %d", n.Done, *n.Total)
		}
	}
	if lengths != nil && lengths.Tasks > 0 {
		c.Notes = append(c.Notes, "median "+exact(lengths.Median))
		if lengths.Max > lengths.Median {
			c.Notes = append(c.Notes, "longest "+exact(lengths.Max))
		}
	}
	return c
}

func sizeCell(bytes, records *float64) cell {
	c := numberCell(bytes)
	c.Text = amount(bytes, "B")
	switch {
	case bytes == nil && records != nil:
		c = numberCell(records)
		c.Text = amount(records, "")
		c.Notes = []string{"records"}
	case records != nil:
		c.Notes = []string{amount(records, "") + " records"}
	}
	return c
}

func numberCell(v *float64) cell {
	c := cell{Text: amount(v, ""), Number: true}
	if v != nil {
		c.Sort = strconv.FormatFloat(*v, 'g', -1, 64)
	}
	return c
}
