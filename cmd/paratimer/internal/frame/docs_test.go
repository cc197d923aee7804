package frame

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
	"github.com/paratimer/paratimer/estimators/explain"
	"github.com/paratimer/paratimer/estimators/nearestfit"
	"github.com/paratimer/paratimer/schedule"
)

func contract(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile("../../../../docs/frames.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestContractNamesEveryField checks that docs/frames.md and the Frame type have the same fields.
func TestContractNamesEveryField(t *testing.T) {
	text := contract(t)
	fields := 0
	var walk func(reflect.Type)
	walk = func(typ reflect.Type) {
		for typ.Kind() == reflect.Pointer || typ.Kind() == reflect.Slice {
			typ = typ.Elem()
		}
		if typ.Kind() != reflect.Struct || typ == reflect.TypeFor[Time]() {
			return
		}
		for i := range typ.NumField() {
			name, _, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
			if name == "-" {
				continue
			}
			fields++
			if !regexp.MustCompile(`\b` + regexp.QuoteMeta(name) + `\b`).MatchString(text) {
				t.Errorf("docs/frames.md does not name %s of %s", name, typ)
			}
			walk(typ.Field(i).Type)
		}
	}
	walk(reflect.TypeFor[Frame]())
	if fields < 40 {
		t.Fatalf("only %d fields found: nothing is guarded", fields)
	}
}

// TestContractClosesItsSets checks that the closed sets in docs/frames.md are those of the program.
func TestContractClosesItsSets(t *testing.T) {
	text := contract(t)
	var states, kinds, origins, scenarios []string
	for s := dag.Blocked; s <= dag.EndedUnconfirmed; s++ {
		states = append(states, s.String())
	}
	kinds = append(kinds, dag.MapReduceName(dag.Map), dag.MapReduceName(dag.Reduce))
	for p := dag.Launch; p <= dag.Finish; p++ {
		kinds = append(kinds, p.String())
	}
	for o := schedule.Observed; o <= schedule.Unknown; o++ {
		origins = append(origins, o.String())
	}
	for _, s := range estimators.Scenarios() {
		scenarios = append(scenarios, s.Name)
	}
	for set, names := range map[string][]string{
		"state": states, "phase": kinds, "origin": origins, "scenario": scenarios,
		"reason": {
			string(explain.ReasonFailure), string(explain.ReasonNewWork),
			string(explain.ReasonSize), string(explain.ReasonSlots),
			string(explain.ReasonModel), string(explain.ReasonSpeed), string(explain.ReasonOther),
		},
		"move reason":  {string(explain.ReasonWave), string(explain.ReasonStart)},
		"warning code": warningCodes(t),
		"alert state":  {string(OnTrack), string(AtRisk), string(Late), string(Ended), string(Blind)},
		"node state":   {"running", "draining", "lost", dag.NodeUnhealthy.String(), dag.NodeDecommissioned.String()},
		"outcome":      {string(Met), string(Missed)},
		"group origin": groupOrigins(),
		"rule":         groupRules(),
	} {
		_, rest, found := strings.Cut(text, "\n*"+set+"*")
		if !found {
			t.Errorf("docs/frames.md does not close the set of %ss", set)
			continue
		}
		if next := regexp.MustCompile(`\n\*[a-z]`).FindStringIndex(rest); next != nil {
			rest = rest[:next[0]]
		}
		var documented []string
		for _, m := range regexp.MustCompile("`([a-z_]+)`").FindAllStringSubmatch(rest, -1) {
			documented = append(documented, m[1])
		}
		slices.Sort(documented)
		slices.Sort(names)
		if !slices.Equal(slices.Compact(documented), names) {
			t.Errorf("values of a %s in docs/frames.md: got %v, want %v", set, documented, names)
		}
	}
}

func groupOrigins() (names []string) {
	for o := dag.GroupsNone; o <= dag.GroupsComplete; o++ {
		names = append(names, o.String())
	}
	return names
}

func groupRules() []string {
	names := []string{estimators.RuleLinear}
	for r := nearestfit.OwnNeighbours; int(r) < nearestfit.Rules; r++ {
		names = append(names, r.String())
	}
	return names
}

// warningCodes reads the Warn constants out of package dag's source.
func warningCodes(t *testing.T) []string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), "../../../../dag/snapshot.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var codes []string
	ast.Inspect(f, func(n ast.Node) bool {
		if v, ok := n.(*ast.ValueSpec); ok && strings.HasPrefix(v.Names[0].Name, "Warn") {
			code, err := strconv.Unquote(v.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			codes = append(codes, code)
		}
		return true
	})
	return codes
}
