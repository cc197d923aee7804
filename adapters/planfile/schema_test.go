package planfile

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/dag"
)

// defs are where the schema describes the structs of a file.
var defs = map[reflect.Type]string{
	reflect.TypeFor[file]():       "#",
	reflect.TypeFor[cluster]():    "#/$defs/cluster",
	reflect.TypeFor[machine]():    "#/$defs/node",
	reflect.TypeFor[pool]():       "#/$defs/pool",
	reflect.TypeFor[overheads]():  "#/$defs/overheads",
	reflect.TypeFor[job]():        "#/$defs/job",
	reflect.TypeFor[limits]():     "#/$defs/limits",
	reflect.TypeFor[mapTasks]():   "#/$defs/map",
	reflect.TypeFor[reduceTask](): "#/$defs/reduce",
	reflect.TypeFor[stage]():      "#/$defs/stage",
	reflect.TypeFor[pipeline]():   "#/$defs/pipeline",
	reflect.TypeFor[residual]():   "#/$defs/residual",
	reflect.TypeFor[groups]():     "#/$defs/groups",
	reflect.TypeFor[taskGroups](): "#/$defs/task_groups",
	reflect.TypeFor[topKey]():     "#/$defs/top_key",
	reflect.TypeFor[keys]():       "#/$defs/keys",
	reflect.TypeFor[keyCost]():    "#/$defs/key_cost",
}

// What the schema allows and what the structs hold is the same, field by field.
func TestSchemaHasEveryField(t *testing.T) {
	seen := make(map[reflect.Type]bool)
	var walk func(reflect.Type)
	walk = func(typ reflect.Type) {
		for typ.Kind() == reflect.Pointer || typ.Kind() == reflect.Slice {
			typ = typ.Elem()
		}
		if typ.Kind() != reflect.Struct || seen[typ] || typ.NumField() == 0 || typ.Field(0).Tag.Get("plan") == "" {
			return
		}
		seen[typ] = true
		var fields []string
		for i := range typ.NumField() {
			fields = append(fields, typ.Field(i).Tag.Get("plan"))
			walk(typ.Field(i).Type)
		}
		slices.Sort(fields)
		if at := defs[typ]; at == "" || !slices.Equal(schema().fieldsAt(at), fields) {
			t.Errorf("%v has %v\nthe schema at %q has %v", typ, fields, at, schema().fieldsAt(at))
		}
	}
	walk(reflect.TypeFor[file]())
	if len(seen) != len(defs) {
		t.Errorf("%d structs were compared, %d are known", len(seen), len(defs))
	}
}

// Every setting of a plan has a place in a file: a new field of package dag must get one.
func TestFileHasEverySetting(t *testing.T) {
	for _, c := range []struct {
		in, out reflect.Type
		not     []string
	}{
		// a file has all of its jobs
		{reflect.TypeFor[dag.Plan](), reflect.TypeFor[file](), []string{"Open", "Whole"}},
		// Order is the policy's. Elastic and Copies are settings of an application that runs; tapes hold them.
		{reflect.TypeFor[dag.Cluster](), reflect.TypeFor[cluster](), []string{"Order", "Elastic", "Copies"}},
		{reflect.TypeFor[dag.Node](), reflect.TypeFor[machine](), nil},
		{reflect.TypeFor[dag.Pool](), reflect.TypeFor[pool](), nil},
		{reflect.TypeFor[dag.Overheads](), reflect.TypeFor[overheads](), nil},
		{reflect.TypeFor[dag.Job](), reflect.TypeFor[job](), []string{"MasterMB"}},
		{reflect.TypeFor[dag.MapReduceLimits](), reflect.TypeFor[limits](), nil},
		{reflect.TypeFor[dag.Residual](), reflect.TypeFor[residual](), nil},
		{reflect.TypeFor[dag.Stage](), reflect.TypeFor[stage](), []string{"Known", "Groups", "Foreseen"}},
		{reflect.TypeFor[dag.Groups](), reflect.TypeFor[groups](), nil},
		{reflect.TypeFor[dag.ReduceGroups](), reflect.TypeFor[taskGroups](), []string{
			"Attempt", "OpenBytes",
			"OpenSince", "OpenKey",
		}},
		{reflect.TypeFor[dag.KeyGroup](), reflect.TypeFor[topKey](), nil},
	} {
		have := c.out.NumField() + len(c.not)
		switch c.out {
		case reflect.TypeFor[file]():
			have-- // version
		case reflect.TypeFor[job]():
			have -= 2 // map and reduce are stages
		case reflect.TypeFor[limits]():
			have-- // am_memory is the job's MasterMB
		case reflect.TypeFor[stage]():
			have -= 4 // records and cost are one pipeline; after, edge, slow_start and full_start are the edges
		}
		if have != c.in.NumField() {
			t.Errorf("%v has %d fields, %v has %d of them", c.in, c.in.NumField(), c.out, have)
		}
	}
}

// Messages are made of the schema's titles.
func TestSchemaIsTitled(t *testing.T) {
	var walk func(v any, path string)
	walk = func(v any, path string) {
		m, ok := v.(map[string]any)
		if !ok {
			return
		}
		_, typed := m["type"]
		_, listed := m["enum"]
		if title, _ := m["title"].(string); (typed || listed) && title == "" {
			t.Errorf("%s has no title", path)
		}
		for k, child := range m {
			walk(child, path+"/"+k)
		}
	}
	walk(schema().doc, "#")
}

func TestPublishedSchema(t *testing.T) {
	published, err := os.ReadFile("../../docs/plan.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(published, Schema()) {
		t.Error("docs/plan.schema.json differs from adapters/planfile/plan.schema.json: copy the latter over it")
	}
	var doc struct {
		Schema string `json:"$schema"`
	}
	if err := json.Unmarshal(published, &doc); err != nil || !strings.HasSuffix(doc.Schema, "2020-12/schema") {
		t.Errorf("%v, %q", err, doc.Schema)
	}
}

// What Write gives satisfies the schema as other programs read it.
func TestUnitsAgreeWithSchema(t *testing.T) {
	for _, s := range []string{
		"0s", "25ms", "1us", "1µs", "1μs", ".5s", "5.s", "1e3ms", "1.5e-7ms", "1m30s",
		"1h2m3.5s", "2ns",
	} {
		_, isTime := parseTime(s)
		if bad := timeAt(s); !isTime || bad != nil {
			t.Errorf("%s: parseTime says %v, the schema %v", s, isTime, bad)
		}
	}
	for _, s := range []string{
		"", "25", "ms", "-1ms", "+1ms", "1 ms", "1ms ", "1d", "e3ms", ".ms", "0x1ms", "1_0ms",
		"Infms", "nanms", "1ms1", "1e", "1ems",
	} {
		_, isTime := parseTime(s)
		if bad := timeAt(s); isTime || bad == nil {
			t.Errorf("%q: parseTime says %v, the schema %v", s, isTime, bad)
		}
	}
}

func timeAt(s string) []fault {
	return schema().check(&node{kind: mapping, children: &children{
		keys: []*node{word(text, "cluster"), word(text, "jobs")},
		items: []*node{
			{kind: mapping, children: &children{keys: []*node{word(text, "setup")}, items: []*node{word(text, s)}}},
			{kind: list, children: &children{items: []*node{{kind: mapping, children: &children{
				keys: []*node{word(text, "name"), word(text, "map")},
				items: []*node{word(text, "j"), {kind: mapping, children: &children{
					keys: []*node{word(text, "tasks")}, items: []*node{word(null, "null")},
				}}},
			}}}}},
		},
	}})
}
