// Package engine chooses the engine whose adapter plays recorded answers.
package engine

import (
	"errors"
	"net/url"

	"github.com/paratimer/paratimer/adapters/hadoopconf"
	"github.com/paratimer/paratimer/adapters/mapreduce"
	"github.com/paratimer/paratimer/adapters/recording"
	"github.com/paratimer/paratimer/adapters/rest"
	"github.com/paratimer/paratimer/adapters/spark"
	"github.com/paratimer/paratimer/adapters/tez"
	"github.com/paratimer/paratimer/adapters/yarn"
)

// appsPath is requested once per poll of a ResourceManager.
const appsPath = "/ws/v1/cluster/apps"

// IsPoll reports whether a request begins a poll of a ResourceManager.
func IsPoll(u *url.URL) bool { return recording.Served(u) == appsPath }

// Player returns a player of recorded answers of any engine.
func Player(rec *recording.Answers) *recording.Player {
	return recording.NewPlayer(rec, tez.Recorded())
}

// Replay returns a source that replays recorded answers through the adapter for live clusters.
func Replay(rec *recording.Answers, o recording.Options) (*recording.Replay, error) {
	rm := Manager(rec)
	if rm == "" && spark.IsRecorded(rec) || spark.Holds(rec, o.Workflow) {
		return spark.NewReplay(rec, o)
	}
	if rm == "" {
		return nil, errors.New("recording: no answer of a ResourceManager is recorded: record with attach --record FILE --raw")
	}
	p := Player(rec)
	client, err := mapreduce.NewClient(hadoopconf.Site{RMs: []hadoopconf.Manager{{URL: rm}}, JHS: rm},
		rest.Options{Transport: p, Now: p.Now})
	if err != nil {
		return nil, err
	}
	r := recording.NewReplay(rec, rec.Polls(IsPoll), o.Every)
	r.Seek = p.Seek
	r.IsEarly = func(err error) bool {
		_, early := errors.AsType[*yarn.NoWorkflowError](err)
		return early
	}
	graph, isTez, err := dagOf(rec, o.Workflow)
	if err != nil {
		return nil, err
	}
	if isTez {
		graph.Made, graph.Final = p.Made, r.Last
		r.Source = tez.NewSource(client, graph)
		return r, nil
	}
	job, err := Job(rec, o.Workflow)
	if err != nil {
		return nil, err
	}
	job.Made, job.Final = p.Made, r.Last
	r.Source = mapreduce.NewSource(client, job)
	return r, nil
}
