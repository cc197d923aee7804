package report

import (
	"bytes"
	"fmt"
	"html/template"
	"io"
	"net/url"
	"strconv"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/units"
)

// mostQueries bounds the rows of a fleet page.
const mostQueries = 1000

// A fleetPage shows all watched queries: which are late and which block others. Each links to its own live report.
type fleetPage struct {
	Policy       string
	Style        template.CSS
	Script       template.JS
	EverySeconds int
	Summary      string
	Running      string // in words, for the page's title
	Tiles        []tile
	Rows         []fleetRow
	More         int
}

// A fleetRow is a query.
type fleetRow struct {
	Name, ID, Link, User, Queue string
	State, Class                string
	Left, LeftSort, Ends        string
	Deadline, Distance          string
	DistanceSort, DistanceClass string
	HeldUp, HeldUpLink          string
	HoldsUp                     string
}

// FleetPath returns the path of a query's live report below the fleet page.
func FleetPath(id string) string { return "q/" + url.PathEscape(id) + "/" }

// Fleet writes the page of many queries. The page reloads "main" every `every`.
func Fleet(w io.Writer, all []view.Query, every time.Duration, zone *time.Location) error {
	p := fleetOf(all, zone)
	p.Policy, p.Style, p.Script, p.EverySeconds = LivePolicy, style, script, max(1, int(every/time.Second))
	return writeFleet(w, "fleet_page.tmpl", p)
}

// FleetMain writes the content of the page's main element.
func FleetMain(w io.Writer, all []view.Query, zone *time.Location) error {
	return writeFleet(w, "fleet.tmpl", fleetOf(all, zone))
}

func writeFleet(w io.Writer, name string, p *fleetPage) error {
	var b bytes.Buffer
	if err := pages().ExecuteTemplate(&b, name, p); err != nil {
		return fmt.Errorf("page of all queries: %w", err)
	}
	_, err := b.WriteTo(w)
	return err
}

func fleetOf(all []view.Query, zone *time.Location) *fleetPage {
	p := &fleetPage{Summary: prose(view.FleetSummary(all))}
	known := map[string]bool{}
	for i := range all {
		known[all[i].ID] = true
	}
	running, held, count := 0, 0, map[view.Standing]int{}
	for i := range all {
		q := &all[i]
		count[q.Standing]++
		if !q.State.Ended() {
			running++
		}
		if q.HeldUpBy != nil {
			held++
		}
		if i < mostQueries {
			p.Rows = append(p.Rows, fleetRowOf(q, known, zone))
		}
	}
	p.More = len(all) - len(p.Rows)
	p.Running = fmt.Sprintf("%d running, %d late", running, count[view.IsLate])
	for _, t := range []struct {
		title string
		n     int
		class string
	}{
		{"Run", running, ""},
		{"Late", count[view.IsLate], "bad"},
		{"At risk", count[view.IsAtRisk], "bad"},
		{"Held up by others", held, "open"},
	} {
		one := tile{Title: t.title, Value: strconv.Itoa(t.n), Class: t.class}
		if t.n == 0 {
			one.Class = ""
		}
		p.Tiles = append(p.Tiles, one)
	}
	return p
}

func fleetRowOf(q *view.Query, known map[string]bool, zone *time.Location) fleetRow {
	r := fleetRow{
		Name: text(q.Name), ID: text(q.ID), User: text(q.User), Queue: text(q.Queue), State: q.Standing.String(),
		Class: "open",
		Left:  q.Left, HeldUp: view.HeldUpText(q.HeldUpBy),
	}
	if r.ID == r.Name {
		r.ID = ""
	}
	if q.ID != "" {
		r.Link = FleetPath(q.ID)
	}
	switch q.Standing {
	case view.IsLate, view.IsAtRisk, view.HasMissed:
		r.Class = "bad"
	case view.IsOnTrack:
		r.Class = "good"
	case view.HasEnded:
		if r.State, r.Class = stateOf(q.State); r.State == "" {
			r.State = q.Standing.String()
		}
	case view.IsUnseen, view.IsFree:
	}
	if q.Stale && !q.State.Ended() {
		r.State += ", not seen now"
	}
	if q.EndAt != nil {
		r.Ends = clock(q.EndAt, q.At, zone)
		if q.At != nil {
			r.LeftSort = strconv.FormatInt(q.EndAt.Sub(q.At.Instant).Milliseconds(), 10)
		}
	}
	if q.State.Ended() && q.Elapsed != nil {
		r.Left = "took " + units.Seconds(*q.Elapsed)
	}
	if q.DeadlineAt != nil {
		r.Deadline = clock(q.DeadlineAt, q.At, zone)
	}
	if d := q.LaterSeconds; d != nil {
		r.Distance, r.DistanceClass = distance(*d, q.State.Ended())
		r.DistanceSort = strconv.FormatFloat(float64(*d), 'g', -1, 64)
	}
	if h := q.HeldUpBy; h != nil && h.ID != nil && known[*h.ID] {
		r.HeldUpLink = FleetPath(*h.ID)
	}
	if q.HoldsUp > 0 {
		r.HoldsUp = strconv.Itoa(q.HoldsUp)
	}
	return r
}
