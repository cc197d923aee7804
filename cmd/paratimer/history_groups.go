package main

import (
	"fmt"
	"io"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/history"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/dag"
)

// rememberedGroups are the key groups of a job's reduces that the next run would be given.
type rememberedGroups struct {
	Job     string          `json:"job"`
	Origin  dag.GroupOrigin `json:"origin"`
	Reduces int             `json:"reduces"`
	Sizes   int             `json:"sizes"` // that are known one by one, equal ones and joined ones as one
	Points  int             `json:"points"`
}

// keyGroupsOf are the key groups in the profile of a line of runs, an empty list where there are none.
func keyGroupsOf(l history.Line) []rememberedGroups {
	out := []rememberedGroups{}
	profile, n := l.Profile()
	if n == 0 {
		return out
	}
	for j := range profile.Jobs {
		g := profile.Jobs[j].Reduce.Groups
		if g == nil {
			continue
		}
		r := rememberedGroups{Job: profile.Jobs[j].Node, Origin: g.Origin, Reduces: len(g.Reduces)}
		for i := range g.Reduces {
			r.Sizes += len(g.Reduces[i].Explicit)
			r.Points += len(g.Reduces[i].Done)
		}
		out = append(out, r)
	}
	return out
}

func printGroups(w io.Writer, all []rememberedGroups) {
	for _, g := range all {
		fmt.Fprintf(w, "key groups of %s: %d reduces, %d sizes, %d times, by %s\n", view.Escape(g.Job), g.Reduces, g.Sizes, g.Points, measurers[g.Origin])
	}
}

// measurers are who measured key groups, in words.
var measurers = map[dag.GroupOrigin]string{
	dag.GroupsNone: "nobody knows whom", dag.GroupsCounted: "counters", dag.GroupsTapped: "the tap", dag.GroupsComplete: "somebody who knows all keys",
}
