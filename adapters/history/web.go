package history

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"path"
)

// A WebFile is a file at an address of HTTP, such as one of a file server, or a presigned address of S3 or GCS. As a
// file system it has this file, and files beside it. The size of a file is unknown, and 0.
type WebFile struct {
	ctx    context.Context
	client *http.Client
	base   *url.URL // of the file
}

// OpenWeb returns the file at an address, and its name. It sends no request. transport is nil for that of net/http.
// The end of the context cancels all requests.
func OpenWeb(ctx context.Context, address string, transport http.RoundTripper) (in *WebFile, file string, err error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, "", fmt.Errorf("%q is not an address such as https://HOST/PATH", address)
	}
	if u.User != nil {
		return nil, "", errors.New("remove the user and password from the address: addresses end up in logs")
	}
	return &WebFile{ctx, &http.Client{Transport: transport}, u}, path.Base(u.Path), nil
}

// Open opens a file for reading.
func (w *WebFile) Open(name string) (fs.File, error) { return w.OpenAt(name, 0) }

// OpenAt opens a file for reading from an offset in bytes, by a Range header (RFC 9110, section 14.2). It reads and
// drops the bytes before if the server does not support ranges. A file without more bytes is empty.
func (w *WebFile) OpenAt(name string, offset int64) (fs.File, error) {
	fail := func(err error) error { // the query may be a signature, which must not be shown
		shown := w.base.Scheme + "://" + w.base.Host + path.Join(path.Dir(w.base.Path), name)
		return &fs.PathError{Op: "get", Path: shown, Err: err}
	}
	if !fs.ValidPath(name) {
		return nil, fail(fs.ErrInvalid)
	}
	u, header := *w.base, http.Header{}
	if name != path.Base(u.Path) {
		u.Path, u.RawPath = path.Join(path.Dir(u.Path), name), ""
	}
	if offset > 0 {
		header.Set("Range", fmt.Sprintf("bytes=%d-", offset))
	}
	resp, body, err := fetch(w.ctx, w.client, &u, header) //nolint:bodyclose // the file closes it
	if err != nil {
		return nil, fail(err)
	}
	modified, _ := http.ParseTime(resp.Header.Get("Last-Modified")) // the zero time, if it is not one
	body.info = &fileStatus{Suffix: path.Base(name), Modified: modified.UnixMilli()}
	switch resp.StatusCode {
	case http.StatusPartialContent:
		return body, nil
	case http.StatusOK:
		if _, err = io.CopyN(io.Discard, body, offset); err == nil || errors.Is(err, io.EOF) {
			return body, nil
		}
	case http.StatusRequestedRangeNotSatisfiable:
		_ = body.Close() // it is an error page
		body.ReadCloser = http.NoBody
		return body, nil
	case http.StatusNotFound, http.StatusGone:
		err = fs.ErrNotExist
	default:
		err = fmt.Errorf("the server answers %s", resp.Status)
	}
	_ = body.text() // so that the connection can be used again
	return nil, fail(err)
}
