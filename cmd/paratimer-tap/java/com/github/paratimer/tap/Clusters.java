package com.github.paratimer.tap;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Points that wait to be told: groups of the same size and about the same time are one. */
final class Clusters {
    /** The most points that a batch may hold. */
    static final int MOST = 4096;
    /** How many sizes an octave has when there are too many: 4% from one to the next. */
    private static final int GRAIN = 16;

    private final double near;
    private List<Batch.Point> all = new ArrayList<>();
    private final Map<Double, Batch.Point> first = new HashMap<>(); // of a size

    Clusters(double near) {
        this.near = near;
    }

    int size() {
        return all.size();
    }

    /** Takes in count groups of one size, of this mean time. Where there are too many sizes, near ones are taken together. */
    void add(Batch.Point p) {
        if (all.size() >= MOST) {
            coarsen();
        }
        Batch.Point q = first.putIfAbsent(p.bytes, p);
        while (q != null) {
            if (Math.abs(q.seconds - p.seconds) <= near) {
                q.join(p);
                return;
            }
            if (q.next == null) {
                q.next = p;
                break;
            }
            q = q.next;
        }
        all.add(p);
    }

    private void coarsen() {
        Map<Long, Batch.Point> byOctave = new HashMap<>();
        for (Batch.Point p : take()) {
            p.next = null;
            long octave = Math.round(GRAIN * Math.log(Math.max(1, p.bytes)) / Math.log(2));
            Batch.Point q = byOctave.putIfAbsent(octave, p);
            if (q == null) {
                all.add(p);
            } else {
                q.join(p);
            }
        }
        for (Batch.Point p : all) {
            first.putIfAbsent(p.bytes, p);
        }
    }

    /** Empties the clusters. */
    List<Batch.Point> take() {
        List<Batch.Point> out = all;
        all = new ArrayList<>();
        first.clear();
        return out;
    }
}
