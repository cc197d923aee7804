// Package yarn observes a cluster over REST as its ResourceManager reports it. It serves any engine on YARN and knows
// none of them.
//
// A [Client] is a rest.Client that has the paths of the ResourceManager, its proxy and the NodeManagers, and completes
// errors by rules (client.go). A [Hub] requests what several workflows share: applications,
// nodes and queues (hub.go, view.go, app.go, nodes.go, queues.go). An [Overview] is what one source sees of a hub. It
// fills the part of a snapshot that describes the cluster, the load of other applications included (overview.go,
// load.go). A [Target] is the workflow that a user chooses (target.go).
package yarn
