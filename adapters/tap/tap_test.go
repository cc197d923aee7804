package tap

import (
	"bytes"
	"math"
	"reflect"
	"strings"
	"testing"
)

const (
	jobID   = "job_1700000000000_0001"
	reduce3 = "attempt_1700000000000_0001_r_000003_0"
	map7    = "attempt_1700000000000_0001_m_000007_1"
)

func batches() []Batch {
	return []Batch{
		{
			Version: 1, Job: jobID, Attempt: reduce3, Points: []Point{{0.5, 24, 0.001, 300}, {0, 81920, 12.25, 1}},
			Open: &Open{"#0011223344556677", 4096, 0},
		},
		{Version: 1, Job: jobID, Attempt: reduce3, Seq: 1, Final: true, Note: "resolution: 64 KiB"},
		{Version: 1, Job: jobID, Attempt: map7, Final: true, Map: &MapProfile{
			Reduces: 2, Bytes: []float64{100, 0}, Records: 9, Lambda: 2000, Complete: true,
			Top: []Key{{"a~b", 0, 60}, {`\x1b`, 0, 40}, {"#1", 1, 0}},
		}},
		{
			Version: 1, Job: "job_local123_0001", Attempt: "attempt_local123_0001_m_000000_0", Final: true,
			Note: "no promises: map-only job",
		},
	}
}

func TestBatchesComeBack(t *testing.T) {
	for _, b := range batches() {
		out, err := b.Encode()
		if err != nil {
			t.Fatal(err)
		}
		got, err := Decode(strings.NewReader(string(out)))
		if err != nil {
			t.Fatalf("%s: %v", out, err)
		}
		if !reflect.DeepEqual(got, b) {
			t.Errorf("%s:\n got %+v\nwant %+v", out, got, b)
		}
	}
}

// TestBadBatches checks that an error names its field, and that Encode and Decode agree.
func TestBadBatches(t *testing.T) {
	for want, bad := range map[string]string{
		"v: missing":                            `{}`,
		"v: version 2":                          `{"v":2,"new":1}`,
		"unexpected end of JSON":                `{"v":1,`,
		"after top-level value":                 `{"v":1} {}`,
		`unknown field "long`:                   with(`"` + strings.Repeat("long", 1000) + `":1`),
		`unknown field "what"`:                  with(`"what":1`),
		"att: \"attempt_1":                      `{"v":1,"job":"` + jobID + `","att":"attempt_1","seq":0}`,
		"job: \"job_1\"":                        `{"v":1,"job":"job_1","att":"` + reduce3 + `","seq":0}`,
		"seq: -1":                               `{"v":1,"job":"` + jobID + `","att":"` + reduce3 + `"}`,
		"map: a profile of a map":               with(`"map":{"r":1,"b":[1],"n":1,"l":1,"top":[]}`),
		"pts[1].b: -1 is not within":            with(`"pts":[{"a":0,"b":1,"s":1,"n":1},{"a":0,"b":-1,"s":1,"n":1}]`),
		"pts[0].n: 0 is not within":             with(`"pts":[{"a":0,"b":1,"s":1,"n":0}]`),
		"pts.n: number 1e999 is the wrong type": with(`"pts":[{"a":0,"b":1,"s":1,"n":1e999}]`),
		"json: unknown field":                   with(`"pts":[{"z":1}]`),
		"pts: object is the wrong type":         with(`"pts":{}`),
		"pts: 4097 points":                      with(`"pts":[{}` + strings.Repeat(",{}", 4096) + `]`),
		"open.k: not 1 to 64 bytes":             with(`"open":{"k":"\u001b[2J","b":1,"s":1}`),
		"note: not up to 200 bytes":             with(`"note":"` + strings.Repeat("n", 201) + `"`),
		"pts: groups of a reduce": withMap(
			`{"r":1,"b":[1],"n":1,"l":1,"top":[]},"open":{"k":"x","b":1,"s":1}`),
		"map.r: 0 is not":      withMap(`{"r":0,"b":[],"n":1,"l":1,"top":[]}`),
		"map.r: 20001 is not":  withMap(`{"r":20001,"b":[1],"n":1,"l":1,"top":[]}`),
		"map.b: 1 sizes for 2": withMap(`{"r":2,"b":[1],"n":1,"l":1,"top":[]}`),
		"map.l: 9000 is not":   withMap(`{"r":1,"b":[1],"n":1,"l":9000,"top":[]}`),
		"map.top: 2 keys": withMap(
			`{"r":1,"b":[1],"n":1,"l":1,"top":[{"k":"a","r":0,"b":1},{"k":"b","r":0,"b":0}]}`),
		"map.top: 8193 keys": withMap(`{"r":1,"b":[1],"n":1,"l":1,"top":[{}` + strings.Repeat(",{}",
			8192) + `]}`),
		"map.b: 20001 sizes for 1": withMap(`{"r":1,"b":[0` + strings.Repeat(",0", 20000) +
			`],"n":1,"l":1,"top":[]}`),
		`map.top[1].k: "a" is listed twice`: withMap(
			`{"r":1,"b":[9],"n":1,"l":9,"top":[{"k":"a","r":0,"b":1},{"k":"a","r":0,"b":1}]}`),
		"map.top[0].k: not 1 to":      withMap(`{"r":1,"b":[9],"n":1,"l":9,"top":[{"r":0,"b":1}]}`),
		"map.top[0].r: reduce 1 of 1": withMap(`{"r":1,"b":[9],"n":1,"l":9,"top":[{"k":"a","r":1,"b":1}]}`),
		"map.top[1].b: the largest come first": withMap(
			`{"r":1,"b":[9],"n":1,"l":9,"top":[{"k":"a","r":0,"b":1},{"k":"b","r":0,"b":2}]}`),
		"map.top[1].b: the keys of reduce 0": withMap(
			`{"r":1,"b":[9],"n":1,"l":9,"top":[{"k":"a","r":0,"b":5},{"k":"b","r":0,"b":5}]}`),
		"at most 2097152 bytes": with(`"note":"` + strings.Repeat("n", MaxBatchBytes) + `"`),
	} {
		got, err := Decode(strings.NewReader(bad))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.120s:\n got %v\nwant %s", bad, err, want)
		}
		if err != nil && len(err.Error()) > 400 {
			t.Errorf("an error of %d bytes", len(err.Error()))
		}
		if err == nil {
			t.Errorf("%.120s: got %+v, want an error", bad, got)
		}
	}
	for _, b := range []Batch{
		{},
		{Version: 1, Job: jobID, Attempt: reduce3, Points: []Point{{0, math.NaN(), 1, 1}}},
		{Version: 1, Job: jobID, Attempt: reduce3, Points: []Point{{0, 1, math.Inf(1), 1}}},
		{Version: 1, Job: jobID, Attempt: reduce3, Note: "\xff"},
	} {
		if out, err := b.Encode(); err == nil {
			t.Errorf("sent: %s", out)
		}
	}
}

func with(field string) string {
	return `{"v":1,"job":"` + jobID + `","att":"` + reduce3 + `","seq":0,` + field + `}`
}

func withMap(profile string) string {
	return `{"v":1,"job":"` + jobID + `","att":"` + map7 + `","seq":0,"map":` + profile + `}`
}

func TestAttemptIDs(t *testing.T) {
	for id, want := range map[string]Attempt{
		reduce3: {Job: jobID, Reduce: true, Task: 3},
		map7:    {Job: jobID, Task: 7, Number: 1},
		"attempt_1700000000000_12345_r_000000_1000":  {Job: "job_1700000000000_12345", Reduce: true, Number: 1000},
		"attempt_local1386660692_0001_m_000012_0":    {Job: "job_local1386660692_0001", Task: 12},
		"attempt_1700000000000_0001_r_99999999_0000": {Job: jobID, Reduce: true, Task: 99999999},
	} {
		if got, err := ParseAttempt(id); err != nil || got != want {
			t.Errorf("%s: %+v, %v", id, got, err)
		}
	}
	for _, id := range []string{
		"", "attempt_", jobID, "attempt_1700000000000_0001_x_000003_0", reduce3 + "\n", " " + reduce3, reduce3 + "_0",
		"attempt_1700000000000_0001_r_-00003_0", "attempt_1700000000000_0001_r_000003_99999999999",
		strings.Repeat("9", 1e6),
	} {
		if got, err := ParseAttempt(id); err == nil || len(err.Error()) > 300 {
			t.Errorf("%.60q: %+v, %v", id, got, err)
		}
	}
}

// FuzzDecode feeds anything to a collector. What it takes must be sendable again, and come back the same.
func FuzzDecode(f *testing.F) {
	for _, b := range batches() {
		out, err := b.Encode()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(out)
		f.Add(out[:len(out)/2])
	}
	for _, body := range []string{
		``, `null`, `[]`, `{"v":1}`, with(`"pts":[{"a":0,"b":1e18,"s":1e-300,"n":1}]`),
		with(`"PTS":[{"A":0,"B":1,"S":1,"N":1}]`),
		with(`"pts":[null]`), with(`"pts":null,"open":null,"map":null`), with(`"open":{"k":"\ud800","b":1,"s":1}`),
		withMap(`{"r":2,"b":[1,1e17],"n":0,"l":1,"top":null}`),
		withMap(`{"r":1,"b":[3],"n":1,"l":2,"top":[{"k":"a","r":0,"b":2.5}]}`),
		with(`"seq":5,"seq":6`), withMap(`{"r":-1,"b":[[[[]]]],"top":{}}`),
	} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		b, err := Decode(bytes.NewReader(body))
		if err != nil {
			if len(err.Error()) > 600 {
				t.Fatalf("an error of %d bytes", len(err.Error()))
			}
			return
		}
		out, err := b.Encode()
		if err != nil {
			t.Fatalf("taken, but cannot be sent: %v", err)
		}
		again, err := Decode(bytes.NewReader(out))
		if err != nil {
			t.Fatalf("%s: %v", out, err)
		}
		if !reflect.DeepEqual(b, again) {
			t.Fatalf("%+v\ncame back as\n%+v", b, again)
		}
	})
}
