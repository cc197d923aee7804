package follow

import (
	"fmt"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/input"

	_ "time/tzdata"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/alert"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/planview"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/cost"
)

// time zones for deadlines, in case the machine has none

// Bounds returns the bounds of the flags.
func Bounds(c *cli.Context) ([]alert.Bound, error) {
	risk, hold := c.Float64("risk"), alert.DefaultHold
	if c.IsSet("hold") { // check has no such setting
		hold = c.Int("hold")
	}
	if !(risk > 0 && risk <= 1) {
		return nil, command.Usage("--risk %v: it is a probability above 0, up to 1, such as %v or 90%%", risk,
			alert.DefaultThreshold)
	}
	if hold < 1 {
		return nil, command.Usage("hold %d: it is a number of ticks, 1 or more", hold)
	}
	if err := alert.CheckJudge(c.String("on")); err != nil {
		return nil, command.Usage("on: %w", err)
	}
	var all []alert.Bound
	for i, text := range c.StringSlice("deadline") {
		b, err := alert.ParseDeadline(text, command.Zone(c))
		if err != nil {
			return nil, command.Usage("--deadline: %w", err)
		}
		b.Name = numbered("deadline", i)
		all = append(all, b)
	}
	for i, text := range c.StringSlice("within") {
		d, err := command.Length(text)
		if err != nil {
			return nil, command.Usage("--within %s: %w", text, err)
		}
		all = append(all, alert.Bound{Name: numbered("within", i), Kind: alert.Within, For: d})
	}
	if c.IsSet("longer-than-usual") {
		length, err := usual(c)
		if err != nil {
			return nil, err
		}
		all = append(all, alert.Bound{
			Name: "longer-than-usual", Kind: alert.LongerThanUsual,
			Times: c.Float64("longer-than-usual"), Usual: length,
		})
	} else if c.IsSet("usual") {
		return nil, command.Usage("usual goes with --longer-than-usual: give a factor such as 1.5")
	}
	if c.IsSet("no-progress") {
		all = append(all, alert.Bound{Name: "no-progress", Kind: alert.NoProgress, For: c.Duration("no-progress")})
	}
	if c.Bool("drift") {
		all = append(all, alert.Bound{Name: "drift", Kind: alert.OutsideBounds})
	}
	for i := range all {
		b := &all[i]
		b.On, b.Threshold, b.Hold = c.String("on"), risk, hold
		if b.Zone == nil {
			b.Zone = command.Zone(c)
		}
		if err := b.Check(); err != nil {
			return nil, command.Usage("--%s: %w", b.Name, err)
		}
	}
	return all, nil
}

// usual returns the length of usual, else the length of the first profile without failures; 0 if neither is
// given.
func usual(c *cli.Context) (time.Duration, error) {
	if c.IsSet("usual") {
		if d := c.Duration("usual"); d > 0 {
			return d, nil
		}
		return 0, command.Usage("usual %v: it is a length of time such as 10m", c.Duration("usual"))
	}
	profiles, err := input.ReadProfiles(c)
	if err != nil || len(profiles) == 0 {
		return 0, err
	}
	if v, err := planview.Of(profiles[0], nil, cost.Costs, estimators.Options{}, estimators.Scenarios()[:1]); err ==
		nil && v.Estimates[0].Remaining != nil {
		return *v.Estimates[0].Remaining, nil
	}
	return 0, nil // a profile that is not a whole plan has no length
}

// numbered returns the name of a repeated flag's bound: "within", "within-2", …
func numbered(name string, i int) string {
	if i == 0 {
		return name
	}
	return fmt.Sprintf("%s-%d", name, i+1)
}
