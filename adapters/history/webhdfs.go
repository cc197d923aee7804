package history

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/paratimer/paratimer/adapters/rest"
)

const (
	prefix    = "/webhdfs/v1"
	maxStatus = 256 << 20 // bytes of a listing; a file takes 300
	maxError  = 64 << 10
	patience  = 30 * time.Second // until a response begins
)

// IsAddress reports whether a path is a URL of HDFS's REST interface.
func IsAddress(name string) bool {
	_, _, ok := locate(name)
	return ok
}

// locate returns the parts of an address, and the path of the file in HDFS.
func locate(name string) (u *url.URL, file string, ok bool) {
	u, err := url.Parse(name)
	if err != nil || u.Host == "" {
		return nil, "", false
	}
	switch u.Scheme {
	case "webhdfs", "swebhdfs":
		return u, u.Path, true
	case "http", "https":
		file, ok = strings.CutPrefix(u.Path, prefix)
		return u, file, ok && (file == "" || file[0] == '/')
	}
	return nil, "", false
}

// An HDFS is a folder of HDFS, as an fs.FS over the REST interface of a NameNode or an HttpFS server. It uses
// GETFILESTATUS, LISTSTATUS and OPEN, and changes nothing. The end of its context cancels all requests.
type HDFS struct {
	ctx    context.Context
	client *http.Client
	base   url.URL // scheme and host
	root   string  // the folder, absolute
	user   string
}

// OpenHDFS returns the folder of the file at name, and the file's name in it. name is webhdfs://HOST:PORT/PATH,
// swebhdfs:// for TLS, or http://HOST:PORT/webhdfs/v1/PATH. user is sent as user.name if it is not "". transport is
// nil for that of net/http.
func OpenHDFS(ctx context.Context, name, user string, transport http.RoundTripper) (in *HDFS, file string, err error) {
	u, full, ok := locate(name)
	if !ok {
		return nil, "", fmt.Errorf(
			"webhdfs: %q is not an address of HDFS: webhdfs://HOST:PORT/PATH, or http://HOST:PORT/webhdfs/v1/PATH",
			name)
	}
	if _, secret := u.User.Password(); secret {
		return nil, "", errors.New("webhdfs: remove the password from the address: addresses end up in logs")
	}
	f := &HDFS{
		ctx: ctx, client: &http.Client{Transport: transport}, user: cmp.Or(u.Query().Get("user.name"), user),
		base: url.URL{Scheme: "http", Host: u.Host},
	}
	if u.Scheme == "swebhdfs" || u.Scheme == "https" {
		f.base.Scheme = "https"
	}
	f.root, file = path.Split(path.Clean("/" + full))
	if file == "" {
		return f, ".", nil
	}
	info, err := f.Stat(file)
	if err == nil && info.IsDir() {
		f.root, file = path.Join(f.root, file), "."
	}
	return f, file, err
}

// Open opens a file for reading.
func (f *HDFS) Open(name string) (fs.File, error) { return f.OpenAt(name, 0) }

// OpenAt opens a file for reading from an offset in bytes. HDFS refuses an offset at the end of the file, unless its
// first block is still written: its length is 0 then, although it can be read.
func (f *HDFS) OpenAt(name string, offset int64) (fs.File, error) {
	info, err := f.Stat(name)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, f.fail("open", name, errors.New("it is a folder"))
	}
	from := offset
	if info.Size() > 0 {
		from = min(offset, info.Size()-1)
	}
	q := url.Values{"op": {"OPEN"}}
	if from > 0 {
		q.Set("offset", strconv.FormatInt(from, 10))
	}
	body, err := f.get(name, q)
	if err != nil {
		return nil, err
	}
	if _, err := io.CopyN(io.Discard, body, offset-from); err != nil && !errors.Is(err, io.EOF) {
		_ = body.Close() // it was only read
		return nil, f.fail("open", name, err)
	}
	body.info = info
	return body, nil
}

// Stat returns the status of a file or folder.
func (f *HDFS) Stat(name string) (fs.FileInfo, error) {
	var answer struct {
		Status *fileStatus `json:"FileStatus"`
	}
	if err := f.ask(name, "GETFILESTATUS", &answer); err != nil {
		return nil, err
	}
	if answer.Status == nil {
		return nil, f.fail("stat", name, errors.New("the answer has no FileStatus"))
	}
	answer.Status.Suffix = path.Base(name)
	return answer.Status, nil
}

// ReadDir lists a folder, by name.
func (f *HDFS) ReadDir(name string) ([]fs.DirEntry, error) {
	var answer struct {
		Statuses struct {
			Status []*fileStatus `json:"FileStatus"`
		} `json:"FileStatuses"`
	}
	if err := f.ask(name, "LISTSTATUS", &answer); err != nil {
		return nil, err
	}
	var out []fs.DirEntry
	for _, s := range answer.Statuses.Status {
		// Names that are not of an entry in the folder could lead elsewhere.
		if s != nil && s.Suffix != "" && fs.ValidPath(s.Suffix) && !strings.Contains(s.Suffix, "/") && s.Suffix != "." {
			out = append(out, fs.FileInfoToDirEntry(s))
		}
	}
	slices.SortFunc(out, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return out, nil
}

// WebTransport returns the default transport: the system's proxies and certificates, and a timeout for servers that do
// not begin to respond.
func WebTransport() http.RoundTripper {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.ResponseHeaderTimeout = patience
	return t
}

func (f *HDFS) ask(name, op string, answer any) error {
	body, err := f.get(name, url.Values{"op": {op}})
	if err != nil {
		return err
	}
	defer func() { _ = body.Close() }() // it was only read
	limited := &io.LimitedReader{R: body, N: maxStatus}
	if err := json.NewDecoder(limited).Decode(answer); err != nil {
		if limited.N <= 0 {
			err = fmt.Errorf("the answer is longer than %d bytes: give a smaller folder", maxStatus)
		}
		return f.fail(op, name, err)
	}
	return nil
}

// get sends a request and returns the body of a response with status 200. A NameNode redirects readers to a DataNode.
func (f *HDFS) get(name string, q url.Values) (*remoteFile, error) {
	op := q.Get("op")
	if !fs.ValidPath(name) {
		return nil, f.fail(op, name, fs.ErrInvalid)
	}
	u := f.base
	u.Path = prefix + path.Join(f.root, name)
	if f.user != "" {
		q.Set("user.name", f.user)
	}
	u.RawQuery = q.Encode()
	resp, body, err := fetch(f.ctx, f.client, &u, nil) //nolint:bodyclose // the file closes it
	if err == nil && resp.StatusCode != http.StatusOK {
		err = refusal(resp, body.text())
	}
	if err != nil {
		return nil, f.fail(op, name, err)
	}
	return body, nil
}

// fetch sends a request. It does not read the body of the response.
func fetch(parent context.Context, client *http.Client, u *url.URL, header http.Header) (
	resp *http.Response, body *remoteFile, err error,
) {
	ctx, cancel := context.WithCancelCause(parent)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err == nil {
		maps.Copy(req.Header, header)
		resp, err = client.Do(req) //nolint:bodyclose // the returned file closes it
	}
	if err != nil {
		cancel(nil)
		// The address to which a NameNode redirects may contain a token.
		if of, ok := errors.AsType[*url.Error](err); ok {
			err = of.Err
		}
		if hint := rest.Hint(err); hint != "" {
			err = fmt.Errorf("%w (%s)", err, hint)
		}
		return nil, nil, err
	}
	return resp, &remoteFile{ReadCloser: resp.Body, ctx: ctx, cancel: cancel}, nil
}

// text reads the text of an error, and closes the body.
func (f *remoteFile) text() []byte {
	text, _ := io.ReadAll(io.LimitReader(f, maxError)) // an incomplete text is sufficient
	_ = f.Close()                                      // the error is already known
	return text
}

// fail returns an error with the full address of the file.
func (f *HDFS) fail(op, name string, err error) error {
	return &fs.PathError{
		Op: "webhdfs " + strings.ToLower(op), Path: f.base.Scheme + "://" + f.base.Host + path.Join(f.root, name),
		Err: err,
	}
}

// refusal returns the error of an unsuccessful response. HDFS describes it in a RemoteException.
func refusal(resp *http.Response, text []byte) error {
	name, message := rest.Exception(text)
	why := resp.Status
	if name != "" {
		line, _, _ := strings.Cut(message, "\n")
		why += ": " + name + ": " + line
	}
	switch {
	case resp.StatusCode == http.StatusNotFound && name == "FileNotFoundException":
		return fmt.Errorf("%w (%s)", fs.ErrNotExist, why)
	case resp.StatusCode == http.StatusNotFound:
		return fmt.Errorf("%s: is WebHDFS enabled there (dfs.webhdfs.enabled)?", why)
	case name == "StandbyException":
		return fmt.Errorf("%s: give the address of the other NameNode", why)
	case resp.StatusCode == http.StatusUnauthorized, resp.StatusCode == http.StatusForbidden:
		return fmt.Errorf("%w: %s: give another --user, or copy the files", fs.ErrPermission, why)
	}
	return errors.New(why)
}

// A fileStatus is HDFS's status of a file or folder.
type fileStatus struct {
	Suffix   string `json:"pathSuffix"`
	Kind     string `json:"type"` // FILE, DIRECTORY or SYMLINK
	Length   int64  `json:"length"`
	Modified int64  `json:"modificationTime"` // ms since the epoch
}

func (s *fileStatus) Name() string       { return s.Suffix }
func (s *fileStatus) Size() int64        { return s.Length }
func (s *fileStatus) ModTime() time.Time { return time.UnixMilli(s.Modified) }
func (s *fileStatus) IsDir() bool        { return s.Kind == "DIRECTORY" }
func (s *fileStatus) Sys() any           { return nil }

func (s *fileStatus) Mode() fs.FileMode {
	kinds := map[string]fs.FileMode{"DIRECTORY": fs.ModeDir | 0o111, "SYMLINK": fs.ModeSymlink}
	return kinds[s.Kind] | 0o444
}

// A remoteFile is the body of a response, of an open file or another one. Reading fails if no data arrives for
// patience, so that a hanging DataNode cannot block its reader forever. The length of a file is not limited.
type remoteFile struct {
	io.ReadCloser
	info   fs.FileInfo     // of an open file
	ctx    context.Context // of the request
	cancel context.CancelCauseFunc
}

func (f *remoteFile) Stat() (fs.FileInfo, error) { return f.info, nil }

func (f *remoteFile) Read(p []byte) (int, error) {
	timer := time.AfterFunc(patience, func() { f.cancel(fmt.Errorf("no data for %v", patience)) })
	defer timer.Stop()
	n, err := f.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) && f.ctx.Err() != nil {
		err = context.Cause(f.ctx)
	}
	return n, err
}

func (f *remoteFile) Close() error {
	defer f.cancel(nil)
	return f.ReadCloser.Close()
}
