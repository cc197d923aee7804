package com.github.paratimer.tap;

import java.util.ArrayList;
import java.util.List;

/** What is sent of one task attempt at once, as package adapters/tap describes it. */
final class Batch {
    private static final double MOST_SECONDS = 1e9;

    int seq;
    boolean last;
    List<Point> points = new ArrayList<>();
    String open; // JSON, or null
    String map; // JSON, or null
    String note = "";

    boolean empty() {
        return points.isEmpty() && open == null && map == null && note.isEmpty();
    }

    /** Groups of one size that have ended, with the mean of their times. */
    static final class Point {
        long at; // nanoseconds
        double bytes;
        double seconds;
        double count;
        Point next; // of the same size, within one batch

        Point(long at, double bytes, double seconds, double count) {
            this.at = at;
            this.bytes = bytes;
            this.seconds = seconds;
            this.count = count;
        }

        /** Adds the groups of another point: the sums of bytes, time and count stay the same. */
        void join(Point p) {
            double share = p.count / (count + p.count);
            bytes += (p.bytes - bytes) * share;
            seconds += (p.seconds - seconds) * share;
            count += p.count;
            at = Math.max(at, p.at);
        }
    }

    static String open(String name, long bytes, double seconds) {
        return "{\"k\":" + Text.quoted(name) + ",\"b\":" + bytes + ",\"s\":" + Text.number(seconds) + "}";
    }

    /** The batch as JSON, its ages as of now. */
    String json(String job, String attempt, long now) {
        StringBuilder out = new StringBuilder();
        out.append("{\"v\":1,\"job\":\"").append(job).append("\",\"att\":\"").append(attempt);
        out.append("\",\"seq\":").append(seq);
        if (last) {
            out.append(",\"fin\":true");
        }
        if (map != null) {
            out.append(",\"map\":").append(map);
        }
        if (!points.isEmpty()) {
            char before = '[';
            out.append(",\"pts\":");
            for (Point p : points) {
                double age = Math.min(Math.max(0, Math.rint((now - p.at) / 1e6) / 1e3), MOST_SECONDS);
                out.append(before).append("{\"a\":").append(Text.number(age));
                out.append(",\"b\":").append(Double.toString(p.bytes));
                out.append(",\"s\":").append(Text.number(p.seconds));
                out.append(",\"n\":").append(Text.number(p.count)).append('}');
                before = ',';
            }
            out.append(']');
        }
        if (open != null) {
            out.append(",\"open\":").append(open);
        }
        if (!note.isEmpty()) {
            out.append(",\"note\":").append(Text.quoted(note));
        }
        return out.append('}').toString();
    }
}
