package input

import (
	"context"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/planfile"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/profiles"
)

// ReadProfiles reads the files of --profile.
func ReadProfiles(c *cli.Context) ([]*dag.Plan, error) {
	var out []*dag.Plan
	for _, path := range c.StringSlice("profile") {
		p, err := planfile.ReadFile(path, planfile.Options{Profile: true})
		if err != nil {
			return nil, NotAPlan(path, "profile", err)
		}
		out = append(out, p)
	}
	return out, nil
}

// Profiled is a source that adds profiles of earlier runs to its snapshots.
type Profiled struct {
	watch.Source
	Profiles func(*dag.Snapshot) []*dag.Plan
	was, is  *dag.Plan   // the newest plan, as observed, and with additions from profiles
	known    []*dag.Plan // the profiles of that plan
}

// Next adds the profiles. Snapshots with the same plan still share it, and share its profiles.
func (p *Profiled) Next(ctx context.Context) (*dag.Snapshot, error) {
	s, err := p.Source.Next(ctx)
	if s == nil || err != nil {
		return s, err
	}
	known := p.Profiles(s)
	if len(known) == 0 {
		p.was = nil
		return s, nil
	}
	with := profiles.Attach(s, known)
	// The jobs of a profile stand in for those of the same plan only until one of these has shown the DAG.
	if s.Plan != p.was || len(with.Plan.Jobs) != len(p.is.Jobs) {
		p.was, p.is, p.known = s.Plan, with.Plan, with.Profiles
	}
	with.Plan, with.Profiles = p.is, p.known
	return with, nil
}
