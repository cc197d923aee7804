package com.github.paratimer.tap;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/**
 * Measures the key groups that a reduce works through. One thread tells of them, by begin, grow and end; another may take what
 * has been measured. It reads no clock: times are nanoseconds since any fixed instant.
 */
final class Groups {
    /** From how many bytes on a group is large. */
    static final long LARGE = 4096;
    /** From how many nanoseconds on a group is slow. */
    static final long SLOW = 500_000;

    private final long tiny;
    private final int fill;
    private final Clusters points;

    // The group that is being worked on. Its key is changed by the thread that tells, under the lock.
    byte[] key; // null before the first
    private boolean open;
    private final AtomicLong bytes = new AtomicLong();

    private boolean began;
    private long last; // when the last group ended; before the first: when the reduce took its first record
    private long pace = 2 * SLOW; // a group's time, lately

    // A burst: sizes of groups that are too small to be measured alone. They share the time between them, by size.
    private final List<Long> few = new ArrayList<>();
    private long fewBytes;
    private long fewTook;
    private long fewAt;

    /**
     * Measures with these limits: groups of so many bytes or fewer are told in bursts, a burst is told when it has more groups than
     * fill, and times of groups of one size that are so many milliseconds apart or less are one point.
     */
    Groups(long tiny, int fill, long near) {
        this.tiny = tiny;
        this.fill = fill;
        points = new Clusters(near / 1e3);
    }

    /** Says that the first record of a group is taken now; the group before it has ended. Returns whether take should be called soon. */
    synchronized boolean begin(byte[] data, int from, int length, long now) {
        if (open) {
            settle(now);
        } else if (!began) {
            began = true;
            last = now;
        }
        open = true;
        bytes.lazySet(0);
        key = Arrays.copyOfRange(data, from, from + length);
        return points.size() > Clusters.MOST / 2;
    }

    /** Says that the open group has a record of so many bytes more. */
    void grow(long more) {
        bytes.lazySet(bytes.get() + more);
    }

    private void settle(long now) {
        long size = bytes.get();
        long took = Math.max(0, now - last);
        last = now;
        pace = (pace + took) / 2;
        boolean small = size <= tiny;
        if (!small) {
            spread();
        }
        few.add(size);
        fewBytes += size;
        fewTook += took;
        fewAt = now;
        if (!small || few.size() > fill) {
            spread();
        }
    }

    /** Gives each group of a burst its part of the time. */
    private void spread() {
        double each = fewTook / 1e9 / Math.max(1, fewBytes);
        for (long size : few) {
            points.add(new Batch.Point(fewAt, size, size * each, 1));
        }
        few.clear();
        fewBytes = 0;
        fewTook = 0;
    }

    /**
     * Says that the reduce has ended. What it did after its last record belongs to the last group only if that is large or groups
     * are slow: else it is the task's own end.
     */
    synchronized void end(long now) {
        if (open && (pace >= SLOW || bytes.get() >= LARGE)) {
            settle(now);
        }
        open = false;
        spread();
    }

    /** The groups that have ended since the last call, and the open one if there is one, with the name of its key. */
    synchronized Batch take(long now, Function<byte[], String> name) {
        Batch b = new Batch();
        b.points = points.take();
        if (open) {
            double seconds = Math.max(0, now - last) / 1e9;
            b.open = Batch.open(name.apply(key), bytes.get(), seconds);
        }
        return b;
    }
}
