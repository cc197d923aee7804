package follow

import (
	"cmp"
	"fmt"
	"slices"
	"time"
	_ "time/tzdata" // time zones for deadlines, in case the machine has none

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/alert"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/input"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/history"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/planview"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/settings"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/watch"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/cost"
)

// Flags has the valid values of the flags about watching and playing queries, as far as a command has them.
type Flags struct {
	Profiles []*dag.Plan
	Bounds   []alert.Bound
	Shown    Battery
}

// Command returns a command that watches or plays queries. Its action gets the values of its flags, and a context with
// the time limit of --timeout.
func Command(name, args, does string, action func(*cli.Context, *Flags) error) *cli.Command {
	return command.New(name, args, does, func(c *cli.Context) error {
		f, err := FlagsOf(c)
		if err != nil {
			return err
		}
		ctx, cancel := command.Limited(c)
		defer cancel()
		c.Context = ctx
		return action(c, f)
	})
}

// needs are settings that have no effect without another one.
var needs = [][2]string{
	{"listen", "live"},
	{"speed", "live"},
	{"at", "recording"},
	{"usual", "longer-than-usual"},
	{"raw", "record"},
	{"collect-token-file", "collect"},
	{"webhook-template", "webhook"},
	{"webhook-secret-file", "webhook"},
	{"exec-template", "exec"},
}

// FlagsOf reads the flags.
func FlagsOf(c *cli.Context) (f *Flags, err error) {
	setting := func(name string) *settings.Setting { return settings.Lookup(c.Command.Name, name) }
	for _, pair := range needs {
		if other := setting(pair[1]); other != nil && c.IsSet(pair[0]) && !c.IsSet(pair[1]) {
			return nil, command.Usage("%s goes with %s", setting(pair[0]).Spellings()[0], other.Spelled())
		}
	}
	f = &Flags{}
	if err := input.CheckUnit(c); err != nil {
		return nil, err
	}
	if f.Profiles, err = input.ReadProfiles(c); err != nil {
		return nil, err
	}
	if setting("estimators") != nil {
		if f.Shown, err = ParseBattery(c.String("estimators")); err != nil {
			return nil, err
		}
	}
	f.Bounds, err = bounds(c, f.Profiles)
	return f, err
}

// Watch returns a watch of a source with the flags' estimators and bounds, and with the profiles of a recorder; if it
// is nil, with those of the flags.
func (f *Flags) Watch(c *cli.Context, src watch.Source, rec *history.Recorder) watch.Watch {
	if rec == nil {
		rec = &history.Recorder{Given: f.Profiles}
	}
	held := slices.Clone(f.Bounds)
	rec.Known = func(usual time.Duration) {
		for i := range held {
			if b := &held[i]; b.Kind == alert.LongerThanUsual && b.Usual == 0 {
				b.Usual = usual
			}
		}
	}
	return watch.Watch{
		Source: rec.Source(src), Bounds: held,
		Estimators: EstimatorSetOf(ModelOf(c), f.Shown, 0), Log: *command.Logger(c),
	}
}

// bounds returns the bounds of the flags.
func bounds(c *cli.Context, profiles []*dag.Plan) ([]alert.Bound, error) {
	if settings.Lookup(c.Command.Name, "risk") == nil { // the command has no bounds
		return nil, nil
	}
	risk, hold := c.Float64("risk"), alert.DefaultHold
	if c.IsSet("hold") { // check has no such setting
		hold = c.Int("hold")
	}
	var all []alert.Bound
	add := func(name string, parse func(text string) (alert.Bound, error)) error {
		typed, err := command.Each(c, name, parse)
		for i, b := range typed {
			if b.Name = name; i > 0 {
				b.Name = fmt.Sprintf("%s-%d", name, i+1)
			}
			all = append(all, b)
		}
		return err
	}
	err := cmp.Or(add("deadline", func(text string) (alert.Bound, error) {
		return alert.ParseDeadline(text, command.Zone(c))
	}), add("within", func(text string) (alert.Bound, error) {
		d, err := command.Length(text)
		return alert.Bound{Kind: alert.Within, For: d}, err
	}))
	if err != nil {
		return nil, err
	}
	if c.IsSet("longer-than-usual") {
		length, err := usual(c, profiles)
		if err != nil {
			return nil, err
		}
		all = append(all, alert.Bound{
			Name: "longer-than-usual", Kind: alert.LongerThanUsual,
			Times: c.Float64("longer-than-usual"), Usual: length,
		})
	}
	if c.IsSet("no-progress") {
		all = append(all, alert.Bound{Name: "no-progress", Kind: alert.NoProgress, For: c.Duration("no-progress")})
	}
	if c.Bool("drift") {
		all = append(all, alert.Bound{Name: "drift", Kind: alert.OutsideBounds})
	}
	for i := range all {
		b := &all[i]
		b.Threshold, b.Hold = risk, hold
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
func usual(c *cli.Context, profiles []*dag.Plan) (time.Duration, error) {
	if c.IsSet("usual") {
		if d := c.Duration("usual"); d > 0 {
			return d, nil
		}
		return 0, command.Usage("usual %v: it is a length of time such as 10m", c.Duration("usual"))
	}
	if len(profiles) == 0 {
		return 0, nil
	}
	if v, err := planview.Of(profiles[0], nil, cost.Costs, estimators.Options{}, estimators.Scenarios()[:1]); err ==
		nil && v.Estimates[0].Remaining != nil {
		return *v.Estimates[0].Remaining, nil
	}
	return 0, nil // a profile that is not a whole plan has no length
}
