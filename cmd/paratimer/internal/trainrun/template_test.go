package trainrun_test

import (
	"strings"
	"testing"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/trainrun"
	"github.com/paratimer/paratimer/estimators/ernest"
)

func TestTemplate(t *testing.T) {
	// Braces that are none of ours belong to the shell and to awk.
	text := `awk '{print $1}' "${IN}" | job -m {machines} -c {cores} -f {fraction} -p {parts} {machine} {fraction}`
	rows := design([3]float64{3, 0.0000152587890625, 7})
	want := `awk '{print $1}' "${IN}" | job -m 3 -c 6 -f 0.0000152587890625 -p 7 {machine} 0.0000152587890625`
	if got := template(t, text, rows).Fill(rows[0]); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestTemplateForRows(t *testing.T) {
	bare := []ernest.DesignRow{{Machines: 1, Scale: 0.5}, {Machines: 2, Scale: 0.5}}
	for text, want := range map[string]string{
		" ":                            "the command is empty",
		"job \x00":                     "NUL",
		"job {machines}":               "on the same input each time",
		"job {fraction}":               "on as many machines each time",
		"job {fractions} {machine}":    "on the same input each time",
		"job {fraction} {cores}":       "",
		"job {parts} {machines}":       "",
		"job {fraction} {machines}":    "",
		"echo {fraction}{machines} {}": "",
	} {
		if _, err := trainrun.NewTemplate(text, three(), nil); !says(err, want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	for text, want := range map[string]string{
		"job {machines}":         "", // the input is the same in all rows
		"job {machines} {parts}": "asks for {parts}, which the design does not give",
		"job {cores}":            "asks for {cores}, which the design does not give",
	} {
		if _, err := trainrun.NewTemplate(text, bare, nil); !says(err, want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	if _, err := trainrun.NewTemplate(job, nil, nil); !says(err, "the design has no rows") {
		t.Error(err)
	}
}

// TestFiles: a command may take the files of a sample, as many as the row has parts, whatever they are called.
func TestFiles(t *testing.T) {
	t.Parallel()
	rows := design([3]float64{2, 0.25, 2}, [3]float64{2, 0.5, 3})
	files := map[int][]string{2: {"in/a", "in/b's {machines}"}, 3: {"in/a", "in/c d\n$HOME", "in/e"}}
	tmpl, err := trainrun.NewTemplate("job {machines} {files} {{files}", rows, files)
	if err != nil {
		t.Fatal(err)
	}
	want := `job 2 'in/a' 'in/b'\''s {machines}' {'in/a' 'in/b'\''s {machines}'`
	if got := tmpl.Fill(rows[0]); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for text, c := range map[string]struct {
		rows  []ernest.DesignRow
		files map[int][]string
		want  string
	}{
		"job {machines} {files}": {rows, nil, "say with --data where the input is"},
		"job {machines} {parts}": {rows, files, "say with {files} where they go"},
		"job {files} {machines}": {three(), files, "no sample for a row of the design"},
		"job {files} -m{cores}": {
			[]ernest.DesignRow{{Machines: 1, Scale: 1, Cores: 1}},
			files,
			"must say how many parts",
		},
		"job {files} 4 machines": {three(), map[int][]string{8: {"a"}, 4: {"b"}}, "on as many machines each time"},
		"job -m{machines}{files}": {
			rows,
			map[int][]string{2: {"a"}, 3: {strings.Repeat("x", 128<<10)}},
			"with the names of 3 files, and the shell takes 128 KB",
		},
	} {
		if _, err := trainrun.NewTemplate(text, c.rows, c.files); !says(err, c.want) {
			t.Errorf("%q: %v, want %q", text, err, c.want)
		}
	}
	if !trainrun.ByParts("job {files} {fraction}") || trainrun.ByParts("job {parts} {fraction}") {
		t.Error("what a run takes is its files, not its fraction")
	}
}

// says is whether an error has words in it; "" is no error.
func says(err error, want string) bool {
	if err == nil || want == "" {
		return err == nil && want == ""
	}
	return strings.Contains(err.Error(), want)
}
