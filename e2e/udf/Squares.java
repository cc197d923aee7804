import java.io.IOException;
import java.util.Iterator;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.WritableComparable;
import org.apache.hadoop.io.WritableComparator;
import org.apache.hadoop.mapred.JobClient;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.MapReduceBase;
import org.apache.hadoop.mapred.OutputCollector;
import org.apache.hadoop.mapred.Reporter;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Partitioner;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;

/**
 * Counts the records of each key, asleep for squares.micros times the square of their number: Squares KIND INPUT OUTPUT.
 *
 * <p>KIND is plain, combined (a combiner leaves eight bytes of each record), own (a key is followed by the record's place in its
 * file; a partitioner, an order and a grouping of our own go by the key alone) or old (Hadoop's old API). The driver sets its
 * classes itself, as most do.
 */
public class Squares extends Configured implements Tool {
    private static final int SHARE = 8; // bytes that a combined record keeps

    public static void main(String[] args) throws Exception {
        System.exit(ToolRunner.run(new Squares(), args));
    }

    @Override
    public int run(String[] args) throws Exception {
        if (args[0].equals("old")) {
            return old(args[1], args[2]);
        }
        Job job = Job.getInstance(getConf());
        job.setJarByClass(Squares.class);
        job.setMapperClass(args[0].equals("own") ? PlacedMapper.class : KeyMapper.class);
        job.setReducerClass(Count.class);
        if (args[0].equals("combined")) {
            job.setCombinerClass(Combine.class);
        }
        if (args[0].equals("own")) {
            job.setPartitionerClass(ByUser.class);
            job.setSortComparatorClass(LastFirst.class);
            job.setGroupingComparatorClass(SameUser.class);
        }
        job.setOutputKeyClass(Text.class);
        job.setOutputValueClass(Text.class);
        FileInputFormat.addInputPath(job, new Path(args[1]));
        FileOutputFormat.setOutputPath(job, new Path(args[2]));
        return job.waitForCompletion(false) ? 0 : 1;
    }

    private int old(String input, String output) throws IOException {
        JobConf job = new JobConf(getConf(), Squares.class);
        job.setMapperClass(OldMapper.class);
        job.setReducerClass(OldCount.class);
        job.setOutputKeyClass(Text.class);
        job.setOutputValueClass(Text.class);
        org.apache.hadoop.mapred.FileInputFormat.addInputPath(job, new Path(input));
        org.apache.hadoop.mapred.FileOutputFormat.setOutputPath(job, new Path(output));
        return JobClient.runJob(job).isSuccessful() ? 0 : 1;
    }

    /** A combined value begins with how many records it stands for. */
    private static long records(Text value) {
        String v = value.toString();
        return v.isEmpty() || !Character.isDigit(v.charAt(0)) ? 1 : Long.parseLong(v.substring(0, v.indexOf(' ')));
    }

    private static void work(Configuration conf, long records) throws IOException {
        double micros = conf.getDouble("squares.micros", 5);
        try {
            Thread.sleep(Math.round(micros * records * records / 1000));
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    /** The key up to a tab, and what follows. */
    public static class KeyMapper extends Mapper<LongWritable, Text, Text, Text> {
        @Override
        protected void map(LongWritable place, Text line, Context context) throws IOException, InterruptedException {
            String[] field = line.toString().split("\t", 2);
            context.write(new Text(key(field[0], place.get())), new Text(field[1]));
        }

        String key(String user, long place) {
            return user;
        }
    }

    public static class PlacedMapper extends KeyMapper {
        @Override
        String key(String user, long place) {
            return String.format("%s#%09d", user, place);
        }
    }

    public static class Combine extends Reducer<Text, Text, Text, Text> {
        @Override
        protected void reduce(Text key, Iterable<Text> values, Context context) throws IOException, InterruptedException {
            long n = 0;
            for (Text v : values) {
                n += records(v);
            }
            StringBuilder out = new StringBuilder(n + " ");
            while (out.length() < SHARE * n) {
                out.append('.');
            }
            context.write(key, new Text(out.toString()));
        }
    }

    public static class Count extends Reducer<Text, Text, Text, Text> {
        @Override
        protected void reduce(Text key, Iterable<Text> values, Context context) throws IOException, InterruptedException {
            long n = 0;
            for (Text v : values) {
                n += records(v);
            }
            work(context.getConfiguration(), n);
            context.getCounter("power", "records").increment(n);
            context.write(new Text(user(key)), new Text(String.valueOf(n)));
        }
    }

    private static String user(Object key) {
        String k = key.toString();
        int place = k.indexOf('#');
        return place < 0 ? k : k.substring(0, place);
    }

    /** The reduces in the opposite order of Hadoop's own partitioner. */
    public static class ByUser extends Partitioner<Text, Text> {
        @Override
        public int getPartition(Text key, Text value, int reduces) {
            return reduces - 1 - (new Text(user(key)).hashCode() & Integer.MAX_VALUE) % reduces;
        }
    }

    /** Users in their order, of each the last record first. */
    public static class LastFirst extends WritableComparator {
        public LastFirst() {
            super(Text.class, true);
        }

        @Override
        @SuppressWarnings("rawtypes")
        public int compare(WritableComparable a, WritableComparable b) {
            int users = user(a).compareTo(user(b));
            return users != 0 ? users : b.toString().compareTo(a.toString());
        }
    }

    public static class SameUser extends WritableComparator {
        public SameUser() {
            super(Text.class, true);
        }

        @Override
        @SuppressWarnings("rawtypes")
        public int compare(WritableComparable a, WritableComparable b) {
            return user(a).compareTo(user(b));
        }
    }

    public static class OldMapper extends MapReduceBase
            implements org.apache.hadoop.mapred.Mapper<LongWritable, Text, Text, Text> {
        @Override
        public void map(LongWritable place, Text line, OutputCollector<Text, Text> out, Reporter reporter) throws IOException {
            String[] field = line.toString().split("\t", 2);
            out.collect(new Text(field[0]), new Text(field[1]));
        }
    }

    public static class OldCount extends MapReduceBase implements org.apache.hadoop.mapred.Reducer<Text, Text, Text, Text> {
        private JobConf conf;

        @Override
        public void configure(JobConf job) {
            conf = job;
        }

        @Override
        public void reduce(Text key, Iterator<Text> values, OutputCollector<Text, Text> out, Reporter reporter) throws IOException {
            long n = 0;
            while (values.hasNext()) {
                n += records(values.next());
            }
            work(conf, n);
            reporter.incrCounter("power", "records", n);
            out.collect(key, new Text(String.valueOf(n)));
        }
    }
}
