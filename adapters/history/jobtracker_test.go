package history

import (
	"bytes"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/internal/testkit/mutate"
)

func tracked(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name + ".txt")
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestHadoop18 reads a history without escapes and ends of records, whose counters are the tasks' and not the
// attempts'.
func TestHadoop18(t *testing.T) {
	j := read(t, tracked(t, "hadoop-0.18"))
	if j.ID != "job_200903042324_0007" || j.Name != `etl\day` || j.User != "ana" || j.Queue != "" ||
		j.State != dag.Succeeded || !j.Slots || !j.Sized || j.Maps != 1 ||
		j.Reduces != 1 || j.Submitted != 1236610746839 || j.Launched != 1236610746959 || j.Finished != 1236610776480 ||
		j.Bad != 0 || j.Torn {
		t.Errorf("the job is %+v", j)
	}
	m := j.Attempts[dag.Map][0]
	if m.Start != 1236610747200 || m.End != 1236610757772 || m.Node != "n2" || m.State != dag.AttemptSucceeded ||
		m.Counts.MapIn != 40 || m.Counts.MapOut != 50 ||
		m.Counts.Read != 1000 || m.Usage.Read != 1000 || m.Usage.FileWritten != 700 || !math.IsNaN(m.Usage.CPU) {
		t.Errorf("the map is %+v", m)
	}
	r := j.Attempts[dag.Reduce][0]
	if r.CopyEnd != 1236610763776 || r.SortEnd != 1236610763789 || r.Counts.ReduceIn != 50 || r.Counts.ReduceOut != 9 ||
		r.Counts.Copied != 1 || !math.IsNaN(r.Counts.Shuffled) {
		t.Errorf("the reduce is %+v", r)
	}
}

// TestHadoop20 reads a history with escapes, an error of several lines, a failed attempt and a lost output.
func TestHadoop20(t *testing.T) {
	j := read(t, tracked(t, "hadoop-0.20"))
	if j.Name != `PigLatin:a "b" \ c.pig` || j.State != dag.Killed || j.Finished != 1240335990000 || j.Bad != 0 ||
		j.Torn || len(j.Attempts[dag.Map]) != 3 {
		t.Fatalf("the job is %+v", j)
	}
	m := j.Attempts[dag.Map]
	if m[0].State != dag.AttemptFailed || m[0].Node != "n1.example.com" || m[0].End != 1240335970000 ||
		m[0].Diagnosis != "java.io.IOException: Task process exit with nonzero status of 15." {
		t.Errorf("the first is %+v", m[0])
	}
	if m[1].Number != 1 || m[1].Counts.MapIn != 3601 || m[1].Counts.MapOut != 26425 || m[1].Counts.Read != 53639 ||
		m[1].Usage.FileWritten != 37170 {
		t.Errorf("the second is %+v", m[1])
	}
	if m[2].State != dag.AttemptSucceeded || m[2].Lost != 1240335985000 || m[2].LostAs != dag.AttemptKilled ||
		m[2].LostWhy != "Lost task tracker" ||
		m[2].Node != "n3.example.com" || !math.IsNaN(m[2].Counts.MapIn) {
		t.Errorf("the third is %+v", m[2])
	}
}

// TestHadoop1 reads what later versions add: a queue, a workflow, a restarted JobTracker, CPU time and a reason of
// failure.
func TestHadoop1(t *testing.T) {
	j := read(t, tracked(t, "hadoop-1.2"))
	if j.Name != "Sleep job" || j.Queue != "default" || j.Launched != 1386370578600 || j.State != dag.Failed ||
		j.Diagnosis != "# of failed Reduce Tasks exceeded allowed limit" || !j.Sized || j.Bad != 0 {
		t.Errorf("the job is %+v", j)
	}
	s := j.Settings
	if s.Workflow != "pig_1" || s.WorkflowName != "sleep.pig" || s.Node != "scope-1" ||
		!cmp.Equal(s.After, map[string][]string{"scope-1": {"scope-2"}}) {
		t.Errorf("its workflow is %+v", s)
	}
	m, r := j.Attempts[dag.Map][0], j.Attempts[dag.Reduce][0]
	if m.Node != "n1" || m.Usage.CPU != 0.64 || m.Counts.Read != 47 || r.Counts.Shuffled != 22 ||
		r.Counts.Copied != 1 || r.Usage.Shuffled != 22 {
		t.Errorf("its attempts are %+v and %+v", m, r)
	}
}

// TestCollection reads several files in one, as Rumen takes them, with a configuration between them.
func TestCollection(t *testing.T) {
	text := "\f!!FILE=jt_1_job_1_conf.xml!!\n<?xml version=\"1.0\"?><configuration>\n<property/></configuration>\n\n!!FILE=a!!\n" +
		string(tracked(t, "hadoop-0.20")) + "\n\f!!FILE=b!!\n" + string(tracked(t, "hadoop-1.2"))
	jobs, err := readEvents(strings.NewReader(text))
	if err != nil || len(jobs) != 2 || jobs[0].ID != "job_200904211745_0002" || jobs[1].ID != "job_201311192236_3583" ||
		len(jobs[1].Attempts[0]) != 1 ||
		jobs[0].Bad+jobs[1].Bad != 0 {
		t.Errorf("%+v, %v", jobs, err)
	}
}

// TestTrackerDamage leaves out a record that has lost its end, and keeps the one after it. A history that breaks off
// says so.
func TestTrackerDamage(t *testing.T) {
	text := string(tracked(t, "hadoop-1.2"))
	j := read(t, []byte(strings.Replace(text, ` LOCALITY="NODE_LOCAL" AVATAAR="VIRGIN" .`, "", 1)))
	if j.Bad != 1 || len(j.Attempts[dag.Map]) != 1 || j.Attempts[dag.Map][0].Start.Known() {
		t.Errorf("without an end: %+v", j)
	}
	if j = read(t, []byte(strings.Replace(text, `HTTP_PORT="9999" LOCALITY`, `HTTP_PORT=9999 LOCALITY`, 1))); j.Bad != 1 {
		t.Errorf("without quotes: %+v", j)
	}
	for _, name := range []string{"hadoop-0.18", "hadoop-1.2"} {
		text := tracked(t, name)
		for cut := len(text) / 2; cut < len(text); cut += 7 {
			j := read(t, text[:cut])
			last := bytes.TrimRight(text[:cut], "\n ")
			if whole := bytes.HasSuffix(last, []byte(`"`)) && !bytes.HasSuffix(last, []byte(`="`)) &&
				name == "hadoop-0.18" || bytes.HasSuffix(last, []byte(`" .`)); j.Torn == whole || j.Bad > 0 {
				t.Errorf("%s cut at %d: torn %v, %d bad", name, cut, j.Torn, j.Bad)
			}
		}
	}
}

// TestNoTracker says what is wrong with what is none.
func TestNoTracker(t *testing.T) {
	for text, want := range map[string]string{
		"Meta VERSION=\"1\" .\n": "no event of a job",
		"Meta VERSION=\"1\" .\nJob JOBID=\"job_200904211745_0002\" LAUNCH_TIME=\"7\" TOTAL_MAPS=\"2\" .\n": "does not tell when job_200904211745_0002 was submitted",
		"Meta VERSION=\"1\" .\nJob JOBID=\"" + strings.Repeat("x", maxEvent) +
			"\nx": "a line of more than",
	} {
		if _, err := readEvents(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.50s: %v, want %q", text, err, want)
		}
	}
	for _, bad := range []string{"x\n", "\n", "<x>\n", "Task A=\"\n"} {
		if _, err := readEvents(mutate.Endless("Meta VERSION=\"1\" .\n", bad)); err == nil ||
			!strings.Contains(err.Error(), "more than 1000 lines in a row") {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if _, err := readEvents(mutate.Endless("Job JOBID=\"", "x\n")); err == nil ||
		!strings.Contains(err.Error(), "it is longer than") {
		t.Errorf("a record without an end: %v", err)
	}
}
