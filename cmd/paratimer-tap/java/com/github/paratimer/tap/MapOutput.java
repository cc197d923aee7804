package com.github.paratimer.tap;

import java.io.IOException;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.MapOutputCollector;
import org.apache.hadoop.mapred.MapOutputFile;
import org.apache.hadoop.mapred.MapTask;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.util.ReflectionUtils;

/** The job's own collector of map output, with its result measured: mapreduce.job.map.output.collector.class. */
public final class MapOutput<K, V> implements MapOutputCollector<K, V> {
    private static final String COLLECTOR = "mapreduce.job.map.output.collector.class";
    /** Milliseconds that reading the output may take, however short the map was; it may take 3% of a long one. */
    private static final long LEAST = 1500;
    private static final double SHARE = 0.03;

    private MapOutputCollector<K, V> inner;
    private Context context;
    private long began;

    @Override
    @SuppressWarnings("unchecked")
    public void init(Context context) throws IOException, ClassNotFoundException {
        this.context = context;
        began = System.nanoTime();
        JobConf conf = context.getJobConf();
        inner = (MapOutputCollector<K, V>) ReflectionUtils.newInstance(innerClass(conf), conf);
        inner.init(context);
    }

    /** The class after this one in the property, as where Hadoop tries one after the other; else Hadoop's own. */
    private static Class<?> innerClass(JobConf conf) throws ClassNotFoundException {
        boolean found = false;
        for (String name : conf.getTrimmedStrings(COLLECTOR)) {
            if (found) {
                return conf.getClassByName(name);
            }
            found = name.equals(MapOutput.class.getName());
        }
        return MapTask.MapOutputBuffer.class;
    }

    @Override
    public void collect(K key, V value, int partition) throws IOException, InterruptedException {
        inner.collect(key, value, partition);
    }

    @Override
    public void flush() throws IOException, InterruptedException, ClassNotFoundException {
        inner.flush();
        Care care = new Care();
        try {
            measure(care);
        } catch (Throwable t) {
            care.fault(t);
        }
    }

    private void measure(Care care) throws IOException {
        JobConf conf = context.getJobConf();
        Settings s = new Settings(conf);
        int reduces = conf.getNumReduceTasks();
        if (s.trouble != null) {
            care.end(s.trouble);
            return;
        }
        TaskAttemptID id = context.getMapTask().getTaskID();
        Post post = new Post(s.host, s.port, s.token, s.spool, id.getJobID().toString(), id.toString());
        long now = System.nanoTime();
        long most = Math.max(LEAST, (long) (SHARE * (now - began) / 1e6));
        long deadline = now + most * 1_000_000;
        MapOutputFile files = context.getMapTask().getMapOutputFile();
        // Disk and network are another thread's: the task waits for it, but not long.
        new Rounds(post, s.every, Batch::new, care).end(() -> {
            Batch b = new Batch();
            try {
                if (conf.getBoolean("mapreduce.job.encrypted-intermediate-data", false)) {
                    b.note = "no promises: the output of maps is encrypted";
                } else if (reduces > Profile.MOST_REDUCES) {
                    b.note = "no promises: a job of " + reduces + " reduces";
                } else {
                    Path output = files.getOutputFile();
                    b.map = new Profile(conf, new Keys(conf, s.show), reduces, s.lambda, deadline).read(output, files.getOutputIndexFile());
                }
            } catch (Throwable t) {
                care.fault(t);
                b.note = care.note();
            }
            return b;
        }, most + Rounds.FAREWELL - LEAST);
    }

    @Override
    public void close() throws IOException, InterruptedException {
        inner.close();
    }
}
