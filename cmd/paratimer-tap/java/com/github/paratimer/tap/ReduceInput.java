package com.github.paratimer.tap;

import java.io.IOException;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.mapred.ShuffleConsumerPlugin;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.task.reduce.Shuffle;
import org.apache.hadoop.util.Progress;
import org.apache.hadoop.util.ReflectionUtils;

/** The job's own shuffle, with its output measured: mapreduce.job.reduce.shuffle.consumer.plugin.class. */
public final class ReduceInput<K, V> implements ShuffleConsumerPlugin<K, V> {
    private ShuffleConsumerPlugin<K, V> inner;
    private final Care care = new Care();
    private JobConf conf;
    private TaskAttemptID id;
    private Groups groups;
    private Keys keys;
    private Rounds rounds; // null: nothing is measured

    @Override
    @SuppressWarnings("unchecked")
    public void init(Context<K, V> context) {
        conf = context.getJobConf();
        id = context.getReduceId();
        Class<?> c = conf.getClass(Settings.SHUFFLE, Shuffle.class);
        inner = (ShuffleConsumerPlugin<K, V>) ReflectionUtils.newInstance(c, conf);
        inner.init(context);
    }

    @Override
    public RawKeyValueIterator run() throws IOException, InterruptedException {
        RawKeyValueIterator records = inner.run();
        try {
            return measured(records);
        } catch (Throwable t) {
            care.fault(t);
            return records;
        }
    }

    private RawKeyValueIterator measured(RawKeyValueIterator records) {
        Settings s = new Settings(conf);
        if (s.trouble != null) {
            care.end(s.trouble);
            return records;
        }
        // The limits are from E. Coppa, I. Finocchi, "On data skewness, stragglers, and MapReduce progress indicators", SoCC 2015,
        // section 6.
        groups = new Groups(50, 100, 500);
        keys = new Keys(conf, s.show);
        Post post = new Post(s.host, s.port, s.token, s.spool, id.getJobID().toString(), id.toString());
        rounds = new Rounds(post, s.every, this::take, care);
        return new Records(records);
    }

    private Batch take() {
        Batch b = groups.take(System.nanoTime(), keys::name);
        b.note = care.note();
        return b;
    }

    @Override
    public void close() {
        try {
            if (rounds != null) {
                groups.end(System.nanoTime());
                rounds.end(this::take, Rounds.FAREWELL);
            }
        } catch (Throwable t) {
            care.fault(t);
        }
        inner.close();
    }

    /**
     * A reduce's merged input, as it is. Hadoop asks for a record's value when the reduce takes it, and looks one record ahead to see
     * where a group ends: so a group has ended when the first value of the next one is asked for.
     */
    private final class Records implements RawKeyValueIterator {
        private final RawKeyValueIterator records;
        private boolean any; // a record is current
        private boolean taken; // its value has been asked for

        Records(RawKeyValueIterator records) {
            this.records = records;
        }

        @Override
        public DataInputBuffer getKey() throws IOException {
            return records.getKey();
        }

        @Override
        public DataInputBuffer getValue() throws IOException {
            DataInputBuffer value = records.getValue();
            if (!taken) {
                take(value);
            }
            return value;
        }

        @Override
        public boolean next() throws IOException {
            if (any && !taken && !care.off()) {
                skipped();
            }
            any = records.next();
            taken = false;
            return any;
        }

        /** Counts a record whose value the reduce has not asked for. */
        private void skipped() {
            try {
                take(records.getValue());
            } catch (IOException | RuntimeException e) {
                care.fault(e);
            }
        }

        private void take(DataInputBuffer value) {
            taken = true;
            if (care.off()) {
                return;
            }
            try {
                DataInputBuffer key = records.getKey();
                int from = key.getPosition();
                int length = key.getLength() - from;
                if (groups.key == null || !keys.same(groups.key, key.getData(), from, length)) {
                    if (groups.begin(key.getData(), from, length, System.nanoTime())) {
                        rounds.hurry();
                    }
                }
                groups.grow(length + value.getLength() - value.getPosition());
            } catch (Throwable t) {
                care.fault(t);
            }
        }

        @Override
        public void close() throws IOException {
            records.close();
        }

        @Override
        public Progress getProgress() {
            return records.getProgress();
        }
    }
}
