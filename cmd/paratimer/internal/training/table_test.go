package training

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paratimer/paratimer/estimators/ernest"
	"github.com/paratimer/paratimer/internal/testkit/fixtures"
)

var usual = Columns{Machines: "machines", Scale: "scale", Seconds: "time"}

// TestTables: tables as people and programs write them.
func TestTables(t *testing.T) {
	want := []ernest.Row{{Machines: 4, Scale: 0.5, Seconds: 10}, {Machines: 8, Scale: 1, Seconds: 12.5}}
	for name, c := range map[string]struct {
		text  string
		lines []int
	}{
		"plain":               {"machines,scale,time\n4,0.5,10\n8,1,12.5\n", []int{2, 3}},
		"CRLF, no end":        {"machines,scale,time\r\n4,0.5,10\r\n8,1,12.5", []int{2, 3}},
		"byte order mark":     {"\xef\xbb\xbfmachines,scale,time\n4,0.5,10\n8,1,12.5\n", []int{2, 3}},
		"semicolons":          {"machines;scale;time\n4;0.5;10\n8;1;12.5\n", []int{2, 3}},
		"tabs":                {"machines\tscale\ttime\n4\t0.5\t10\n8\t1\t12.5\n", []int{2, 3}},
		"an empty first name": {"\tmachines\tscale\ttime\na\t4\t0.5\t10\n\t8\t1\t12.5\n", []int{2, 3}},
		"spaces":              {"  machines , scale,time  \n 4 , 5e-1, 10\n8,1 , 12.5\n", []int{2, 3}},
		"quotes":              {"\"machines\",\"scale\",time\n\"4\", \"0.5\",10\n8,1,\"12.5\"\n", []int{2, 3}},
		"header in a comment": {"#machines,scale,time\n4,0.5,10\n8,1,12.5\n", []int{2, 3}},
		"header in the last of two": {
			"# measured on Monday, by me\n# machines, scale, time\n\n4,0.5,10\n8,1,12.5\n",
			[]int{4, 5},
		},
		"comments and blank lines": {"# measured, \"quickly\n\nmachines,scale,time\n# small\n4,0.5,10\n\n   \n  # large\n8,1,12.5\n\n", []int{5, 9}},
		"comment with its columns": {"# a,b,c\nmachines,scale,time\n4,0.5,10\n8,1,12.5\n", []int{3, 4}},
		"header in both":           {"#machines,scale,time\nmachines,scale,time\n4,0.5,10\n8,1,12.5\n", []int{3, 4}},
	} {
		got, err := ReadRuns(c.text, "", usual)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if d := cmp.Diff(&Runs{Lines: c.lines, Rows: want}, got); d != "" {
			t.Errorf("%s: -want +got\n%s", name, d)
		}
	}
}

// TestColumns holds how columns are found.
func TestColumns(t *testing.T) {
	for _, c := range []struct {
		text, name string
		want       float64
	}{
		{"a,b\n1,2\n", "b", 2},
		{"a,b\n1,2\n", "B", 2},
		{"a,b\n1,2\n", "2", 2},
		{"1,2\n", "2", 2},
		{"#Cores,Input Fraction, Time (s)\n4,0.5,7\n", "Time (s)", 7},
		{"#Cores,Input Fraction, Time (s)\n4,0.5,7\n", "#Cores", 4},
		{"#Cores,Input Fraction, Time (s)\n4,0.5,7\n", "cores", 4},
		{"p99,1st\n4,5\n", "1st", 5},
		{"year,2025\n3,4\n", "year", 3},
	} {
		got, err := ReadRuns(c.text, "f", Columns{Machines: c.name, Scale: c.name, Seconds: c.name})
		if err != nil || got.Rows[0].Machines != c.want {
			t.Errorf("%q of %q: %+v, %v, want %g", c.name, c.text, got, err, c.want)
		}
	}
	// All are numbers: it is a row, and this its second column.
	got, err := ReadRuns("2,1\n5,6\n", "f", Columns{Machines: "2", Scale: "1", Seconds: "1"})
	if err != nil || fmt.Sprint(got.Rows) != "[{1 2 2 0} {6 5 5 0}]" {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestErrors(t *testing.T) {
	const number, positive = "it must be a number, finite, with a decimal point", "it must be a number, more than 0"
	for _, c := range []struct{ text, want string }{
		{"", "f: there is no row"},
		{"# a comment\n\n", "f: there is no row"},
		{"machines,scale,time\n", "f: there is a header, but no row"},
		{"machines,scale,time\n4,1,NaN\n", `f:2: column time is "NaN": ` + number},
		{"machines,scale,time\n4,1,-inf\n", `f:2: column time is "-inf": ` + number},
		{"machines,scale,time\n4,1,1e999\n", `f:2: column time is "1e999": ` + number},
		{"machines,scale,time\n0,1,3\n", `f:2: column machines is "0": ` + positive},
		{
			"machines,scale,time\n-4, -1,3\n",
			"f:2: column machines is \"-4\": " + positive + "\nf:2: column scale is \"-1\": " + positive,
		},
		{"machines,scale,time\n4,1\n", "f:2: column time is empty: leave the row out if the number is unknown"},
		{"machines,scale,time\n4,1,\n", "f:2: column time is empty: leave the row out if the number is unknown"},
		{"machines,scale,time\n4,ä,8\n", `f:2: column scale is "ä": ` + number},
		{"machines;scale;time\n4;0,5;8\n", `f:2: column scale is "0,5": ` + number},
		{"machines,scale,time\r4,1,8\r", "f:1: this is no line of a table: save it as CSV in UTF-8, with line feeds"},
		{"machines,scale,time\n4,\"1,8\n", `f:2: extraneous or missing " in quoted-field`},
		{"machines\tscale\ttime\n4\t\t8\n", "f:2: column scale is empty: leave the row out if the number is unknown"},
		{
			"machines,scale\n4,1\n",
			`f:1: --seconds "time": no column has this name; the columns are ["machines" "scale"]`,
		},
		{
			"machines,scale,time,Time,time\n4,1,1,2,3\n",
			`f:1: --seconds "time": several columns have this name: give its number, from 1`,
		},
		{"4,1,2\n", `f:1: --machines "machines": no column has this name: give the column's number, 1 to 3`},
		{"m\x00a\x00", "f:1: this is no line of a table: save it as CSV in UTF-8, with line feeds"},
	} {
		_, err := ReadRuns(c.text, "f", usual)
		if err == nil || err.Error() != c.want {
			t.Errorf("%.60q:\n%v, want\n%s", c.text, err, c.want)
		}
	}
	_, err := ReadRuns("1,2\n", "f", Columns{Machines: "1", Scale: "3"})
	if err == nil || err.Error() != `f:1: --scale "3": no column has this name: give the column's number, 1 to 2` {
		t.Error(err)
	}
}

// TestManyErrors: there are some, each of its own, and not all.
func TestManyErrors(t *testing.T) {
	_, err := ReadRuns("machines,scale,time\n"+strings.Repeat("0,1,2\n", 1000), "f", usual)
	if err == nil || strings.Count(err.Error(), "\n") != mostFaults-1 {
		t.Fatal(err)
	}
}

func TestBounded(t *testing.T) {
	_, err := ReadRuns(strings.Repeat("1,2\n", ernest.MaxRows+2), "f", usual)
	if err == nil || !strings.HasPrefix(err.Error(), "f:20002: more than 20000 rows") {
		t.Error(err)
	}
}

// TestGolden reads the tables of the golden cases.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob(fixtures.Golden("numerics/nnls_*.csv"))
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		got, err := ReadRuns(string(text), path, usual)
		if err != nil {
			t.Error(err)
			continue
		}
		rows += len(got.Rows)
	}
	if rows == 0 {
		t.Error("nothing was read")
	}
}

// TestNamesAreClean: control characters of a table's names are escaped, and bytes that are no UTF-8 replaced.
func TestNamesAreClean(t *testing.T) {
	name := "a\x1b\u202e\xff"
	_, err := ReadRuns("job,s"+name+"\n"+name+",x\n", "t.csv",
		Columns{Machines: "2", Scale: "2", Seconds: "2"})
	if err == nil || !strings.Contains(err.Error(), `column sa\x1b\u202e\xff is `) {
		t.Error(err)
	}
}

// FuzzReadRuns checks that a table that is read is valid, and that nothing panics.
func FuzzReadRuns(f *testing.F) {
	f.Add("#Cores,Input Fraction, Time (s)\n32,0.125,7.9\n4,0.015,4.7\n", "Cores", "3")
	f.Add("a;b\r\n\"1\";\"2\"\"\"\r\n", "a", "b")
	f.Add("\xef\xbb\xbf\ta\tb\n1\t\t2", "1", "a")
	f.Fuzz(func(t *testing.T, text, number, name string) {
		got, err := ReadRuns(text, "f",
			Columns{Machines: number, Scale: name, Seconds: name, Whole: true})
		if err != nil {
			if !strings.HasPrefix(err.Error(), "f:") {
				t.Errorf("%v: where?", err)
			}
			return
		}
		if n := len(got.Rows); n == 0 || len(got.Lines) != n {
			t.Fatalf("%d rows of %d lines", n, len(got.Lines))
		}
		for i, r := range got.Rows {
			if !(r.Machines > 0 && r.Scale > 0) || i > 0 && got.Lines[i] <= got.Lines[i-1] {
				t.Errorf("row %d: %+v in line %d", i, r, got.Lines[i])
			}
		}
	})
}
