package jobfile

import (
	"testing"

	"github.com/paratimer/paratimer/internal/testkit/jsonschema"
)

// TestPublishedSchema holds that docs/job.schema.json is what the types generate, beside its descriptions.
func TestPublishedSchema(t *testing.T) {
	t.Parallel()
	jsonschema.IsPublished(t, "../../../../docs/job.schema.json",
		jsonschema.OfFile(file{}, "a job file: a mapping with cluster and jobs"))
}
