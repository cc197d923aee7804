// Package kubernetes reads what a Kubernetes cluster's API server has about applications: pods, the Spark operator's
// SparkApplications, and the web pages of pods through the server's proxy. It only sends GET requests.
//
// An [Access] is the address and the credentials of a server, by the rules of kubectl (config.go). A [Server] sends the
// requests through a rest.Client, which bounds their time and size (server.go).
package kubernetes

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	restclient "k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/paratimer/paratimer/adapters/rest"
)

// AllNamespaces is the Namespace of an Access to all of a cluster.
const AllNamespaces = "*"

// An Access is how to reach an API server.
type Access struct {
	Base      string // address of the server
	Namespace string // of the pods, or AllNamespaces
	// Transport sends requests with the credentials of the configuration.
	Transport http.RoundTripper
}

// connectTime bounds a connection to the server. The times of rest.Options bound the rest.
const connectTime = 5 * time.Second

// FindAccess returns the access of a context and a namespace. If they are "", it is the current context, and the
// namespace of the context or of this pod, else "default". As with kubectl the configuration is in the files of
// KUBECONFIG, or in ~/.kube/config; if there is none it is the service account of this pod.
func FindAccess(context, namespace string, getenv func(string) string) (*Access, error) {
	files := filepath.SplitList(getenv("KUBECONFIG"))
	if len(files) == 0 && getenv("HOME") != "" {
		files = []string{filepath.Join(getenv("HOME"), ".kube", "config")}
	}
	config := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(
		&clientcmd.ClientConfigLoadingRules{Precedence: files},
		&clientcmd.ConfigOverrides{CurrentContext: context})
	c, err := config.ClientConfig()
	if clientcmd.IsEmptyConfig(err) {
		return nil, fmt.Errorf("kubernetes: no cluster in %s, and this is no pod with a service account: set KUBECONFIG to a "+
			"file as kubectl uses it", strings.Join(files, ", "))
	}
	if err != nil {
		return nil, fmt.Errorf("kubernetes: %w", err)
	}
	if namespace == "" {
		if namespace, _, err = config.Namespace(); err != nil {
			return nil, fmt.Errorf("kubernetes: %w", err)
		}
	}
	c.Dial = (&net.Dialer{Timeout: connectTime}).DialContext
	if c.ExecProvider != nil {
		c.ExecProvider.StdinUnavailable = true
		c.ExecProvider.StdinUnavailableMessage = "paratimer has no terminal for it: sign in with kubectl first"
	}
	base, _, err := restclient.DefaultServerUrlFor(c)
	transport, fault := restclient.TransportFor(c)
	if err = cmp.Or(err, fault); err != nil {
		return nil, fmt.Errorf("kubernetes: %w", err)
	}
	if c.ExecProvider != nil {
		transport = bounded(transport)
	}
	return &Access{strings.TrimSuffix(base.String(), "/"), namespace, transport}, nil
}

// maxStuck bounds the requests that wait for an exec plugin.
const maxStuck = 8

// bounded returns from a request when its context is done. client-go itself waits for an exec plugin without a limit.
func bounded(next http.RoundTripper) http.RoundTripper {
	type result struct {
		resp *http.Response
		err  error
	}
	slots := make(chan struct{}, maxStuck)
	return rest.RoundTrip(func(r *http.Request) (*http.Response, error) {
		done := make(chan result, 1)
		select {
		case slots <- struct{}{}:
			go func() {
				defer func() { <-slots }()
				resp, err := next.RoundTrip(r) //nolint:bodyclose // the receiver closes it, or the end of the context
				done <- result{resp, err}
			}()
		case <-r.Context().Done():
		}
		select {
		case got := <-done:
			return got.resp, got.err
		case <-r.Context().Done():
			return nil, errors.Join(errPlugin, r.Context().Err())
		}
	})
}

var errPlugin = errors.New("the API server, or the program of the kubeconfig that signs in to it, does not answer")
