package plan

import (
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/input"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/ernestmodel"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/ernestview"
	"github.com/paratimer/paratimer/estimators/ernest"
)

func ernestScoreFlags() []cli.Flag {
	return append(append(columnFlags(), modelFlags()...),
		textFlag("job", "", "the job's name is in `COLUMN`, or in several, comma-separated (default: one job)"),
		textFlag("train", "scale",
			"train on `RULE`: scale, machines or work for the smaller half, scale:25% for the smallest quarter, scale<=0.25 up to a value"),
		command.OutputFlag("text", "json"),
	)
}

// ernestScore measures how well the small runs of a table predict the large ones.
func ernestScore(c *cli.Context) error {
	if err := command.Arguments(c, 1, 1); err != nil {
		return err
	}
	split, err := parseSplit(c.String("train"))
	if err != nil {
		return err
	}
	o, err := fitOptions(c)
	if err != nil {
		return err
	}
	in, name, err := openInput(c, c.Args().First())
	if err != nil {
		return err
	}
	defer in.Close()
	runs, err := ernestmodel.ReadRuns(in, name, columnsOf(c))
	if err != nil {
		if other := input.WrongKind(name, "table of runs"); other != nil {
			return other
		}
		return command.Usage("%w", err)
	}
	scored, err := ernest.Score(runs.ByJob(), split, o)
	if err != nil {
		return command.Usage("%w", runs.Place(err))
	}
	return printed(c, &ernestview.Score{File: name, Rule: c.String("train"), Scored: scored, Warnings: runs.Warnings})
}

var splits = map[string]ernest.SplitBy{"scale": ernest.ByScale, "machines": ernest.ByMachines, "work": ernest.ByWork}

// parseSplit parses a rule such as scale, work:25% or machines<=8.
func parseSplit(rule string) (s ernest.Split, err error) {
	var by string
	by, s.Below, s.Quantile = parseRule(rule)
	var ok bool
	if s.By, ok = splits[by]; !ok {
		return s, command.Usage("--train %s: it is scale, machines or work, alone or with :25%% or <=VALUE", rule)
	}
	return s, nil
}

var ruleForm = regexp.MustCompile(`^\s*(\w+)\s*(?::(.+)%|<=(.+))?$`)

// parseRule splits a rule into its quantity, and the value or the quantile up to which runs train. Both are 0 if the
// rule does not have them. The quantity of an invalid rule is "".
func parseRule(rule string) (by string, below, quantile float64) {
	m := ruleForm.FindStringSubmatch(rule)
	if m == nil || m[2]+m[3] == "" {
		return strings.TrimSpace(rule), 0, 0
	}
	v, err := strconv.ParseFloat(strings.TrimSpace(m[2]+m[3]), 64)
	switch {
	case err != nil || !(v > 0) || math.IsInf(v, 0) || m[2] != "" && v >= 100:
		return "", 0, 0
	case m[2] != "":
		return m[1], 0, v / 100
	}
	return m[1], v, 0
}
