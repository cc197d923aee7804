package com.github.paratimer.tap;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Measures the key groups that a reduce works through. One thread tells of them, by begin, grow and end; another may take what
 * has been measured. It reads no clock: times are nanoseconds since any fixed instant.
 */
final class Groups {
    /** From how many bytes on a group is large. */
    static final long LARGE = 4096;
    /** From how many nanoseconds on a group is slow. */
    static final long SLOW = 500_000;
    /** Sizes below it are counted in an array: tiny groups come by the million. */
    private static final int COUNTED = 1024;

    private final Limits limits;
    private final Clusters points;

    // The group that is being worked on. Its key is changed by the thread that tells, under the lock.
    byte[] key = new byte[64];
    int keyLength;
    private boolean open;
    private final AtomicLong bytes = new AtomicLong();

    private boolean began;
    private long last; // when the last group ended; before the first: when the reduce took its first record
    private long pace = 2 * SLOW; // a group's time, lately

    // Groups that are too small to be measured alone share the time between them, by size.
    private final int[] few = new int[COUNTED]; // groups by size
    private final int[] used = new int[COUNTED]; // sizes of which there are some
    private int sizes; // in used
    private final List<Long> larger = new ArrayList<>(); // sizes that few has no place for
    private int fewGroups;
    private long fewBytes;
    private long fewTook;
    private long fewAt;

    Groups(Limits limits) {
        this.limits = limits;
        points = new Clusters(limits.near);
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
        if (key.length < length) {
            key = new byte[Math.max(length, 2 * key.length)];
        }
        System.arraycopy(data, from, key, 0, length);
        keyLength = length;
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
        boolean small = size <= limits.tiny;
        if (!small) {
            spread();
        }
        if (size >= COUNTED) {
            larger.add(size);
        } else if (few[(int) size]++ == 0) {
            used[sizes++] = (int) size;
        }
        fewGroups++;
        fewBytes += size;
        fewTook += took;
        fewAt = now;
        if (!small || fewGroups > limits.fill) {
            spread();
        }
    }

    /** Gives each group of a burst its part of the time. */
    private void spread() {
        if (fewGroups == 0) {
            return;
        }
        double each = fewTook / 1e9 / Math.max(1, fewBytes);
        for (int i = 0; i < sizes; i++) {
            points.add(used[i], used[i] * each, few[used[i]], fewAt);
            few[used[i]] = 0;
        }
        for (long size : larger) {
            points.add(size, size * each, 1, fewAt);
        }
        sizes = 0;
        larger.clear();
        fewGroups = 0;
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

    /** The groups that have ended since the last call, and the open one if there is one. */
    synchronized Taken take(long now) {
        Taken t = new Taken();
        t.points = points.take();
        if (open) {
            t.key = Arrays.copyOf(key, keyLength);
            t.bytes = bytes.get();
            t.seconds = Math.max(0, now - last) / 1e9;
        }
        return t;
    }

    static final class Taken {
        List<Batch.Point> points;
        byte[] key; // null: no group is open
        long bytes;
        double seconds;
    }
}
