package spark

import (
	"cmp"
	"context"
	"html"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/paratimer/paratimer/dag"
)

// The page of all stages lists the pools of a FAIR scheduler. A driver shows their weights and minimal shares only
// there. Each pool has its own page too, but that page rejects names with characters that HTML escapes.

// poolsPage requests one stage of each kind, because only the list of pools is read.
const poolsPage = "/stages/?activeStage.pageSize=1&pendingStage.pageSize=1&completedStage.pageSize=1" +
	"&skippedStage.pageSize=1&failedStage.pageSize=1"

// isPoolsPage reports whether a URL path is that of the page of all stages.
func isPoolsPage(path string) bool {
	return strings.HasSuffix(strings.TrimSuffix(path, "/"), "/stages") && !strings.Contains(path, "/api/v1/")
}

// poolRow matches a row: name, minimal share, weight, active stages, running tasks, mode.
var poolRow = regexp.MustCompile(`poolname=[^<>]*>([^<>]*)</a>\s*</td>\s*<td>(-?\d{1,10})</td>\s*<td>(-?\d{1,10})</td>` +
	`\s*<td>\d+</td>\s*<td>\d+</td>\s*<td>(\w+)</td>`)

// mostPools bounds the stored pools.
const mostPools = 10_000

// TakePools applies the page of all stages, and reports whether it lists pools. Spark accepts any whole number as a
// weight. Pools with a negative weight are left out.
func (a *answers) TakePools(body string) bool {
	if len(body) > mostPage {
		return false
	}
	for _, column := range []string{"Minimum Share", "Pool Weight", "SchedulingMode"} { // in this order
		_, rest, found := strings.Cut(body, column)
		if !found {
			return false
		}
		body = rest
	}
	body, _, _ = strings.Cut(body, "</table>")
	rows := poolRow.FindAllStringSubmatch(body, mostPools)
	for _, row := range rows {
		name := dag.Clean(strings.TrimSpace(html.UnescapeString(row[1])))
		least, _ := strconv.Atoi(row[2])
		weight, _ := strconv.Atoi(row[3])
		if _, known := a.pools[name]; weight < 0 || !known && len(a.pools) >= mostPools {
			continue
		}
		a.pools[name] = dag.Pool{
			Name: name, Weight: min(weight, dag.MaxSlots), MinShare: max(0, min(least, dag.MaxSlots)),
			Fair: strings.EqualFold(row[4], "FAIR"),
		}
	}
	return len(rows) > 0
}

// poolsOf returns the known pools of a FAIR scheduler, by name.
func (f *facts) poolsOf() []dag.Pool {
	if !f.conf.fair() || len(f.pools) == 0 {
		return nil
	}
	return slices.SortedFunc(maps.Values(f.pools), func(x, y dag.Pool) int { return cmp.Compare(x.Name, y.Name) })
}

// strangePools returns the names of pools with unknown properties that have stages. all counts all pools with
// stages.
func (f *facts) strangePools() (names []string, all int) {
	if !f.conf.fair() {
		return nil, 0
	}
	seen := map[string]bool{}
	for id := range f.unitStages() {
		s := f.stages[id]
		if s == nil {
			continue
		}
		name := f.poolOf(s)
		if _, known := f.pools[name]; !known && !seen[name] {
			names = append(names, name)
		}
		seen[name] = true
	}
	slices.Sort(names)
	return names, len(seen)
}

// askPools requests the weights of pools that are new since the driver listed them. A pool that is not in a
// scheduler file starts to exist with its first stage.
func (s *Source) askPools(ctx context.Context) {
	names, _ := s.app.strangePools()
	ask := false
	for _, name := range names {
		if s.poolAsked[name] < pageTries && len(s.poolAsked) < mostPools {
			s.poolAsked[name]++
			ask = true
		}
	}
	if !ask {
		return
	}
	if body, err := s.driver.Get(ctx, poolsPage); err == nil {
		s.app.TakePools(string(body))
	}
}

// poolOf returns the pool of a stage if pools share the cores, else "". A waiting stage gets the pool of its job's
// other stages, because no response lists the pool of a waiting stage.
func (f *facts) poolOf(s *stage) string {
	if !f.conf.fair() {
		return ""
	}
	pool := s.pool
	for _, id := range s.jobs {
		if j := f.jobs[id]; j != nil {
			for _, other := range j.stages {
				if of := f.stages[other]; pool == "" && of != nil {
					pool = of.pool
				}
			}
		}
	}
	return cmp.Or(pool, "default")
}

// poolOfJobs returns the pool of the first job with known stages. All jobs of an execution share it.
func (f *facts) poolOfJobs(ids []int) string {
	for _, id := range ids {
		if j := f.jobs[id]; j != nil {
			if s := f.stages[j.last()]; s != nil {
				return f.poolOf(s)
			}
		}
	}
	return ""
}
