package mapreduce

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/adapters/naming"
)

// settingsIn reads the settings in a body that a real Hadoop gave (testdata: copied from recordings, cut to the
// properties that are read).
func settingsIn(t *testing.T, name string) Settings {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	properties, err := Properties(name, b, nil)
	if err != nil {
		t.Fatal(err)
	}
	return ReadSettings(properties)
}

// TestHiveConf reads what Hive 2.3.9 itself gave the first job of a query (testdata: our own live run on Hadoop
// 2.10.2).
func TestHiveConf(t *testing.T) {
	c := settingsIn(t, "conf-hive.json")
	if c.Workflow != "hive_root_20261122075408_4e29a39a-44a7-47dd-8bed-d1d1e124c915" ||
		c.WorkflowName != "select x.n, count(*)" || c.Node != "Stage-1" || c.Parallel {
		t.Errorf("%+v", c)
	}
	var order []string
	for _, v := range GraphOf([]Member{{Job: "job_1_0001", Settings: &c}}).Vertices {
		order = append(order, v.Node)
	}
	if got := strings.Join(order, " "); got != "Stage-1 Stage-5 Stage-2 Stage-3 Stage-4" {
		t.Errorf("the stages are %s", got)
	}
	if got := naming.JobTitle("select x.n, count(*)\nfrom (select k, c...x.n(Stage-1)"); got != "select x.n, count(*) (Stage-1)" {
		t.Errorf("the job is called %q", got)
	}
}

// TestStages: stages that need no job, and the order in which Hive runs the others.
func TestStages(t *testing.T) {
	for _, c := range []struct {
		what, graph string
		jobs        string // the stages that are submitted, in that order
		parallel    bool
		want        string
	}{
		{"two that are joined, one after the other", "1:2 3:2 2:4", "1", false, "1[] 3[0] 2[0 1] 4[2]"},
		{"the order in which they came counts", "1:2 3:2 2:4", "3", false, "3[] 1[0] 2[0 1] 4[2]"},
		{"at once", "1:2 3:2 2:4", "1", true, "1[] 3[] 2[0 1] 4[2]"},
		{"what moves the result is not a job", "1:0 0:2", "1", false, "1[]"},
		{"unless it is one", "1:0 0:2", "1 0", false, "1[] 0[0]"},
		{"a first Stage-0 is one", "0:1", "0", false, "0[] 1[0]"},
		{"what was passed is not a job", "1:7 7:3 3:2", "1 2", false, "1[] 2[0]"},
		{"one that is not in the graph", "1:2", "1 5", false, "1[] 5[0] 2[0 1]"},
		{"a circle", "1:2 2:1", "1 2", false, "1[] 2[0]"},
	} {
		after := map[string][]string{}
		for _, e := range strings.Fields(c.graph) {
			from, to, _ := strings.Cut(e, ":")
			after["Stage-"+from] = append(after["Stage-"+from], "Stage-"+to)
		}
		var jobs []Member
		for i, n := range strings.Fields(c.jobs) {
			id := fmt.Sprintf("job_1_%04d", i+1)
			jobs = append(jobs, Member{Job: id, Settings: &Settings{
				Workflow: "hive_q", Node: "Stage-" + n, After: after, Parallel: c.parallel,
			}})
		}
		var got []string
		g := GraphOf(jobs)
		if g.Parallel != c.parallel {
			t.Errorf("%s: parallel %v", c.what, g.Parallel)
		}
		for _, v := range g.Vertices {
			if v.After == nil {
				v.After = []int{}
			}
			got = append(got, strings.TrimPrefix(v.Node, "Stage-")+fmt.Sprint(v.After))
		}
		if text := strings.Join(got, " "); text != c.want {
			t.Errorf("%s: %s, want %s", c.what, text, c.want)
		}
	}
}
