package taskcost

import "math"

// A Line fits y = alone + each·x by weighted least squares.
type Line struct{ n, x, y, xx, xy float64 }

// Add adds a point with a weight.
func (l *Line) Add(w, x, y float64) {
	l.n, l.x, l.y, l.xx, l.xy = l.n+w, l.x+w*x, l.y+w*y, l.xx+w*x*x, l.xy+w*x*y
}

// A Rated is a point with a part of y in proportion to its units.
type Rated struct{ Weight, Units, X, Y float64 }

// AddRated adds points that share an unknown rate of their units. The rate is projected out of the normal equations
// (Frisch and Waugh 1933), so points of the same units and the same x have no effect.
func (l *Line) AddRated(points []Rated) {
	var p Line
	var u, xu, uu, uy float64
	for _, r := range points {
		p.Add(r.Weight, r.X, r.Y)
		u, xu = u+r.Weight*r.Units, xu+r.Weight*r.Units*r.X
		uu, uy = uu+r.Weight*r.Units*r.Units, uy+r.Weight*r.Units*r.Y
	}
	if !(uu > 0) || math.IsInf(uu, 1) || p.n-u*u/uu <= 1e-9*p.n {
		return
	}
	l.n += p.n - u*u/uu
	l.x += p.x - u*xu/uu
	l.xx += p.xx - xu*xu/uu
	l.y += p.y - u*uy/uu
	l.xy += p.xy - xu*uy/uu
}

// Fit returns the line, neither part of it below 0; 0 if nothing was added.
func (l *Line) Fit() (alone, each float64) {
	if d := l.n*l.xx - l.x*l.x; d > 0 {
		each = max(0, (l.n*l.xy-l.x*l.y)/d)
	}
	if l.n > 0 {
		alone = max(0, (l.y-each*l.x)/l.n)
	}
	return alone, each
}
