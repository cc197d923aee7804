package jobfile

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"testing"
)

// What the schema allows and what the structs hold is the same, field by field.
func TestSchemaHasEveryField(t *testing.T) {
	type object struct {
		Properties map[string]any
		Defs       map[string]object `json:"$defs"`
	}
	var doc object
	if err := json.Unmarshal(Schema(), &doc); err != nil {
		t.Fatal(err)
	}
	for typ, at := range map[reflect.Type]object{
		reflect.TypeFor[file](): doc, reflect.TypeFor[cluster](): doc.Defs["cluster"],
		reflect.TypeFor[job](): doc.Defs["job"], reflect.TypeFor[demand](): doc.Defs["demand"],
	} {
		var have, want []string
		for i := range typ.NumField() {
			have = append(have, typ.Field(i).Tag.Get("plan"))
		}
		for name := range at.Properties {
			want = append(want, name)
		}
		slices.Sort(have)
		slices.Sort(want)
		if !slices.Equal(have, want) {
			t.Errorf("%v has %v\nthe schema has %v", typ, have, want)
		}
	}
}

// Every field of a File is one of the file.
func TestFileHasEveryField(t *testing.T) {
	for _, c := range []struct {
		in, out reflect.Type
		more    int // fields of the file that a File does not have
	}{
		{reflect.TypeFor[File](), reflect.TypeFor[file](), 1}, // version
		{reflect.TypeFor[Cluster](), reflect.TypeFor[cluster](), 0},
		{reflect.TypeFor[Job](), reflect.TypeFor[job](), 0},
		{reflect.TypeFor[Demand](), reflect.TypeFor[demand](), 0},
	} {
		if c.in.NumField()+c.more != c.out.NumField() {
			t.Errorf("%v has %d fields, %v has %d", c.in, c.in.NumField(), c.out, c.out.NumField())
		}
	}
}

func TestPublishedSchema(t *testing.T) {
	published, err := os.ReadFile("../../docs/job.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(published, Schema()) {
		t.Error("docs/job.schema.json differs from adapters/jobfile/job.schema.json: copy the latter over it")
	}
}
