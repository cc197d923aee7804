package kubernetes

import (
	"cmp"
	"fmt"

	"github.com/paratimer/paratimer/adapters/internal/input"
	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/dag"
)

// A wirePage is a part of a list.
type wirePage[T any] struct {
	Metadata rest.Box[struct{ Continue input.Raw }]
	Items    rest.List[T]
}

// A wireStatus is a response of the server about itself.
type wireStatus struct {
	Kind    input.Label
	Message input.Raw
}

type wireMeta struct {
	Name, Namespace     input.Label
	Labels, Annotations map[string]input.Label
	Created             input.Moment `json:"creationTimestamp"`
}

// A pod is a pod with a container that may be an application's driver.
type pod struct {
	Metadata rest.Box[wireMeta]
	Spec     rest.Box[struct {
		Containers rest.List[struct {
			Ports rest.List[struct {
				Name          input.Label
				ContainerPort input.Optional
			}]
			Env rest.List[struct{ Name, Value input.Label }]
		}]
	}]
	Status rest.Box[struct {
		Phase, Reason input.Label // the reason is one such as Evicted
		Message       input.Diagnosis
		Conditions    rest.List[struct {
			Type, Status input.Label
			Message      input.Diagnosis
		}]
		ContainerStatuses rest.List[struct {
			State rest.Box[struct{ Waiting, Terminated rest.Box[wireState] }]
		}]
	}]
}

// wireState is the state of a container that does not run.
type wireState struct {
	Reason     input.Label // such as ImagePullBackOff, OOMKilled, Error
	Message    input.Diagnosis
	ExitCode   input.Optional
	FinishedAt input.Moment
}

// phases are the phases of a pod. The phase of a pod on a node that is unreachable is Unknown: it may still run.
//
//	https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-phase
var phases = map[input.Label]dag.State{
	"Pending": dag.Submitted, "Succeeded": dag.Succeeded, "Failed": dag.Failed,
}

func (p *pod) label(name string) string { return string(p.Metadata.V.Labels[name]) }

// env returns a variable of the environment of a container; "" if its value refers to something else.
func (p *pod) env(name input.Label) (value string) {
	for _, c := range p.Spec.V.Containers {
		for _, e := range c.Env {
			if e.Name == name {
				value = string(e.Value)
			}
		}
	}
	return value
}

// port returns a port of a container; 0 if there is none.
func (p *pod) port(name input.Label) (port int) {
	for _, c := range p.Spec.V.Containers {
		for _, at := range c.Ports {
			if at.Name == name {
				port = at.ContainerPort.Count(maxPort)
			}
		}
	}
	return port
}

// state returns the state of an application by its driver's pod: Submitted until its containers run. It returns why the
// pod waits or has failed, "" if that is unknown, and when its containers ended.
func (p *pod) state() (state dag.State, text string, ended dag.Instant) {
	status := &p.Status.V
	state, text, ended = cmp.Or(phases[status.Phase], dag.Running), why(status.Reason, status.Message), dag.NoInstant
	for _, c := range status.ContainerStatuses {
		waiting, end := &c.State.V.Waiting.V, &c.State.V.Terminated.V
		ended = max(ended, end.FinishedAt.At())
		switch code := end.ExitCode.Count(maxCode); {
		case text != "":
		case state == dag.Failed && code != 0:
			text = fmt.Sprintf("the driver's container ended with exit code %d: %s", code, why(end.Reason, end.Message))
		case state == dag.Submitted && waiting.Reason != "ContainerCreating":
			text = why(waiting.Reason, waiting.Message)
		}
	}
	for _, c := range status.Conditions { // such as 0/3 nodes are available: 3 Insufficient memory.
		if text == "" && state == dag.Submitted && c.Type == "PodScheduled" && c.Status == "False" {
			text = string(c.Message)
		}
	}
	return state, text, ended
}

// Bounds of a container's port and exit code.
const maxPort, maxCode = 65535, 255

// A sparkApplication is an application of the Spark operator.
type sparkApplication struct {
	Metadata rest.Box[wireMeta] `json:"metadata"`
	Spec     rest.Box[struct {
		User    input.Label `json:"proxyUser"` // that the driver impersonates; "" if there is none
		Restart rest.Box[struct {
			Type input.Label `json:"type"` // Never, OnFailure or Always
		}] `json:"restartPolicy"`
	}] `json:"spec"`
	Status rest.Box[struct {
		ID    input.Label  `json:"sparkApplicationId"` // spark.app.id of the last submission; "" before it
		Ended input.Moment `json:"terminationTime"`
		State rest.Box[struct {
			State input.Label     `json:"state"`
			Error input.Diagnosis `json:"errorMessage"`
		}] `json:"applicationState"`
	}] `json:"status"`
}

// applicationStates are the states of the operator in which a submission has ended. It deletes the driver of an
// application that is suspended or changed.
var applicationStates = map[input.Label]dag.State{
	"COMPLETED": dag.Succeeded, "SUCCEEDING": dag.Succeeded, "FAILED": dag.Failed, "FAILING": dag.Failed,
	"SUBMISSION_FAILED": dag.Failed, "SUSPENDING": dag.Killed, "SUSPENDED": dag.Killed, "INVALIDATING": dag.Killed,
}

func why(reason input.Label, message input.Diagnosis) string {
	if reason != "" && message != "" {
		return string(reason) + ": " + string(message)
	}
	return cmp.Or(string(reason), string(message))
}
