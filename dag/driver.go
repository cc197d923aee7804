package dag

// A Driver is who submits a query's jobs, and when. Under FIFO it is not asked: a job's tasks run as soon as the jobs
// have ended that it comes after, as in the paper.
type Driver uint8

// The drivers.
const (
	Waves Driver = iota // a level of the graph when every level before it has ended: Pig (docs/facts/hadoop.md C2)
	// a job when the jobs that it comes after have ended: Hive with hive.exec.parallel, a DAG at once
	Eager
	Serial // one job after the other, in the graph's order
)

var driverNames = [...]string{Waves: "waves", Eager: "eager", Serial: "serial"}

func (d Driver) String() string { return name(driverNames[:], int(d)) }

// MarshalText returns the driver's name.
func (d Driver) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText takes a driver's name. Its error lists the names.
func (d *Driver) UnmarshalText(b []byte) error { return parse(d, driverNames[:], b, "driver") }
