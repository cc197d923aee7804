package frame

// A HeldUp is the workflow that blocks another one: it uses the most of what the other waits for.
type HeldUp struct {
	ID    *string `json:"id"` // of the blocking workflow
	Name  *string `json:"name"`
	User  *string `json:"user"`
	Queue *string `json:"queue"`
	// Scope is the limit that the two share: cluster, queue, user (the limit of one user in a queue), or masters
	// (of the queue).
	Scope string `json:"scope"`
	// Containers are the blocking workflow's part of OfContainers, the containers in use within the scope; in the
	// scope masters they are masters.
	Containers   int     `json:"containers"`
	OfContainers int     `json:"of_containers"`
	ForSeconds   Seconds `json:"for_seconds"` // how long this has lasted
	EndAt        *Time   `json:"end_at"`      // its predicted end
}
