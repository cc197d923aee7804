// Package offers reads types of machines that can be rented: their prices, how many there are, and the table of
// training runs that measures their speed. On the command line an offer is name=...,csv=...,price=..., in a file a
// mapping of the same keys.
package offers

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"

	"github.com/paratimer/paratimer/adapters/planfile"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/ernestmodel"
	"github.com/paratimer/paratimer/dag"
	"github.com/paratimer/paratimer/estimators/ernest"
)

// An Offer is a type of machine. Values that are not given are "" or 0.
type Offer struct {
	Name     string  `plan:"name,required" length:"1-1000"`
	CSV      string  `plan:"csv,required" length:"1-1000"` // a table of runs or a saved model
	Price    float64 `plan:"price" max:"1e12"`
	Min      int     `plan:"min" min:"1" max:"1000000"`
	Max      int     `plan:"max" min:"1" max:"1000000"`
	Step     int     `plan:"step" min:"1" max:"1000000"`
	Billing  string  `plan:"billing" words:"moment,second,hour" title:"moment, second (a minute at least) or hour"`
	Cost     string  `plan:"cost" length:"1-1000"`
	Machines string  `plan:"machines" length:"1-1000"`
	Scale    string  `plan:"scale" length:"1-1000"`
	Seconds  string  `plan:"seconds" length:"1-1000"`
	Unit     string  `plan:"unit" words:"s,ms,min,h"`
	// the column of iterations, for iterative jobs
	Iterations string `plan:"iterations" length:"1-1000"`
	Speeds     string `plan:"speeds" length:"1-1000"` // a table of measured machines
}

// mostMachines bounds how many machines of an offer are evaluated.
const mostMachines = 1_000_000

// Read reads an offer file. Relative paths in it are relative to folder.
func Read(src []byte, name, folder string) ([]Offer, error) {
	var f struct {
		Version int     `plan:"version" min:"1" max:"1" title:"1, the only version of offer files there is"`
		Offers  []Offer `plan:"offers,required" min:"1" max:"100"`
	}
	doc, err := planfile.Decode(src, name, "offer file", &f)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for i := range f.Offers {
		o := &f.Offers[i]
		o.Name = dag.Clean(o.Name)
		if seen[o.Name] {
			doc.Fail([]string{"offers", strconv.Itoa(i), "name"}, fmt.Sprintf("there is another offer %q", o.Name))
		}
		seen[o.Name] = true
		if key, why := o.check(); why != "" {
			doc.Fail([]string{"offers", strconv.Itoa(i), key}, key+": "+why)
		}
		for _, path := range []*string{&o.CSV, &o.Speeds} {
			if *path != "" && !filepath.IsAbs(*path) {
				*path = filepath.Join(folder, *path)
			}
		}
	}
	if err := doc.Err(); err != nil {
		return nil, err
	}
	return f.Offers, nil
}

// Parse reads an offer from a command line: name=m4,csv=m4.csv,price=0.2,max=64.
func Parse(text string) (o Offer, err error) {
	seen := map[string]bool{}
	for part := range strings.SplitSeq(text, ",") {
		key, value, ok := strings.Cut(part, "=")
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		switch {
		case !ok || value == "":
			return o, fmt.Errorf("%q is not KEY=VALUE; an offer is name=…,csv=…,price=…,max=…", part)
		case seen[key]:
			return o, fmt.Errorf("%s is given twice", key)
		}
		seen[key] = true
		if err := o.set(key, value); err != nil {
			return o, err
		}
	}
	for _, key := range []string{"name", "csv"} {
		if !seen[key] {
			return o, fmt.Errorf("%s=… is missing; an offer is name=…,csv=…,price=…,max=…", key)
		}
	}
	if key, why := o.check(); why != "" {
		return o, fmt.Errorf("%s: %s", key, why)
	}
	return o, nil
}

// set sets the field of a key.
func (o *Offer) set(key, value string) error {
	var keys []string
	for i := range reflect.TypeFor[Offer]().NumField() {
		name, _, _ := strings.Cut(reflect.TypeFor[Offer]().Field(i).Tag.Get("plan"), ",")
		keys = append(keys, name)
		if name != key {
			continue
		}
		switch to := reflect.ValueOf(o).Elem().Field(i).Addr().Interface().(type) {
		case *string:
			*to = value
		case *int:
			n, err := strconv.Atoi(value)
			if err != nil || n < 1 || n > mostMachines {
				return fmt.Errorf("%s=%s: it is a whole number, 1 to %d", key, value, mostMachines)
			}
			*to = n
		case *float64:
			v, err := strconv.ParseFloat(value, 64)
			if err != nil || !(v >= 0) || math.IsInf(v, 0) {
				return fmt.Errorf("%s=%s: it is a number, 0 or more, of a machine for an hour", key, value)
			}
			*to = v
		}
		return nil
	}
	return fmt.Errorf("%s is not a key of an offer: they are %s", key, strings.Join(keys, ", "))
}

var billings = map[string]ernest.Billing{
	"": ernest.PerMoment, "moment": ernest.PerMoment, "second": ernest.PerSecond,
	"hour": ernest.PerHour,
}

// check checks the keys that tags cannot. It returns the first bad key and why, or "" for both.
func (o *Offer) check() (key, why string) {
	if _, ok := billings[o.Billing]; !ok {
		return "billing", fmt.Sprintf("%q: it is moment, second or hour", o.Billing)
	}
	if o.Max > 0 && o.Min > o.Max {
		return "min", fmt.Sprintf("%d is more than max, %d", o.Min, o.Max)
	}
	if o.Cost != "" {
		if _, err := ernest.ParseCost(o.Cost); err != nil {
			return "cost", err.Error()
		}
	}
	return "", ""
}

// Columns returns the columns of the offer's table; c are the defaults.
func (o *Offer) Columns(c ernestmodel.Columns) ernestmodel.Columns {
	c.Machines, c.Scale = cmp.Or(o.Machines, c.Machines), cmp.Or(o.Scale, c.Scale)
	c.Seconds, c.Unit = cmp.Or(o.Seconds, c.Seconds), cmp.Or(o.Unit, c.Unit)
	c.Iterations = cmp.Or(o.Iterations, c.Iterations)
	c.Whole = c.Whole && o.Scale == ""
	return c
}

// With returns the offer with its model. Without a max it has four times as many machines as the largest training
// run.
func (o *Offer) With(m *ernest.Model) ernest.Offer {
	out := ernest.Offer{
		Name: o.Name, Model: m, PricePerMachineHour: o.Price, MinMachines: max(1, o.Min), MaxMachines: o.Max,
		Step:    o.Step,
		Billing: billings[o.Billing],
	}
	if out.MaxMachines == 0 {
		most := 1.0
		for _, r := range m.Rows {
			most = max(most, r.Machines)
		}
		out.MaxMachines = max(out.MinMachines, int(min(4*most, mostMachines)))
	}
	if o.Cost != "" {
		out.Cost, _ = ernest.ParseCost(o.Cost) // check has parsed it
	}
	return out
}
