package restsim

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/dag"
)

// manager responds for the ResourceManager.
func (c *Cluster) manager(path string, q url.Values) answer {
	switch path {
	case "info":
		return found(`{"clusterInfo":{"id":1,"startedOn":1,"state":"STARTED","haState":"ACTIVE","resourceManagerVersion":"3.4.2","hadoopVersion":"3.4.2"}}`)
	case "apps":
		return found(c.apps(q))
	case "metrics":
		return found(c.metrics())
	case "nodes":
		return found(c.nodes())
	case "scheduler":
		return found(fmt.Sprintf(
			`{"scheduler":{"schedulerInfo":{"type":"capacityScheduler","capacity":100.0,"usedCapacity":0.0,"maxCapacity":100.0,"queueName":"root","queuePath":"root","queues":{"queue":[{"type":"capacitySchedulerLeafQueueInfo","queuePath":"root.default","capacity":100.0,"absoluteCapacity":100.0,"absoluteMaxCapacity":%s,"userLimitFactor":1.0,"queueName":"default","state":"RUNNING"}]}}}}`,
			percent(c.queueShare())))
	}
	rest, ok := strings.CutPrefix(path, "apps/application_")
	id, rest, _ := strings.Cut(rest, "/")
	j := c.job("job_" + id)
	switch {
	case !ok || j == nil:
		return missing("app with id: " + path + " not found")
	case rest == "":
		return found(`{"app":` + c.app(j) + `}`)
	case rest == "appattempts":
		var all []string
		for n := range max(1, j.state.Attempt) {
			all = append(all, fmt.Sprintf(
				`{"id":%d,"startTime":%d,"finishedTime":0,"containerId":"container_%s_%02d_000001","nodeHttpAddress":"node-0:8042","nodeId":"node-0:36241","logsLink":"","blacklistedNodes":"","nodesBlacklistedBySystem":"","appAttemptId":"appattempt_%s_%06d","exportPorts":"null","appAttemptState":"RUNNING"}`,
				n+1, ms(j.state.Submitted), id, n+1, id, n+1))
		}
		return found(`{"appAttempts":{"appAttempt":[` + strings.Join(all, ",") + `]}}`)
	}
	return missing(path)
}

// apps lists applications, newest first, with the filters that a watcher may use.
func (c *Cluster) apps(q url.Values) string { return appsOf(c.list(q)) }

func appsOf(all []string) string {
	if len(all) == 0 {
		return `{"apps":{}}`
	}
	return `{"apps":{"app":[` + strings.Join(all, ",") + `]}}`
}

func (c *Cluster) list(q url.Values) []string {
	states, started, finished := strings.Split(q.Get("states"), ","), since(q, "startedTimeBegin"),
		since(q, "finishedTimeBegin")
	brief := strings.Contains(q.Get("deSelects"), "resourceInfo")
	var all []string
	for _, j := range slices.Backward(c.jobs) {
		if j == nil || q.Has("user") && q.Get("user") != j.user() || q.Has("states") &&
			!slices.Contains(states, j.yarnState()) || ms(j.state.Submitted) < started ||
			ms(j.state.Finished) < finished {
			continue
		}
		text := c.app(j)
		if brief {
			text = strings.Replace(text, appFiller, briefFiller, 1)
		}
		all = append(all, text)
	}
	return all
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

func (c *Cluster) app(j *job) string {
	s := j.state
	final, containers := "UNDEFINED", j.phases[0].underway+j.phases[1].underway+1
	held := s.HeldMB
	if s.State.Ended() {
		final, containers = stateNames[s.State], -1
		if held == 0 {
			held = -1
		}
	}
	return fmt.Sprintf(`{"id":"%s","user":%s,"name":%s,"queue":"root.default","state":"%s","finalStatus":"%s","progress":%s,"trackingUI":"ApplicationMaster","trackingUrl":"http://rm:8088/proxy/%s/","diagnostics":"","clusterId":1,"applicationType":"MAPREDUCE","applicationTags":"","priority":0,"startedTime":%d,"launchTime":%d,"finishedTime":%d,"elapsedTime":%d,"amContainerLogs":"","amHostHttpAddress":"node-0:8042","masterNodeId":"node-0:36241","allocatedMB":%d,"allocatedVCores":1,"reservedMB":0,"reservedVCores":0,"runningContainers":%d,"memorySeconds":0,"vcoreSeconds":0,"queueUsagePercentage":0.0,"clusterUsagePercentage":0.0,"resourceSecondsMap":{"entry":{"key":"memory-mb","value":"0"},"entry":{"key":"vcores","value":"0"}},%s}`,
		j.app(), quote(j.user()), quote(j.name()), j.yarnState(), final,
		percent(50*(j.phases[0].progress/float64(max(1, j.phases[0].tasks))+
			j.phases[1].progress/float64(max(1, j.phases[1].tasks)))),
		j.app(), ms(s.Submitted), ms(s.Submitted), ms(s.Finished), elapsed(s.Submitted, s.Finished, j.now), held,
		containers, appFiller)
}

// appFiller replaces the resources by partition, which are most of an application's 3.7 KB.
var appFiller = `"preemptedResourceMB":0,"logAggregationStatus":"DISABLED","unmanagedApplication":false,"amNodeLabelExpression":"","filler":"` + strings.Repeat("x", 2500) + `"`

// briefFiller replaces appFiller if a request deselects the resources.
var briefFiller = `"preemptedResourceMB":0,"logAggregationStatus":"DISABLED","unmanagedApplication":false,"filler":"` +
	strings.Repeat("x", 300) + `"`

// totalMB returns the memory of the nodes; each slot counts as a container of 1 GB.
func (c *Cluster) totalMB() (mb, nodes, lost int) {
	cl := &c.snap.Plan.Cluster
	if mb = cl.MemoryMB; mb == 0 {
		mb = 1024 * (cl.MapSlots + cl.ReduceSlots)
	}
	nodes = max(1, len(cl.Nodes), len(c.snap.Nodes))
	for _, n := range c.snap.Nodes {
		if n.Lost {
			lost++
		}
	}
	return mb, nodes - lost, lost
}

func (c *Cluster) queueShare() float64 {
	mb, _, _ := c.totalMB()
	if q := c.snap.Plan.Cluster.QueueMB; q > 0 && mb > 0 {
		return 100 * min(1, float64(q)/float64(mb))
	}
	return 100
}

func (c *Cluster) metrics() string {
	mb, active, lost := c.totalMB()
	held := 0
	for _, j := range c.jobs {
		if j != nil {
			held += j.state.HeldMB
		}
	}
	return fmt.Sprintf(`{"clusterMetrics":{"appsSubmitted":1,"appsCompleted":0,"appsPending":0,"appsRunning":1,"appsFailed":0,"appsKilled":0,"reservedMB":0,"availableMB":%d,"allocatedMB":%d,"pendingMB":0,"totalMB":%d,"totalNodes":%d,"lostNodes":%d,"unhealthyNodes":0,"decommissionedNodes":0,"rebootedNodes":0,"activeNodes":%d,"shutdownNodes":0,"filler":"%s"}}`,
		max(0, mb-held), held, mb, active+lost, lost, active, strings.Repeat("x", 1500))
}

func (c *Cluster) nodes() string {
	mb, active, _ := c.totalMB()
	var all []string
	node := func(name string, mb int, lost bool) {
		state := "RUNNING"
		if lost {
			state, mb = "LOST", 0
		}
		all = append(all, fmt.Sprintf(
			`{"rack":"/default-rack","state":"%s","id":%s,"nodeHostName":%s,"nodeHTTPAddress":%s,"lastHealthUpdate":%d,"version":"3.4.2","healthReport":"","numContainers":0,"usedMemoryMB":0,"availMemoryMB":%d,"usedVirtualCores":0,"availableVirtualCores":32}`,
			state, quote(name), quote(name), quote(name), ms(c.now), mb))
	}
	for _, n := range c.snap.Nodes {
		node(n.Name, n.MemoryMB, n.Lost)
	}
	for i := len(c.snap.Nodes); i < active && len(c.snap.Nodes) == 0; i++ {
		node(fmt.Sprintf("node-%d:8042", i), mb/active, false)
	}
	return `{"nodes":{"node":[` + strings.Join(all, ",") + `]}}`
}
