package past

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/paper"
)

// The estimators that are always in the short table of score.
const (
	headlineRow = "standard"
	engineRow   = "hadoop" // the engine's own progress, for MapReduce and other jobs
	baselineRow = "dne"
	// firstIndicator is the first of the other estimators that is not a variant of ParaTimer's own scenarios.
	firstIndicator = "parallax"
)

// mostUnanswered is the largest fraction of observations without an estimate for an indicator to count as the best:
// a few estimates near the end are easily right.
const mostUnanswered = 0.5

// mainRows returns the main rows: the headline, the engine's own progress, the simple baseline and the best of the
// other indicators. ParaTimer's own other scenarios are left out, since they estimate something else.
func mainRows(all []estimatorScore) []estimatorScore {
	var rows []estimatorScore
	for _, name := range []string{headlineRow, engineRow, baselineRow} {
		if i := slices.IndexFunc(all, func(e estimatorScore) bool { return e.Name == name }); i >= 0 {
			rows = append(rows, all[i])
		}
	}
	others := paper.Others()
	first := slices.IndexFunc(others, func(s estimators.Scenario) bool { return s.Name == firstIndicator })
	indicators := slices.DeleteFunc(slices.Clone(all), func(e estimatorScore) bool {
		isSame := func(s estimators.Scenario) bool { return s.Name == e.Name }
		isOther := slices.ContainsFunc(others[max(first, 0):], isSame)
		isShown := e.Name == engineRow || e.Name == baselineRow
		isSilent := e.NoEstimateRatio == nil || *e.NoEstimateRatio > mostUnanswered
		return !isOther || isShown || isSilent || e.MeanPoints == nil
	})
	if len(indicators) > 0 {
		rows = append(rows, slices.MinFunc(indicators, func(a, b estimatorScore) int {
			return cmp.Compare(*a.MeanPoints, *b.MeanPoints)
		}))
	}
	return rows
}

// legendOf explains the rows and columns of the short table.
func legendOf(rows []estimatorScore, all int) string {
	about := map[string]string{headlineRow: "ParaTimer's headline"}
	for _, s := range paper.Others() {
		about[s.Name] = s.Meaning
	}
	var b strings.Builder
	for i, r := range rows {
		role := ""
		if i == 3 {
			role = "the best of the other indicators: "
		}
		fmt.Fprintf(&b, "  %s: %s%s\n", r.Name, role, about[r.Name])
	}
	b.WriteString("  bias: + is progress too high, - too low; none: share of observations without an estimate; first s: when the first came;\n" +
		"  half: error halfway; back: steps backwards\n")
	if more := all - len(rows); more > 0 {
		fmt.Fprintf(&b, "  --all shows %d more\n", more)
	}
	return b.String()
}
