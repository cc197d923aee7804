package planfile_test

import (
	"testing"

	"github.com/paratimer/paratimer/adapters/planfile"
	"github.com/paratimer/paratimer/internal/testkit/jsonschema"
)

// TestPublishedSchema holds that docs/plan.schema.json is what the types generate, beside its descriptions.
func TestPublishedSchema(t *testing.T) {
	t.Parallel()
	jsonschema.IsPublished(t, "../../docs/plan.schema.json",
		jsonschema.OfFile(planfile.File{}, "a plan: a mapping with cluster and jobs"))
}
