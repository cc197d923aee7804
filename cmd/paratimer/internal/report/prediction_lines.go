package report

import (
	"slices"
	"strconv"
	"strings"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/chart"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/runreport"
)

// top returns the length at the drawing's upper edge, and high the top of the highest range. A few points with a very
// wide range do not flatten everything else.
func (c *predictionHistory) top(s *runreport.Report, right frame.Seconds) (top, high frame.Seconds) {
	top = right
	var highs []frame.Seconds
	for i := range s.PredictionHistory.Points {
		m := &s.PredictionHistory.Points[i]
		for _, v := range []*frame.Seconds{m.TotalSeconds, m.LowSeconds} {
			if v != nil {
				top = max(top, *v)
			}
		}
		if m.HighSeconds != nil {
			highs = append(highs, *m.HighSeconds)
		}
	}
	if len(highs) == 0 {
		return max(top, 0.001) * 1.04, 0
	}
	slices.Sort(highs)
	common := highs[(len(highs)-1)*(100-rare)/100]
	return max(min(max(top, common), top*beyond), 0.001) * 1.04, highs[len(highs)-1]
}

// lines draws the values at each point. Where a value is unknown its line has a gap.
func (c *predictionHistory) lines(s *runreport.Report, at func(t, v frame.Seconds) string) {
	m := s.PredictionHistory.Points
	c.Line = runs(m, at, func(m *runreport.Point) *frame.Seconds { return m.TotalSeconds })
	c.Floor = runs(m, at, func(m *runreport.Point) *frame.Seconds {
		if m.TotalSeconds != nil {
			return nil
		}
		return m.LowSeconds
	})
	c.Band80 = bands(m, at, func(m *runreport.Point) (a, b *frame.Seconds) { return m.LowSeconds, m.HighSeconds })
	c.Band50 = bands(m, at, func(m *runreport.Point) (a, b *frame.Seconds) { return m.Low50Seconds, m.High50Seconds })
	names := []string{}
	most := 0
	for i := range m {
		if len(m[i].Scenarios) > most {
			most = len(m[i].Scenarios)
			names = names[:0]
			for _, p := range m[i].Scenarios {
				names = append(names, strings.ReplaceAll(text(p.Scenario), "_", " "))
			}
		}
	}
	for k := range most {
		c.Others = append(c.Others, runs(m, at, func(m *runreport.Point) *frame.Seconds {
			if k >= len(m.Scenarios) {
				return nil
			}
			return m.Scenarios[k].TotalSeconds
		})...)
	}
	c.OtherNames = strings.Join(names, ", ")
}

// runs returns the connected pieces of a line. A lone point is a short dash.
func runs(m []runreport.Point, at func(t, v frame.Seconds) string, of func(*runreport.Point) *frame.Seconds) (
	all []string,
) {
	var points []string
	end := func() {
		if len(points) == 1 {
			points = append(points, points[0])
		}
		if len(points) > 0 {
			all = append(all, strings.Join(points, " "))
		}
		points = points[:0]
	}
	for i := range m {
		if v := of(&m[i]); v != nil {
			points = append(points, at(m[i].AtSeconds, *v))
		} else {
			end()
		}
	}
	end()
	return all
}

// right returns a position a little to the right of another.
func right(place string) string {
	x, y, _ := strings.Cut(place, ",")
	v, err := strconv.ParseFloat(x, 64)
	if err != nil {
		return place
	}
	return chart.Px(v+plotWide/400) + "," + y
}

// bands returns the outlines of a range.
func bands(m []runreport.Point, at func(t, v frame.Seconds) string,
	of func(*runreport.Point) (low, high *frame.Seconds),
) (all []string) {
	var low, high []string
	end := func() {
		if len(low) == 1 { // a lone point is a narrow band
			low, high = append(low, right(low[0])), append(high, right(high[0]))
		}
		if len(low) > 1 {
			for i := len(high) - 1; i >= 0; i-- {
				low = append(low, high[i])
			}
			all = append(all, strings.Join(low, " "))
		}
		low, high = low[:0], high[:0]
	}
	for i := range m {
		a, b := of(&m[i])
		if a == nil || b == nil {
			end()
			continue
		}
		low, high = append(low, at(m[i].AtSeconds, *a)), append(high, at(m[i].AtSeconds, *b))
	}
	end()
	return all
}
