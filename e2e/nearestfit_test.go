//go:build e2e

package e2e

import (
	"bytes"
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A table3Row is a benchmark of NearestFit's paper that was run, for docs/evidence/nearestfit.md.
type table3Row struct {
	benchmark benchmark
	with      graded  // by the tape, with the reports of the tap
	without   graded  // by the capture, which has not
	groups    int     // all key groups
	explicit  float64 // those that the tap reported with their sizes
	share     float64 // percentage of the bytes that they have
}

var (
	table3     []table3Row
	table3File = flag.String("table3", "",
		"write what was measured of the paper's benchmarks to this `file`, for docs/evidence/nearestfit.md")
)

func table3Table(old []byte) []byte {
	names := []string{"standard", "nearestfit", "job_ratio", "task_ratio", "hadoop"}
	var rows [][]string
	for _, r := range table3 {
		cells := []string{
			r.benchmark.Name, r.benchmark.Cost, r.benchmark.Paper, strconv.Itoa(r.benchmark.Containers),
			strconv.Itoa(r.benchmark.Reduces),
			strconv.Itoa(r.groups), fmt.Sprintf("%.0f, %.0f%%", r.explicit, r.share),
			fmt.Sprintf("%.1f", r.with.Total), cell(r.without, "standard"),
		}
		for _, n := range names {
			text := cell(r.with, n)
			if s := ours(r.with); n == "nearestfit" && s.Mean != nil {
				text = s.String()
			}
			cells = append(cells, text)
		}
		rows = append(rows, cells)
	}
	titles := append([]string{
		"benchmark", "cost", "in the paper", "containers", "reduces", "groups", "with sizes", "total s",
		"standard, no tap",
	}, names...)
	return renewed(old, fmt.Sprintf(
		"The 27 rows of the paper's table, at the scale of one machine: Java jobs on Hadoop 3.4.2 with the tap's jar, %d maps, and data drawn as the paper\n"+
			"describes it, measured on %s. Graphs have the sizes of SNAP's, or of a part of them. A reduce does the benchmark's own work, and sleeps for each unit of it, so long that the reduces take %.0f s after their start. Cells are mean /\n"+
			"max in points over the ticks with a prediction, in brackets the share of ticks without one; *nearestfit* is its streaming form where maps\n"+
			"have more than 2000 keys. *No tap* is of the same run's REST answers alone. *With sizes* is what Table 4 is about: how many key groups the tap reports with their\n"+
			"sizes, and the share of the bytes that they have.\n\n", inputFiles,
		time.Now().Format(time.DateOnly), reduceSeconds), titles, rows)
}

// reduceSeconds is how long the reduces of a benchmark sleep until the last one ends.
const reduceSeconds = 45.0

// TestTable3 runs the paper's benchmarks with the tap's jar, watched.
func TestTable3(t *testing.T) {
	for _, b := range benchmarks() {
		t.Run(asFile(b.Name), func(t *testing.T) {
			const master, task = 512, 256 // megabytes
			up(t, "--memory", strconv.Itoa(master+task*b.Containers)).table3(b)
		})
	}
}

// table3 runs a benchmark. The reduces do and write what the generator specifies, maps report what it gives them, and
// no key group is missed. The estimate is no worse than Hadoop's own, or good enough.
func (l *lab) table3(b benchmark) {
	l.t.Helper()
	input := b.Input()
	groups := b.Groups(input)
	folder := filepath.Join(l.dir, "input")
	l.must(writeInput(folder, input))
	c := l.collector()
	s := &streaming{output: filepath.Join(l.dir, "output"), reduces: b.Reduces, basename: "part-r-"}
	args := append([]string{"run", "Benchmarks", "-D", "mapreduce.job.name=benchmark"}, l.properties(c)...)
	args = append(args, "-D", fmt.Sprintf("benchmark.micros=%g", reduceSeconds*1e6/float64(b.Span(groups))))
	s.process = l.client("benchmark", append(args, jobOf(&b, "file://"+folder, "file://"+s.output)...)...)
	s.app = l.awaitApp("benchmark")
	w := l.attach("attach", s.app.ID, c.flags()...)
	w.ends(0, "succeeded")
	s.succeed()
	w.recordings(0)
	w.hides(c)
	w.conserved(s.app)
	units, size := 0, make([]float64, b.Reduces)
	for _, g := range groups {
		units += g.Units
		size[g.Reduce] += g.Bytes
	}
	measured := w.lastSnapshot().Jobs[0].Groups
	explicit, known, all := 0.0, 0.0, 0.0
	for i := range measured.Reduces {
		for _, s := range measured.Reduces[i].Explicit {
			explicit, known = explicit+s.Count, known+s.Count*s.Bytes
		}
		all += measured.Reduces[i].Bytes
	}
	for r, want := range wantOutput(&b, groups) {
		if got := s.file(r); string(got) != want {
			l.t.Errorf("reduce %d wrote something else: %s", r, firstDifference([]byte(want), got))
		}
		if reported := measured.Reduces[r].Bytes; !near(reported, size[r]) {
			l.t.Errorf("maps reported for reduce %d %.0f bytes, the input makes %.0f", r, reported, size[r])
		}
	}
	if got := l.counters(s.app)["benchmark/units"]; got != int64(units) {
		l.t.Errorf("the reduces did %d units of work, want %d", got, units)
	}
	scores, without := w.grade("tape", "--estimators", "all", w.tape), w.score("capture")
	standard, nearestFit, hadoop := scores.of("standard"), ours(scores), scores.of("hadoop")
	const enough, noise = 8, 1 // points
	if standard.Mean == nil || hadoop.Mean != nil && *standard.Mean > max(enough, *hadoop.Mean+noise) {
		l.t.Errorf("with the tap the mean error is %s points, Hadoop's own %s", standard.String(), hadoop.String())
	}
	l.addRow("Table 3: "+b.Name, without, nil, "", fmt.Sprintf(
		"%d containers, %d reduces; with the tap `%s` %s, `standard` %s, `job_ratio` %s, `task_ratio` %s, `hadoop` %s; output as it must be, map output sizes as shuffled, all groups reported",
		b.Containers, b.Reduces, nearestFit.Name, nearestFit.String(), text(scores, "standard"), text(scores,
			"job_ratio"), text(scores, "task_ratio"), hadoop.String()))
	table3 = append(table3, table3Row{b, scores, without, len(groups), explicit, 100 * known / all})
	if *table3File != "" {
		tape, err := os.ReadFile(w.tape)
		l.must(err)
		l.must(os.WriteFile(filepath.Join(filepath.Dir(*table3File), asFile(b.Name)+filepath.Ext(w.tape)), tape, 0o600))
	}
}

// asFile is a benchmark's name for files: Hadoop takes a comma in a folder's name for the beginning of another one.
func asFile(name string) string {
	return strings.NewReplacer(", ", "-", " ", "-", ".", "").Replace(name)
}

// jobOf are the arguments of a benchmark's job.
func jobOf(b *benchmark, input, output string) []string {
	args := []string{"-D", fmt.Sprintf("mapreduce.job.reduces=%d", b.Reduces)}
	for _, o := range b.Options {
		args = append(args, "-D", o)
	}
	return append(args, b.Job, input, output)
}

// wantOutput has the output of each reduce.
func wantOutput(b *benchmark, groups []keyGroup) []string {
	files := make([]strings.Builder, b.Reduces)
	for _, g := range groups {
		fmt.Fprintf(&files[g.Reduce], "%s\t%d\n", g.Key, g.Result)
	}
	all := make([]string, b.Reduces)
	for r := range files {
		all[r] = files[r].String()
	}
	return all
}

// TestTable3Jobs runs the jobs of the paper's benchmarks within one process each, without a cluster and without sleep:
// they do what the generator specifies.
func TestTable3Jobs(t *testing.T) {
	home, err := os.UserHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	lib := filepath.Join(cmp.Or(os.Getenv("PARATIMER_LAB"), filepath.Join(home, ".cache", "paratimer", "lab")), "lib",
		"*")
	if jars, err := filepath.Glob(lib + ".jar"); err != nil || len(jars) == 0 {
		t.Skipf("SKIPPED: no jars of Hadoop in %s: run hadoop.sh fetch", lib)
	}
	classes := t.TempDir()
	if out, err := exec.CommandContext(t.Context(), "javac", "-nowarn", "-d", classes, "-cp", lib,
		"udf/Benchmarks.java").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	// A jar of Hadoop's tests would have everything logged to stdout.
	if err := os.WriteFile(filepath.Join(classes, "log4j.properties"), []byte("log4j.rootLogger=OFF\n"),
		0o600); err != nil {
		t.Fatal(err)
	}
	for _, b := range benchmarks() {
		t.Run(asFile(b.Name), func(t *testing.T) {
			input := b.Input()
			folder := t.TempDir()
			in, out := filepath.Join(folder, "input"), filepath.Join(folder, "output")
			if err := writeInput(in, input); err != nil {
				t.Fatal(err)
			}
			units, err := inOneProcess(t.Context(), classes+":"+lib, folder, jobOf(&b, in, out))
			if err != nil {
				t.Fatal(err)
			}
			groups := b.Groups(input)
			for _, g := range groups {
				units -= g.Units
			}
			if units != 0 {
				t.Errorf("the reduces did %d units of work too many", units)
			}
			for r, want := range wantOutput(&b, groups) {
				got, err := os.ReadFile(filepath.Join(out, fmt.Sprintf("part-r-%05d", r)))
				if err != nil || string(got) != want {
					t.Errorf("reduce %d wrote something else: %v %s", r, err, firstDifference([]byte(want), got))
				}
			}
		})
	}
}

// inOneProcess runs a benchmark's job and returns the units of work that it prints.
func inOneProcess(ctx context.Context, classpath, temporary string, job []string) (int, error) {
	args := append([]string{
		"-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "--add-opens=java.base/java.lang=ALL-UNNAMED", "-cp",
		classpath, "Benchmarks",
		"-D", "mapreduce.framework.name=local", "-D", "hadoop.tmp.dir=" + temporary,
	}, job...)
	cmd := exec.CommandContext(ctx, "java", args...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return 0, fmt.Errorf("%w\n%s", err, errs.String())
	}
	return strconv.Atoi(strings.TrimSpace(string(out)))
}
