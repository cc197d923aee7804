package kubernetes

import (
	"cmp"
	"context"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/paratimer/paratimer/adapters/internal/input"
	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/adapters/spark"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
)

// A Cluster lists the drivers of Spark in a Kubernetes cluster: pods as spark-submit and the Spark operator make them.
// It is a spark.Manager. Several goroutines may use it.
type Cluster struct {
	spark.Web
	access *Access

	mu         sync.Mutex
	open       map[string]*pod             // drivers that run or wait, by spark.app.id
	ended      map[string]spark.Listed     // former ones of open
	operated   map[string]sparkApplication // of the operator, by namespace/name; nil before the first list
	operatedAt dag.Instant                 // when they were listed
}

// New returns the cluster of an access. The client sends requests to its server by the transport of the access. history
// is the address of the history server, or "". It sends no request.
func New(client *yarn.Client, access *Access, history string) *Cluster {
	return &Cluster{Web: spark.Web{Client: client, History: history, Advise: advise}, access: access}
}

// The labels of drivers by Spark itself, and by the Spark operator.
//
//	https://spark.apache.org/docs/latest/running-on-kubernetes.html
//	https://github.com/kubeflow/spark-operator/blob/master/pkg/common/spark.go
const (
	driverLabel   = "spark-role=driver"
	idLabel       = "spark-app-selector"
	nameLabel     = "spark-app-name" // since Spark 3.3
	operatorLabel = "sparkoperator.k8s.io/app-name"
)

const (
	// operatedFor is how long a list of the operator's applications is used while no driver ends. The list is long: it
	// has those that have ended, too.
	operatedFor = time.Minute
	// maxEnded bounds the ended drivers that are remembered.
	maxEnded = 1000
)

// List returns the drivers that run or wait, and those of earlier lists that have ended.
func (c *Cluster) List(ctx context.Context) ([]spark.Listed, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	// GET /api/v1/namespaces/NAMESPACE/pods?labelSelector=…&fieldSelector=…&limit=…&continue=…
	// https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/
	pods, err := list[pod](ctx, c, c.path("/api/v1", "pods"), url.Values{
		"labelSelector": {driverLabel}, "fieldSelector": {"status.phase!=Succeeded,status.phase!=Failed"},
	})
	if err != nil {
		return nil, err
	}
	gone := c.open
	c.open = map[string]*pod{}
	for i := range pods {
		if id := pods[i].label(idLabel); id != "" {
			c.open[id] = &pods[i]
			delete(gone, id)
		}
	}
	if c.operated == nil || len(gone) > 0 || c.Now().Sub(c.operatedAt) >= operatedFor {
		c.listOperated(ctx)
	}
	if len(c.ended)+len(gone) > maxEnded || c.ended == nil {
		c.ended = map[string]spark.Listed{}
	}
	for _, id := range slices.Sorted(maps.Keys(gone)) {
		c.findEnd(ctx, id, gone[id])
	}
	out := slices.Collect(maps.Values(c.ended))
	for id, p := range c.open {
		out = append(out, c.listed(id, p))
	}
	return out, nil
}

// listOperated lists the operator's applications. An error does no harm: the pods have all that is needed, except the
// errors of the operator.
func (c *Cluster) listOperated(ctx context.Context) {
	all, err := c.sparkApplications(ctx)
	if c.operatedAt = c.Now(); err != nil && c.operated != nil {
		return
	}
	c.operated = map[string]sparkApplication{}
	for _, a := range all {
		c.operated[string(a.Metadata.V.Namespace+"/"+a.Metadata.V.Name)] = a
	}
}

// operatedBy returns the operator's application of a driver; an empty one if there is none.
func (c *Cluster) operatedBy(p *pod) sparkApplication {
	return c.operated[string(p.Metadata.V.Namespace)+"/"+p.label(operatorLabel)]
}

// findEnd looks a driver up that is not listed any more, and remembers how it has ended. If neither its pod nor its
// SparkApplication is left, that is unknown. When the operator starts an application again, it deletes the driver's pod
// and forgets the id. The next pod has the same name.
func (c *Cluster) findEnd(ctx context.Context, id string, earlier *pod) {
	p, err := c.pod(ctx, earlier.path())
	isDeleted := rest.Status(err) == http.StatusNotFound || err == nil && p.label(idLabel) != id
	a := c.operatedBy(earlier)
	isOf, state := string(a.Status.V.ID) == id, applicationStates[a.Status.V.State.V.State]
	switch {
	case !isDeleted && err != nil, isDeleted && isOf && !state.Ended():
		c.open[id] = earlier // the next list looks it up again
		return
	case isDeleted:
		p = *earlier
	}
	l := c.listed(id, &p)
	switch {
	case isOf && state.Ended():
		l.State, l.Ended = state, max(l.Ended, a.Status.V.Ended.At())
		if l.State == dag.Failed {
			l.Why = cmp.Or(string(a.Status.V.State.V.Error), l.Why)
		}
	case isDeleted && !isOf && a.Spec.V.Restart.V.Type == "OnFailure":
		l.State, l.Why = dag.Failed, "the Spark operator has deleted the driver, to start the application again"
	}
	if l.State.Ended() {
		c.ended[id] = l
	}
}

func (c *Cluster) listed(id string, p *pod) spark.Listed {
	m := &p.Metadata.V
	l := spark.Listed{
		ID: id, Name: cmp.Or(p.label(operatorLabel), p.label(nameLabel), string(m.Name)), User: p.env("SPARK_USER"),
		Queue: string(m.Namespace), Began: m.Created.At(),
		URL: c.access.Base + proxied(p),
	}
	l.State, l.Why, l.Ended = p.state()
	l.User = cmp.Or(string(c.operatedBy(p).Spec.V.User), l.User)
	return l
}

// proxied returns the path of the driver's page through the server's proxy.
func proxied(p *pod) string { return p.path() + ":" + strconv.Itoa(uiPort(p)) + "/proxy" }

// uiPort returns the port of the driver's page: the one that Spark names in the pod, else that of an annotation or of
// the environment, else Spark's default.
func uiPort(p *pod) int {
	const annotation = "spark.ui.port"
	set := cmp.Or(string(p.Metadata.V.Annotations[annotation]), p.env(annotation), p.env("SPARK_UI_PORT"))
	return cmp.Or(p.port("spark-ui"), p.port("spark-driver-ui"), p.port("spark-driver-ui-port"),
		input.ParseOptional(set).Count(maxPort), 4040)
}

// Rights checks the rights at the API server, except that to list pods.
func (c *Cluster) Rights(ctx context.Context, d *yarn.Examination) {
	// The server checks rights before it looks for the pod. Status 404 means that only the pod is missing.
	none := pod{Metadata: rest.Box[wireMeta]{V: wireMeta{Name: "paratimer-doctor", Namespace: "default"}}}
	if c.access.Namespace != AllNamespaces {
		none.Metadata.V.Namespace = input.Label(c.access.Namespace)
	}
	_, err := c.pod(ctx, none.path())
	right(d, "kubernetes get pods", yarn.Warn, err)
	_, err = c.get(ctx, proxied(&none))
	right(d, "kubernetes get pods/proxy", yarn.Fail, err)
	_, err = c.sparkApplications(ctx)
	right(d, "kubernetes list sparkapplications", yarn.Warn, err)
}

// right adds the check of a right. err is the error of a request that needs it, perhaps for something that is missing.
func right(d *yarn.Examination, name string, grade yarn.Grade, err error) {
	if rest.Status(err) == http.StatusNotFound {
		err = nil
	}
	d.Try(name, grade, err, "allowed")
}

// ListsAll returns true: each list has the pods of all drivers.
func (c *Cluster) ListsAll() bool { return true }
