package training

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paratimer/paratimer/adapters/planfile"
	"github.com/paratimer/paratimer/estimators/queueing"
)

// Every field once, in every notation of a time.
const full = `
version: 1
name: all fields
cluster:
  nodes: 3
  cpus: 4
  disks: 6
  map_slots: 2
  reduce_slots: 2
  shuffle_threads: 1
jobs:
- name: first
  copies: 2
  maps: 150
  reduces: 3
  map: {cpu: 5.1057s, disk: 14.35, fibre: 67.7ms, network: 0}
  shuffle: {cpu: 1m1.5s, disk: 0, fibre: 1e-3s, network: .185s}
  merge: {cpu: 47258ms, disk: 1h, fibre: 5us, network: 3ns}
- {name: maps alone, maps: 1, map: {disk: 1s}}
`

var fullFile = &JobFile{
	Name: "all fields",
	Spec: queueing.Spec{
		Nodes: 3, CPUs: 4, Disks: 6, MapSlots: 2, ReduceSlots: 2, ShuffleThreads: 1, Jobs: []queueing.Job{
			{
				Name: "first", Copies: 2, Maps: 150, Reduces: 3,
				Map:     queueing.Demand{CPU: 5.1057, Disk: 14.35, Fibre: 0.0677},
				Shuffle: queueing.Demand{CPU: 61.5, Fibre: 1e-3, Network: 0.185},
				Merge:   queueing.Demand{CPU: 47.258, Disk: 3600, Fibre: 5e-6, Network: 3e-9},
			},
			{Name: "maps alone", Copies: 1, Maps: 1, Map: queueing.Demand{Disk: 1}},
		},
	},
}

func TestRead(t *testing.T) {
	got, err := ReadJobs([]byte(full), "job.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(fullFile, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestDefaults(t *testing.T) {
	got, err := ReadJobs([]byte("cluster: {nodes: 1, cpus: 1, map_slots: 1}\njobs: [{name: j, maps: 1, map: {cpu: 1}}]"),
		"job.yaml")
	if err != nil {
		t.Fatal(err)
	}
	want := queueing.Spec{Nodes: 1, CPUs: 1, Disks: 1, MapSlots: 1, ReduceSlots: 1, ShuffleThreads: 5, Jobs: got.Jobs}
	if !reflect.DeepEqual(got.Spec, want) || got.Jobs[0].Copies != 1 || got.Jobs[0].Reduces != 0 {
		t.Errorf("%+v", got)
	}
}

// TestFaults: every fault is reported at its place, without a file.
func TestFaults(t *testing.T) {
	head := "cluster: {nodes: 1, cpus: 1, map_slots: 1}\njobs:\n"
	job := func(more string) string { return head + "- {name: j, maps: 2, " + more + "}\n" }
	for _, c := range []struct{ text, want string }{
		{"", "1:1: the file has no job file: it is empty"},
		{"[]", "1:1: this is a list: a job file is a mapping"},
		{"jobs: []", "1:1: the job file has no \"cluster\", which it needs"},
		{head + "[]", "3:1: jobs is an empty list: it must be a list of 1 to 100 jobs"},
		{
			strings.Replace(job("map: {cpu: 1}"), "nodes: 1", "nodes: 0", 1),
			"1:18: cluster.nodes is 0: it must be a whole number from 1 to 100000",
		},
		{
			strings.Replace(job("map: {cpu: 1}"), "slots: 1}", "slots: 1, shuffle_threads: 0}", 1),
			"1:61: cluster.shuffle_threads is 0: it must be a whole number from 1 to 10000",
		},
		{
			strings.Replace(job("map: {cpu: 1}"), "cpus: 1", "cpus: 1.5", 1),
			"1:27: cluster.cpus is 1.5: it must be a whole number",
		},
		{
			job("map: {cpu: -1}"),
			"3:33: jobs[0].map.cpu is -1: it must be a time of 0 to 10000000s, such as 5.1s or 250ms; a number alone is seconds",
		},
		{job("map: {cpu: .nan}"), "3:33: jobs[0].map.cpu is .nan: it must be a time of 0 to"},
		{job("map: {cpu: 5 s}"), "3:33: jobs[0].map.cpu is \"5 s\": it must be a time of 0 to"},
		{job("map: {cpu: 20000000s}"), "3:33: jobs[0].map.cpu is \"20000000s\": it must be a time of 0 to 10000000s"},
		{job("map: {cpu: '0x10'}"), "3:33: jobs[0].map.cpu is \"0x10\": it must be a time"},
		{job("map: {}"), "3:27: map has no demand: give it cpu, disk, fibre or network"},
		{job("map: {fiber: 1}"), `3:28: unknown field "fiber" in jobs[0].map; did you mean "fibre"?`},
		{
			job("map: {cpu: 1}, reduces: 2"),
			"reduces is 2, but shuffle and merge have no demand: give that of a reduce",
		},
		{
			job("map: {cpu: 1}, shuffle: {cpu: 1}"),
			"shuffle is a demand of reduces, and the job has none: give reduces",
		},
		{job("map: {cpu: 1}, merge: {cpu: 1}"), "merge is a demand of reduces, and the job has none: give reduces"},
		{
			strings.Replace(job("map: {cpu: 1}"), "maps: 2", "maps: 0", 1),
			"3:19: maps is 0: a MapReduce job has at least one map",
		},
		{
			strings.Replace(job("map: {cpu: 1}"), "maps: 2", "maps: 1000000000", 1),
			"3:19: jobs[0].maps is 1000000000: it must be a whole number from 0 to 10000000",
		},
		{
			strings.Replace(job("map: {cpu: 1}"), "maps: 2", "maps: 2, copies: 0", 1),
			"jobs[0].copies is 0: it must be a whole number from 1 to 10000",
		},
		{
			job("map: {cpu: 1}") + "- {name: j, maps: 1, map: {cpu: 1}}",
			`4:10: the name "j" is that of job 1: results are listed by name, so each is given once`,
		},
	} {
		f, err := ReadJobs([]byte(c.text), "job.yaml")
		if err == nil || f != nil {
			t.Errorf("%q is read", c.text)
			continue
		}
		if first, _, _ := strings.Cut(err.Error(), "\n"); !strings.Contains(first, c.want) {
			t.Errorf("%q\n got %s\nwant %s", c.text, first, c.want)
		}
		if _, ok := errors.AsType[*planfile.Error](err); !ok {
			t.Errorf("%q: %T has no place", c.text, err)
		}
	}
}

// TestManyFaults: all faults are reported at once.
func TestManyFaults(t *testing.T) {
	_, err := ReadJobs([]byte("cluster: {nodes: 1, cpus: 1, map_slots: 1}\njobs:\n- {name: j, maps: 0, map: {cpu: 1}, merge: {cpu: 2}}\n- {name: j, maps: 1, map: {}}\n"), "job.yaml")
	if n := strings.Count("\n"+err.Error(), "\njob.yaml:"); n != 4 {
		t.Errorf("%d faults of 4\n%v", n, err)
	}
}

func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	if _, err := ReadJobFile(filepath.Join(dir, "absent.yaml"), nil); !os.IsNotExist(err) {
		t.Errorf("absent: %v", err)
	}
	if _, err := ReadJobFile(dir, nil); err == nil ||
		!strings.HasSuffix(err.Error(), "is a directory") {
		t.Errorf("directory: %v", err)
	}
	if _, err := ReadJobFile("-", strings.NewReader("# "+strings.Repeat("x", maxBytes))); err == nil ||
		!strings.Contains(err.Error(), "stdin: it is longer than 1024 KiB") {
		t.Errorf("large: %v", err)
	}
	f, err := ReadJobFile("-",
		strings.NewReader(`{"cluster": {"nodes": 1, "cpus": 1, "map_slots": 1}, "jobs": [{"name": "j", "maps": 1, "map": {"cpu": 2}}]}`))
	if err != nil || f.Jobs[0].Map.CPU != 2 {
		t.Errorf("JSON: %v", err)
	}
}

func TestExamples(t *testing.T) {
	for _, name := range []string{"hadoop-online.yaml", "etl-cluster.yaml"} {
		if _, err := ReadJobFile("../../../../examples/"+name, nil); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestWrite(t *testing.T) {
	var b bytes.Buffer
	file := *fullFile
	file.Comments = []string{"learned from\x1b[31m x", "assumed\nmaps: 7"}
	if err := WriteJobs(&b, &file); err != nil {
		t.Fatal(err)
	}
	want := `# learned from [31m x
# assumed maps: 7
version: 1
name: "all fields"
cluster:
  nodes: 3
  cpus: 4
  disks: 6
  map_slots: 2
  reduce_slots: 2
  shuffle_threads: 1
jobs:
- name: first
  copies: 2
  maps: 150
  reduces: 3
  map: {cpu: 5.1057s, fibre: 0.0677s, disk: 14.35s}
  shuffle: {cpu: 61.5s, fibre: 0.001s, network: 0.185s}
  merge: {cpu: 47.258s, fibre: 5e-06s, disk: 3600s, network: 3e-09s}
- name: "maps alone"
  copies: 1
  maps: 1
  map: {disk: 1s}
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	bad := *fullFile
	bad.Jobs = []queueing.Job{{Name: "j", Copies: 1}}
	b.Reset()
	if err := WriteJobs(&b, &bad); err == nil || b.Len() > 0 {
		t.Errorf("a file that cannot be read again: %v, %d bytes", err, b.Len())
	}
}

// TestJobNamesAreClean: control characters of a file's names are escaped.
func TestJobNamesAreClean(t *testing.T) {
	f, err := ReadJobs([]byte(`{"version": 1, "name": "m\u001b\u202e", "cluster": {"nodes": 1, "cpus": 1, "map_slots": 1},
		"jobs": [{"name": "j\u001b\u202e", "maps": 1, "map": {"cpu": "1s"}}]}`), "jobs.json")
	if err != nil || f.Name != `m\x1b\u202e` || f.Jobs[0].Name != `j\x1b\u202e` {
		t.Errorf("%+v, %v", f, err)
	}
}
