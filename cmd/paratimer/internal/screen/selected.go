package screen

import (
	"strings"
	"time"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/units"
)

// selectedJob describes the selected job in a line.
func (p *pen) selectedJob() []line {
	if p.job < 0 {
		return nil
	}
	j := &p.f.Jobs[p.job]
	parts := []string{strings.ReplaceAll(j.State.String(), "_", " ")}
	if j.State == dag.Blocked {
		parts[0] = "to come"
	}
	if known, _ := j.Known(); known.Running > 0 {
		parts[0] += " with " + units.Count(known.Running, "task")
	}
	for _, s := range j.Stretches {
		if r := s.ProgressRatio; r != nil && *r > 0 && *r < 1 && !j.State.Ended() {
			parts = append(parts, p.foreign(s.Phase.String())+" "+units.Percent(float64(*r)))
		}
	}
	if j.EndSeconds != nil {
		if t, ok := p.at(*j.EndSeconds); ok {
			words := "ends ~"
			if j.State.Ended() {
				words = "ended "
			}
			parts = append(parts, words+p.clock(t, time.Second)+" "+p.zone(t))
		}
	}
	if s := j.SlackSeconds; s != nil && !j.State.Ended() {
		if *s < 1 {
			parts = append(parts, "no slack")
		} else {
			parts = append(parts, "slack "+units.Short(s.Duration()))
		}
	}
	if len(j.After) > 0 {
		after := make([]string, len(j.After))
		for i, a := range j.After {
			after[i] = p.foreign(a)
		}
		parts = append(parts, "after "+strings.Join(after, ", "))
	}
	if j.ID != nil {
		parts = append(parts, p.foreign(*j.ID))
	}
	l := text(strong, " "+string(p.g.picked)).and(text(pick, p.foreign(j.Node)),
		text(plain, " "+strings.Join(parts, ", ")))
	return []line{l.cut(p.s.Width, p.tail)}
}
