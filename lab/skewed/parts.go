package skewed

import (
	"fmt"

	"github.com/paratimer/paratimer/estimators/nearestfit"
	"github.com/paratimer/paratimer/lab/skewed/phase"
)

// tried are the settings for every variant: those of docs/facts/nearestfit.md B2, and a linear one.
var tried = [...]synthetic{{2, 1.05, 1, 1}, {2, 1.2, 1, 1}, {2, 1.8, 1, 1}, {2, 1.4, 8, 8}, {1, 1.2, 1, 1}}

// references are the reference program's errors for the settings (docs/facts/nearestfit.md B1, B2); "" if unknown.
type references [len(tried)]string

// few is a capacity of Space-Saving that is too small for all keys that the maps report.
const few = 500

func variants() []variant {
	type params = nearestfit.Params
	still := func(s *phase.Spec) { s.Noise = 0 }
	return []variant{
		{name: "as by default"},
		{
			name: "a point weighs 1 in a fit, whatever it stands for", params: func(p *params) {
				p.Weights = nearestfit.Unit
			},
			reference: references{"0.18 / 0.4", "0.26 / 1.7", "0.73 / 3.3", "2.46 / 12.2", "0.80 / 4.5"},
		},
		{
			name: "δ = 0", params: func(p *params) { p.DeltaBytes = 0 },
			reference: references{"0.17 / 0.4", "0.25 / 1.5", "0.71 / 3.5", "2.13 / 10.0", ""},
		},
		{
			name: "δ = 0, a point weighs 1", params: func(p *params) { p.DeltaBytes, p.Weights = 0, nearestfit.Unit },
			reference: references{"0.14 / 0.4", "1.88 / 7.5", "1.27 / 9.6", "2.46 / 12.2", ""},
		},
		{name: "δ = 1 kB", params: func(p *params) { p.DeltaBytes = 1000 }},
		{name: "δ = 10 kB", params: func(p *params) { p.DeltaBytes = 10_000 }},
		{name: "all keys known", profile: everything},
		{name: "all keys known, δ = 0", profile: everything, params: func(p *params) { p.DeltaBytes = 0 }},
		{
			name: "all keys known, δ = 0, a point weighs 1", profile: everything,
			params:    func(p *params) { p.DeltaBytes, p.Weights = 0, nearestfit.Unit },
			reference: references{"0.06 / 0.2", "0.25 / 1.7", "0.73 / 3.3", "2.46 / 12.2", ""},
		},
		{name: "λ = 100", profile: keys(100, 100*entries), reference: references{
			"1.07 / 2.4", "0.37 / 2.2",
			"0.73 / 3.1", "2.5 / 12.5", "",
		}},
		{
			name: fmt.Sprintf("Space-Saving of %d, sizes are what is sure", few), profile: keys(lambda, few),
			reference: references{"0.30 / 1.0 *", "0.24 / 1.7 *", "0.72 / 3.3 *", "2.5 / 12.2 *", ""},
		},
		{
			name: fmt.Sprintf("Space-Saving of %d, sizes are its counts", few), profile: counts(lambda, few),
			reference: references{"15.8 / 32.9 *", "6.8 / 14.5 *", "2.3 / 5.7 *", "2.7 / 14.3 *", ""},
		},
		{
			name: "smoothing of 50 ms", params: func(p *params) { p.SmoothSeconds = .05 },
			reference: references{"0.18", "0.26", "0.73", "2.31", ""},
		},
		{
			name: "smoothing of 5 s", params: func(p *params) { p.SmoothSeconds = 5 },
			reference: references{"0.18", "0.25", "0.73", "2.32", ""},
		},
		{name: "rule 2 with any R²", params: func(p *params) { p.R2 = 0 }},
		{name: "rule 2 from R² 0.99", params: func(p *params) { p.R2 = .99 }},
		{
			name: "neighbours only", params: func(p *params) { p.Use = nearestfit.NeighboursOnly },
			reference: references{"10.7 / 20", "14.5 / 48", "24 / 87", "35 / 78", ""},
		},
		{
			name: "fit only", params: func(p *params) { p.Use = nearestfit.FitOnly },
			reference: references{"0.14 / 0.4", "0.29 / 1.3", "0.72 / 3.5", "2.1 / 10.1", ""},
		},
		{
			name: "fit only, a point weighs 1", params: func(p *params) {
				p.Use, p.Weights = nearestfit.FitOnly,
					nearestfit.Unit
			},
			reference: references{"12.6 / 46", "9.7 / 49", "4.9 / 42", "2.5 / 14", ""},
		},
		{name: "one fit for all tasks", params: func(p *params) { p.Pooled = true }, reference: references{
			"", "", "",
			"0.98 / 2.9", "",
		}},
		{name: "a point weighs groups per second", params: func(p *params) { p.Weights = nearestfit.PerSecond }},
		{name: "explicit groups held to the bytes left", params: func(p *params) { p.Conserve = true }},
		{name: "the same, δ = 0", params: func(p *params) { p.Conserve, p.DeltaBytes = true, 0 }},
		{name: "all three: ours", params: func(p *params) { *p = deviating() }},
		{name: "groups take exactly what their size says", spec: still},
		{name: "the same, one fit for all", spec: still, params: func(p *params) { p.Pooled = true }},
	}
}

func partsExperiment(l lab) experiment {
	e := experiment{title: "What each part is worth (section 8.6)"}
	all := variants()
	for _, v := range all {
		for _, s := range tried {
			e.rows = append(e.rows, v.row(l, s))
		}
	}
	e.write = func(p printer, r []result) error {
		p("Of the streaming form. Below each: what the reference program has (docs/facts/nearestfit.md B; its own groups by chance), where it was asked.")
		p("")
		head(p, []string{"what is changed"}, tried[:])
		for i, v := range all {
			ours, theirs := []string{v.name}, []string{"*reference*"}
			for j := range tried {
				ours = append(ours, r[i*len(tried)+j][v.name].String())
				theirs = append(theirs, v.reference[j])
			}
			p("%s", line(ours...))
			if v.reference != (references{}) {
				p("%s", line(theirs...))
			}
		}
		p("")
		p("%s", partsWords)
		return nil
	}
	return e
}
