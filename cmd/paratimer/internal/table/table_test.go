package table

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/paratimer/paratimer/internal/testkit/fixtures"
)

// runs are the columns of most tests.
var runs = []Column{
	{Name: "machines", For: "--machines", Kind: Positive},
	{Name: "scale", For: "--scale", Kind: Positive},
	{Name: "time", For: "--seconds"},
}

func TestRead(t *testing.T) {
	names := []string{"machines", "scale", "time"}
	want := &Table{
		Header: names, Names: names, Values: [][]float64{{4, 8}, {0.5, 1}, {10, 12.5}},
	}
	for name, c := range map[string]struct {
		text  string
		lines []int
	}{
		"plain":               {"machines,scale,time\n4,0.5,10\n8,1,12.5\n", []int{2, 3}},
		"CRLF, no end":        {"machines,scale,time\r\n4,0.5,10\r\n8,1,12.5", []int{2, 3}},
		"byte order mark":     {"\xef\xbb\xbfmachines,scale,time\n4,0.5,10\n8,1,12.5\n", []int{2, 3}},
		"semicolons":          {"machines;scale;time\n4;0.5;10\n8;1;12.5\n", []int{2, 3}},
		"tabs":                {"machines\tscale\ttime\n4\t0.5\t10\n8\t1\t12.5\n", []int{2, 3}},
		"tabs behind commas":  {"machines,\tscale,\ttime\n4,\t0.5,\t10\n8,\t1,\t12.5\n", []int{2, 3}},
		"spaces":              {"  machines , scale,time  \n 4 , 5e-1, 10\n8,1 , 12.5\n", []int{2, 3}},
		"quotes":              {"\"machines\",\"scale\",time\n\"4\", \"0.5\" ,10\n8,1,\"12.5\"\n", []int{2, 3}},
		"header in a comment": {"#machines,scale,time\n4,0.5,10\n8,1,12.5\n", []int{2, 3}},
		"header in the last of two": {
			"# measured on Monday, by me\n# machines, scale, time\n\n4,0.5,10\n8,1,12.5\n",
			[]int{4, 5},
		},
		"comments and blank lines": {"# measured, \"quickly\n\nmachines,scale,time\n# small\n4,0.5,10\n\n   \n  # large\n8,1,12.5\n\n", []int{5, 9}},
		"comment with its columns": {"# a,b,c\nmachines,scale,time\n4,0.5,10\n8,1,12.5\n", []int{3, 4}},
		"header in both":           {"#machines,scale,time\nmachines,scale,time\n4,0.5,10\n8,1,12.5\n", []int{3, 4}},
	} {
		got, err := Read(strings.NewReader(c.text), "", runs)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		want.Lines = c.lines
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: -want +got\n%s", name, d)
		}
	}
}

// TestColumns holds how columns are found.
func TestColumns(t *testing.T) {
	for _, c := range []struct{ text, name, want string }{
		{"a,b\n1,2\n", "b", "2"},
		{"a,b\n1,2\n", "B", "2"},
		{"a,b\n1,2\n", "2", "2"},
		{"b,B\n1,2\n", "B", "2"},
		{"2,1\n5,6\n", "2", "1 6"}, // all are numbers: it is a row, and this its second column
		{"1,2\n", "2", "2"},
		{"#Cores,Input Fraction, Time (s)\n4,0.5,7\n", "Time (s)", "7"},
		{"#Cores,Input Fraction, Time (s)\n4,0.5,7\n", "#Cores", "4"},
		{"#Cores,Input Fraction, Time (s)\n4,0.5,7\n", "cores", "4"},
		{"p99,1st\n4,5\n", "1st", "5"},
		{"year,2025\n3,4\n", "year", "3"},
	} {
		got, err := Read(strings.NewReader(c.text), "f", []Column{{Name: c.name}})
		if err != nil {
			t.Errorf("%q of %q: %v", c.name, c.text, err)
			continue
		}
		if v := strings.TrimSuffix(strings.TrimPrefix(fmt.Sprint(got.Values), "[["), "]]"); v != c.want {
			t.Errorf("%q of %q is %s, want %s", c.name, c.text, v, c.want)
		}
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "f: there is no row"},
		{"# a comment\n\n", "f: there is no row"},
		{"machines,scale,time\n", "f: there is a header, but no row"},
		{"machines,scale,time\n4,1,NaN\n", `f:2:5: column time is "NaN": it must be finite`},
		{"machines,scale,time\n4,1,-inf\n", `f:2:5: column time is "-inf": it must be finite`},
		{"machines,scale,time\n4,1,1e999\n", `f:2:5: column time is "1e999": it must be finite`},
		{"machines,scale,time\n 0,1,3\n", `f:2:2: column machines is "0": it must be more than 0`},
		{
			"machines,scale,time\n-4, -1,3\n",
			"f:2:1: column machines is \"-4\": it must be more than 0\nf:2:5: column scale is \"-1\": it must be more than 0",
		},
		{"machines,scale,time\n4,1\n", "f:2: column time is empty: the row has only 2 fields"},
		{
			"machines,scale,time\n4,1,\n",
			"f:2:5: column time is empty: it must be a number; leave the row out where it is not known",
		},
		{"machines,scale,time\n4,ä,8\n", `f:2:3: column scale is "ä": it must be a number`},
		{"machines;scale;time\n4;0,5;8\n", `f:2:3: column scale is "0,5": it must be a number with a decimal point`},
		{"machines,scale,time\n4,0x1p3,8\n", `f:2:3: column scale is "0x1p3": it must be a number`},
		{"machines,scale,time\n4,1_0,8\n", `f:2:3: column scale is "1_0": it must be a number`},
		{"machines,scale,time\r4,1,8\r", "f:1: lines end with carriage returns alone: save it with line feeds"},
		{"machines,scale,time\n4,\"1,8\n", "f:2:3: the quote is not closed on its line"},
		{"machines,scale,time\n4,\"1\" ,\"8\n", "f:2:7: the quote is not closed on its line"},
		{"machines;scale;time\n4\";\"1\" ;8\n", `f:2:1: column machines is "4\"": it must be a number`},
		{
			"machines\tscale\ttime\n\"4\" \t\t8\n",
			"f:2:5: column scale is empty: it must be a number; leave the row out where it is not known",
		},
		{"machines,scale,time\n4,\"1\"0,8\n", "f:2:3: the quote is not closed on its line"},
		{
			"machines,scale\n4,1\n",
			`f:1: --seconds "time": no column has this name; the columns are "machines", "scale"`,
		},
		{
			"machines,scale,time,Time,time\n4,1,1,2,3\n",
			`f:1: --seconds "time": several columns have this name: give its number, from 1`,
		},
		{"4,1,2\n", `f:1: --machines "machines": the file has no header: give the column's number, 1 to 3`},
		{"m\x00a\x00", "f:1: this is not text in UTF-8: save it as CSV in UTF-8"},
	} {
		_, err := Read(strings.NewReader(c.text), "f", runs)
		if err == nil || err.Error() != c.want {
			t.Errorf("%.60q:\n%v, want\n%s", c.text, err, c.want)
		}
	}
	if _, err := Read(strings.NewReader("1,2\n"), "f", []Column{{Name: "3", For: "--scale"}}); err == nil ||
		err.Error() != `f:1: --scale "3": the columns are 1 to 2` {
		t.Error(err)
	}
}

// TestManyErrors: there are some, each of its own, and not all.
func TestManyErrors(t *testing.T) {
	_, err := Read(strings.NewReader("machines,scale,time\n"+strings.Repeat("0,1,2\n", 1000)), "f", runs)
	if err == nil || strings.Count(err.Error(), "\n") != mostFaults-1 {
		t.Fatal(err)
	}
	var one *Error
	if !errors.As(err, &one) || one.Line != 2 || one.Column != "machines" || one.Value != "0" {
		t.Errorf("%+v", one)
	}
}

func TestBounded(t *testing.T) {
	_, err := Read(strings.NewReader(strings.Repeat("1,2\n", MaxRows+1)), "f", []Column{{Name: "1"}})
	if err == nil || err.Error() != "f:1000001: more than 1000000 rows: this is not a table of runs" {
		t.Error(err)
	}
	_, err = Read(strings.NewReader(strings.Repeat("# aaaaaaaaaaaa\n", maxBytes/15+1)), "f", runs)
	if err == nil || !strings.HasSuffix(err.Error(), ": the file is too large for a table of runs") {
		t.Error(err)
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func TestReader(t *testing.T) {
	_, err := Read(io.MultiReader(strings.NewReader("machines,scale,time\n1,2,3\n0,1,1\n"), broken{}), "f", runs)
	if !errors.Is(err, io.ErrUnexpectedEOF) || !strings.HasPrefix(err.Error(), "f: it cannot be read") {
		t.Error(err)
	}
}

// TestGolden reads the tables of the golden cases.
func TestGolden(t *testing.T) {
	columns := map[string][]string{
		"nnls_*.csv":     {"machines", "scale", "time"},
		"powerlaw_*.csv": {"x", "y"},
	}
	values := 0
	for pattern, names := range columns {
		files, err := filepath.Glob(fixtures.Golden("numerics/" + pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range files {
			f, err := os.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			var want []Column
			for _, n := range names {
				want = append(want, Column{Name: n})
			}
			got, err := Read(f, path, want)
			f.Close()
			if err != nil {
				t.Error(err)
				continue
			}
			values += got.Rows() * len(names)
		}
	}
	if values == 0 {
		t.Error("nothing was read")
	}
	t.Logf("%d values read", values)
}

// TestNamesAreClean: control characters of a table's names are escaped, and bytes that are no UTF-8 replaced.
func TestNamesAreClean(t *testing.T) {
	name := "a\x1b\u202e\xff"
	got, err := Read(strings.NewReader("job,s"+name+"\n"+name+",1\n"), "t.csv", []Column{{Name: "2"}})
	if err != nil || got.Header[0] != "job" || got.Names[0] != "sa\\x1b\\u202e\uFFFD" {
		t.Errorf("%+v, %v", got, err)
	}
}
