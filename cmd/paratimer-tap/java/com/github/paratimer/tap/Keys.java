package com.github.paratimer.tap;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.io.RawComparator;
import org.apache.hadoop.io.WritableUtils;
import org.apache.hadoop.io.serializer.Deserializer;
import org.apache.hadoop.io.serializer.SerializationFactory;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.util.ReflectionUtils;

/** What a job's keys are called, and which of them are one group. */
final class Keys {
    private static final String TEXT = "org.apache.hadoop.io.Text";

    private final JobConf conf;
    private final Class<?> type;
    private final boolean show;
    private final RawComparator<?> group;
    /** Keys of different bytes may be one group. */
    private boolean loose;
    private Deserializer<Object> reader;
    private ToIntFunction<Object> partition; // null: not asked for yet

    Keys(JobConf conf, boolean show) {
        this.conf = conf;
        this.show = show;
        type = conf.getMapOutputKeyClass();
        group = conf.getOutputValueGroupingComparator();
        loose = conf.get("mapreduce.job.output.group.comparator.class") != null
                || conf.get("mapreduce.job.output.key.comparator.class") != null;
    }

    /** Whether two keys belong to one group. The bytes are compared first: most comparators are slower. */
    boolean same(byte[] a, byte[] b, int bFrom, int bLength) {
        if (a.length == bLength) {
            int i = 0;
            while (i < bLength && a[i] == b[bFrom + i]) {
                i++;
            }
            if (i == bLength) {
                return true;
            }
        }
        return group.compare(a, 0, a.length, b, bFrom, bLength) == 0;
    }

    /**
     * What groups are called, given one key of each. If the partitioner's hashes do not tell them apart they are called by their
     * bytes.
     */
    List<String> names(List<byte[]> groups) {
        List<String> out = groups.stream().map(this::name).collect(Collectors.toList());
        if (loose && new HashSet<>(out).size() < 0.98 * out.size()) {
            loose = false;
            out = groups.stream().map(this::name).collect(Collectors.toList());
        }
        return out;
    }

    /**
     * What a group is called by all tasks, given one of its keys. Where keys of different bytes may be one group that is the
     * hash that the job's partitioner goes by: it must be the same for all of them, or they would not come together.
     */
    String name(byte[] key) {
        try {
            if (loose && conf.getNumReduceTasks() > 1) {
                int hash = hash(key);
                // A partitioner that goes by bounds, not by a hash, cannot tell keys apart.
                if (hash >= conf.getNumReduceTasks()) {
                    return Text.hashed(new byte[] {(byte) (hash >> 24), (byte) (hash >> 16), (byte) (hash >> 8), (byte) hash});
                }
            } else if (show) {
                return Text.shown(String.valueOf(read(key)));
            }
        } catch (IOException | RuntimeException | LinkageError e) {
            // The bytes are a name too, if not always the same one.
        }
        byte[] text = text(key);
        return show && type.getName().equals(TEXT) ? Text.shown(new String(text, StandardCharsets.UTF_8)) : Text.hashed(text);
    }

    /** A Text without the length before it, which is what a Streaming job's tap sees; other keys as they are. */
    private byte[] text(byte[] key) {
        if (!type.getName().equals(TEXT) || key.length == 0) {
            return key;
        }
        return Arrays.copyOfRange(key, Math.min(key.length, WritableUtils.decodeVIntSize(key[0])), key.length);
    }

    private int hash(byte[] key) throws IOException {
        if (partition == null) {
            partition = partitioner(conf);
        }
        return partition.applyAsInt(read(key));
    }

    @SuppressWarnings("unchecked")
    private Object read(byte[] key) throws IOException {
        DataInputBuffer in = new DataInputBuffer();
        if (reader == null) {
            reader = new SerializationFactory(conf).getDeserializer((Class<Object>) type);
        }
        in.reset(key, key.length);
        reader.open(in);
        return reader.deserialize(null);
    }

    /** A partitioner of either API, asked for as many reduces as there can be: what it returns then is its hash. */
    @SuppressWarnings("unchecked")
    private static ToIntFunction<Object> partitioner(JobConf conf) {
        if (conf.getUseNewMapper()) {
            Class<?> c = conf.getClass("mapreduce.job.partitioner.class",
                    org.apache.hadoop.mapreduce.lib.partition.HashPartitioner.class);
            org.apache.hadoop.mapreduce.Partitioner<Object, Object> p = (org.apache.hadoop.mapreduce.Partitioner<Object, Object>)
                    ReflectionUtils.newInstance(c, new Configuration(conf));
            return key -> p.getPartition(key, null, Integer.MAX_VALUE);
        }
        org.apache.hadoop.mapred.Partitioner<Object, Object> p =
                (org.apache.hadoop.mapred.Partitioner<Object, Object>) ReflectionUtils.newInstance(conf.getPartitionerClass(), conf);
        return key -> p.getPartition(key, null, Integer.MAX_VALUE);
    }
}
