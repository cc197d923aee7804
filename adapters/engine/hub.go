package engine

import (
	"context"
	"slices"

	"github.com/paratimer/paratimer/adapters/yarn"
)

// A Hub has the workflows of all engines on a cluster. Refresh is called by one goroutine at a time; the other methods
// may be called by several.
type Hub struct {
	*yarn.Hub
	engines []applications // of the rows that have any
}

// NewHub returns a hub without requests so far. client sends those that have no budget.
func NewHub(s Services, client *Client) *Hub {
	h := &Hub{Hub: yarn.NewHub(s, nil)}
	for i := range table {
		if e := &table[i]; e.Applications != nil {
			h.engines = append(h.engines, applications{e.Applications(s, client, h.Hub), e})
		}
	}
	return h
}

// applications are those of a row.
type applications struct {
	Applications
	of *Engine
}

// Refresh lists the applications and the state of the cluster. After an error sources miss their observations.
func (h *Hub) Refresh(ctx context.Context) error {
	if err := h.Hub.Refresh(ctx); err != nil {
		return err //nolint:wrapcheck // it is of this hub
	}
	for _, e := range h.engines {
		e.Update(ctx)
	}
	return nil
}

// Running lists the applications that run or wait to, those of each engine by id.
func (h *Hub) Running() (all []yarn.Submitted) {
	for _, e := range h.engines {
		all = append(all, e.Submitted()...)
	}
	return all
}

// Identify finds the workflow of an application.
func (h *Hub) Identify(ctx context.Context, app string) error {
	return h.of(app).Identify(ctx, app) //nolint:wrapcheck // it names the request
}

// Source watches an application, or what another id names.
func (h *Hub) Source(id string) Source { return h.of(id).Source(id) }

// of returns the applications of the engine of an id.
func (h *Hub) of(id string) Applications {
	e := ownerOf(id)
	if a := h.App(id); e == nil && a != nil {
		e = ofType(a.Type)
	}
	i := slices.IndexFunc(h.engines, func(a applications) bool { return a.of == e })
	return h.engines[max(i, 0)]
}

// mostIdentified bounds the applications that IdentifyNewest identifies.
const mostIdentified = 20

// IdentifyNewest finds the workflows of the newest applications that run several, such as sessions of Tez.
func (h *Hub) IdentifyNewest(ctx context.Context) {
	all := slices.DeleteFunc(h.Running(), func(s yarn.Submitted) bool { return s.Engine == "" || s.Read || !s.Readable })
	slices.SortStableFunc(all, func(a, b yarn.Submitted) int { return yarn.ByID(a.App, b.App) })
	for _, s := range all[max(0, len(all)-mostIdentified):] {
		_ = h.Identify(ctx, s.App) // on an error only the application is shown
	}
}
