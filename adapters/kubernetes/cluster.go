package kubernetes

import (
	"cmp"
	"context"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/adapters/spark"
	"github.com/paratimer/paratimer/adapters/yarn"
	"github.com/paratimer/paratimer/dag"
)

// A Cluster lists the drivers of Spark in a Kubernetes cluster: pods as spark-submit and the Spark operator make them.
// It is a spark.Manager. Several goroutines may use it.
type Cluster struct {
	client  *yarn.Client
	access  *Access
	history string

	mu         sync.Mutex
	open       map[string]*pod              // drivers that run or wait, by spark.app.id
	ended      map[string]spark.Listed      // former ones of open
	operated   map[string]*sparkApplication // of the operator, by spark.app.id; nil before the first list
	operatedAt dag.Instant                  // when they were listed
}

// New returns the cluster of an access. The client sends requests to its server by the transport of the access. history
// is the address of the history server, or "". It sends no request.
func New(client *yarn.Client, access *Access, history string) *Cluster {
	return &Cluster{client: client, access: access, history: history}
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
	pods, err := c.pods(ctx, driverLabel)
	if err != nil {
		return nil, err
	}
	earlier := c.open
	c.open = map[string]*pod{}
	for i := range pods {
		if id := pods[i].labels[idLabel]; id != "" {
			c.open[id] = &pods[i]
		}
	}
	gone := slices.DeleteFunc(slices.Sorted(maps.Keys(earlier)), func(id string) bool { return c.open[id] != nil })
	if c.operated == nil || len(gone) > 0 || c.Now().Sub(c.operatedAt) >= operatedFor {
		c.listOperated(ctx)
	}
	if len(c.ended)+len(gone) > maxEnded || c.ended == nil {
		c.ended = map[string]spark.Listed{}
	}
	for _, id := range gone {
		c.findEnd(ctx, id, earlier[id])
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
	c.operated = map[string]*sparkApplication{}
	for i := range all {
		c.operated[all[i].id] = &all[i]
	}
}

// findEnd looks a driver up that is not listed any more, and remembers how it has ended. If neither its pod nor its
// SparkApplication is left, that is unknown.
func (c *Cluster) findEnd(ctx context.Context, id string, earlier *pod) {
	p, err := c.pod(ctx, earlier.namespace, earlier.name)
	isDeleted := rest.Status(err) == http.StatusNotFound
	switch {
	case isDeleted:
		p = *earlier
	case err != nil:
		c.open[id] = earlier // the next list looks it up again
		return
	}
	l := c.listed(id, &p)
	if a := c.operated[id]; a != nil && a.state.Ended() {
		l.State, l.Ended, l.Why = a.state, max(l.Ended, a.ended), cmp.Or(a.why, l.Why)
	}
	if l.State.Ended() {
		c.ended[id] = l
	}
}

func (c *Cluster) listed(id string, p *pod) spark.Listed {
	l := spark.Listed{
		ID: id, Name: cmp.Or(p.labels[operatorLabel], p.labels[nameLabel], p.name), User: p.env["SPARK_USER"],
		Queue: p.namespace, State: p.state, Began: p.created, Ended: p.ended, Why: p.why, URL: c.proxied(p, uiPort(p)),
	}
	if a := c.operated[id]; a != nil {
		l.Name, l.User = a.name, cmp.Or(a.user, l.User)
	}
	return l
}

// uiPort returns the port of the driver's page: the one that Spark names in the pod, else that of an annotation or of
// the environment, else Spark's default.
func uiPort(p *pod) int {
	for _, name := range []string{"spark-ui", "spark-driver-ui", "spark-driver-ui-port"} {
		if port := p.ports[name]; port > 0 {
			return port
		}
	}
	set := cmp.Or(p.annotations["spark.ui.port"], p.env["spark.ui.port"], p.env["SPARK_UI_PORT"])
	if port, err := strconv.Atoi(set); err == nil && 0 < port && port <= maxPort {
		return port
	}
	return 4040
}

// Driver returns the driver of an application in the list.
func (c *Cluster) Driver(l spark.Listed) spark.Driver {
	return spark.Behind(c.client, l.URL, c.history, advise)
}

// ReportsEnd returns false: a pod that was deleted does not show how its driver has ended, and a last job that was not
// seen to end would leave the end unconfirmed. States of pods and of the operator count all the same.
func (c *Cluster) ReportsEnd() bool { return false }

// Now returns the API server's clock.
func (c *Cluster) Now() dag.Instant { return c.client.Now() }
