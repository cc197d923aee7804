package hadoop

import (
	"context"
	"reflect"
	"strings"
	"testing"
)

var confBodies = []string{
	`{"conf":{"path":"file:/job.xml","property":[{"name":"mapreduce.workflow.id","value":"pig_1","source":["a","b"]},{"name":"dfs.x","value":"y"},{"name":"pig.alias","value":"a\u00e9\"b"}]}}`,
	` { "conf" : { "property" : [ { "value" : "v1" , "name" : "mapreduce.job.name" } , { "name":"yarn.app.mapreduce.am.resource.mb", "value": 512 },{"name":"stop.on.failure","value":true},{"name":"pig.alias","value":null}] } } `,
	`{"conf":{"property":[]}}`, `{"conf":{"property":[{}]}}`, `{"conf":{}}`, `{"conf":null}`, `{}`, `[]`, ``, `{"conf":{"property":{"name":"pig.alias","value":"x"}}}`,
	`{"conf":{"property":[{"name":"pig.alias","value":"x"}]}} trailing`, `{"conf":{"property":[{"name":"pig.alias","value":{"a":1}}]}}`,
	`{"conf":{"property":[{"name":"pig.alias","value":"x"},7]}}`, `{"conf":{"property":[{"name":"pig.alias","value":"x"}],"property":[]}}`,
	`{"conf":{"property":[{"nAme":"stop.on.failure","vAlue":true}]}}`, `{"Conf":{"property":[{"name":"pig.alias","value":"x"}]}}`, `{"conf":{"property":[{"name":"pig.alias","value":"x"`,
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
	want, wantErr := get[confBody](context.Background(), "conf", body, nil)
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
