package training

import (
	"strings"
	"testing"

	"github.com/paratimer/paratimer/estimators/ernest"
)

const runs = `job,cores,fraction,Time (s),n
a,1,0.0625,42.1,1
a,1,0.125,78.8,1
a,2,0.0625,24.4,1
b,2,0.125,42.7,2
b,4,0.125,25.2,2
b,4,0.25,43.1,2
b,8,0.25,25.6,3
b,8,0.125,16.9,3
`

var columnNames = Columns{Machines: "cores", Scale: "fraction", Seconds: "Time (s)"}

func read(t *testing.T, text string, c Columns) *Runs {
	t.Helper()
	r, err := ReadRuns(text, "runs.csv", c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestReadRuns(t *testing.T) {
	c := columnNames
	c.Iterations, c.Unit = "n", "min"
	r := read(t, runs, c)
	if r.Rows[3] != (ernest.Row{Machines: 2, Scale: 0.125, Seconds: 42.7 * 60, Iterations: 2}) ||
		r.Rows[7].Iterations != 3 || r.Lines[7] != 9 {
		t.Errorf("%+v", r)
	}
	c.Unit = "fortnight"
	if _, err := ReadRuns(runs, "f", c); err == nil {
		t.Error("a unit that is none is taken")
	}
	c.Unit, c.Iterations = "", "fraction"
	if _, err := ReadRuns(runs, "f", c); err == nil ||
		!strings.HasPrefix(err.Error(), `f:2: column fraction is "0.0625": it must be a number, whole`) {
		t.Error(err)
	}
}

// TestOthersTables: tables as other programs write them need no rewriting.
func TestOthersTables(t *testing.T) {
	const text = "Nodes,type,p,Runtime\n4,a,0.5,846235\n4,b,0.5,700000\n8,a,0.1,531338\n8,a,0.5,520000\n"
	c := Columns{Machines: "Nodes", Scale: "scale", Seconds: "Runtime", Unit: "ms", Whole: true}
	r := read(t, text, c)
	if r.Rows[0] != (ernest.Row{Machines: 4, Scale: 1, Seconds: 846.235}) ||
		r.Warnings[0].Code != "no_scale" {
		t.Errorf("%+v", r)
	}
	c.Whole = false
	if _, err := ReadRuns(text, "f", c); err == nil || !strings.Contains(err.Error(), "--scale") {
		t.Error(err)
	}
}

// TestUnits: only names that say another unit are doubted.
func TestUnits(t *testing.T) {
	for name, doubted := range map[string]bool{
		"time": false, "seconds": false, "Time (s)": false, "time_ms": true, "Time (ms)": true, "millis": true,
		"runtime [min]": true, "terms": false, "machine_hours": true, "admin": false,
	} {
		r := read(t, "m,s,"+name+"\n1,1,1\n", Columns{Machines: "m", Scale: "s", Seconds: name})
		if got := len(r.Warnings) > 0; got != doubted {
			t.Errorf("%s: doubted %v", name, got)
		}
	}
}

// TestPlaces: a fault that the model finds in a row has the row's line.
func TestPlaces(t *testing.T) {
	_, err := read(t, "# two rows\ncores,fraction,Time (s)\n1,1,1\n\n0.25,1,1\n", columnNames).Fit(ernest.FitOptions{})
	if err == nil || err.Error() != "runs.csv:5: machines 0.25: a run has at least 1" {
		t.Error(err)
	}
}
