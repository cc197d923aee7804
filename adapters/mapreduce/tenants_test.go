package mapreduce

import (
	"fmt"
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
)

// addTenant adds another user's job to the lab: its master's responses about it and its tasks.
func (l *lab) addTenant(job string) {
	l.rm["apps"] = strings.Replace(l.rm["apps"], `"id":"application_1_`+job+`","user":"alice","name":"PigLatin:q.pig"`,
		`"resourceInfo":{"resourceUsagesByPartition":[{"pending":{"memory":768},"amUsed":{"memory":512}}]},"id":"application_1_`+job+`","user":"bob","name":"theirs"`, 1)
	l.am[job] = `{"job":{"startTime":1795000001000,"state":"RUNNING","mapsTotal":8,"mapsCompleted":3,"mapsRunning":2,"mapsPending":3,"mapProgress":50.0,` +
		`"reducesTotal":2,"reducesCompleted":0,"reducesRunning":0,"reducesPending":2,"reduceProgress":0.0}}`
	var tasks []string
	for i, ms := range []int{4000, 5000, 9000} {
		tasks = append(tasks, fmt.Sprintf(
			`{"id":"task_1_%s_m_%06d","state":"SUCCEEDED","startTime":%d,"finishTime":%d,"progress":100}`, job, i,
			labStart, labStart+ms))
	}
	tasks = append(tasks, fmt.Sprintf(
		`{"id":"task_1_%s_m_000003","state":"RUNNING","startTime":%d,"finishTime":0,"progress":50}`, job, labStart))
	l.am[job+"/tasks"] = `{"tasks":{"task":[` + strings.Join(tasks, ",") + `]}}`
}

// tenantLab returns a lab with our job 2 and bob's job 1.
func tenantLab() *lab {
	l := newLab()
	l.apps("1 RUNNING UNDEFINED 1024", "2 RUNNING UNDEFINED 512")
	l.conf("0002", "a", "")
	l.runs("0002", 0, "RUNNING")
	l.addTenant("0001")
	return l
}

// TestNeed: the remaining work of another user's job is requested from its master, but seldom.
func TestNeed(t *testing.T) {
	l := tenantLab()
	src := NewSource(l, yarn.Target{User: "alice"})
	s := l.tick(t, src, 0)
	if len(s.Load) != 1 || s.Load[0].Need == nil {
		t.Fatalf("load %+v", s.Load)
	}
	want := dag.Need{
		At:     l.now,
		Map:    dag.NeedPhase{Tasks: 8, Done: 3, Running: 2, Progress: 0.5, LengthMS: 6000, TaskMB: 170},
		Reduce: dag.NeedPhase{Tasks: 2, Progress: 0, LengthMS: math.NaN(), TaskMB: 170},
	}
	if got := s.Load[0].Need; fmt.Sprint(*got) != fmt.Sprint(want) {
		t.Errorf("got  %+v\nwant %+v", *got, want)
	}
	reported, polled, listed := s.Load[0].Need, 0, 0
	for range 59 {
		s = l.tick(t, src, time.Second)
		polled += l.requests["jobs/job_1_0001"]
		listed += l.requests["jobs/job_1_0001/tasks"]
	}
	if polled != 3 || listed != 1 {
		t.Errorf("requests to its master in a minute: got %d, and %d of its tasks, want 3 and 1", polled, listed)
	}
	if reported.At != labStart || s.Load[0].Need.At <= reported.At {
		t.Errorf("an older snapshot's need is of %v, the newest one of %v", reported.At, s.Load[0].Need.At)
	}
}

// TestNeedRefused: a master that refuses requests reports no need and gets no more requests. The last need of one that
// does not respond is kept for a while.
func TestNeedRefused(t *testing.T) {
	l := tenantLab()
	src := NewSource(l, yarn.Target{User: "alice"})
	l.tick(t, src, 0)
	l.refused = map[string]int{"jobs/job_1_0001": http.StatusForbidden}
	if s := l.tick(t, src, 20*time.Second); s.Load[0].Need != nil || len(s.Warnings) != 1 {
		t.Errorf("refused: %+v, warnings %v", s.Load[0].Need, s.Warnings)
	}
	if l.tick(t, src, time.Minute); l.requests["jobs/job_1_0001"] != 0 {
		t.Error("requested again a minute after it refused")
	}
	l.refused = nil
	if s := l.tick(t, src, 5*time.Minute); s.Load[0].Need == nil {
		t.Error("it responds again: got no need")
	}
	l.refused = map[string]int{"jobs/job_1_0001": http.StatusInternalServerError}
	if s := l.tick(t, src, 20*time.Second); s.Load[0].Need == nil {
		t.Error("the need is gone after one failed request")
	}
	for range 20 {
		l.tick(t, src, 30*time.Second)
	}
	if s := l.tick(t, src, time.Second); s.Load[0].Need != nil {
		t.Errorf("ten minutes later: got the need %+v, want none", s.Load[0].Need)
	}
}

// TestNeedBounded: of many other applications some are followed, with few requests a tick.
func TestNeedBounded(t *testing.T) {
	l := newLab()
	var apps []string
	for i := range 60 {
		apps = append(apps, fmt.Sprintf("%d RUNNING UNDEFINED %d", i+1, 512+256*(i%7)))
	}
	l.apps(apps...)
	l.conf("0001", "a", "")
	l.runs("0001", 0, "RUNNING")
	for i := 1; i < 60; i++ {
		l.addTenant(fmt.Sprintf("%04d", i+1))
	}
	src := NewSource(l, yarn.Target{ID: "application_1_0001"})
	seen := map[string]bool{}
	for tick := range 30 {
		s := l.tick(t, src, time.Second)
		masters := 0
		for path := range l.requests {
			if job, ok := strings.CutPrefix(path, "jobs/job_1_"); ok && len(job) == 4 && job != "0001" {
				masters++
				seen[job] = true
			}
		}
		if masters > needsATick {
			t.Fatalf("tick %d: requests to %d masters", tick, masters)
		}
		known := 0
		for i := range s.Load {
			if s.Load[i].Need != nil {
				known++
			}
		}
		if tick == 29 && known != needFollowed {
			t.Errorf("the needs of %d applications are known, want %d", known, needFollowed)
		}
	}
	if len(seen) != needFollowed {
		t.Errorf("got requests to %d masters, want %d", len(seen), needFollowed)
	}
}

// TestHubNeeds checks that a hub requests needs once for all its sources, and never if no source uses them.
func TestHubNeeds(t *testing.T) {
	l := tenantLab()
	hub := newHub(l)
	a, b := hub.Source("application_1_0002").(*Source), hub.Source("application_1_0002").(*Source)
	if err := refresh(t, hub); err != nil {
		t.Fatal(err)
	}
	byHub := l.requests["jobs/job_1_0001"]
	for _, src := range []*Source{a, b} {
		s, err := src.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(s.Load) != 1 || s.Load[0].Need == nil || s.Load[0].Need.Map.Done != 3 {
			t.Errorf("load %+v", s.Load)
		}
	}
	if byHub != 1 || l.requests["jobs/job_1_0001"] != 1 {
		t.Errorf("got %d requests by the hub, %d in all, want 1 and 1", byHub, l.requests["jobs/job_1_0001"])
	}
}
