package usage

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/paratimer/paratimer/cmd/paratimer/internal/frame"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/program"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/screen"
	"github.com/paratimer/paratimer/cmd/paratimer/internal/tests/session"
)

var updatePictures = flag.Bool("pictures", false, "draw docs/img anew")

// TestPictures checks that the pictures of the README and of docs are what the program draws, of a real recorded run
// and of the paper's query. `make pictures` draws them anew.
func TestPictures(t *testing.T) {
	t.Parallel()
	img, err := filepath.Abs("../../docs/img")
	if err != nil {
		t.Fatal(err)
	}
	tmp, profile := t.TempDir(), filepath.Join(t.TempDir(), "join.yaml")
	outputOf(t, "learn", "../../examples/join.jsonl.zst", "-o", profile)
	gantt := filepath.Join(tmp, "gantt.svg")
	outputOf(t, "estimate", "../../examples/paper-4.2GB.yaml", "--gantt", gantt)
	drawn, err := os.ReadFile(gantt)
	if err != nil {
		t.Fatal(err)
	}
	frames := outputOf(t, "replay", "../../examples/join-failure.jsonl.zst", "--profile", profile, "--within", "2m15s",
		"--output", "ndjson")
	for name, is := range map[string][]byte{"gantt.svg": drawn, "screen.svg": pictured(screenAt(t, frames, 71))} {
		path := filepath.Join(img, name)
		if *updatePictures {
			if err := os.WriteFile(path, is, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		was, err := os.ReadFile(path)
		if err != nil || !bytes.Equal(was, is) {
			t.Errorf("%s is not what the program draws now (%v): look at it and run `make pictures`", path, err)
		}
	}
}

// outputOf returns the output of a command that must succeed.
func outputOf(t *testing.T, args ...string) string {
	t.Helper()
	session.Setenv(t, "XDG_CONFIG_HOME", t.TempDir())
	code, stdout, stderr := session.Run(t, args...)
	if code != program.ExitOK {
		t.Fatalf("%v: exit code %d\n%s", args, code, stderr)
	}
	return stdout
}

// screenAt is the screen of a run some seconds after its first submission, in color.
func screenAt(t *testing.T, frames string, at frame.Seconds) []string {
	t.Helper()
	var past []*frame.Frame
	for d := json.NewDecoder(strings.NewReader(frames)); d.More(); {
		var f frame.Frame
		if err := d.Decode(&f); err != nil {
			t.Fatal(err)
		}
		if f.ElapsedSeconds == nil || *f.ElapsedSeconds > at {
			break
		}
		past = append(past, &f)
	}
	return screen.Draw(screen.State{
		Frame: past[len(past)-1], Past: slices.Values(past), Width: 112, Height: 32,
		Style: screen.Style{Colour: true},
	})
}

// The picture of a terminal: cells of a fixed size on a dark ground, in the colours of a usual scheme.
const (
	cellWidth, cellHeight = 8.4, 18
	ground, ink           = "#16181d", "#d4d7dd"
)

var (
	schemed = map[int]string{
		1: "#e06c75", 4: "#61afef", 5: "#c678dd", 9: "#ff7b86", 10: "#98c379", 11: "#e5c07b",
		13: "#e08cff", 14: "#6fc3df",
	}
	word = regexp.MustCompile(`[^ ]+`)
	sgr  = regexp.MustCompile("\x1b\\[([0-9;]*)m")
)

// pictured draws a terminal's lines as SVG.
func pictured(lines []string) []byte {
	width := 0
	for _, l := range lines {
		width = max(width, ansi.StringWidth(l))
	}
	var b bytes.Buffer
	w, h := float64(width)*cellWidth+32, len(lines)*cellHeight+32
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %d" width="%.0f" height="%d" role="img" aria-label="a terminal">`+"\n", w, h, w, h)
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" rx="8" fill="%s"/>`+
		"\n<g font-family=\"ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace\" font-size=\"14\" fill=\"%s\">\n",
		ground, ink)
	for i, l := range lines {
		y := 16 + i*cellHeight + 14
		column, style := 0, ""
		for len(l) > 0 {
			at := sgr.FindStringSubmatchIndex(l)
			text := l
			if at != nil {
				text = l[:at[0]]
			}
			// word by word: what blanks at the ends of a text are, browsers do not agree on
			for _, at := range word.FindAllStringIndex(text, -1) {
				w := text[at[0]:at[1]]
				x := column + ansi.StringWidth(text[:at[0]])
				fmt.Fprintf(&b,
					"<text x=\"%.1f\" y=\"%d\" textLength=\"%.1f\" lengthAdjust=\"spacingAndGlyphs\"%s>%s</text>\n", 16+
						float64(x)*cellWidth, y, float64(ansi.StringWidth(w))*cellWidth, style, html.EscapeString(w))
			}
			column += ansi.StringWidth(text)
			if at == nil {
				break
			}
			style = styled(style, l[at[2]:at[3]])
			l = l[at[1]:]
		}
	}
	b.WriteString("</g>\n</svg>\n")
	return b.Bytes()
}

// styled are the attributes of text after a sequence of colours.
func styled(style, codes string) string {
	for _, code := range strings.Split(codes, ";") {
		n, _ := strconv.Atoi(code)
		switch {
		case n == 0:
			style = ""
		case n == 1:
			style += ` font-weight="bold"`
		case n == 2:
			style += ` opacity="0.6"`
		case n >= 30 && n <= 37:
			style += ` fill="` + schemed[n-30] + `"`
		case n >= 90 && n <= 97:
			style += ` fill="` + schemed[n-90+8] + `"`
		}
	}
	return style
}
