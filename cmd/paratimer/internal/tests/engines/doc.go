// Package engines holds what commands do with runs of Spark, of Tez, and of stages of any kind.
package engines
