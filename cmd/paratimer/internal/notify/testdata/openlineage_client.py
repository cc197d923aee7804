"""Reads events, one a line, with OpenLineage's own client, and prints each as the client would send it.

The client's classes are generated from the published schema. They refuse a field that the schema lacks, and values
that are no time, UUID or event type.
"""

import json
import sys

from openlineage.client.event_v2 import Job, Run, RunEvent, RunState
from openlineage.client.generated.base import RunFacet
from openlineage.client.serde import Serde

for line in sys.stdin:
    fields = json.loads(line)
    schema = fields.pop("schemaURL")
    fields["eventType"] = RunState(fields["eventType"])
    fields["job"] = Job(**fields["job"])
    facets = fields["run"].pop("facets", {})
    urls = {}
    for name, facet in facets.items():
        urls[name] = facet.pop("_schemaURL")
        facets[name] = RunFacet(producer=facet.pop("_producer")).with_additional_properties(**facet)
    fields["run"] = Run(facets=facets, **fields["run"])
    sent = json.loads(Serde.to_json(RunEvent(**fields)))
    if sent["schemaURL"] != schema:
        sys.exit(f"the client's events follow {sent['schemaURL']}, not {schema}")
    for name, url in urls.items():  # a facet of one's own names the schema of its own
        sent["run"]["facets"][name]["_schemaURL"] = url
    print(json.dumps(sent))
