package ernestview

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/paratimer/paratimer/estimators/ernest"
	"github.com/paratimer/paratimer/units"
)

// sample is the JSON of the partitions for the training runs.
type sample struct {
	SpreadRatio float64      `json:"spread_ratio"`
	ReadBytes   int64        `json:"read_bytes"`
	Sizes       []sampleSize `json:"sizes"`
}

type sampleSize struct {
	Parts int `json:"parts"`
	ernest.SampleSize
	Files []string `json:"files"`
}

func (d *Design) warnings() []ernest.Warning {
	if d.Sample == nil {
		return d.Plan.Warnings
	}
	return slices.Concat(d.Plan.Warnings, d.Sample.Warnings())
}

func (d *Design) sample() *sample {
	if d.Sample == nil {
		return nil
	}
	out := &sample{SpreadRatio: d.Sample.Spread, ReadBytes: d.Data.Read}
	for _, s := range d.Sample.Sizes {
		out.Sizes = append(out.Sizes, sampleSize{len(s.Chosen), s, d.Data.Of(s.Chosen)})
	}
	return out
}

// papersSpread is the largest spread between partitions of the paper's data sets (§4.2).
const papersSpread = 0.35

// sampleText writes how similar the samples are to the whole.
func (d *Design) sampleText(b *strings.Builder) {
	s := d.Sample
	if s == nil {
		return
	}
	b.WriteByte('\n')
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "PARTS\tENTRIES\tROWS\tBYTES\tAT RANDOM\t")
	for _, size := range s.Sizes {
		fmt.Fprintf(t, "%d\t%s\t%s\t%s\t±%s\t\n", len(size.Chosen), units.Off(size.Entries), units.Off(size.Rows),
			units.Off(size.Bytes), units.Tenths(size.Random))
	}
	_ = t.Flush() // a strings.Builder never fails
	random := "more than the paper's 35 %, so that random ones may be unlike the whole"
	if s.Spread <= papersSpread {
		random = "where the paper takes random ones up to 35 %"
	}
	fmt.Fprintf(b, "\nof %s the one with the fewest non-zero entries has %s less than the one with the most, %s\n",
		units.Count(len(d.Data.Files), "partition"), units.Percent(s.Spread), random)
	if d.Data.Sampled > 0 {
		fmt.Fprintf(b, "%s by pieces, %.0f MB of them in all\n", units.Count(d.Data.Sampled, "partition")+" measured",
			float64(d.Data.Read)/1e6)
	}
	b.WriteString("--output json names the files of each run; `paratimer ernest run --data` has them in place of {files}\n")
}

// spare is the JSON of the number of machines to start beyond those of the best choice. Times and costs include the
// measuring.
type spare struct {
	Machines         *int        `json:"machines"` // 0: it does not pay; null: too early to say
	Seconds          units.Float `json:"seconds"`  // if each stage waits for its slowest machine
	SecondsShared    units.Float `json:"seconds_shared"`
	Cost             units.Float `json:"cost"`
	SlowestRatio     units.Float `json:"slowest_ratio"`      // time of the slowest machine, divided by the mean
	SlowestKeptRatio units.Float `json:"slowest_kept_ratio"` // likewise, among the machines that are kept
	Why              *string     `json:"why"`                // why it is too early to say
}

func (v *Choice) spare() *spare {
	s := v.Spare
	switch {
	case s == nil:
		return nil
	case s.Early != "":
		return &spare{nil, nan, nan, nan, nan, nan, &s.Early}
	}
	out := &spare{
		&s.Machines, units.Float(s.Seconds), units.Float(s.SecondsShared), nan, units.Float(s.Slowest),
		units.Float(s.Kept), nil,
	}
	if v.priced(v.Choices[0].Offer) {
		out.Cost = units.Float(s.Cost)
	}
	return out
}

// spareText writes the spare machines as text.
func (v *Choice) spareText(b *strings.Builder) {
	s, best := v.Spare, v.Best()
	switch {
	case s == nil || best == nil:
		return
	case s.Early != "":
		fmt.Fprintf(b, "over-allocation: %s\n", s.Early)
		return
	case s.Machines == 0:
		fmt.Fprintf(b, "over-allocation: does not pay; the slowest of %d machines takes %.2f times as long as the mean one\n", best.Machines, s.Slowest)
		return
	}
	costs := ""
	if v.priced(best.Offer) {
		costs = ", costs " + money(s.Cost)
	}
	fmt.Fprintf(b, "over-allocation: start %d, measure each for %s and drop the slowest %d: %s%s if stages wait for the slowest machine left, which takes %.2f times as long as the mean one, not %.2f; %s if work goes to whichever machine is free\n",
		best.Machines+s.Machines, units.Exact(ernest.Measuring*time.Second), s.Machines, units.Seconds(s.Seconds),
		costs, s.Kept, s.Slowest, units.Seconds(s.SecondsShared))
}
