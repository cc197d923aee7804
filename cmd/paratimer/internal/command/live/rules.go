package live

import (
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/planfile"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/alert"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/input"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/rules"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/units"
)

// rulesCommand returns the commands that check rule files and test them on past runs.
func rulesCommand() *cli.Command {
	return command.Group("rules", "check rules for watch, and try them on past runs",
		command.New("check", "FILE", "check a rule file, and list its bounds", rulesCheck),
		command.New("test", "FILE RECORDING...",
			"test when the rules of a file would have fired on past runs, how early, and how often wrongly", rulesTest),
	)
}

// readRules reads a rule file. Errors in it are usage errors.
func readRules(c *cli.Context, path string) ([]rules.Rule, error) {
	all, err := rules.ReadFile(path, c.App.Reader, command.Zone(c))
	if err == nil {
		return all, nil
	}
	if other := input.WrongKind(path, "rule file"); other != nil {
		return nil, other
	}
	return nil, command.Usage("%w", err)
}

// checkedRules is the JSON of `paratimer rules check --output json`.
type checkedRules struct {
	File   string        `json:"file"`
	Valid  bool          `json:"valid"`
	Rules  []checkedRule `json:"rules"`
	Errors []ruleError   `json:"errors"`
}

type checkedRule struct {
	Name     string            `json:"name"`
	Match    map[string]string `json:"match"`
	Bound    string            `json:"bound"`
	On       *string           `json:"on"`
	Risk     float64           `json:"risk"`
	Hold     int               `json:"hold"`
	Severity *string           `json:"severity"`
	Labels   map[string]string `json:"labels"`
}

type ruleError struct {
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Field   string `json:"field"`
	Message string `json:"message"`
}

func rulesCheck(c *cli.Context) error {
	if err := command.Arguments(c, 1, 1); err != nil {
		return err
	}
	path := c.Args().First()
	all, err := readRules(c, path)
	if c.String("output") == "json" {
		if e := json.NewEncoder(c.App.Writer).Encode(checked(path, all, err)); e != nil {
			return fmt.Errorf("cannot print: %w", e)
		}
		return err
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(c.App.Writer, "%s: %s\n", path, units.Count(len(all), "rule"))
	w := tabwriter.NewWriter(c.App.Writer, 0, 0, 2, ' ', 0)
	for i := range all {
		r := &all[i]
		fmt.Fprintf(w, "  %s\t%s\t%s\t%s\n", r.Name, matchText(&r.Match), r.BoundText(), judgeText(r))
	}
	return w.Flush()
}

func checked(path string, all []rules.Rule, err error) checkedRules {
	out := checkedRules{File: path, Valid: err == nil, Rules: []checkedRule{}, Errors: []ruleError{}}
	for i := range all {
		r := &all[i]
		match := map[string]string{}
		for key, v := range map[string]string{"name": r.Match.Name, "user": r.Match.User, "queue": r.Match.Queue} {
			if v != "" {
				match[key] = v
			}
		}
		labels := r.Labels
		if labels == nil {
			labels = map[string]string{}
		}
		out.Rules = append(out.Rules, checkedRule{
			Name: r.Name, Match: match, Bound: r.BoundText(), On: textOrNull(r.On), Risk: riskOf(r), Hold: holdOf(r),
			Severity: textOrNull(r.Severity), Labels: labels,
		})
	}
	for _, e := range planfile.Errors(err) {
		out.Errors = append(out.Errors, ruleError{e.Line, e.Column, e.Field, e.Message})
	}
	if err != nil && len(out.Errors) == 0 {
		out.Errors = append(out.Errors, ruleError{Message: err.Error()})
	}
	return out
}

func riskOf(r *rules.Rule) float64 {
	if r.Risk > 0 {
		return r.Risk
	}
	return alert.DefaultThreshold
}

func holdOf(r *rules.Rule) int {
	if r.Hold > 0 {
		return r.Hold
	}
	return alert.DefaultHold
}

func matchText(m *rules.Match) string {
	var parts []string
	for _, p := range [][2]string{{"name", m.Name}, {"user", m.User}, {"queue", m.Queue}} {
		if p[1] != "" {
			parts = append(parts, p[0]+" "+view.Escape(p[1]))
		}
	}
	if len(parts) == 0 {
		return "every workflow"
	}
	return strings.Join(parts, ", ")
}

// judgeText describes when the rule's alert fires.
func judgeText(r *rules.Rule) string {
	s := "from " + units.Percent(riskOf(r)) + " on"
	if r.On != "" {
		s = "as " + r.On + " says"
	}
	s += fmt.Sprintf(", held %s", units.Count(holdOf(r), "tick"))
	if r.Severity != "" {
		s += ", severity " + r.Severity
	}
	return s
}

func textOrNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
