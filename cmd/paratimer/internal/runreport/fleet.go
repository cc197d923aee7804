package runreport

import (
	"cmp"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/page"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/view"
	"github.com/paratimer/paratimer/units"
)

// FleetPath returns the path of a query's live report below the fleet page.
func FleetPath(id string) string { return "q/" + url.PathEscape(id) + "/" }

// Fleet returns the page of many queries, the worst first: which are late and which block others. Each links to its
// own live report.
func Fleet(all []view.Query, zone *time.Location) *page.Document {
	d, summary := &page.Document{Kind: "all watched queries", Title: "Queries"}, view.FleetSummary(all)
	if len(all) == 0 {
		return d.Add(page.Hero{Answer: summary})
	}
	answer, note, _ := strings.Cut(strings.TrimSuffix(summary, "."), "; ")
	t := &page.Table{
		Caption: "Sorted by risk. Click a name for details.", Sorted: true,
		Columns: page.Heads("Query", "Status", ">Time left", "Progress", "Ends", "Deadline", ">Margin", "Blocked by",
			">Blocks", "Owner"),
	}
	known := map[string]bool{}
	for i := range all {
		known[all[i].ID] = true
	}
	for i := range all {
		t.Row(false, fleetRow(&all[i], known, zone)...)
	}
	return d.Add(page.Hero{Answer: answer, Note: note}, t.Compact())
}

// standings classes how queries stand against their deadlines.
var standings = map[view.Standing]string{
	view.IsLate: page.Bad, view.IsAtRisk: page.Bad, view.HasMissed: page.Bad, view.IsOnTrack: page.Good,
}

func fleetRow(q *view.Query, known map[string]bool, zone *time.Location) []page.Cell {
	name, left, owner := page.Cell{Text: q.Name}, page.Cell{Text: q.Left}, page.Cell{Text: q.User}
	if q.ID != "" {
		name.Link = FleetPath(q.ID)
	}
	if q.ID != q.Name {
		name.Notes = []string{q.ID}
	}
	status := page.Cell{Text: q.Standing.String(), Class: cmp.Or(standings[q.Standing], page.Open), Badge: true}
	if q.Standing == view.HasEnded {
		status.Text, status.Class = badges[q.State].Text, badges[q.State].Class
	}
	if q.Stale && !q.State.Ended() {
		status.Text += ", not seen now"
	}
	ends := page.Cell{Text: clock(q.EndAt, q.At, time.Second, zone)}
	deadline := page.Cell{Text: clock(q.DeadlineAt, q.At, time.Second, zone)}
	var progress, margin, blocks page.Cell
	if q.EndAt != nil && q.At != nil {
		seconds := q.EndAt.Sub(q.At.Instant).Seconds()
		left.Sort = &seconds
		if q.Elapsed != nil && *q.Elapsed > 0 && !q.State.Ended() {
			elapsed := float64(*q.Elapsed)
			progress.Bar = &page.Bar{To: elapsed / (elapsed + max(seconds, 0)), Class: status.Class}
		}
	}
	if q.State.Ended() && q.Elapsed != nil {
		left.Text = "took " + units.Seconds(*q.Elapsed)
	}
	if d := q.LaterSeconds; d != nil {
		words, class := distance(*d, q.State.Ended())
		margin = page.Number(float64(*d), words)
		margin.Class = class
	}
	blocked := page.Wide(view.HeldUpText(q.HeldUpBy))
	if h := q.HeldUpBy; h != nil && h.ID != nil && known[*h.ID] {
		blocked.Link = FleetPath(*h.ID)
	}
	if q.HoldsUp > 0 {
		blocks = page.Number(float64(q.HoldsUp), strconv.Itoa(q.HoldsUp))
	}
	if q.Queue != "" {
		owner.Notes = []string{"queue " + q.Queue}
	}
	return []page.Cell{name, status, left, progress, ends, deadline, margin, blocked, blocks, owner}
}
