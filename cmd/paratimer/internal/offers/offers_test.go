package offers

import (
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/ernestmodel"
	"github.com/paratimer/paratimer/estimators/ernest"
)

func TestParse(t *testing.T) {
	got, err := Parse("name=r3.xlarge, csv=runs.csv,price=0.35,min=2,max=64,step=2,billing=hour,machines=Cores,unit=ms,speeds=stream.csv")
	if err != nil {
		t.Fatal(err)
	}
	want := Offer{
		Name: "r3.xlarge", CSV: "runs.csv", Price: 0.35, Min: 2, Max: 64, Step: 2, Billing: "hour",
		Machines: "Cores", Unit: "ms", Speeds: "stream.csv",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	c := got.Columns(ernestmodel.Columns{Machines: "m", Scale: "s", Seconds: "t"})
	if !reflect.DeepEqual(c, ernestmodel.Columns{Machines: "Cores", Scale: "s", Seconds: "t", Unit: "ms"}) {
		t.Errorf("%+v", c)
	}
	model := &ernest.Model{Rows: []ernest.Row{{Machines: 3}, {Machines: 5}}}
	if o := got.With(model); o.MaxMachines != 64 || o.MinMachines != 2 || o.Billing != ernest.PerHour || o.Cost != nil {
		t.Errorf("%+v", o)
	}
	got.Min, got.Max = 0, 0
	if o := got.With(model); o.MaxMachines != 20 || o.MinMachines != 1 {
		t.Errorf("%+v", o)
	}
}

func TestParseErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                            `"" is not KEY=VALUE; an offer is name=…,csv=…,price=…,max=…`,
		"name=a":                      "csv=… is missing; an offer is name=…,csv=…,price=…,max=…",
		"csv=a":                       "name=… is missing; an offer is name=…,csv=…,price=…,max=…",
		"name=a,name=b":               "name is given twice",
		"name=a,csv=b,cores=4":        "cores is not a key of an offer: they are name, csv, price, min, max, step, billing, cost, machines, scale, seconds, unit, iterations, speeds",
		"name=a,csv=b,price=-1":       "price=-1: it is a number, 0 or more, of a machine for an hour",
		"name=a,csv=b,price=NaN":      "price=NaN: it is a number, 0 or more, of a machine for an hour",
		"name=a,csv=b,max=0":          "max=0: it is a whole number, 1 to 1000000",
		"name=a,csv=b,max=1000000000": "max=1000000000: it is a whole number, 1 to 1000000",
		"name=a,csv=b,min=5,max=4":    "min: 5 is more than max, 4",
		"name=a,csv=b,billing=day":    `billing: "day": it is moment, second or hour`,
	} {
		if _, err := Parse(text); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

func TestRead(t *testing.T) {
	got, err := Read([]byte("offers:\n  - {name: a, csv: a.csv, price: 1}\n  - {name: b, csv: /b.csv, max: 8}\n"), "f",
		"dir")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]Offer{{Name: "a", CSV: "dir/a.csv", Price: 1}, {Name: "b", CSV: "/b.csv", Max: 8}},
		got); d != "" {
		t.Error(d)
	}
	for text, want := range map[string]string{
		"offers: []":                                     "f:1:9:",
		"offers: [{name: a}]":                            "f:1:11:",
		"offers: [{name: a, csv: b, max: 0}]":            "offers[0].max",
		"offers: [{name: a, csv: b}, {name: a, csv: c}]": `there is another offer "a"`,
		"offers: [{name: a, csv: b, min: 5, max: 4}]":    "min: 5 is more than max, 4",
		"offers: [{name: a, csv: b, price: .inf}]":       "f:1:",
	} {
		if _, err := Read([]byte(text), "f", "."); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// FuzzParse holds that what is taken can be asked for.
func FuzzParse(f *testing.F) {
	f.Add("name=a,csv=b,price=1e3,min=1,max=2,step=1,billing=hour")
	f.Add("name=a,csv=b,cost=machines*hours")
	f.Fuzz(func(t *testing.T, text string) {
		o, err := Parse(text)
		if err == nil && (o.Name == "" || o.CSV == "" || !(o.Price >= 0) || o.Max > 0 && o.Min > o.Max) {
			t.Errorf("%+v", o)
		}
	})
}
