package restsim

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/paratimer/paratimer/dag"
)

// apps lists the applications of each run, newest first, with the filters that a watcher may use. An application that
// has not ended counts as ended at 0.
func (c *Cluster) apps(q url.Values) string {
	since := func(filter string) int64 {
		v, _ := strconv.ParseInt(q.Get(filter), 10, 64) // 0 if there is no filter
		return v
	}
	states, filler := strings.Split(q.Get("states"), ","), appFiller
	if strings.Contains(q.Get("deSelects"), "resourceInfo") {
		filler = briefFiller
	}
	var all []string
	for _, r := range c.runs {
		for _, j := range slices.Backward(r.jobs) {
			if j != nil && (!q.Has("user") || q.Get("user") == j.user()) &&
				(!q.Has("states") || slices.Contains(states, j.yarnState())) &&
				ms(j.state.Submitted) >= since("startedTimeBegin") && ms(j.state.Finished) >= since("finishedTimeBegin") {
				all = append(all, j.app(filler))
			}
		}
	}
	if len(all) == 0 {
		return `{"apps":{}}`
	}
	return `{"apps":{"app":[` + strings.Join(all, ",") + `]}}`
}

func (j *job) yarnState() string {
	switch j.state.State {
	case dag.Submitted:
		return "ACCEPTED"
	case dag.Running:
		return "RUNNING"
	case dag.Killed:
		return "KILLED"
	}
	return "FINISHED"
}

func (j *job) app(filler string) string {
	s := j.state
	final, containers, held := "UNDEFINED", 1, s.HeldMB
	for k := range j.phases {
		containers += j.phases[k].attempts[dag.AttemptRunning]
	}
	if s.State.Ended() {
		final, containers = stateNames[s.State], -1
		if held == 0 {
			held = -1
		}
	}
	return fmt.Sprintf(`{"id":"application_%s","user":%s,"name":%s,"queue":"root.default","state":"%s","finalStatus":"%s","progress":%s,"trackingUI":"ApplicationMaster","trackingUrl":"http://rm:8088/proxy/application_%s/","diagnostics":"","clusterId":1,"applicationType":"MAPREDUCE","applicationTags":"","priority":0,"startedTime":%d,"launchTime":%d,"finishedTime":%d,"elapsedTime":%d,"amContainerLogs":"","amHostHttpAddress":"node-0:8042","masterNodeId":"node-0:36241","allocatedMB":%d,"allocatedVCores":1,"reservedMB":0,"reservedVCores":0,"runningContainers":%d,"memorySeconds":0,"vcoreSeconds":0,"queueUsagePercentage":0.0,"clusterUsagePercentage":0.0,"resourceSecondsMap":{"entry":{"key":"memory-mb","value":"0"},"entry":{"key":"vcores","value":"0"}},%s}`,
		j.number, quote(j.user()), quote(j.name()), j.yarnState(), final,
		percent((j.phases[0].share()+j.phases[1].share())/2), j.number, ms(s.Submitted), ms(s.Submitted),
		ms(s.Finished), elapsed(s.Submitted, s.Finished, j.now), held, containers, filler)
}

// appFiller replaces the resources by partition, which are most of an application's 3.7 KB; briefFiller does if a
// request deselects the resources.
var (
	appFiller   = `"preemptedResourceMB":0,"unmanagedApplication":false,"filler":"` + strings.Repeat("x", 2560) + `"`
	briefFiller = `"preemptedResourceMB":0,"unmanagedApplication":false,"filler":"` + strings.Repeat("x", 330) + `"`
)

func (j *job) appAttempts() string {
	var all []string
	for n := range max(1, j.state.Attempt) {
		all = append(all, fmt.Sprintf(
			`{"id":%d,"startTime":%d,"finishedTime":0,"containerId":"container_%s_%02d_000001","nodeHttpAddress":"node-0:8042","nodeId":"node-0:36241","logsLink":"","blacklistedNodes":"","nodesBlacklistedBySystem":"","appAttemptId":"appattempt_%s_%06d","exportPorts":"null","appAttemptState":"RUNNING"}`,
			n+1, ms(j.state.Submitted), j.number, n+1, j.number, n+1))
	}
	return `{"appAttempts":{"appAttempt":[` + strings.Join(all, ",") + `]}}`
}

// memory returns the memory of all nodes and how much of it is allocated; each slot counts as a container of 1 GB.
func (c *Cluster) memory() (mb, held int) {
	for _, r := range c.runs {
		if r.snap == nil {
			continue
		}
		cl := &r.snap.Plan.Cluster
		if mb += cl.MemoryMB; cl.MemoryMB == 0 {
			mb += 1024 * (cl.MapSlots + cl.ReduceSlots)
		}
		for i := range r.snap.Jobs {
			held += r.snap.Jobs[i].HeldMB
		}
	}
	return mb, held
}

// hosts returns the nodes of the first run. If it names none, it returns one for every ten runs, or one for each node
// of its plan.
func (c *Cluster) hosts() []dag.NodeState {
	mb, _ := c.memory()
	n := len(c.runs)/10 + 1
	if len(c.runs) > 0 && c.runs[0].snap != nil {
		if first := c.runs[0].snap; len(c.runs) == 1 && len(first.Nodes) > 0 {
			return first.Nodes
		}
		n = max(n, len(c.runs[0].snap.Plan.Cluster.Nodes))
	}
	all := make([]dag.NodeState, n)
	for i := range all {
		all[i] = dag.NodeState{Name: fmt.Sprintf("node-%d:8042", i), MemoryMB: mb / n}
	}
	return all
}

func (c *Cluster) metrics() string {
	mb, held := c.memory()
	all, lost := c.hosts(), 0
	for _, n := range all {
		if n.Lost {
			lost++
		}
	}
	return fmt.Sprintf(`{"clusterMetrics":{"appsSubmitted":%d,"appsPending":0,"reservedMB":0,"availableMB":%d,"allocatedMB":%d,"pendingMB":0,"totalMB":%d,"totalNodes":%d,"lostNodes":%d,"unhealthyNodes":0,"decommissionedNodes":0,"rebootedNodes":0,"activeNodes":%d,"shutdownNodes":0,"filler":"%s"}}`,
		len(c.jobs), max(0, mb-held), held, mb, len(all), lost, len(all)-lost, strings.Repeat("x", 1500))
}

func (c *Cluster) nodes() string {
	var all []string
	for _, n := range c.hosts() {
		state, mb := "RUNNING", n.MemoryMB
		if n.Lost {
			state, mb = "LOST", 0
		}
		name := quote(n.Name)
		all = append(all, fmt.Sprintf(
			`{"rack":"/default-rack","state":"%s","id":%s,"nodeHostName":%s,"nodeHTTPAddress":%s,"lastHealthUpdate":%d,"version":"3.4.2","healthReport":"","numContainers":0,"usedMemoryMB":0,"availMemoryMB":%d,"usedVirtualCores":0,"availableVirtualCores":32}`,
			state, name, name, name, ms(c.now), mb))
	}
	return `{"nodes":{"node":[` + strings.Join(all, ",") + `]}}`
}

func (c *Cluster) scheduler() string {
	share := 100.0
	if len(c.runs) > 0 && c.runs[0].snap != nil {
		mb, _ := c.memory()
		if q := c.runs[0].snap.Plan.Cluster.QueueMB; q > 0 && mb > 0 {
			share = 100 * min(1, float64(q)/float64(mb))
		}
	}
	return fmt.Sprintf(`{"scheduler":{"schedulerInfo":{"type":"capacityScheduler","capacity":100.0,"usedCapacity":0.0,"maxCapacity":100.0,"queueName":"root","queuePath":"root","queues":{"queue":[{"type":"capacitySchedulerLeafQueueInfo","queuePath":"root.default","capacity":100.0,"absoluteCapacity":100.0,"absoluteMaxCapacity":%s,"userLimitFactor":1.0,"queueName":"default","state":"RUNNING"}]}}}}`,
		percent(share))
}
