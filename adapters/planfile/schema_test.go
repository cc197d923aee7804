package planfile

import (
	"bytes"
	"os"
	"reflect"
	"slices"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"

	"github.com/paratimer/paratimer/dag"
)

const schemaFile = "../../docs/plan.schema.json"

// TestWrittenPlansSatisfySchema checks that a program with the published schema accepts what Write writes.
func TestWrittenPlansSatisfySchema(t *testing.T) {
	t.Parallel()
	f, err := os.Open(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	doc, err := jsonschema.UnmarshalJSON(f)
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("plan", doc); err != nil {
		t.Fatal(err)
	}
	schema := compiler.MustCompile("plan")
	rapid.Check(t, func(t *rapid.T) {
		var b bytes.Buffer
		if err := WriteJSON(&b, anyPlan(t)); err != nil {
			t.Fatal(err)
		}
		file, err := jsonschema.UnmarshalJSON(bytes.NewReader(b.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(file); err != nil {
			t.Fatalf("%v\n%s", err, b.Bytes())
		}
	})
}

// TestEveryFieldHasATag checks that a new field of package dag gets a place in plan files, or is listed here.
func TestEveryFieldHasATag(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		of   reflect.Type
		none []string
	}{
		// The policy of a file has the order. Elastic and Copies are settings of an application that runs.
		{reflect.TypeFor[dag.Cluster](), []string{"Policy", "Elastic", "Copies", "Order"}},
		{reflect.TypeFor[dag.Plan](), []string{"Whole", "Cluster", "Jobs", "Open", "Residuals", "InputSizes"}},
		{reflect.TypeFor[dag.Job](), []string{"After", "Stages", "MasterMB", "MapReduce"}},
		{reflect.TypeFor[dag.Stage](), []string{"Name", "URL", "Group", "After", "Tasks", "Known", "Pipelines", "Broadcast"}},
		{reflect.TypeFor[dag.Node](), nil},
		{reflect.TypeFor[dag.Pool](), nil},
		{reflect.TypeFor[dag.Overheads](), nil},
		{reflect.TypeFor[dag.MapReduceLimits](), nil},
		{reflect.TypeFor[dag.Residual](), nil},
		{reflect.TypeFor[dag.Pipeline](), nil},
		{reflect.TypeFor[dag.Groups](), nil},
		{reflect.TypeFor[dag.ReduceGroups](), []string{"Attempt", "OpenBytes", "OpenSince", "OpenKey"}},
		{reflect.TypeFor[dag.KeyGroup](), nil},
	} {
		var none []string
		for i := range c.of.NumField() {
			if f := c.of.Field(i); f.Tag.Get("plan") == "" {
				none = append(none, f.Name)
			}
		}
		if !slices.Equal(none, c.none) {
			t.Errorf("%v: fields without a tag are %v, want %v", c.of, none, c.none)
		}
	}
}

// TestTimesAgreeWithSchema checks that the schema's pattern accepts the times that are read.
func TestTimesAgreeWithSchema(t *testing.T) {
	t.Parallel()
	for want, times := range map[bool][]string{
		true: {
			"0s", "25ms", "1us", "1µs", "1μs", ".5s", "5.s", "1e3ms", "1.5e-7ms", "1m30s",
			"1h2m3.5s", "2ns",
		},
		false: {
			"", "25", "ms", "-1ms", "+1ms", "1 ms", "1ms ", "1d", "e3ms", ".ms", "0x1ms", "1_0ms",
			"Infms", "nanms", "1ms1", "1e", "1ems",
		},
	} {
		for _, s := range times {
			if _, ok := ParseTime(s); ok != want || timeText.MatchString(s) != want {
				t.Errorf("%q: got %v from ParseTime, %v from the schema, want %v", s, ok, timeText.MatchString(s), want)
			}
		}
	}
}
