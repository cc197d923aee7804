package mapreduce

import (
	"context"
	"fmt"
	"time"

	"github.com/paratimer/paratimer/adapters/yarn"
)

// Until the first map of a job reports, the engine does not show how much the job reads. Its file system does: the
// configuration names the files. Their sizes are requested once a job, as soon as its configuration is known.

const (
	sizesAtOnce   = 8               // jobs in one tick; the others follow in the next
	sizesPatience = 5 * time.Second // for all requests of a tick
)

// pollInputs requests the sizes of the inputs of jobs that have not ended.
func (s *Source) pollInputs(ctx context.Context) {
	var jobs []*job
	for _, j := range s.member {
		a := s.view.Known(j.app)
		if j.conf != nil && j.inputBytes < 0 && a != nil && !a.Ended && len(jobs) < sizesAtOnce {
			jobs = append(jobs, j)
		}
	}
	if len(jobs) == 0 {
		return
	}
	ctx, cancel := context.WithTimeoutCause(ctx, sizesPatience, fmt.Errorf("not done within %v", sizesPatience))
	defer cancel()
	yarn.Each(ctx, jobs, func(ctx context.Context, j *job) {
		var err error
		if j.inputBytes, err = j.conf.Files.Size(ctx, s.cluster.HDFS); err != nil && s.target.Note != nil {
			s.target.Note(fmt.Sprintf("the size of the input of %s is not known: %s", j.id, yarn.Brief(err)))
		}
	})
	s.catchUp()
}
