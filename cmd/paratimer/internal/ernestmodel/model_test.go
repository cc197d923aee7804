package ernestmodel

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

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
	r, err := ReadRuns(strings.NewReader(text), "runs.csv", c)
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
	if _, err := ReadRuns(strings.NewReader(runs), "f", c); err == nil {
		t.Error("a unit that is none is taken")
	}
	c.Unit, c.Iterations = "", "fraction"
	if _, err := ReadRuns(strings.NewReader(runs), "f", c); err == nil ||
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
	if _, err := ReadRuns(strings.NewReader(text), "f", c); err == nil || !strings.Contains(err.Error(), "--scale") {
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

// TestPlaces: what the model says of a row is said of its line.
func TestPlaces(t *testing.T) {
	_, err := read(t, "# two rows\ncores,fraction,Time (s)\n1,1,1\n\n0.25,1,1\n", columnNames).Fit(ernest.FitOptions{})
	if err == nil || err.Error() != "runs.csv:5: machines 0.25: a run has at least 1" {
		t.Error(err)
	}
}

// TestSaved: a model that was saved and read says the same, to the last bit.
func TestSaved(t *testing.T) {
	iterations := columnNames
	iterations.Iterations = "n"
	for name, c := range map[string]Columns{"plain": columnNames, "iterative": iterations} {
		m, err := read(t, runs, c).Fit(ernest.FitOptions{Extra: []ernest.Term{ernest.SqrtScale}})
		if err != nil {
			t.Fatal(err)
		}
		var file, again bytes.Buffer
		if err := Write(&file, m); err != nil {
			t.Fatal(err)
		}
		text := file.String()
		back, err := Read(&file, "f")
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := Write(&again, back); err != nil || again.String() != text {
			t.Errorf("%s: %v\n%s", name, err, cmp.Diff(text, again.String()))
		}
		for _, at := range []ernest.Point{
			{Machines: 16, Scale: 1, Iterations: 10},
			{Machines: 2, Scale: 0.125, Iterations: 2},
		} {
			if !m.Iterative() {
				at.Iterations = 0
			}
			a, b := m.Predict(at), back.Predict(at)
			if a.Seconds != b.Seconds || a.Low != b.Low || a.High != b.High {
				t.Errorf("%s: %+v, and after reading %+v", name, a, b)
			}
		}
	}
}

func TestReadErrors(t *testing.T) {
	m, err := read(t, runs, columnNames).Fit(ernest.FitOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := Write(&file, m); err != nil {
		t.Fatal(err)
	}
	good := file.String()
	for _, c := range []struct{ old, new, want string }{
		{
			`"format": "paratimer ernest model"`, `"format": "x"`,
			`f: this is not a saved model: it has not the format "paratimer ernest model"`,
		},
		{
			`"version": 1`, `"version": 2`,
			"f: this is version 2 of a saved model; version 1 is known: fit the runs again",
		},
		{`"machines": 1,`, `"machines": 0,`, "f: row 1: machines 0: "},
		{`"seconds": 42.1`, `"seconds": 142.1`, "f: its coefficients are not those of its rows"},
		{`"rows": [`, `"rows": [], "more": [`, `f: this is not a saved model: json: unknown field "more"`},
		{
			`"seconds": 42.1`, `"seconds": 42.1, "iterations": 2`,
			"f: row 2: iterations 0: all runs have iterations, at least 1, or none has",
		},
		{`"extra": null`, `"extra": ["cube"]`, `f: this is not a saved model: no term is called "cube"`},
		{good, "", "f: this is not a saved model: EOF"},
		{good, "{}", "f: this is not a saved model: it has not the format"},
	} {
		text := strings.Replace(good, c.old, c.new, 1)
		if text == good {
			t.Fatalf("%q is not in\n%s", c.old, good)
		}
		if _, err := Read(strings.NewReader(text), "f"); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.new, err, c.want)
		}
	}
}

// FuzzRead holds that nothing panics and that what is read can be written and read.
func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"format":"paratimer ernest model","version":1,"terms":["1"],"coefficients":[2],"fit":{"terms":["1"],"extra":null,"seed":0,"resamples":1},"rows":[{"machines":1,"scale":1,"seconds":2}]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := Read(bytes.NewReader(b), "f")
		if err != nil {
			return
		}
		var file bytes.Buffer
		if err := Write(&file, m); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(&file, "f"); err != nil {
			t.Error(err)
		}
	})
}
