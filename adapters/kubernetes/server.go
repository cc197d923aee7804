package kubernetes

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"github.com/paratimer/paratimer/adapters/rest"
)

// Bounds of a list. The API server chooses the order: by namespace and name.
const (
	pageItems = 250
	maxItems  = 1000
	maxPages  = 2 * maxItems / pageItems
)

// pod returns a pod, also if it has ended. The status of the error is 404 if it was deleted.
//
//	GET /api/v1/namespaces/NAMESPACE/pods/NAME
func (c *Cluster) pod(ctx context.Context, path string) (pod, error) {
	body, err := c.get(ctx, path)
	return rest.Read[pod]("the pod at "+path, body, err) //nolint:wrapcheck // it is named
}

// sparkApplications lists the applications of the Spark operator. There are none if the cluster has no operator: then
// it does not have the resource, and responds with status 404.
//
//	GET /apis/sparkoperator.k8s.io/v1beta2/namespaces/NAMESPACE/sparkapplications?limit=…&continue=…
//	https://github.com/kubeflow/spark-operator/blob/master/docs/api-docs.md
func (c *Cluster) sparkApplications(ctx context.Context) ([]sparkApplication, error) {
	items, err := list[sparkApplication](ctx, c, c.path("/apis/sparkoperator.k8s.io/v1beta2", "sparkapplications"),
		url.Values{})
	if rest.Status(err) == http.StatusNotFound {
		err = nil
	}
	return items, err
}

// path returns the path of a pod. The server's proxy to a port of the pod is below it.
//
//	GET /api/v1/namespaces/NAMESPACE/pods/NAME:PORT/proxy/PATH
//	https://kubernetes.io/docs/tasks/access-application-cluster/access-cluster-services/
func (p *pod) path() string {
	m := &p.Metadata.V
	return "/api/v1/namespaces/" + url.PathEscape(string(m.Namespace)) + "/pods/" + url.PathEscape(string(m.Name))
}

// path returns the path of a resource in the namespace of the access.
func (c *Cluster) path(group, resource string) string {
	if c.access.Namespace == AllNamespaces {
		return group + "/" + resource
	}
	return group + "/namespaces/" + url.PathEscape(c.access.Namespace) + "/" + resource
}

func (c *Cluster) get(ctx context.Context, path string) ([]byte, error) {
	body, _, err := c.Client.Get(ctx, &rest.Request{
		Bases: []string{c.access.Base}, Path: path, Limit: rest.Middle, Clock: true, Pinned: true,
		Advise: func(e *rest.Error, r *rest.Response) { advise(e, r) },
	})
	return body, err //nolint:wrapcheck // it names the request
}

// list requests a list page by page. A later page may have expired after five minutes (status 410). Then the list
// begins again, once.
//
//	https://kubernetes.io/docs/reference/using-api/api-concepts/#retrieving-large-results-sets-in-chunks
func list[T any](ctx context.Context, c *Cluster, path string, query url.Values) (items []T, err error) {
	ctx, done := rest.Keep(ctx)
	defer done()
	query.Set("limit", strconv.Itoa(pageItems))
	isAgain := false
	for range maxPages {
		body, err := c.get(ctx, path+"?"+query.Encode())
		if rest.Status(err) == http.StatusGone && query.Has("continue") && !isAgain {
			isAgain, items = true, nil
			query.Del("continue")
			continue
		}
		page, err := rest.Read[wirePage[T]]("the list "+path, body, err)
		if err != nil {
			return nil, err //nolint:wrapcheck // it is named
		}
		items = append(items, page.Items...)
		if page.Metadata.V.Continue == "" || len(items) >= maxItems {
			break
		}
		query.Set("continue", string(page.Metadata.V.Continue))
	}
	return items[:min(len(items), maxItems)], nil
}

// refusal is how the server names the right that an account lacks.
var refusal = regexp.MustCompile(`cannot ([a-z]+) resource "([^"]+)" in API group "([^"]*)"(?: in the namespace "([^"]*)")?`)

// advise completes an error of the server or of its proxy, and reports whether it is one of these. A response of a pod
// is not: only those of the server are of the kind Status.
//
//	https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/status/
func advise(e *rest.Error, r *rest.Response) bool {
	if r == nil {
		switch {
		case e.Cause == rest.NoAuthority:
			e.Hint = "give that authority's certificate as certificate-authority of the kubeconfig's cluster"
		case errors.Is(e.Err, context.DeadlineExceeded), strings.Contains(e.Text, "getting credentials"):
			e.Hint = errPlugin.Error() + ": does `kubectl get pods` work?"
		}
		return true
	}
	if e.Status == http.StatusBadGateway {
		e.Hint = "the API server's proxy does not pass on redirects, such as a driver's to a login page, and needs an answer of the pod"
		return true
	}
	w, err := rest.Read[wireStatus]("the status", r.Body, nil)
	if err != nil || w.Kind != "Status" {
		return false
	}
	missing := refusal.FindStringSubmatch(string(w.Message))
	switch {
	case e.Status == http.StatusUnauthorized:
		e.Hint = "the API server does not accept the user of the kubeconfig: does `kubectl get pods` work?"
	case e.Status == http.StatusForbidden && missing != nil:
		role := "a ClusterRole"
		if missing[4] != "" {
			role = "a Role in namespace " + missing[4]
		}
		e.Hint = fmt.Sprintf("the account needs %s that allows it: verb %s, resource %s, API group %q, as in the Helm chart", role,
			missing[1], missing[2], missing[3])
	case e.Status == http.StatusServiceUnavailable:
		e.Hint = "the pod does not answer the API server's proxy: it may be starting or deleted"
	}
	return true
}
