package kubernetes

import (
	"cmp"
	"fmt"
	"time"

	"github.com/paratimer/paratimer/adapters/internal/input"
	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/dag"
)

// A pod is a pod whose container may be an application's driver.
type pod struct {
	namespace, name     string
	labels, annotations map[string]string
	env                 map[string]string // of all containers, without values that refer to something else
	ports               map[string]int    // of all containers, by name
	created, ended      dag.Instant       // NoInstant if unknown
	state               dag.State         // Submitted until its containers run
	why                 string            // why it waits or has failed; "" if unknown
}

// A sparkApplication is an application of the Spark operator.
type sparkApplication struct {
	name  string
	id    string // spark.app.id of the last submission; "" before it
	user  string // the user that the driver impersonates; "" if there is none
	ended dag.Instant
	state dag.State
	why   string // why it has failed
}

type wireMeta struct {
	Name        input.Label            `json:"name"`
	Namespace   input.Label            `json:"namespace"`
	Labels      map[string]input.Label `json:"labels"`
	Annotations map[string]input.Label `json:"annotations"`
	Created     moment                 `json:"creationTimestamp"`
}

type wirePod struct {
	Metadata rest.Box[wireMeta] `json:"metadata"`
	Spec     rest.Box[struct {
		Containers rest.List[struct {
			Ports rest.List[struct {
				Name input.Label    `json:"name"`
				Port input.Optional `json:"containerPort"`
			}] `json:"ports"`
			Env rest.List[struct {
				Name  input.Label `json:"name"`
				Value input.Label `json:"value"`
			}] `json:"env"`
		}] `json:"containers"`
	}] `json:"spec"`
	Status rest.Box[struct {
		Phase      input.Label     `json:"phase"`
		Reason     input.Label     `json:"reason"` // such as Evicted
		Message    input.Diagnosis `json:"message"`
		Conditions rest.List[struct {
			Type    input.Label     `json:"type"`
			Status  input.Label     `json:"status"`
			Message input.Diagnosis `json:"message"`
		}] `json:"conditions"`
		Containers rest.List[struct {
			State rest.Box[struct {
				Waiting    rest.Box[wireState] `json:"waiting"`
				Terminated rest.Box[wireState] `json:"terminated"`
			}] `json:"state"`
		}] `json:"containerStatuses"`
	}] `json:"status"`
}

// wireState is the state of a container that does not run.
type wireState struct {
	Reason   input.Label     `json:"reason"` // such as ImagePullBackOff, OOMKilled, Error
	Message  input.Diagnosis `json:"message"`
	Code     input.Optional  `json:"exitCode"`
	Finished moment          `json:"finishedAt"`
}

// phases are the phases of a pod. The phase of a pod on a node that is unreachable is Unknown: it may still run.
//
//	https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-phase
var phases = map[input.Label]dag.State{
	"Pending": dag.Submitted, "Succeeded": dag.Succeeded, "Failed": dag.Failed,
}

func (w *wirePod) pod() pod {
	m, status := &w.Metadata.V, &w.Status.V
	p := pod{
		namespace: string(m.Namespace), name: string(m.Name),
		labels: texts(m.Labels), annotations: texts(m.Annotations),
		env: map[string]string{}, ports: map[string]int{}, created: m.Created.at(), ended: dag.NoInstant,
		state: cmp.Or(phases[status.Phase], dag.Running), why: why(status.Reason, status.Message),
	}
	for _, c := range w.Spec.V.Containers {
		for _, port := range c.Ports {
			p.ports[string(port.Name)] = port.Port.Count(maxPort)
		}
		for _, e := range c.Env {
			p.env[string(e.Name)] = string(e.Value)
		}
	}
	for _, c := range status.Containers {
		waiting, ended := &c.State.V.Waiting.V, &c.State.V.Terminated.V
		p.ended = max(p.ended, ended.Finished.at())
		switch code := ended.Code.Count(maxCode); {
		case p.why != "":
		case p.state == dag.Failed && code != 0:
			p.why = fmt.Sprintf("the driver's container ended with exit code %d: %s", code, why(ended.Reason, ended.Message))
		case p.state == dag.Submitted && waiting.Reason != "ContainerCreating":
			p.why = why(waiting.Reason, waiting.Message)
		}
	}
	for _, c := range status.Conditions { // such as 0/3 nodes are available: 3 Insufficient memory.
		if p.why == "" && p.state == dag.Submitted && c.Type == "PodScheduled" && c.Status == "False" {
			p.why = string(c.Message)
		}
	}
	return p
}

// Bounds of a container's port and exit code.
const maxPort, maxCode = 65535, 255

type wireSparkApplication struct {
	Metadata rest.Box[wireMeta] `json:"metadata"`
	Spec     rest.Box[struct {
		User input.Label `json:"proxyUser"`
	}] `json:"spec"`
	Status rest.Box[struct {
		ID    input.Label `json:"sparkApplicationId"`
		Ended moment      `json:"terminationTime"`
		State rest.Box[struct {
			State input.Label     `json:"state"`
			Error input.Diagnosis `json:"errorMessage"`
		}] `json:"applicationState"`
	}] `json:"status"`
}

// applicationStates are the states of the operator in which a submission is not running. In PENDING_RERUN the earlier
// submission has failed, and its id stays until the next one.
var applicationStates = map[input.Label]dag.State{
	"": dag.Submitted, "SUBMITTED": dag.Submitted, "COMPLETED": dag.Succeeded, "SUCCEEDING": dag.Succeeded,
	"FAILED": dag.Failed, "FAILING": dag.Failed, "SUBMISSION_FAILED": dag.Failed, "PENDING_RERUN": dag.Failed,
}

func (w *wireSparkApplication) application() sparkApplication {
	status := &w.Status.V
	a := sparkApplication{
		name: string(w.Metadata.V.Name), id: string(status.ID), user: string(w.Spec.V.User), ended: status.Ended.at(),
		state: cmp.Or(applicationStates[status.State.V.State], dag.Running),
	}
	if a.state == dag.Failed {
		a.why = string(status.State.V.Error)
	}
	return a
}

// A moment is an instant in RFC 3339; null and anything else is unknown.
type moment dag.Instant

// UnmarshalJSON reads any value.
func (m *moment) UnmarshalJSON(b []byte) error {
	var t time.Time
	if *m = 0; t.UnmarshalJSON(b) == nil {
		*m = moment(max(0, dag.InstantOf(t)))
	}
	return nil
}

// at returns the instant, or NoInstant if it is unknown.
func (m moment) at() dag.Instant {
	if m <= 0 {
		return dag.NoInstant
	}
	return dag.Instant(m)
}

func why(reason input.Label, message input.Diagnosis) string {
	if reason != "" && message != "" {
		return string(reason) + ": " + string(message)
	}
	return cmp.Or(string(reason), string(message))
}

func texts(labels map[string]input.Label) map[string]string {
	out := make(map[string]string, len(labels))
	for name, value := range labels {
		out[name] = string(value)
	}
	return out
}
