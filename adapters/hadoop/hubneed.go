package hadoop

import (
	"context"

	"github.com/paratimer/paratimer/dag"
)

// observeNeeds asks the masters of what runs, once for all sources. Where more run than a source is told one by one nobody
// would be told.
func (h *Hub) observeNeeds(ctx context.Context, v *view) {
	if len(v.runs) < 2 || len(v.runs) > fewOthers+1 {
		clear(h.needs)
		return
	}
	apps := make([]*wireApp, len(v.runs))
	for i, id := range v.runs {
		apps[i] = v.apps[id]
	}
	h.needs.observe(ctx, h.cluster, apps, v.at, func(string) dag.Instant { return v.at }, h.limitsOf)
	v.needs = make(map[string]*dag.Need, len(h.needs))
	for id, n := range h.needs {
		v.needs[id] = n.told
	}
}

// limitsOf are an application's settings, where its conf is known.
func (h *Hub) limitsOf(app string) dag.Limits {
	if c := h.conf(app); c != nil {
		return c.limits
	}
	return dag.Limits{}
}
