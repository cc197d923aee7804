package spark

import (
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/dag"
)

// poolsHTML is the part of /stages/ of Spark 3.5.6 about pools, with a stage below it.
const poolsHTML = `<table class="table table-bordered table-striped table-sm sortable table-fixed">
      <thead>
        <tr>
          <th>Pool Name</th>
          <th>
            <span data-toggle="tooltip" data-placement="top" title="Pool's minimum share of CPU
             cores">Minimum Share</span>
          </th>
          <th>
            <span data-toggle="tooltip" data-placement="top" title="Pool's share of cluster
             resources relative to others">Pool Weight</span>
          </th>
          <th>Active Stages</th>
          <th>Running Tasks</th>
          <th>SchedulingMode</th>
        </tr>
      </thead>
      <tbody>
        <tr>
      <td>
        <a href="/stages/pool?poolname=ann">ann</a>
      </td>
      <td>1</td>
      <td>3</td>
      <td>1</td>
      <td>1</td>
      <td>FAIR</td>
    </tr><tr>
      <td>
        <a href="/stages/pool?poolname=bob+%26+%3Cco%3E+%C3%A9">bob &amp; &lt;co&gt; é</a>
      </td>
      <td>0</td>
      <td>2147483647</td>
      <td>1</td>
      <td>0</td>
      <td>FIFO</td>
    </tr><tr>
      <td>
        <a href="/proxy/application_1_0001/stages/pool?poolname=odd">odd</a>
      </td>
      <td>-2</td>
      <td>-3</td>
      <td>0</td>
      <td>0</td>
      <td>FIFO</td>
    </tr>
      </tbody>
    </table>
    <table><tr><td><a href="/stages/pool?poolname=ann">late</a></td><td>7</td><td>7</td><td>7</td><td>7</td><td>FIFO</td></tr>
    </table>`

// TestTakePools checks that the pools are read from the page of a real driver, and from no other page.
func TestTakePools(t *testing.T) {
	t.Parallel()
	a := NewApp("app-1")
	a.conf["spark.scheduler.mode"] = "FAIR"
	for _, body := range []string{"", "SchedulingMode Pool Weight Minimum Share", poolsHTML[strings.Index(poolsHTML, "<tbody>"):]} {
		if took(a, 0, "/stages/", body) || len(a.pools) > 0 {
			t.Errorf("%q lists the pools %v", body, a.pools)
		}
	}
	u := &url.URL{Path: "/proxy/application_1_0001/stages/", RawQuery: "activeStage.pageSize=1"}
	if e, _ := endpointOf(u.Path); e == nil {
		t.Errorf("%s is no page of Spark's", u)
	}
	if !a.Take(&Answer{URL: u, Status: 200, Type: "text/html", Body: func() string { return poolsHTML }}) {
		t.Fatal("the page has no pools")
	}
	want := []dag.Pool{
		{Name: "ann", Weight: 3, MinShare: 1, Fair: true},
		{Name: "bob & <co> é", Weight: dag.MaxSlots},
	}
	if got := a.planner.poolsOf(); !slices.Equal(got, want) {
		t.Errorf("the pools are %+v, want %+v", got, want)
	}
	a.conf["spark.scheduler.mode"] = "FIFO"
	if got := a.planner.poolsOf(); got != nil {
		t.Errorf("a FIFO scheduler has the pools %+v", got)
	}
}

// A fairly is a driver with a FAIR scheduler. Its second job comes in a pool that no file has.
type fairly struct {
	*fake
	page   string
	second bool
}

func (f *fairly) Get(ctx context.Context, path string) ([]byte, error) {
	part, _, _ := strings.Cut(strings.TrimPrefix(path, root+"/app-1/"), "?")
	var jobs, stages []map[string]any
	for id, pool := range []string{"ann", "adhoc"} {
		if id == 0 || f.second {
			jobs = append(jobs, map[string]any{"jobId": id, "stageIds": []int{id}, "status": "RUNNING"})
			stages = append(stages, map[string]any{
				"stageId": id, "attemptId": 0, "status": "ACTIVE", "name": pool, "numTasks": 4, "schedulingPool": pool,
			})
		}
	}
	switch {
	case part == "environment":
		return []byte(`{"sparkProperties":[["spark.scheduler.mode","FAIR"]]}`), nil
	case part == "jobs":
		return json.Marshal(jobs)
	case part == "stages":
		return json.Marshal(stages)
	case strings.HasSuffix(part, "/taskList"):
		return []byte("[]"), nil
	case part == "jobs/0":
		return json.Marshal(jobs[0])
	case part == "jobs/1" && f.second:
		return json.Marshal(jobs[1])
	case part == "/stages/":
		f.requests = append(f.requests, path)
		if f.page == "" {
			return nil, &rest.Error{URL: path, Status: 403}
		}
		return []byte(f.page), nil
	}
	return f.fake.Get(ctx, path)
}

func (f *fairly) pages() (n int) {
	for _, path := range f.requests {
		if strings.HasPrefix(path, "/stages/") {
			n++
		}
	}
	return n
}

// TestSourcePools checks that the pools of a driver are requested once, and again if a stage has a pool that is not
// listed, three times at most, and that a warning names the unknown pools.
func TestSourcePools(t *testing.T) {
	t.Parallel()
	for _, refused := range []bool{false, true} {
		f := &fairly{fake: &fake{tasks: 4, now: 1795366700000}}
		if !refused {
			f.page = poolsHTML
		}
		s := NewSource(f, "")
		round := func() (pools []dag.Pool, warned string) {
			f.now += 1000
			snap, err := s.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, w := range snap.Warnings {
				if strings.Contains(w.Text, "minimal shares") {
					warned = w.Text
				}
			}
			return snap.Plan.Cluster.Pools, warned
		}
		for range 5 {
			pools, warned := round()
			if (len(pools) == 2) == refused || warned != "" { // one pool has no other to share with
				t.Errorf("refused %v: the pools are %v, warned %q", refused, pools, warned)
			}
		}
		requests := map[bool]int{false: 1, true: pageTries}[refused]
		if n := f.pages(); n != requests {
			t.Errorf("refused %v, five rounds: got %d requests of the page, want %d", refused, n, requests)
		}
		f.second = true
		unknown := map[bool]string{false: "of pool adhoc", true: "of 2 pools"}[refused]
		for range 5 {
			if _, warned := round(); !strings.Contains(warned, unknown) {
				t.Errorf("refused %v: the warning is %q, want %q", refused, warned, unknown)
			}
		}
		if n := f.pages(); n != requests+pageTries {
			t.Errorf("refused %v, ten rounds: got %d requests of the page, want %d", refused, n, requests+pageTries)
		}
		if refused {
			continue
		}
		f.page = strings.NewReplacer(">odd<", ">adhoc<", "<td>-3</td>", "<td>1</td>").Replace(poolsHTML)
		s = NewSource(f, "")
		if pools, warned := round(); len(pools) != 3 || warned != "" {
			t.Errorf("with all pools listed: %v, %q", pools, warned)
		}
	}
}
