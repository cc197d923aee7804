package planfile

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/dag"
)

// endless gives the same text for ever.
type endless string

func (e endless) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		n += copy(p[n:], e)
	}
	return n, nil
}

// laughs is a document whose last alias stands for 10^levels values.
func laughs(levels int) string {
	s := "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
	for i := 1; i < levels; i++ {
		s += fmt.Sprintf("a%d: &a%d [%s]\n", i, i, strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 10))
	}
	return s
}

func TestHostileInput(t *testing.T) {
	const n = 200_000
	job := `{"name": "j", "map": {"tasks": 1}}`
	for _, c := range []struct {
		name string
		src  io.Reader
		want string // in the first line
	}{
		{"endless", endless("# no end\n"), "plan: the file is larger than 16 MiB, more than a plan may have"},
		{"endless JSON", endless("["), "plan: the file is larger than 16 MiB"},
		{
			"billion laughs", strings.NewReader(laughs(10)),
			"more than 2000000 values up to here, aliases counted in full",
		},
		{"laughs deep inside", strings.NewReader("jobs: [{name: j, map: {tasks: 1, records: &x [" + strings.Repeat("1,",
			1000) + "], cost: &y [" +
			strings.Repeat("*x,", 3000) + "], out: *y}}]"), "aliases counted in full"},
		{"an alias of itself", strings.NewReader("a: &a [*a]"), `alias "a" has no anchor before it`},
		{"flow lists", strings.NewReader(strings.Repeat("[", n)), "nested more than 32 levels deep"},
		{"flow mappings", strings.NewReader(strings.Repeat("{a: ", n/4)), "nested more than 32 levels deep"},
		{"block lists", strings.NewReader(strings.Repeat("- ", n/2)), "nested more than 32 levels deep"},
		{
			"block lists in a flow", strings.NewReader("[" + strings.Repeat("- ", n/2)),
			"nested more than 32 levels deep",
		},
		{"block mappings", strings.NewReader(staircase(1000)), "nested more than 32 levels deep"},
		{"JSON lists", strings.NewReader(`{"jobs": ` + strings.Repeat("[", n)), "nested more than 32 levels deep"},
		{"JSON objects", strings.NewReader(strings.Repeat(`{"jobs": `, n/4)), "nested more than 32 levels deep"},
		{"anchors", strings.NewReader(strings.Repeat("&a ", n/10)), "nested more than 32 levels deep"},
		{
			"many values", strings.NewReader("a: [" + strings.Repeat("1,", 600_000) + "]"),
			"600003 values and separators are too many for YAML (at most 500000): write the plan as JSON",
		},
		{"documents", strings.NewReader(strings.Repeat("---\na\n", 100)), "99 documents are too many"},
		{"blank lines", strings.NewReader("a: |\n" + strings.Repeat("\n", n)), "200000 blank lines are too many"},
		{
			"blank lines of Windows", strings.NewReader("a: |\r\n" + strings.Repeat("\r\n", n)),
			"200000 blank lines are too many",
		},
		{"tabs", strings.NewReader(`a: "` + strings.Repeat("\t", n)), "200000 tabs are too many"},
		{
			"jobs", strings.NewReader(`{"jobs": [` + job + strings.Repeat(","+job, 99_999) + `]}`),
			"jobs has 100000 items: it must be a list of at most 5000",
		},
		{"unknown fields", strings.NewReader(manyFields(100_000)), `unknown field "f0"`},
		{"nodes", strings.NewReader(`{"cluster": {"nodes": [1` + strings.Repeat(",1", 90_000) + `]}, "jobs": [` + job +
			`]}`), "cluster.nodes[0] is 1: it must be a mapping that describes a node"},
		{"bad values", strings.NewReader(`{"jobs": [{"name": "j", "map": {"tasks": 1, "records": ["x"` +
			strings.Repeat(`,"x"`, n) + `]}}]}`), `jobs[0].map.records[0] is "x"`},
		{
			"tasks", strings.NewReader("jobs: [{name: j, map: {tasks: 10000001}}]"),
			"jobs[0].map.tasks is 10000001: it must be a whole number",
		},
		{
			"tasks together", strings.NewReader(
				"cluster: {map_slots: 1}\njobs: [{name: a, map: {tasks: 9000000}}, {name: b, map: {tasks: 9000000}}]"),
			"18000000 tasks are more than the supported 10000000",
		},
		{"a number of a million digits", strings.NewReader(`{"version": ` + strings.Repeat("9", 1_000_000) +
			`, "jobs": []}`), "(1000000 bytes): it must be 1"},
		{"a time of a million digits", strings.NewReader(`{"cluster": {"setup": "` + strings.Repeat("9", 1_000_000) +
			`s"}, "jobs": [` + job + `]}`), "it must be a time with its unit"},
		{"a name of a million letters", strings.NewReader(`{"jobs": [{"name": "j", "map": {"tasks": 1}, "` +
			strings.Repeat("x", 1_000_000) + `": 1}]}`), "unknown field"},
		{"binary", strings.NewReader("\x00\x01\x02"), ""},
		{"nothing", strings.NewReader(""), "plan:1:1: the file has no plan: it is empty"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Read(c.src, Options{})
			if err == nil {
				t.Fatal("it is read")
			}
			first, _, _ := strings.Cut(err.Error(), "\n")
			if !strings.Contains(first, c.want) {
				t.Errorf("got %.300s\nwant %s", first, c.want)
			}
			if n := len(err.Error()); n > 20_000 {
				t.Errorf("the error has %d bytes", n)
			}
		})
	}
}

func staircase(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	return b.String()
}

func manyFields(n int) string {
	var b strings.Builder
	b.WriteString(`{"jobs": [{"name": "j", "map": {"tasks": 1}}]`)
	for i := range n {
		fmt.Fprintf(&b, `, "f%d": 1`, i)
	}
	return b.String() + "}"
}

func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	if _, err := ReadFile(filepath.Join(dir, "absent.yaml"), Options{}); !os.IsNotExist(err) {
		t.Errorf("absent: %v", err)
	}
	if _, err := ReadFile(dir, Options{}); err == nil ||
		!strings.HasSuffix(err.Error(), "this is a directory: a plan is one file, YAML or JSON") {
		t.Errorf("directory: %v", err)
	}
	named := filepath.Join(dir, "my.query.yaml")
	if err := os.WriteFile(named, []byte("cluster: {map_slots: 1}\njobs: [{name: j, map: {tasks: 1}}]"),
		0o644); err != nil {
		t.Fatal(err)
	}
	if p, err := ReadFile(named, Options{}); err != nil || p.Name != "my.query" {
		t.Errorf("a plan without a name: %v, %+v", err, p)
	}
	// A sparse file of 10 GB costs nothing but what is read of it.
	huge := filepath.Join(dir, "huge.yaml")
	f, err := os.Create(huge)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Truncate(10 << 30); err != nil {
		t.Skipf("no sparse files here: %v", err)
	}
	f.Close()
	if _, err := ReadFile(huge, Options{}); err == nil ||
		!strings.Contains(err.Error(), "huge.yaml: the file is larger than 16 MiB") {
		t.Errorf("10 GB: %v", err)
	}
}

// TestManyUnknownNames: similar names are only searched for the faults that are reported.
func TestManyUnknownNames(t *testing.T) {
	t.Parallel()
	after := strings.Repeat(`"zz", `, 100) + `"zz"`
	var src strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&src, `, {"name": "job%d", "after": [%s], "map": {"tasks": 1}}`, i, after)
	}
	text := `{"cluster": {"map_slots": 1}, "jobs": [` + src.String()[1:] + "]}"
	began := time.Now()
	_, err := Read(strings.NewReader(text), Options{})
	if n := strings.Count("\n"+err.Error(), "\nplan:"); n != maxReported+1 {
		t.Errorf("%d errors, want %d", n, maxReported+1)
	}
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("took %v", took)
	}
}

func TestLargeJSON(t *testing.T) {
	const n = 1_000_000
	src := `{"cluster": {"map_slots": 100}, "jobs": [{"name": "j", "map": {"tasks": 1000000, "cost": "1ms", "records": [0` + strings.Repeat(",1", n-1) + `]}}]}`
	p, err := Read(strings.NewReader(src), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := p.Jobs[0].Stages[dag.Map].Pipelines[dag.Copy].Tuples.Sum(n); got != n-1 {
		t.Errorf("%v records", got)
	}
}
