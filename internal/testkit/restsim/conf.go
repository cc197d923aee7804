package restsim

import (
	"fmt"
	"sort"
	"strings"

	"github.com/paratimer/paratimer/dag"
)

// fillers is the number of additional, unused properties of a conf: a Pig job's conf has 300 KB
// (docs/facts/hadoop.md E0).
const fillers = 1700

// makeConf returns the response to conf: the workflow (docs/facts/hadoop.md C1) and the limits that a schedule
// depends on (docs/facts/hadoop.md F).
func (j *job) makeConf() []byte {
	l := j.job.MapReduce
	props := map[string]string{
		"mapreduce.job.name":                           j.name(),
		"mapreduce.job.user.name":                      j.user(),
		"pig.job.feature":                              j.job.Feature,
		"pig.alias":                                    j.job.Alias,
		"pig.input.dirs":                               strings.Join(j.job.Input, ","),
		"yarn.scheduler.minimum-allocation-mb":         "1",
		"mapreduce.job.reduce.slowstart.completedmaps": fmt.Sprint(l.SlowStart),
		"mapreduce.job.running.map.limit":              fmt.Sprint(l.MaxMaps),
		"mapreduce.job.running.reduce.limit":           fmt.Sprint(l.MaxReduces),
		"mapreduce.job.maps":                           fmt.Sprint(j.phases[dag.Map].tasks),
		"mapreduce.job.reduces":                        fmt.Sprint(j.phases[dag.Reduce].tasks),
	}
	for name, v := range map[string]int{
		"yarn.app.mapreduce.am.resource.mb": j.job.MasterMB, "mapreduce.map.memory.mb": l.MapMB,
		"mapreduce.reduce.memory.mb": l.ReduceMB,
	} {
		if v > 0 {
			props[name] = fmt.Sprint(v)
		}
	}
	if l.RampUp > 0 {
		props["yarn.app.mapreduce.am.job.reduce.rampup.limit"] = fmt.Sprint(l.RampUp)
	}
	if len(j.plan.Jobs) > 1 { // otherwise it is a plain MapReduce job
		props["mapreduce.workflow.id"] = "pig_" + j.snap.ID
		props["mapreduce.workflow.name"] = j.plan.Name
		props["mapreduce.workflow.node.name"] = j.job.Node
		props["pig.script.submitted.timestamp"] = fmt.Sprint(ms(j.snap.Origin()))
		after := map[string][]string{}
		for i := range j.plan.Jobs {
			for _, p := range j.plan.Jobs[i].After {
				after[j.plan.Jobs[p].Node] = append(after[j.plan.Jobs[p].Node], j.plan.Jobs[i].Node)
			}
		}
		for node, next := range after {
			props["mapreduce.workflow.adjacency."+node] = strings.Join(next, ",")
		}
	}
	for i := range fillers {
		props[fmt.Sprintf("filler.property.number.%d", i)] = "false"
	}
	names := make([]string, 0, len(props))
	for name := range props {
		names = append(names, name)
	}
	sort.Strings(names)
	path := "file:/lab/staging/home/" + j.user() + "/.staging/" + j.id + "/job.xml"
	b := []byte(`{"conf":{"path":` + quote(path) + `,"property":[`)
	for i, name := range names {
		if i > 0 {
			b = append(b, ',')
		}
		b = fmt.Appendf(b, `{"name":%s,"value":%s,"source":["programmatically",%s]}`, quote(name), quote(props[name]),
			quote(path))
	}
	return append(b, `]}}`...)
}
