// Package browser contains only tests. They open the program's pages as a reader does: in a real headless Chromium,
// from a file, without network.
package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// paratimer is the program, built once; chromium the browser that all tests share.
var (
	paratimer string
	chromium  context.Context
)

func TestMain(m *testing.M) {
	code, err := tests(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func tests(m *testing.M) (code int, err error) {
	path := chromiumPath()
	if path == "" {
		fmt.Println("SKIPPED: no chromium here, so no page is looked at: apt-get install chromium")
		return m.Run(), nil
	}
	folder, err := os.MkdirTemp("", "paratimer-browser-")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	paratimer = filepath.Join(folder, "paratimer")
	if out, err := exec.Command("go", "build", "-ldflags=-s -w", "-o", paratimer, "../../cmd/paratimer").CombinedOutput(); err != nil {
		return 0, fmt.Errorf("cannot build paratimer: %w\n%s", err, out)
	}
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]), chromedp.ExecPath(path),
		chromedp.NoSandbox, chromedp.WSURLReadTimeout(2*time.Minute),
		chromedp.UserDataDir(filepath.Join(folder, "profile")), chromedp.Flag("headless", "new"),
		chromedp.Flag("disable-gpu", true))
	alloc, stop := chromedp.NewExecAllocator(context.Background(), options...)
	defer stop()
	browser, quit := chromedp.NewContext(alloc)
	defer quit()
	if err := chromedp.Do(browser); err != nil {
		return 0, fmt.Errorf("chromium does not start: %w", err)
	}
	chromium = browser
	return m.Run(), nil
}

func chromiumPath() string {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// A viewport has the settings of the browser; the zero viewport is 1280 by 900, light, with scripts.
type viewport struct {
	width    int64
	dark     bool
	noScript bool
	online   bool // the page comes from a server on this machine
}

// A tab is a page that is open, and what went wrong in it.
type tab struct {
	ctx context.Context

	mu       sync.Mutex
	wrong    []string // errors and warnings of the console, breaches of the policy
	requests []string // but for the page's own
}

// open opens a page in a tab of its own, which ends with the test.
func open(t *testing.T, address string, l viewport) *tab {
	t.Helper()
	if chromium == nil {
		t.Skip("no chromium here: apt-get install chromium")
	}
	if l.width == 0 {
		l.width = 1280
	}
	ctx, cancel := chromedp.NewContext(chromium)
	t.Cleanup(cancel)
	ctx, late := context.WithTimeout(ctx, 2*time.Minute)
	t.Cleanup(late)
	p := &tab{ctx: ctx}
	if err := chromedp.Listen(ctx, func(event any) { p.record(event, address) }); err != nil {
		t.Fatal(err)
	}
	p.run(t, do(network.Enable, network.EnableParams{}), do(log.Enable, cdp.Empty{}), do(runtime.Enable, cdp.Empty{}),
		do(emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: l.noScript}))
	p.resize(t, l.width, l.dark)
	if !l.online {
		offline := []*network.Conditions{{Offline: true, DownloadThroughput: -1, UploadThroughput: -1}}
		p.run(t, do(network.EmulateNetworkConditionsByRule,
			network.EmulateNetworkConditionsByRuleParams{MatchedNetworkConditions: offline}),
			do(network.OverrideNetworkState, network.OverrideNetworkStateParams{
				Offline: true, DownloadThroughput: -1,
				UploadThroughput: -1,
			}))
	}
	p.run(t, chromedp.Navigate(address))
	return p
}

// do runs a command of the protocol and ignores its result.
func do[P, R any](command cdp.Command[P, R], params P) chromedp.Action[chromedp.Void] {
	return func(ctx context.Context, target *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, target, command, params)
		return chromedp.Void{}, err
	}
}

// resize gives the page a width and a scheme of colours.
func (p *tab) resize(t *testing.T, width int64, dark bool) {
	t.Helper()
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	p.run(t, do(emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
		Width: width, Height: 900,
		DeviceScaleFactor: 1,
	}),
		do(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
			{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"},
		}}))
}

// record records the errors of a page.
func (p *tab) record(event any, address string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		p.wrong = append(p.wrong, fmt.Sprintf("%s: %+v", e.ExceptionDetails.Text, e.ExceptionDetails.Exception))
	case *runtime.EventConsoleAPICalled:
		p.wrong = append(p.wrong, fmt.Sprintf("console.%s %v", e.Type, e.Args))
	case *log.EventEntryAdded:
		p.wrong = append(p.wrong, fmt.Sprintf("%s: %s %s", e.Entry.Level, e.Entry.Text, e.Entry.URL))
	case *page.EventJavascriptDialogOpening:
		p.wrong = append(p.wrong, "a dialog: "+e.Message)
	case *network.EventRequestWillBeSent:
		if e.Request.URL != address {
			p.requests = append(p.requests, e.Request.URL)
		}
	}
}

func (p *tab) run(t *testing.T, actions ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	if err := chromedp.Do(p.ctx, actions...); err != nil {
		t.Fatal(err)
	}
}

// eval evaluates an expression in the page.
func (p *tab) eval(t *testing.T, expression string, into any) {
	t.Helper()
	b, err := chromedp.Run(p.ctx, chromedp.Evaluate[[]byte](expression))
	if err == nil {
		err = json.Unmarshal(b, into)
	}
	if err != nil {
		t.Fatalf("%s: %v", expression, err)
	}
}

// awaited evaluates a promise in the page.
func awaited(t *testing.T, p *tab, expression string, into any) {
	t.Helper()
	b, err := chromedp.Run(p.ctx, chromedp.Evaluate[[]byte](expression, func(e *runtime.EvaluateParams) {
		yes := true
		e.AwaitPromise, e.ReturnByValue = &yes, &yes
	}))
	if err == nil {
		err = json.Unmarshal(b, into)
	}
	if err != nil {
		t.Fatalf("%s: %v", expression, err)
	}
}

// checkQuiet checks that the page has no error and sent no request.
func (p *tab) checkQuiet(t *testing.T) {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, w := range p.wrong {
		t.Error("in the page: ", w)
	}
	for _, r := range p.requests {
		t.Error("the page sent a request to ", r)
	}
}

// run runs the program in a folder of its own, and returns the folder.
func run(t *testing.T, folder string, args ...string) string {
	t.Helper()
	if chromium == nil {
		t.Skip("no chromium here: apt-get install chromium")
	}
	cmd := exec.CommandContext(t.Context(), paratimer, args...)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "XDG_CONFIG_HOME="+folder+"/config", "XDG_STATE_HOME="+folder+"/state")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("paratimer %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return folder
}

// example is the absolute path of a file of the project.
func example(t *testing.T, path string) string {
	t.Helper()
	abs, err := filepath.Abs(filepath.Join("../..", path))
	if err != nil {
		t.Fatal(err)
	}
	return abs
}

// address is a file as a browser names it.
func address(path string) string { return (&url.URL{Scheme: "file", Path: path}).String() }
