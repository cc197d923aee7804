package browser

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

var pictures = flag.String("pictures", "", "take the report's pictures for the docs into this `folder`")

// TestPictures takes the pictures of a report that the README and docs show: `make pictures`. Fonts differ from machine
// to machine, and so do the bytes.
func TestPictures(t *testing.T) {
	if *pictures == "" {
		t.Skip("no pictures are requested")
	}
	file, _ := recorded(t)
	p := open(t, file, viewport{})
	p.eval(t, `document.querySelectorAll("details").forEach(d => { d.open = true }) ?? true`, new(bool))
	for name, id := range map[string]string{"gantt-run": "gantt", "course": "course"} {
		var box struct{ X, Y, Width, Height float64 }
		p.eval(t, fmt.Sprintf(`(() => { const b = document.querySelector("#%s figure").getBoundingClientRect();
			return {X: b.left + scrollX, Y: b.top + scrollY, Width: b.width, Height: b.height} })()`, id), &box)
		yes := true
		const edge = 4
		shot, err := chromedp.Call(p.ctx, page.CaptureScreenshot,
			page.CaptureScreenshotParams{CaptureBeyondViewport: &yes, Clip: &page.Viewport{
				X: box.X - edge, Y: box.Y - edge, Width: box.Width + 2*edge, Height: box.Height + 2*edge, Scale: 1,
			}})
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(*pictures+"/"+name+".png", shot.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
