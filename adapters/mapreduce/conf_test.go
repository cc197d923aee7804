package mapreduce

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/paratimer/paratimer/adapters/internal/loose"
	"github.com/paratimer/paratimer/adapters/yarn"
)

// TestConfBounds: what is kept of a configuration is bounded, however long the lists in it are.
func TestConfBounds(t *testing.T) {
	t.Parallel()
	var b confBody
	set := func(name, value string) {
		b.Conf.V.Properties = append(b.Conf.V.Properties, wireProperty{loose.Raw(name), loose.Raw(value)})
	}
	var dirs strings.Builder
	for i := range 500_000 {
		fmt.Fprintf(&dirs, "d%d,", i)
	}
	set("pig.input.dirs", dirs.String())
	set(adjacency+"a", "b,c")
	for i := range 200 {
		set(fmt.Sprintf("%sn%d", adjacency, i), dirs.String()[:1000])
	}
	c := b.conf()
	edges := 0
	for _, to := range c.After {
		edges += 1 + len(to)
	}
	if len(c.Input) != mostNames || edges > mostNames || len(c.After["a"]) != 2 {
		t.Errorf("%d inputs, %d nodes and edges, %v after a", len(c.Input), edges, c.After["a"])
	}
	if got := fields(strings.Repeat("é", mostText)+",a", mostNames); len(got) != 0 {
		t.Errorf("%d elements of a list whose first is too long", len(got))
	}
	if got := fields("b, a,,b", mostNames); strings.Join(got, " ") != "a b" {
		t.Error(got)
	}
	long := strings.Repeat("x", mostText-1) + ",y,z"
	if got := fields(long, mostNames); len(got) != 1 || len(got[0]) > 4096 {
		t.Errorf("%d elements", len(got))
	}
}

var confBodies = []string{
	`{"conf":{"path":"file:/job.xml","property":[{"name":"mapreduce.workflow.id","value":"pig_1","source":["a","b"]},{"name":"dfs.x","value":"y"},{"name":"pig.alias","value":"a\u00e9\"b"}]}}`,
	` { "conf" : { "property" : [ { "value" : "v1" , "name" : "mapreduce.job.name" } , { "name":"yarn.app.mapreduce.am.resource.mb", "value": 512 },{"name":"stop.on.failure","value":true},{"name":"pig.alias","value":null}] } } `,
	`{"conf":{"property":[]}}`, `{"conf":{"property":[{}]}}`, `{"conf":{}}`, `{"conf":null}`, `{}`, `[]`, ``,
	`{"conf":{"property":{"name":"pig.alias","value":"x"}}}`,
	`{"conf":{"property":[{"name":"pig.alias","value":"x"}]}} trailing`,
	`{"conf":{"property":[{"name":"pig.alias","value":{"a":1}}]}}`,
	`{"conf":{"property":[{"name":"pig.alias","value":"x"},7]}}`,
	`{"conf":{"property":[{"name":"pig.alias","value":"x"}],"property":[]}}`,
	`{"conf":{"property":[{"nAme":"stop.on.failure","vAlue":true}]}}`,
	`{"Conf":{"property":[{"name":"pig.alias","value":"x"}]}}`, `{"conf":{"property":[{"name":"pig.alias","value":"x"`,
}

// TestConfScanner: what is scanned is what would be decoded.
func TestConfScanner(t *testing.T) {
	fast := 0
	for _, body := range confBodies {
		if sameConf(t, []byte(body)) {
			fast++
		}
	}
	if fast < 4 {
		t.Errorf("only %d bodies were scanned: the rest was decoded as before", fast)
	}
}

func FuzzConfScanner(f *testing.F) {
	for _, body := range confBodies {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) { sameConf(t, body) })
}

// sameConf compares both ways where both take a body, and says whether the scanner took it.
func sameConf(t *testing.T, body []byte) bool {
	t.Helper()
	want, wantErr := yarn.Read[confBody](context.Background(), "conf", body, nil)
	got, err := getConf(context.Background(), "conf", body, nil)
	s := confScanner{b: body}
	scanned := s.document()
	if !scanned && (err == nil) != (wantErr == nil) {
		t.Fatalf("%s: %v, want %v", body, err, wantErr)
	}
	if wantErr != nil {
		return scanned
	}
	if err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	if strings.Contains(string(body), `\`) && !scanned {
		return false
	}
	if a, b := got.conf(), want.conf(); !reflect.DeepEqual(a, b) {
		t.Fatalf("%s:\nscanned %+v\ndecoded %+v", body, a, b)
	}
	return scanned
}
