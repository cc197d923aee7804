package plan

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/planfile"
	"github.com/paratimer/paratimer/adapters/simulate"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/follow"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/input"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/examples"
)

// simulatedStart is when simulated runs begin: the first day of SIGMOD 2010.
var simulatedStart = dag.InstantOf(time.Date(2010, 6, 6, 9, 0, 0, 0, time.UTC))

// simulated watches a simulated run of a plan.
func simulated(c *cli.Context, f *follow.Flags) error {
	if err := input.CheckRecord(c); err != nil {
		return err
	}
	path := c.Args().First()
	plan, err := planfile.ReadFile(path, planfile.Options{})
	if err != nil {
		return input.NotAPlan(path, "plan", err)
	}
	opt, err := simulateOptions(c)
	if err != nil {
		return err
	}
	return play(c, f, plan, opt)
}

// play simulates a plan and watches it.
func play(c *cli.Context, f *follow.Flags, plan *dag.Plan, opt simulate.Options) (err error) {
	sim, err := simulate.New(plan, opt)
	if err != nil {
		return command.Usage("%w", err)
	}
	src, done, err := input.Recorded(c, sim)
	if err != nil {
		return err
	}
	defer done(&err)
	w := f.Watch(c, src, nil)
	w.Speed = c.Float64("speed")
	return follow.Run(c, w)
}

// knows are the values of --know.
var knows = map[string]simulate.Know{"all": simulate.All, "profile": simulate.Profile, "nothing": simulate.Nothing}

func simulateOptions(c *cli.Context) (simulate.Options, error) {
	var groups dag.GroupOrigin
	if err := groups.UnmarshalText([]byte(c.String("groups"))); err != nil {
		return simulate.Options{}, command.Usage("--groups: %w", err)
	}
	o := simulate.Options{
		Groups: groups, Lambda: c.Int("lambda"),
		Seed: c.Uint64("seed"), Know: knows[c.String("know")], Start: simulatedStart, Every: c.Duration("every"),
		Noise: c.Float64("noise"), Stall: c.Duration("stall"), FailRate: c.Float64("fail-rate"),
		Skew: c.Float64("skew"), Shuffle: c.Bool("shuffle"),
	}
	var err error
	if o.Slow, err = command.Each(c, "slow", slowNode); err != nil {
		return o, err
	}
	if o.Lose, err = command.Each(c, "lose", lostNode); err != nil {
		return o, err
	}
	o.Fail, err = command.Each(c, "fail", failure)
	return o, err
}

var (
	slowForm = regexp.MustCompile(`^(\d+)=(.+)$`)
	loseForm = regexp.MustCompile(`^(\d+)@(.+)$`)
	failForm = regexp.MustCompile(`^(.+):([mr])_?(\d+)@(.+)$`)
)

func slowNode(text string) (n simulate.SlowNode, err error) {
	return n, scan(text, slowForm, "NODE=FACTOR, such as 2=1.5", &n.Node, &n.Factor)
}

func lostNode(text string) (n simulate.LostNode, err error) {
	return n, scan(text, loseForm, "NODE@TIME, such as 2@90s", &n.Node, &n.At)
}

func failure(text string) (f simulate.Failure, err error) {
	var kind string
	err = scan(text, failForm, "JOB:m3@TIME, such as j1:m3@195s", &f.Job, &kind, &f.Task, &f.At)
	if kind == "r" {
		f.Stage = dag.Reduce
	}
	return f, err
}

// scan parses the groups of a form into values. The error describes the form.
func scan(s string, form *regexp.Regexp, about string, into ...any) error {
	m := form.FindStringSubmatch(s)
	if m == nil {
		return fmt.Errorf("it is %s", about)
	}
	for i, to := range into {
		var err error
		switch to := to.(type) {
		case *string:
			*to = m[i+1]
		case *int:
			*to, err = strconv.Atoi(m[i+1])
		case *float64:
			*to, err = strconv.ParseFloat(m[i+1], 64)
		case *time.Duration:
			*to, err = time.ParseDuration(m[i+1])
		}
		if err != nil {
			return fmt.Errorf("it is %s: %w", about, err)
		}
	}
	return nil
}

// demo plays a simulation of the paper's query, at a speed that a person can follow.
func demo(c *cli.Context, f *follow.Flags) error {
	plan, err := planfile.Read(bytes.NewReader(examples.Paper), planfile.Options{Name: "the demo's plan"})
	if err != nil {
		return err
	}
	return play(c, f, plan, simulate.Options{
		Seed: c.Uint64("seed"), Know: simulate.Profile, Start: simulatedStart, Every: simulate.DefaultEvery,
		Noise: 0.02,
		// The single last map of j2 fails halfway: the worst effect that one failure can have.
		Fail: []simulate.Failure{{Job: "j2", Task: 16, At: 1100 * time.Second}},
	})
}
