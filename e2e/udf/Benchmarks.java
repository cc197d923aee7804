import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.conf.Configurable;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Partitioner;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;

/**
 * The benchmarks of Table 3 of E. Coppa, I. Finocchi, "On data skewness, stragglers, and MapReduce progress indicators", SoCC 2015:
 * Benchmarks JOB INPUT OUTPUT.
 *
 * <p>A reduce does the work of its benchmark, and is asleep for benchmark.micros more for each unit of it, since many of them run on
 * few cores. The counter benchmark/units tells how many those were; at its end the job prints it.
 */
public class Benchmarks extends Configured implements Tool {
    public static void main(String[] args) throws Exception {
        System.exit(ToolRunner.run(new Benchmarks(), args));
    }

    @Override
    public int run(String[] args) throws Exception {
        Job job = Job.getInstance(getConf());
        job.setJarByClass(Benchmarks.class);
        job.setOutputKeyClass(Text.class);
        job.setOutputValueClass(Text.class);
        switch (args[0]) {
            case "combined-words":
                job.setCombinerClass(Combine.class);
                // fall through
            case "words":
                job.setMapperClass(Words.class);
                job.setReducerClass(CountWords.class);
                break;
            case "index":
                job.setMapperClass(Postings.class);
                job.setReducerClass(DropDuplicates.class);
                break;
            case "paths":
                job.setMapperClass(BothEnds.class);
                job.setReducerClass(Paths.class);
                break;
            case "triangles":
                job.setMapperClass(KeyValue.class);
                job.setReducerClass(Triangles.class);
                break;
            case "join":
                job.setMapperClass(KeyValue.class);
                job.setReducerClass(Join.class);
                break;
            case "product":
                job.setMapperClass(Blocks.class);
                job.setReducerClass(Product.class);
                if (!getConf().get("benchmark.partitioner", "").equals("random")) {
                    job.setPartitionerClass(Dealt.class);
                }
                break;
            default:
                throw new IllegalArgumentException("no benchmark " + args[0]);
        }
        FileInputFormat.addInputPath(job, new Path(args[1]));
        FileOutputFormat.setOutputPath(job, new Path(args[2]));
        boolean succeeded = job.waitForCompletion(false);
        // For who runs the job without a cluster.
        System.out.println(job.getCounters().findCounter("benchmark", "units").getValue());
        return succeeded ? 0 : 1;
    }

    /** A map function that gives a line's records to {@link #emit}. */
    abstract static class Lines extends Mapper<LongWritable, Text, Text, Text> {
        private Context context;

        @Override
        protected void map(LongWritable place, Text line, Context given) throws IOException, InterruptedException {
            context = given;
            lineIn(line.toString());
        }

        abstract void lineIn(String line) throws IOException, InterruptedException;

        final void emit(String key, String value) throws IOException, InterruptedException {
            context.write(new Text(key), new Text(value));
        }
    }

    /** A reduce function that is paid for by the unit, and writes one number for each key. */
    abstract static class Paid extends Reducer<Text, Text, Text, Text> {
        private static final long LEAST = 2_000_000; // nanoseconds: shorter sleeps take longer than they should
        private double micros;
        private double owed; // nanoseconds; below 0 where a sleep took too long
        private long units;

        @Override
        protected void setup(Context context) {
            micros = context.getConfiguration().getDouble("benchmark.micros", 0);
        }

        @Override
        protected void reduce(Text key, Iterable<Text> values, Context context) throws IOException, InterruptedException {
            long result = result(values);
            context.getCounter("benchmark", "units").increment(units);
            units = 0;
            context.write(key, new Text(String.valueOf(result)));
        }

        abstract long result(Iterable<Text> values) throws InterruptedException;

        final void pay(long done) throws InterruptedException {
            units += done;
            owed += done * micros * 1000;
            if (owed >= LEAST) {
                long from = System.nanoTime();
                Thread.sleep((long) (owed / 1e6));
                owed -= System.nanoTime() - from;
            }
        }
    }

    private static List<String> list(Iterable<Text> values) {
        List<String> all = new ArrayList<>();
        for (Text v : values) {
            all.add(v.toString());
        }
        return all;
    }

    /** A line is words. */
    public static class Words extends Lines {
        @Override
        void lineIn(String line) throws IOException, InterruptedException {
            for (String word : line.split(" ")) {
                emit(word, "1");
            }
        }
    }

    public static class Combine extends Reducer<Text, Text, Text, Text> {
        @Override
        protected void reduce(Text key, Iterable<Text> values, Context context) throws IOException, InterruptedException {
            long sum = 0;
            for (Text v : values) {
                sum += Long.parseLong(v.toString());
            }
            context.write(key, new Text(String.valueOf(sum)));
        }
    }

    /** A unit is a value. */
    public static class CountWords extends Paid {
        @Override
        long result(Iterable<Text> values) throws InterruptedException {
            long sum = 0;
            for (Text v : values) {
                sum += Long.parseLong(v.toString());
                pay(1);
            }
            return sum;
        }
    }

    /** A line is a document's fingerprint and words. Each word of it gets the document once. */
    public static class Postings extends Lines {
        @Override
        void lineIn(String line) throws IOException, InterruptedException {
            String[] word = line.split(" ");
            Set<String> seen = new HashSet<>();
            for (int i = 1; i < word.length; i++) {
                if (seen.add(word[i])) {
                    emit(word[i], word[0]);
                }
            }
        }
    }

    /** How many different documents have the word. A unit is a comparison of two of them. */
    public static class DropDuplicates extends Paid {
        @Override
        long result(Iterable<Text> values) throws InterruptedException {
            List<String> all = list(values);
            long different = 0;
            for (int i = 0; i < all.size(); i++) {
                int same = 0;
                for (int k = 0; k < i; k++) {
                    if (all.get(k).equals(all.get(i))) {
                        same++;
                    }
                }
                if (same == 0) {
                    different++;
                }
                pay(i);
            }
            return different;
        }
    }

    /** A line is an edge. */
    public static class BothEnds extends Lines {
        @Override
        void lineIn(String line) throws IOException, InterruptedException {
            String[] node = line.split(" ");
            emit(node[0], node[1]);
            emit(node[1], node[0]);
        }
    }

    /** How many paths of length two have the node in their middle. A unit is such a path; they are made, but not written. */
    public static class Paths extends Paid {
        @Override
        long result(Iterable<Text> values) throws InterruptedException {
            List<String> all = list(values);
            long paths = 0;
            for (int i = 0; i < all.size(); i++) {
                for (int k = 0; k < i; k++) {
                    if (!all.get(k).equals(all.get(i))) {
                        paths++;
                    }
                }
                pay(i);
            }
            return paths;
        }
    }

    /** A line is a key, a tab and a value. */
    public static class KeyValue extends Lines {
        @Override
        void lineIn(String line) throws IOException, InterruptedException {
            String[] field = line.split("\t", 2);
            emit(field[0], field[1]);
        }
    }

    /** How many triangles a pair of nodes closes: paths between them, if there is an edge, marked by "-". A unit is a value. */
    public static class Triangles extends Paid {
        @Override
        long result(Iterable<Text> values) throws InterruptedException {
            long paths = 0;
            boolean edge = false;
            for (Text v : values) {
                if (v.toString().equals("-")) {
                    edge = true;
                } else {
                    paths++;
                }
                pay(1);
            }
            return edge ? paths : 0;
        }
    }

    /** How many pairs the relations R and S have under a key. A unit is such a pair; they are made, but not written. */
    public static class Join extends Paid {
        @Override
        long result(Iterable<Text> values) throws InterruptedException {
            List<String> left = new ArrayList<>();
            List<String> right = new ArrayList<>();
            for (Text v : values) {
                (v.charAt(0) == 'R' ? left : right).add(v.toString());
            }
            long pairs = 0;
            for (String r : left) {
                for (String s : right) {
                    if (r.charAt(0) != s.charAt(0)) {
                        pairs++;
                    }
                }
                pay(right.size());
            }
            return pairs;
        }
    }

    /**
     * A line is an entry: its matrix (A or B), the row and column of its block, those in the block, and its value. A block (i, j) of
     * A meets the blocks (j, l) of B under the keys (i, j, l).
     */
    public static class Blocks extends Lines {
        private int side;

        @Override
        protected void setup(Context context) {
            side = context.getConfiguration().getInt("benchmark.side", 1);
        }

        @Override
        void lineIn(String line) throws IOException, InterruptedException {
            String[] f = line.split(" ", 4);
            String entry = f[0] + " " + f[3];
            for (int other = 0; other < side; other++) {
                emit(f[0].equals("A") ? f[1] + " " + f[2] + " " + other : other + " " + f[1] + " " + f[2], entry);
            }
        }
    }

    /** The sum of the entries of two blocks' product. A unit is a product of two entries. */
    public static class Product extends Paid {
        @Override
        long result(Iterable<Text> values) throws InterruptedException {
            List<int[]> left = new ArrayList<>();
            List<List<int[]>> right = new ArrayList<>();
            for (Text v : values) {
                String[] f = v.toString().split(" ");
                int[] entry = {Integer.parseInt(f[1]), Integer.parseInt(f[2]), Integer.parseInt(f[3])};
                if (f[0].equals("A")) {
                    left.add(entry);
                    continue;
                }
                while (right.size() <= entry[0]) {
                    right.add(new ArrayList<>());
                }
                right.get(entry[0]).add(entry);
            }
            long sum = 0;
            for (int[] a : left) {
                if (a[1] >= right.size()) {
                    continue;
                }
                for (int[] b : right.get(a[1])) {
                    sum += (long) a[2] * b[2];
                }
                pay(right.get(a[1]).size());
            }
            return sum;
        }
    }

    /** Deals pairs of blocks in turn, or (if benchmark.partitioner is "forced unbalanced") so that reduce r gets r + 1 times as many as the first. */
    public static class Dealt extends Partitioner<Text, Text> implements Configurable {
        private Configuration conf;

        @Override
        public void setConf(Configuration given) {
            conf = given;
        }

        @Override
        public Configuration getConf() {
            return conf;
        }

        @Override
        public int getPartition(Text key, Text value, int reduces) {
            int side = conf.getInt("benchmark.side", 1);
            int at = 0;
            for (String index : key.toString().split(" ")) {
                at = at * side + Integer.parseInt(index);
            }
            if (!conf.get("benchmark.partitioner", "").equals("forced unbalanced")) {
                return at % reduces;
            }
            long pairs = (long) side * side * side;
            int reduce = 0;
            while ((reduce + 1L) * (reduce + 2) * pairs <= (long) at * reduces * (reduces + 1)) {
                reduce++;
            }
            return reduce;
        }
    }
}
