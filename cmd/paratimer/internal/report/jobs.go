package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/runreport"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// jobs is the table of jobs, cut to mostJobs rows.
type jobs struct {
	Title   string // "Jobs"; for a DAG "Vertices"
	Columns []column
	Rows    []jobRow
	More    int
}

// A column has a heading and a title that explains it.
type column struct {
	Head, Title string
	Number      bool
}

type jobRow struct {
	Node, Name string
	Critical   bool
	Cells      []cell
}

// A cell is a text and, for a number, its sort key.
type cell struct {
	Text, Sort string
	Notes      []string // below the text, small
	Number     bool
}

const mostJobs = 1000

func jobsOf(s *runreport.Report) *jobs {
	if s.Workflow.IsWhole(len(s.Jobs)) {
		return verticesOf(s)
	}
	staged := slices.ContainsFunc(s.Jobs, func(j runreport.Job) bool { return !j.IsMapReduce() })
	t := &jobs{Title: "Jobs", Columns: []column{
		{"Job", "its name in the plan", false},
		{"State", "how it stood last", false},
		{"Submitted", "since the run began", true},
		{"Waited", "from its submission to its first task", true},
		{"Took", "from its submission to its end", true},
		{"On the path", "how much of the critical path is its", true},
	}}
	if staged {
		t.Columns = append(
			t.Columns,
			column{"Tasks", "how many, and in how many stages", true},
			column{"Read", "input of the stages that read no other", true},
			column{"Shuffled", "what stages were given by others", true},
		)
	} else {
		t.Columns = append(
			t.Columns,
			column{"Maps", "how many, and how long the median and the longest took", true},
			column{"Reduces", "how many, and how long the median and the longest took", true},
			column{"Read", "input of its maps", true},
			column{"Shuffled", "what its reduces were given", true},
		)
	}
	t.Columns = append(
		t.Columns,
		column{"Wrote", "records that it put out", true},
		column{"Lost attempts", "attempts that failed or were killed", true},
	)
	for i := range s.Jobs {
		if i == mostJobs {
			t.More = len(s.Jobs) - mostJobs
			break
		}
		t.Rows = append(t.Rows, jobRowOf(&s.Jobs[i], staged))
	}
	return t
}

// verticesOf returns the table of the stages of a query that is one job.
func verticesOf(s *runreport.Report) *jobs {
	w, j := s.Workflow, &s.Jobs[0]
	critical := map[string]bool{}
	for _, p := range s.Chart.Panels {
		for i := range p.Bars {
			if p.Bars[i].Critical {
				critical[p.Bars[i].Phase.String()] = true
			}
		}
	}
	t := &jobs{Title: capital(w.Whole.Parts), Columns: []column{
		{capital(w.Whole.Part), "its name in the plan", false},
		{"Reads", "the " + w.Whole.Parts + " whose output it reads, and how the data moves", false},
		{"Tasks", "how many", true},
		{"From", "since the run began: when its first task started or will start", true},
		{"To", "when its last task ended or will end", true},
	}}
	for k := range j.Stages {
		if k == mostJobs {
			t.More = len(j.Stages) - mostJobs
			break
		}
		v := &j.Stages[k]
		var reads []string
		for i, from := range v.After {
			reads = append(reads, from+" ("+movements[v.Edges[i]]+")")
		}
		row := jobRow{Node: text(v.Name), Critical: critical[v.Name], Cells: []cell{
			{Text: text(strings.Join(reads, ", "))},
			tasksCell(v.Tasks, nil), timeCell(nil), timeCell(nil),
		}}
		for i := range j.Stretches {
			if s := &j.Stretches[i]; s.Phase.String() == v.Name {
				row.Cells[2], row.Cells[3] = timeCell(s.StartSeconds), timeCell(s.EndSeconds)
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// movements are words for the kinds of edges.
var movements = map[string]string{
	dag.Barrier.String(): "after its end", dag.SlowStart.String(): "shuffle", dag.Pipelined.String(): "as it comes",
	dag.OneToOne.String(): "one to one", dag.Broadcast.String(): "broadcast",
}

// jobRowOf returns a job's row. staged means that a job of the table has other stages than maps and reduces.
func jobRowOf(j *runreport.Job, staged bool) jobRow {
	r := jobRow{Node: text(j.Node), Critical: j.Critical || j.OnPathSeconds != nil && *j.OnPathSeconds > 0}
	if name := textOf(j.Name); name != r.Node {
		r.Name = cut(name, 48)
	}
	r.Cells = []cell{
		{Text: j.State.String()},
		timeCell(j.SubmittedSeconds), timeCell(j.WaitSeconds), timeCell(j.LengthSeconds), timeCell(j.OnPathSeconds),
	}
	if staged {
		r.Cells = append(r.Cells, stagesCell(j))
	} else {
		r.Cells = append(r.Cells, tasksCell(j.Maps, j.MapSeconds), tasksCell(j.Reduces, j.ReduceSeconds))
	}
	lost := strconv.Itoa(j.FailedAttempts + j.KilledAttempts)
	r.Cells = append(r.Cells, sizeCell(j.InputBytes, j.InputRecords), sizeCell(j.ShuffleBytes, nil),
		numberCell(j.OutputRecords, ""),
		cell{Text: lost, Sort: lost, Number: true})
	if last := &r.Cells[len(r.Cells)-1]; j.FailedAttempts > 0 {
		last.Notes = []string{fmt.Sprintf("✗ %d failed", j.FailedAttempts)}
	}
	return r
}

func timeCell(s *frame.Seconds) cell {
	c := cell{Text: units.Known(s, units.Seconds), Number: true}
	if s != nil {
		c.Sort = strconv.FormatFloat(float64(*s), 'g', -1, 64)
	}
	return c
}

func tasksCell(n frame.Tasks, lengths *runreport.Spread) cell {
	c := cell{Text: units.Unknown, Number: true}
	if n.Total != nil {
		c.Text, c.Sort = strconv.Itoa(*n.Total), strconv.Itoa(*n.Total)
		if n.Done < *n.Total {
			c.Text = fmt.Sprintf("%d of %d", n.Done, *n.Total)
		}
	}
	if lengths != nil && lengths.Tasks > 0 {
		c.Notes = append(c.Notes, "median "+units.Seconds(lengths.Median))
		if lengths.Max > lengths.Median {
			c.Notes = append(c.Notes, "longest "+units.Seconds(lengths.Max))
		}
	}
	return c
}

// stagesCell counts the tasks of all stages.
func stagesCell(j *runreport.Job) cell {
	n, all := j.Known()
	if !all {
		n.Total = nil
	}
	c := tasksCell(n, nil)
	c.Notes = []string{"in " + units.Count(len(j.Stages), "stage")}
	return c
}

func sizeCell(bytes, records *float64) cell {
	switch {
	case bytes == nil && records != nil:
		c := numberCell(records, "")
		c.Notes = []string{"records"}
		return c
	case records != nil:
		c := numberCell(bytes, "B")
		c.Notes = []string{units.Size(*records, "") + " records"}
		return c
	}
	return numberCell(bytes, "B")
}

func numberCell(v *float64, unit string) cell {
	c := cell{Text: units.Unknown, Number: true}
	if v != nil {
		c.Text, c.Sort = units.Size(*v, unit), strconv.FormatFloat(*v, 'g', -1, 64)
	}
	return c
}
