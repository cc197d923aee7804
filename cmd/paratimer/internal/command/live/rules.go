package live

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/paratimer/paratimer/adapters/planfile"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/alert"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/command/input"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/rules"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/units"
)

// readRules reads a rule file. Errors in it are usage errors.
func readRules(c *cli.Context, path string) ([]rules.Rule, error) {
	all, err := rules.ReadFile(path, c.App.Reader, command.Zone(c))
	if err == nil {
		return all, nil
	}
	return nil, cmp.Or(input.WrongKind(path, "rule file"), command.Usage("%w", err))
}

// checkedRules is the JSON of `paratimer watch --check --output json`.
type checkedRules struct {
	File   string        `json:"file"`
	Valid  bool          `json:"valid"`
	Rules  []checkedRule `json:"rules"`
	Errors []ruleError   `json:"errors"`
}

type checkedRule struct {
	Name     string            `json:"name"`
	Match    rules.Match       `json:"match"`
	Bound    string            `json:"bound"`
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

// checkRules prints the rules of a file, or what is wrong with it.
func checkRules(c *cli.Context) error {
	path := c.String("rules")
	all, err := readRules(c, path)
	out := checkedRules{File: path, Valid: err == nil, Rules: []checkedRule{}, Errors: []ruleError{}}
	for i := range all {
		r := &all[i]
		out.Rules = append(out.Rules, checkedRule{
			Name: r.Name, Match: r.Match, Bound: r.BoundText(),
			Risk: cmp.Or(r.Risk, alert.DefaultThreshold), Hold: cmp.Or(r.Hold, alert.DefaultHold),
			Severity: frame.Text(r.Severity), Labels: r.Labels,
		})
	}
	for _, e := range planfile.Errors(err) {
		out.Errors = append(out.Errors, ruleError{e.Line, e.Column, e.Field, e.Message})
	}
	if err != nil && len(out.Errors) == 0 {
		out.Errors = append(out.Errors, ruleError{Message: err.Error()})
	}
	return cmp.Or(command.Print(c, out, out.text), err)
}

// text lists the rules of a valid file. The errors of another one are the command's.
func (r *checkedRules) text(w io.Writer) error {
	if !r.Valid {
		return nil
	}
	fmt.Fprintf(w, "%s: %s\n", r.File, units.Count(len(r.Rules), "rule"))
	rows := [][]string{{"RULE", "WORKFLOWS", "BOUND", "FIRES", "HELD", "SEVERITY"}}
	for _, rule := range r.Rules {
		rows = append(rows, []string{
			rule.Name, view.Escape(matchText(&rule.Match)), rule.Bound, "from " + units.Percent(rule.Risk) + " on",
			units.Count(rule.Hold, "tick"), units.Have(rule.Severity, view.Escape),
		})
	}
	return view.Table(w, 0, rows)
}

func matchText(m *rules.Match) string {
	var parts []string
	for _, p := range [][2]string{{"name", m.Name}, {"user", m.User}, {"queue", m.Queue}, {"engine", m.Engine}} {
		if p[1] != "" {
			parts = append(parts, p[0]+" "+p[1])
		}
	}
	return cmp.Or(strings.Join(parts, ", "), "every workflow")
}
