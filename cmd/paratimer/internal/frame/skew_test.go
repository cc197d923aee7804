package frame

import (
	"encoding/json"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators"
)

// The skew from estimators is formatted for a frame: instants, names, and null for unknown values.
func TestSkew(t *testing.T) {
	s := query(1_010_000, dag.Running)
	left, alone, more, keyAlone := 60*time.Second, 40*time.Second, 5*time.Second, 30*time.Second
	nan := math.NaN()
	got := SkewOf(s, []estimators.Skew{{
		Stage: dag.Reduce, Tasks: 4, Keys: dag.GroupsTapped, Sizes: estimators.SizesBytes, Median: 10 * time.Second,
		Skewed: 1, Delay: 40 * time.Second,
		Worst: []estimators.SkewedTask{
			{
				Task: 2, Running: &dag.Attempt{Task: 2, Number: 1}, Size: 3000, Share: 0.6, Work: 50 * time.Second,
				End: 1_070_000, Delay: &alone,
				Keys: []estimators.SkewedKey{
					{
						Name: "#9f3a", Bytes: 2000, TaskShare: 2. / 3, JobShare: 0.4, Took: 45 * time.Second,
						Rule: "own_fit", Left: true, Delay: &keyAlone,
					},
					{Bytes: math.Inf(1), TaskShare: nan, JobShare: nan, Rule: estimators.RuleLinear},
				},
			},
			{Task: 0, Done: true, Size: nan, Share: nan, Work: time.Second, End: 1_005_000},
		},
		Split:  &estimators.Split{Task: 2, Key: "#9f3a", Parts: 4, Sooner: 35 * time.Second},
		Double: &more,
	}}, &left)
	text, err := json.MarshalIndent(got, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	want := `[
 {
  "job": "j1",
  "reduces": 4,
  "skewed": 1,
  "median_seconds": 10,
  "delay_seconds": 40,
  "keys_from": "tap",
  "worst": [
   {
    "task": 2,
    "attempt": "attempt_1_0001_r_000002_1",
    "done": false,
    "size_bytes": 3000,
    "size_records": null,
    "share_ratio": 0.6,
    "work_seconds": 50,
    "end_seconds": 70,
    "end_at": "1970-01-01T00:17:50.000Z",
    "delay_seconds": 40,
    "keys": [
     {
      "key": "#9f3a",
      "size_bytes": 2000,
      "task_ratio": 0.666667,
      "share_ratio": 0.4,
      "predicted_seconds": 45,
      "rule": "own_fit",
      "done": false,
      "delay_seconds": 30
     },
     {
      "key": null,
      "size_bytes": null,
      "task_ratio": null,
      "share_ratio": null,
      "predicted_seconds": 0,
      "rule": "linear",
      "done": true,
      "delay_seconds": null
     }
    ]
   },
   {
    "task": 0,
    "attempt": null,
    "done": true,
    "size_bytes": null,
    "size_records": null,
    "share_ratio": null,
    "work_seconds": 1,
    "end_seconds": 5,
    "end_at": "1970-01-01T00:16:45.000Z",
    "delay_seconds": null,
    "keys": []
   }
  ],
  "split": {
   "task": 2,
   "key": "#9f3a",
   "parts": 4,
   "sooner_seconds": 35,
   "end_at": "1970-01-01T00:17:15.000Z"
  },
  "doubled": {
   "reduces": 8,
   "sooner_seconds": 5,
   "end_at": "1970-01-01T00:17:45.000Z"
  }
 }
]`
	if d := cmp.Diff(want, string(text)); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	if SkewOf(s, nil, &left) != nil || SkewOf(s, []estimators.Skew{}, nil) != nil {
		t.Error("unknown values must be null")
	}
	if none := SkewOf(s, []estimators.Skew{}, &left); none == nil || len(none) != 0 {
		t.Error("no skew is an empty list")
	}
}
