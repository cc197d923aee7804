package mapreduce

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
)

// cluster sets metrics and, unless nodes is "", the list of nodes: "name state MB", separated by commas.
func (l *lab) cluster(total, active, lost int, nodes string) {
	l.rm["metrics"] = fmt.Sprintf(`{"clusterMetrics":{"totalMB":%d,"activeNodes":%d,"lostNodes":%d}}`, total, active,
		lost)
	if nodes == "" {
		return
	}
	var list []string
	for n := range strings.SplitSeq(nodes, ",") {
		var name, state string
		var mb int
		fmt.Sscanf(n, "%s %s %d", &name, &state, &mb)
		http := name + ":8042"
		if state == "LOST" {
			http = "" // as some versions do
		}
		list = append(list, fmt.Sprintf(
			`{"id":"%s:41","nodeHTTPAddress":"%s","state":"%s","usedMemoryMB":0,"availMemoryMB":%d}`, name, http, state,
			mb))
	}
	l.rm["nodes"] = `{"nodes":{"node":[` + strings.Join(list, ",") + `]}}`
}

func lost(s *dag.Snapshot) string {
	var out []string
	for _, n := range s.Nodes {
		if n.Lost {
			out = append(out, strings.TrimSuffix(n.Name, ":8042"))
		}
	}
	return strings.Join(out, " ")
}

// onNodes is a lab with three nodes, and two maps on the first one.
func onNodes(t *testing.T) *lab {
	l := newLab()
	l.apps("1 RUNNING UNDEFINED 1024")
	l.conf("0001", "a", "")
	l.runs("0001", 0, "SUCCEEDED", "RUNNING", "SCHEDULED")
	l.cluster(5120, 3, 0, "n1 RUNNING 1024,n2 RUNNING 1024,n3 RUNNING 3072")
	return l
}

// TestNodeLost: the ResourceManager lists the node as lost in the very tick in which the metrics count it.
func TestNodeLost(t *testing.T) {
	l := onNodes(t)
	src := NewSource(l, yarn.Target{})
	s := l.tick(t, src, 0)
	if lost(s) != "" || s.Plan.Cluster.MemoryMB != 5120 || len(s.Plan.Cluster.Nodes) != 3 ||
		s.Nodes[s.Jobs[0].Stages[dag.Map].Attempts[1].Node].Name != "n1:8042" {
		t.Fatalf("%+v %+v", s.Nodes, s.Plan.Cluster)
	}
	l.cluster(4096, 2, 1, "n1 LOST 0,n2 RUNNING 1024,n3 RUNNING 3072")
	s = l.tick(t, src, time.Second)
	if lost(s) != "n1" || s.Plan.Cluster.MemoryMB != 4096 || len(s.Plan.Cluster.Nodes) != 2 ||
		!warned(s, dag.WarnNodeLost) || s.Nodes[0].MemoryMB != 1024 {
		t.Errorf("%+v %+v %v", s.Nodes, s.Plan.Cluster, s.Warnings)
	}
	l.cluster(5120, 3, 0, "n1 RUNNING 1024,n2 RUNNING 1024,n3 RUNNING 3072")
	if s = l.tick(t, src, time.Second); lost(s) != "" || warned(s, dag.WarnNodeLost) {
		t.Errorf("it came back: %+v %v", s.Nodes, s.Warnings)
	}
}

// TestNodeNamedByMaster: if the list of nodes is old, as in a recording, the master's report of a node counts.
func TestNodeNamedByMaster(t *testing.T) {
	for what, c := range map[string]struct {
		total     int
		maps      []string
		diagnosis string // diagnosis of the running map's attempt, which was killed
		want      string
	}{
		"the master names it": {
			4096,
			[]string{"SUCCEEDED", "RUNNING"},
			"TaskAttempt killed because it ran on unusable nodeN:41", "n2",
		},
		"the master names one that no list has": {
			4096,
			[]string{"SUCCEEDED", "RUNNING"},
			"TaskAttempt killed because it ran on unusable node x:41", "",
		},
	} {
		l := onNodes(t)
		start := l.now
		src := NewSource(l, yarn.Target{Made: func(path string) dag.Instant {
			if strings.HasSuffix(path, "/nodes") {
				return start
			}
			return l.now
		}})
		l.tick(t, src, time.Second)
		l.cluster(c.total, 2, 1, "")
		l.runs("0001", 0, append(c.maps, "SCHEDULED")...)
		if c.diagnosis != "" {
			path := "0001/tasks/task_1_0001_m_000001/attempts"
			b := strings.Replace(l.am[path], `"RUNNING"`, `"KILLED","diagnostics":"`+strings.Replace(c.diagnosis, "N", "n2",
				1)+`\nContainer released on a *lost* node"`, 1)
			l.am[path] = b
		}
		s := l.tick(t, src, time.Second)
		if got := lost(s); got != c.want {
			t.Errorf("%s: lost is %q, want %q", what, got, c.want)
		}
		if s = l.tick(t, src, time.Second); lost(s) != c.want {
			t.Errorf("%s: a tick later lost is %q", what, lost(s))
		}
		l.cluster(c.total, 2, 2, "")
		if s = l.tick(t, src, time.Second); l.requests["nodes"] == 0 || lost(s) != c.want {
			t.Errorf("%s: after another request: lost %q", what, lost(s))
		}
	}
}

// TestNodeThatIsBack: attempts that were killed because their node was unhealthy show it for ever, and no more of it
// once it is back.
func TestNodeThatIsBack(t *testing.T) {
	for name, c := range map[string]struct {
		listed     bool // unhealthy at second 2
		start, end int  // of the attempt, in seconds; the node is listed again at second 3
		want       string
	}{
		"killed before it was back":                     {true, 1, 2, ""},
		"killed for it when it was back":                {true, 1, 4, ""},
		"started when it was back, and killed for more": {true, 4, 5, "n1"},
		"killed for a loss that no list reports":        {false, 1, 2, ""},
	} {
		l := onNodes(t)
		src := NewSource(l, yarn.Target{})
		began := l.now
		l.tick(t, src, time.Second)
		l.cluster(4096, 2, 1, "n1 "+map[bool]string{true: "UNHEALTHY", false: "RUNNING"}[c.listed]+
			" 1024,n2 RUNNING 1024,n3 RUNNING 3072")
		if s := l.tick(t, src, time.Second); (lost(s) == "n1") != c.listed {
			t.Fatalf("%s: lost is %q", name, lost(s))
		}
		l.cluster(5120, 3, 0, "n1 RUNNING 1024,n2 RUNNING 1024,n3 RUNNING 3072")
		l.tick(t, src, time.Second)
		l.tick(t, src, 2*time.Second)
		path := "0001/tasks/task_1_0001_m_000001/attempts"
		at := func(second int) int64 { return int64(began) + int64(second)*1000 }
		l.am[path] = strings.Replace(l.am[path], `"RUNNING"`,
			`"KILLED","diagnostics":"TaskAttempt killed because it ran on unusable noden1:41"`, 1)
		l.am[path] = regexp.MustCompile(`"startTime":\d+`).ReplaceAllString(l.am[path],
			fmt.Sprintf(`"startTime":%d`, at(c.start)))
		l.am[path] = regexp.MustCompile(`"finishTime":\d+`).ReplaceAllString(l.am[path],
			fmt.Sprintf(`"finishTime":%d`, at(c.end)))
		if s := l.tick(t, src, 0); lost(s) != c.want {
			t.Errorf("%s: lost is %q, want %q (%s)", name, lost(s), c.want, l.am[path])
		}
		before := l.requests["nodes"]
		if s := l.tick(t, src, time.Second); lost(s) != "" || c.want != "" && l.requests["nodes"] == before {
			t.Errorf("%s: the list has it, and lost is %q", name, lost(s))
		}
	}
}

// TestDrainedNodeNamed: a node that was last listed as one that drains has been decommissioned when its attempts are
// killed for it.
func TestDrainedNodeNamed(t *testing.T) {
	l := onNodes(t)
	l.cluster(4096, 2, 0, "n1 DECOMMISSIONING 1024,n2 RUNNING 1024,n3 RUNNING 3072")
	start := l.now
	src := NewSource(l, yarn.Target{Made: func(path string) dag.Instant {
		if strings.HasSuffix(path, "/nodes") {
			return start
		}
		return l.now
	}})
	if s := l.tick(t, src, time.Second); !s.Nodes[0].Draining {
		t.Fatalf("%+v", s.Nodes)
	}
	path := "0001/tasks/task_1_0001_m_000001/attempts"
	l.am[path] = strings.Replace(l.am[path], `"RUNNING"`,
		`"KILLED","diagnostics":"TaskAttempt killed because it ran on unusable noden1:41"`, 1)
	s := l.tick(t, src, time.Second)
	if n := s.Nodes[0]; !n.Lost || n.Draining || n.Cause != dag.NodeDecommissioned {
		t.Errorf("%+v", n)
	}
}

// TestSnapshotsKeepTheirNodes: what a snapshot holds of nodes is not changed by what comes later.
func TestSnapshotsKeepTheirNodes(t *testing.T) {
	l := onNodes(t)
	src := NewSource(l, yarn.Target{})
	before := l.tick(t, src, 0)
	l.cluster(4096, 2, 1, "n1 LOST 0,n2 RUNNING 1024,n3 RUNNING 3072")
	l.tick(t, src, time.Second)
	if lost(before) != "" {
		t.Error("an old snapshot has changed")
	}
}

// TestNodeStates: a node that drains is none that is lost, one that is unhealthy or decommissioned is lost for a cause,
// and one that was started again is not lost because its old self is listed as well.
func TestNodeStates(t *testing.T) {
	l := onNodes(t)
	src := NewSource(l, yarn.Target{})
	l.tick(t, src, 0)
	for step, c := range []struct {
		state string
		want  dag.NodeState
		warns string
	}{
		{"DECOMMISSIONING", dag.NodeState{Draining: true}, dag.WarnNodeClosed},
		{"DECOMMISSIONED", dag.NodeState{Lost: true, Cause: dag.NodeDecommissioned}, dag.WarnNodeLost},
		{"RUNNING", dag.NodeState{}, ""},
		{"UNHEALTHY", dag.NodeState{Lost: true, Cause: dag.NodeUnhealthy}, dag.WarnNodeLost},
		{"RUNNING", dag.NodeState{}, ""},
		{"SHUTDOWN", dag.NodeState{Lost: true}, dag.WarnNodeLost},
	} {
		active := 2
		if c.state == "RUNNING" {
			active = 3
		}
		l.cluster(4096, active, step, "n1 "+c.state+" 1024,n2 RUNNING 1024,n3 RUNNING 3072")
		s := l.tick(t, src, time.Second)
		got := s.Nodes[0]
		if got.LostAt.Known() != got.Lost {
			t.Errorf("%s: lost %v at %v", c.state, got.Lost, got.LostAt)
		}
		got.Name, got.MemoryMB, got.LostAt = "", 0, 0
		if got != c.want {
			t.Errorf("%s: %+v, want %+v", c.state, got, c.want)
		}
		for _, code := range []string{dag.WarnNodeLost, dag.WarnNodeClosed} {
			if warned(s, code) != (code == c.warns) {
				t.Errorf("%s: warned of %s: %v", c.state, code, s.Warnings)
			}
		}
		if n := len(s.Plan.Cluster.Nodes); n != active {
			t.Errorf("%s: %d nodes take containers, want %d", c.state, n, active)
		}
	}
	l.cluster(5120, 3, 1, "n1 RUNNING 1024,n2 RUNNING 1024,n3 RUNNING 3072")
	for _, order := range []string{"%s,%s", "%[2]s,%[1]s"} {
		l.rm["nodes"] = `{"nodes":{"node":[` + fmt.Sprintf(order,
			`{"id":"n1:40","nodeHTTPAddress":"n1:8042","state":"LOST"}`,
			`{"id":"n1:99","nodeHTTPAddress":"n1:8042","state":"RUNNING","usedMemoryMB":0,"availMemoryMB":1024}`) +
			`]}}`
		l.rm["metrics"] = strings.Replace(l.rm["metrics"], `"lostNodes":1`, `"lostNodes":2`, 1)
		if s := l.tick(t, src, time.Second); s.Nodes[0].Lost {
			t.Errorf("%s: a node that was started again is lost", order)
		}
	}
}

// TestNodeLabels: a node of a partition is reported as one, and is none of those that plans count.
func TestNodeLabels(t *testing.T) {
	l := onNodes(t)
	l.rm["nodes"] = strings.Replace(l.rm["nodes"], `"nodeHTTPAddress":"n3:8042"`,
		`"nodeHTTPAddress":"n3:8042","nodeLabels":["gpu"]`, 1)
	s := l.tick(t, NewSource(l, yarn.Target{}), 0)
	if s.Nodes[2].Label != "gpu" || len(s.Plan.Cluster.Nodes) != 2 {
		t.Errorf("%+v %+v", s.Nodes, s.Plan.Cluster.Nodes)
	}
}

// TestNodeAvoided: once attempts have failed, the nodes that the newest master avoids are requested.
func TestNodeAvoided(t *testing.T) {
	l := onNodes(t)
	l.rm["apps/application_1_0001/appattempts"] = `{"appAttempts":{"appAttempt":[{"id":1,"blacklistedNodes":"n3"},{"id":2,"blacklistedNodes":"n1, n2"}]}}`
	src := NewSource(l, yarn.Target{})
	for range 4 {
		if s := l.tick(t, src, time.Second); s.Jobs[0].Avoided != nil {
			t.Fatalf("nothing has failed, and %v are avoided", s.Jobs[0].Avoided)
		}
	}
	path := "0001/tasks/task_1_0001_m_000001/attempts"
	l.am[path] = strings.Replace(l.am[path], `"RUNNING"`, `"FAILED"`, 1)
	l.tick(t, src, time.Second)
	s := l.tick(t, src, time.Second)
	if !slices.Equal(s.Jobs[0].Avoided, []int32{0, 1}) || !warned(s, dag.WarnNodeClosed) {
		t.Errorf("avoided %v, want the first two; warnings %v", s.Jobs[0].Avoided, s.Warnings)
	}
}

// TestPreempted: an attempt whose container the scheduler preempted is killed without a failure, and its task
// waits again. The answers are those of a real ResourceManager that preempts.
func TestPreempted(t *testing.T) {
	l := newLab()
	l.apps("1 RUNNING UNDEFINED 1024")
	l.conf("0001", "a", "")
	l.runs("0001", 0, "RUNNING", "RUNNING")
	src := NewSource(l, yarn.Target{})
	if s := l.tick(t, src, 0); mapStates(s, 0)[dag.AttemptRunning] != 2 {
		t.Fatalf("%+v", s.Jobs[0].Stages[dag.Map])
	}
	attempts := l.am["0001/tasks/task_1_0001_m_000001/attempts"]
	l.runs("0001", 0, "RUNNING", "SCHEDULED")
	// The master's kill is under way, so that it has no end yet; the next attempt waits.
	l.am["0001/tasks/task_1_0001_m_000001/attempts"] = strings.NewReplacer(`"RUNNING"`,
		`"KILLED","diagnostics":"Container preempted by scheduler"`, `"progress":30`, `"progress":100.0`, "}]}",
		`},{"id":"attempt_1_0001_m_000001_1","state":"STARTING","startTime":0,"finishTime":0,"progress":0.0}]}`).Replace(attempts)
	l.am["0001"] = strings.Replace(l.am["0001"], `"mapsTotal"`, `"mapsPending":1,"mapsTotal"`, 1)
	s := l.tick(t, src, time.Second)
	all := s.Jobs[0].Stages[dag.Map].Attempts
	killed := mapStates(s, 0)[dag.AttemptKilled]
	if killed != 1 || mapStates(s, 0)[dag.AttemptFailed] != 0 || all[0].State != dag.AttemptRunning ||
		all[1].State != dag.AttemptKilled {
		t.Fatalf("%+v", all)
	}
	for range 3 {
		s = l.tick(t, src, time.Second)
	}
	if s.State != dag.Running || s.Jobs[0].State != dag.Running || len(s.Warnings) != 0 {
		t.Errorf("%s, job %s, warnings %v", s.State, s.Jobs[0].State, s.Warnings)
	}
}
