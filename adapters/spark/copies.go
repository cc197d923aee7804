package spark

import (
	"strconv"
	"strings"

	"github.com/paratimer/paratimer/dag"
)

// copies returns when Spark copies slow tasks. It never does if all executors are on one host, because a copy must
// run on another host than its task.
func (f *facts) copies() dag.Copies {
	hosts := map[string]bool{}
	for _, e := range f.all {
		if host, _, _ := strings.Cut(e.host, ":"); e.active && !e.excluded {
			hosts[host] = true
		}
	}
	if !f.conf.on("spark.speculation") || len(hosts) < 2 {
		return dag.Copies{}
	}
	out := dag.Copies{Ratio: 0.75, Times: 1.5}
	major, _, _ := strings.Cut(f.version, ".")
	if n, err := strconv.Atoi(major); err == nil && n >= 4 {
		out = dag.Copies{Ratio: 0.9, Times: 3}
	}
	for key, to := range map[string]*float64{"quantile": &out.Ratio, "multiplier": &out.Times} {
		if f, err := strconv.ParseFloat(f.conf["spark.speculation."+key], 64); err == nil && f >= 0 && f <= 1e6 {
			*to = f
		}
	}
	return out
}
