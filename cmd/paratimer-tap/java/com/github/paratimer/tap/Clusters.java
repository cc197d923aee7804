package com.github.paratimer.tap;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Points that wait to be told: groups of the same size and about the same time are one. */
final class Clusters {
    /** The most points that a batch may hold. */
    static final int MOST = 4096;
    /** How many sizes an octave has when there are too many: 4 % from one to the next. */
    private static final int GRAIN = 16;

    private final double near;
    private List<Cluster> all = new ArrayList<>();
    private Map<Double, Cluster> first = new HashMap<>();

    private static final class Cluster {
        double bytes;
        double mean;
        double count;
        long at;
        Cluster next; // of the same size
    }

    Clusters(double near) {
        this.near = near;
    }

    int size() {
        return all.size();
    }

    /** Takes in count groups of one size, of this mean time. Where there are too many sizes, near ones are taken together. */
    void add(double bytes, double seconds, double count, long at) {
        if (all.size() >= MOST) {
            coarsen();
        }
        Cluster c = first.get(bytes);
        Cluster last = null;
        for (; c != null; c = c.next) {
            if (Math.abs(c.mean - seconds) <= near) {
                c.mean += (seconds - c.mean) * count / (c.count + count);
                c.count += count;
                c.at = Math.max(c.at, at);
                return;
            }
            last = c;
        }
        c = new Cluster();
        c.bytes = bytes;
        c.mean = seconds;
        c.count = count;
        c.at = at;
        if (last == null) {
            first.put(bytes, c);
        } else {
            last.next = c;
        }
        all.add(c);
    }

    private void coarsen() {
        List<Cluster> old = all;
        all = new ArrayList<>();
        first = new HashMap<>();
        Map<Long, Cluster> byOctave = new HashMap<>();
        for (Cluster p : old) {
            p.next = null;
            long octave = Math.round(GRAIN * Math.log(Math.max(1, p.bytes)) / Math.log(2));
            Cluster q = byOctave.putIfAbsent(octave, p);
            if (q == null) {
                all.add(p);
                continue;
            }
            double share = p.count / (q.count + p.count);
            q.bytes += (p.bytes - q.bytes) * share;
            q.mean += (p.mean - q.mean) * share;
            q.count += p.count;
            q.at = Math.max(q.at, p.at);
        }
        for (Cluster p : all) {
            first.putIfAbsent(p.bytes, p);
        }
    }

    /** Empties the clusters. */
    List<Batch.Point> take() {
        List<Batch.Point> out = new ArrayList<>(all.size());
        for (Cluster c : all) {
            out.add(new Batch.Point(c.at, c.bytes, c.mean, c.count));
        }
        all.clear();
        first.clear();
        return out;
    }
}
