package chaos

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"strings"
	"syscall"
)

// corrupt applies a fault to a response.
func corrupt(r *http.Request, a answer, fault Fault, luck *rand.Rand) (*http.Response, error) {
	switch fault {
	case Reset:
		return nil, &net.OpError{Op: "read", Net: "tcp", Err: syscall.ECONNRESET}
	case Hang:
		<-r.Context().Done()
		return nil, context.Cause(r.Context())
	case ServerError:
		a.become([]int{500, 502, 503}[luck.IntN(3)], "text/html",
			"<html><title>Error</title>The server encountered an error</html>")
	case TooMany:
		a.become(http.StatusTooManyRequests, "text/plain", "slow down")
		a.header.Set("Retry-After", "30")
	case Redirect:
		a.become([]int{302, 307}[luck.IntN(2)], "text/html", "")
		to := []string{
			"", r.URL.String(), "http://elsewhere:1" + r.URL.RequestURI(), "ftp://elsewhere/",
			"http://login/?to=" + r.URL.Path, "\x7f:",
		}
		a.header.Set("Location", to[luck.IntN(len(to))])
	case Page:
		a.become(http.StatusOK, "text/html", "<html><title>Sign in</title><form>who are you?</form></html>")
	case Empty:
		a.become(http.StatusOK, "application/json", "")
	case Hollow:
		a.become(http.StatusOK, "application/json", []string{"{}", "null", "[]", `""`, "0"}[luck.IntN(5)])
	case Garbage:
		a.become(http.StatusOK, "application/json", garbage(luck))
	case WrongType:
		a.header = a.header.Clone()
		a.header.Set("Content-Type", []string{"text/plain", "application/octet-stream", "no type at all"}[luck.IntN(3)])
	case Doubled:
		a.header = a.header.Clone()
		a.header.Add("Content-Type", "text/html")
		a.header.Add("Content-Length", strconv.Itoa(len(a.body)/2))
		a.header.Add("Date", "Thu, 01 Jan 1970 00:00:00 GMT")
	case Cut:
		a.body = a.body[:part(len(a.body), luck)]
	case CutToken:
		a.body = a.body[:token(a.body, luck)]
	case PackedCut, PackedWrong:
		a.pack(fault, luck)
	case Whole, Stale, Reordered, Redated, Drip, Broken, Huge: // handled below, or by the caller
	}
	resp := a.response(r)
	n := part(len(a.body), luck)
	switch fault {
	case Drip:
		resp.Body = body{io.MultiReader(bytes.NewReader(a.body[:n]), silent{r.Context()})}
	case Broken:
		resp.Body = body{io.MultiReader(bytes.NewReader(a.body[:n]), failing{io.ErrUnexpectedEOF})}
	case Huge:
		resp.Body, resp.ContentLength = body{endless{}}, -1
	case PackedCut, PackedWrong:
		resp.Body, resp.ContentLength = body{unpacked(a.body)}, -1
	default:
	}
	return resp, nil
}

func (a *answer) become(status int, kind, text string) {
	a.status, a.body, a.header = status, []byte(text), a.header.Clone()
	a.header.Set("Content-Type", kind)
}

// part returns a random length below n.
func part(n int, luck *rand.Rand) int {
	if n == 0 || luck == nil {
		return 0
	}
	return luck.IntN(n)
}

// token returns the end of a random token of the body.
func token(b []byte, luck *rand.Rand) int {
	d := json.NewDecoder(bytes.NewReader(b))
	var ends []int
	for {
		if _, err := d.Token(); err != nil {
			break
		}
		ends = append(ends, int(d.InputOffset()))
	}
	if len(ends) < 2 {
		return 0
	}
	return ends[luck.IntN(len(ends)-1)] // without the last one, which would be the whole body
}

func garbage(luck *rand.Rand) string {
	b := make([]byte, 1+luck.IntN(2000))
	for i := range b {
		b[i] = byte(luck.Uint32())
	}
	return "\x00" + string(b)
}

// pack compresses the body with gzip and damages the stream.
func (a *answer) pack(fault Fault, luck *rand.Rand) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err := z.Write(a.body)
	if err := errors.Join(err, z.Close()); err != nil {
		panic(err) // a buffer accepts everything
	}
	a.body = b.Bytes()
	if fault == PackedCut {
		a.body = a.body[:part(len(a.body), luck)]
		return
	}
	a.body[len(a.body)-8] ^= 1 // flips a bit of the checksum
}

// unpacked reads packed bytes, as a transport does that has requested gzip.
func unpacked(packed []byte) io.Reader {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return failing{err}
	}
	return z
}

// body has a Close that does nothing.
type body struct{ io.Reader }

func (body) Close() error { return nil }

// silent blocks until the request is canceled.
type silent struct{ ctx context.Context }

func (s silent) Read([]byte) (int, error) {
	<-s.ctx.Done()
	return 0, s.ctx.Err()
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// endless is an endless stream of white space, with which JSON may begin.
type endless struct{}

var spaces = strings.Repeat(" ", 32<<10)

func (endless) Read(b []byte) (int, error) { return copy(b, spaces), nil }
