package skewed

import "fmt"

// A setting of Fig. 6, with the error of NearestFit in docs/facts/nearestfit.md B1 (of the reference program, with
// weight 1 for each point in a fit) and the paper's statement.
type setting struct {
	synthetic
	reference, paper string
}

var fig6 = []setting{
	{synthetic{1, 1.2, 1, 1}, "0.80 / 4.5", "all are near optimal"},
	{synthetic{2, 1.2, 1, 1}, "0.26 / 1.7", "NearestFit below 1"},
	{synthetic{3, 1.2, 1, 1}, "0.59 / 4.2", "the ratios degrade"},
	{synthetic{4, 1.2, 1, 1}, "1.04 / 6.8", "the ratios degrade"},
	{synthetic{2, 1.05, 1, 1}, "0.18 / 0.4", "NearestFit below 1; its worst ticks here"},
	{synthetic{2, 1.1, 1, 1}, "0.21 / 0.7", "NearestFit below 1"},
	{synthetic{2, 1.4, 1, 1}, "0.44 / 3.2", "NearestFit below 1"},
	{synthetic{2, 1.6, 1, 1}, "0.53 / 1.7", "NearestFit below 1"},
	{synthetic{2, 1.8, 1, 1}, "0.73 / 3.3", "NearestFit below 1, ratios up to 33"},
	{synthetic{1, 1.2, 8, 8}, "–", "–"},
	{synthetic{2, 1.05, 8, 8}, "0.34 / 2.2", "errors grow with tasks"},
	{synthetic{2, 1.1, 8, 8}, "–", "errors grow with tasks"},
	{synthetic{2, 1.2, 8, 8}, "1.15 / 3.4", "errors grow with tasks"},
	{synthetic{2, 1.4, 8, 8}, "2.46 / 12.2", "errors grow with tasks"},
	{synthetic{2, 1.6, 8, 8}, "–", "errors grow with tasks"},
	{synthetic{2, 1.8, 8, 8}, "3.49 / 19.7", "errors grow with tasks"},
	{synthetic{3, 1.2, 8, 8}, "–", "–"},
	{synthetic{4, 1.2, 8, 8}, "–", "–"},
}

var fig6Methods = []string{
	theory, stream, onefit, ours, foreknown, byJob, byTask, smoothedJob, smoothedTask,
	hadoop,
}

func fig6Experiment(l lab) experiment {
	e := experiment{title: "Every method beside the others (Fig. 6)"}
	for _, s := range fig6 {
		e.rows = append(e.rows, row{l.run(s.synthetic), all})
	}
	e.write = func(p printer, r []result) error {
		head(p, []string{"cost", "σ", "tasks"}, fig6Methods, "reference", "the paper says")
		for i, s := range fig6 {
			p("%s", s.line(r[i]))
		}
		p("")
		goals(p, r, l, measure([]row{{l.run(synthetic{2, 1.4, 8, 8}), all}}, manySeeds*l.seeds)[0])
		p("%s", fig6Words)
		return nil
	}
	return e
}

func (s setting) line(r result) string {
	cells := append([]string{s.cost(), fmt.Sprint(s.sigma), fmt.Sprint(s.reduces)}, r.cells(fig6Methods)...)
	return line(append(cells, s.reference, s.paper)...)
}

// manySeeds is the factor of seeds for the goal that depends on chance.
const manySeeds = 8

// goals reports which goals the table meets.
func goals(p printer, r []result, l lab, many result) {
	worst := func(method string, keep func(s setting) bool) (float64, setting) {
		high, at := -1.0, setting{}
		for i, s := range fig6 {
			if c := r[i][method]; keep(s) && c.avg > high {
				high, at = c.avg, s
			}
		}
		return high, at
	}
	says := func(met bool) string {
		if met {
			return "held"
		}
		return "**missed**"
	}
	one, at := worst(stream, func(s setting) bool { return s.power == 2 && s.reduces == 1 })
	p("* Goal: below 1 on average for n² at every σ with one task: %s (at most %.2f, at σ %v).", says(one < 1), one,
		at.sigma)
	eight, _ := worst(onefit, func(s setting) bool { return s.power == 2 && s.reduces == 8 && s.sigma == 1.4 })
	p("* Goal: below 1 at σ 1.4 with eight tasks and one fit for all: %s (%.2f). Over %d seeds: *one fit* %s, *ours* %s, *curve known* %s.",
		says(eight < 1), eight, manySeeds*l.seeds, many[onefit], many[ours], many[foreknown])
	for _, method := range []string{onefit, ours} {
		var over []string
		for i, s := range fig6 {
			if c := r[i][method]; s.reduces == 8 && c.avg >= 1 {
				over = append(over, fmt.Sprintf("%s at σ %v: %.2f", s.cost(), s.sigma, c.avg))
			}
		}
		p("* Not below 1 with eight tasks and *%s*: %s.", method, list(over))
	}
}
