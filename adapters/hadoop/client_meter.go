package hadoop

import (
	"io"
	"net/http"
	"sync/atomic"
)

// Traffic is what a client has cost the cluster.
type Traffic struct {
	Requests int64
	Bytes    int64 // of bodies as they were sent
	Most     int64 // most requests under way at the same time
}

// A meter counts.
type meter struct {
	next http.RoundTripper

	requests, bytes, underway, most atomic.Int64
}

func (m *meter) traffic() Traffic {
	return Traffic{Requests: m.requests.Load(), Bytes: m.bytes.Load(), Most: m.most.Load()}
}

func (m *meter) RoundTrip(r *http.Request) (*http.Response, error) {
	m.requests.Add(1)
	n := m.underway.Add(1)
	for most := m.most.Load(); n > most && !m.most.CompareAndSwap(most, n); most = m.most.Load() {
	}
	resp, err := m.next.RoundTrip(r)
	if err != nil {
		m.underway.Add(-1)
		return nil, err
	}
	resp.Body = &counted{body: resp.Body, meter: m}
	return resp, nil
}

type counted struct {
	body   io.ReadCloser
	meter  *meter
	closed atomic.Bool
}

func (c *counted) Read(b []byte) (int, error) {
	n, err := c.body.Read(b)
	c.meter.bytes.Add(int64(n))
	return n, err
}

func (c *counted) Close() error {
	if !c.closed.Swap(true) {
		c.meter.underway.Add(-1)
	}
	return c.body.Close()
}
