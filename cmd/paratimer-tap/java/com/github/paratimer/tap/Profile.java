package com.github.paratimer.tap;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.DefaultCodec;
import org.apache.hadoop.mapred.IFile;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.util.ReflectionUtils;

/**
 * What a map promises the reduces, read from its finished output: the combiner and the partitioner have run, and the keys of a
 * group stand together. So nothing is estimated, and the memory needed is that of the largest groups.
 */
final class Profile {
    /** How many reduces a batch may tell of. */
    static final int MOST_REDUCES = 20_000;

    private final JobConf conf;
    private final Keys keys;
    private final int lambda;
    private final long deadline;

    private final double[] bytes;
    private final PriorityQueue<Group> top = new PriorityQueue<>(Comparator.comparingLong(g -> g.bytes));
    private long groups;
    private long records;
    private byte[] key; // of the group that is read

    private static final class Group {
        byte[] key;
        int reduce;
        long bytes;
    }

    /** A profile that is read until a deadline, an instant of System.nanoTime. */
    Profile(JobConf conf, Keys keys, int reduces, int lambda, long deadline) {
        this.conf = conf;
        this.keys = keys;
        this.lambda = lambda;
        this.deadline = deadline;
        bytes = new double[reduces];
    }

    /** Reads the output and returns its profile as JSON. What is not read by the deadline is known by its length only. */
    String read(Path output, Path index) throws IOException {
        FileSystem local = FileSystem.getLocal(conf).getRaw();
        long[] start = new long[bytes.length];
        long[] raw = new long[bytes.length];
        long[] packed = new long[bytes.length];
        try (DataInputStream in = new DataInputStream(new BufferedInputStream(local.open(index)))) {
            for (int r = 0; r < bytes.length; r++) {
                start[r] = in.readLong();
                raw[r] = in.readLong();
                packed[r] = in.readLong();
            }
        }
        CompressionCodec codec = null;
        if (conf.getCompressMapOutput()) {
            codec = ReflectionUtils.newInstance(conf.getMapOutputCompressorClass(DefaultCodec.class), conf);
        }
        boolean whole = true;
        double read = 0;
        double length = 0;
        try (FSDataInputStream in = local.open(output)) {
            for (int r = 0; r < bytes.length; r++) {
                whole = whole && part(in, start[r], packed[r], codec, r);
                if (!whole) {
                    // The lengths of records are part of the length; the parts that were read say how much they are.
                    bytes[r] = Math.max(bytes[r], Math.floor(raw[r] * (length > 0 ? read / length : 1)));
                    continue;
                }
                read += bytes[r];
                length += raw[r];
            }
        }
        return json(whole);
    }

    /** Reads what one reduce gets. It is false if that took too long. */
    private boolean part(FSDataInputStream in, long start, long packed, CompressionCodec codec, int reduce) throws IOException {
        if (packed <= 0) {
            return true;
        }
        in.seek(start);
        IFile.Reader<Object, Object> reader = new IFile.Reader<>(conf, in, packed, codec, null);
        DataInputBuffer k = new DataInputBuffer();
        DataInputBuffer v = new DataInputBuffer();
        long size = 0; // of the group
        boolean any = false;
        while (reader.nextRawKey(k)) {
            reader.nextRawValue(v);
            int from = k.getPosition();
            int length = k.getLength() - from;
            if (!any || !keys.same(key, k.getData(), from, length)) {
                if (any) {
                    close(reduce, size);
                }
                any = true;
                size = 0;
                key = Arrays.copyOfRange(k.getData(), from, from + length);
            }
            long record = length + v.getLength() - v.getPosition();
            size += record;
            bytes[reduce] += record;
            if ((++records & 1023) == 0 && System.nanoTime() - deadline > 0) {
                close(reduce, size);
                return false;
            }
        }
        if (any) {
            close(reduce, size);
        }
        return true;
    }

    private void close(int reduce, long size) {
        groups++;
        if (top.size() == lambda) {
            if (top.peek().bytes >= size) {
                return;
            }
            top.remove();
        }
        Group g = new Group();
        g.key = key;
        g.reduce = reduce;
        g.bytes = size;
        top.add(g);
    }

    private String json(boolean whole) {
        StringBuilder out = new StringBuilder("{\"r\":").append(bytes.length).append(",\"b\":[");
        for (int r = 0; r < bytes.length; r++) {
            out.append(r == 0 ? "" : ",").append(Text.number(bytes[r]));
        }
        out.append("],\"n\":").append(records).append(",\"l\":").append(lambda);
        Group[] largest = top.toArray(new Group[0]);
        Arrays.sort(largest, Comparator.comparingLong((Group g) -> -g.bytes));
        List<String> names = keys.names(Arrays.stream(largest).map(g -> g.key).collect(Collectors.toList()));
        Set<String> told = new HashSet<>();
        StringBuilder list = new StringBuilder();
        boolean all = whole && groups <= lambda;
        for (int i = 0; i < largest.length; i++) {
            Group g = largest[i];
            String name = names.get(i);
            if (!told.add(name)) {
                // Two groups of one name: the larger one has it.
                all = false;
                continue;
            }
            list.append(list.length() == 0 ? "" : ",").append("{\"k\":").append(Text.quoted(name));
            list.append(",\"r\":").append(g.reduce).append(",\"b\":").append(g.bytes).append('}');
        }
        out.append(all ? ",\"c\":true" : "").append(",\"top\":[").append(list).append("]}");
        return out.toString();
    }
}
