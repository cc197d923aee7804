package training_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/training"
	"github.com/paratimer/paratimer/estimators/ernest"
)

const whole = "# paratimer ernest run: \"job {fraction} {machines}\"\nmachines,scale,seconds\n4,0.125,13.125\n2,0.25,22.5\n"

func TestFileGoesOn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rows.csv")
	command := template(t, job, three())
	f := open(t, path, command)
	for _, r := range []ernest.Row{
		{Machines: 4, Scale: 0.125, Seconds: 13.125},
		{Machines: 2, Scale: 0.25, Seconds: 22.5},
	} {
		if err := f.Add(r); err != nil {
			t.Fatal(err)
		}
	}
	if got := read(t, path); got != whole {
		t.Fatalf("the file is\n%s\nwant\n%s", got, whole)
	}
	f = open(t, path, command)
	for i, want := range []int{0, 1, 1} {
		if got := f.Count(three()[i]); got != want {
			t.Errorf("row %d: %d runs, want %d", i, got, want)
		}
	}
	if f.Cut != "" || len(f.Rows) != 2 || f.Rows[1].Seconds != 22.5 {
		t.Errorf("read back as %+v, cut %q", f.Rows, f.Cut)
	}
}

// Wherever a crash has cut the file, whole rows are kept, and the next row makes it a table again.
func TestFileIsRepaired(t *testing.T) {
	command := template(t, job, three())
	for n := range len(whole) + 1 {
		path := filepath.Join(t.TempDir(), "rows.csv")
		if err := os.WriteFile(path, []byte(whole[:n]), 0o644); err != nil {
			t.Fatal(err)
		}
		f := open(t, path, command)
		if got := read(t, path); got != whole[:n] {
			t.Fatalf("cut at %d: Open has changed the file to %q", n, got)
		}
		kept := max(strings.Count(whole[:n], "\n")-2, 0)
		if len(f.Rows) != kept {
			t.Errorf("cut at %d: %d rows, want %d", n, len(f.Rows), kept)
		}
		if err := f.Save(); err != nil {
			t.Fatal(err)
		}
		if got, want := read(t, path), whole[:max(len(head), strings.LastIndex(whole[:n], "\n")+1)]; got != want {
			t.Errorf("cut at %d: saved as %q, want %q", n, got, want)
		}
		for _, r := range []ernest.Row{
			{Machines: 4, Scale: 0.125, Seconds: 13.125},
			{Machines: 2, Scale: 0.25, Seconds: 22.5},
		}[kept:] {
			if err := f.Add(r); err != nil {
				t.Fatal(err)
			}
		}
		if got := read(t, path); got != whole {
			t.Errorf("cut at %d: the file becomes\n%s", n, got)
		}
	}
}

func TestFileOfOthers(t *testing.T) {
	for name, c := range map[string]struct{ content, want string }{
		"another command": {
			"# paratimer ernest run: \"other\"\nmachines,scale,seconds\n1,1,1\n",
			`has the times of another command, "other"`,
		},
		"another table": {"machines,scale,seconds\n1,1,1\n", "not a file of `paratimer ernest run`"},
		"other columns": {strings.Replace(whole, "machines,scale", "scale,machines", 1), "not a file of"},
		"no number":     {whole + "x,1,1\n", `rows.csv:5: column machines is "x": it must be a number, finite`},
		"a tape":        {"{\"v\":1}", "not a file of"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "rows.csv")
			if err := os.WriteFile(path, []byte(c.content), 0o644); err != nil {
				t.Fatal(err)
			}
			_, err := training.Open(path, template(t, job, three()), write)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q in it", err, c.want)
			}
			if got := read(t, path); got != c.content {
				t.Errorf("it has been changed to %q", got)
			}
		})
	}
}

// TestRowsOfTwo holds that two processes lose no row of each other, and that a row that cannot be written is none.
func TestRowsOfTwo(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rows.csv")
	command := template(t, job, three())
	a, b := open(t, path, command), open(t, path, command)
	for i, f := range []*training.File{a, b, a} {
		if err := f.Add(ernest.Row{Machines: 1, Scale: 1, Seconds: float64(i + 1)}); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := read(t, path), head+"1,1,1\n1,1,2\n1,1,3\n"; got != want || len(a.Rows) != 3 {
		t.Errorf("%d rows, the file is\n%s", len(a.Rows), got)
	}
	f := open(t, filepath.Join(t.TempDir(), "absent", "rows.csv"), command)
	if err := f.Add(ernest.Row{Machines: 1, Scale: 1, Seconds: 1}); err == nil || len(f.Rows) != 0 {
		t.Errorf("a row of no folder: %v, %d rows", err, len(f.Rows))
	}
}

// Whatever is in a file: it is refused and left as it is, or its whole lines are rows to go on with.
func FuzzFile(f *testing.F) {
	f.Add([]byte(whole))
	f.Add([]byte(whole[:len(whole)-3]))
	f.Add([]byte("# paratimer ernest run: \"\nmachines,scale,seconds\n"))
	command, err := training.NewTemplate(job, three())
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		path := filepath.Join(t.TempDir(), "rows.csv")
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
		file, err := training.Open(path, command, write)
		if err != nil {
			if got := read(t, path); got != string(b) {
				t.Errorf("refused with %v, and changed from %q to %q", err, b, got)
			}
			return
		}
		n := len(file.Rows)
		if err := file.Add(ernest.Row{Machines: 1, Scale: 1, Seconds: 1}); err != nil {
			t.Fatal(err)
		}
		again, err := training.Open(path, command, write)
		if err != nil || len(again.Rows) != n+1 || again.Cut != "" {
			t.Errorf("%q: %d rows and one more are %d, %v", b, n, len(again.Rows), err)
		}
	})
}
