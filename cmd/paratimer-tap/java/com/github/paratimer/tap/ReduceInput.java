package com.github.paratimer.tap;

import java.io.IOException;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.mapred.ShuffleConsumerPlugin;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.task.reduce.Shuffle;
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
        groups = new Groups(s.tiny, s.fill, s.near);
        keys = new Keys(conf, s.show);
        Post post = new Post(s.host, s.port, s.token, s.spool, id.getJobID().toString(), id.toString());
        rounds = new Rounds(post, s.every, this::take, care);
        return new Records(records, keys, groups, care, rounds::hurry);
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
}
