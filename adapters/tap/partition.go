package tap

import "math"

// Hash is the hash code of Hadoop's Text: 1, then 31 times what is there plus each byte, signed, in 32 bits.
func Hash(key []byte) int32 { return HashMore(1, key) }

// HashMore goes on with a hash, so that a key may come in pieces. The first piece starts from 1.
func HashMore(h int32, key []byte) int32 {
	const p1, p2, p3, p4 = 31, 31 * 31, 31 * 31 * 31, 31 * 31 * 31 * 31
	// Four at a time: the products do not wait for each other.
	for len(key) >= 4 {
		h = p4*h + p3*int32(int8(key[0])) + p2*int32(int8(key[1])) + p1*int32(int8(key[2])) + int32(int8(key[3]))
		key = key[4:]
	}
	for _, b := range key {
		h = 31*h + int32(int8(b))
	}
	return h
}

// Partition is the reduce that Hadoop's HashPartitioner sends a Text key to: 0 up to reduces-1. A job of one reduce has
// no partitioner; for none, or fewer, it is 0 too.
func Partition(key []byte, reduces int) int { return PartitionOf(Hash(key), reduces) }

// PartitionOf is Partition for a hash.
func PartitionOf(hash int32, reduces int) int {
	if reduces < 2 {
		return 0
	}
	return int(hash&math.MaxInt32) % reduces
}

// RecordBytes is what a record of two Texts takes in a map's output, by the lengths of its key and value: both with
// their length before them in Hadoop's variable format. It is what MAP_OUTPUT_BYTES counts.
func RecordBytes(key, value int) int { return lengthBytes(key) + key + lengthBytes(value) + value }

// lengthBytes is WritableUtils.getVIntSize of a length.
func lengthBytes(n int) int {
	if n < 128 {
		return 1
	}
	size := 1
	for ; n > 0; n >>= 8 {
		size++
	}
	return size
}
