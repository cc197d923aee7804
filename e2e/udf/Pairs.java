import java.io.IOException;
import java.util.Iterator;
import org.apache.pig.Algebraic;
import org.apache.pig.EvalFunc;
import org.apache.pig.data.DataBag;
import org.apache.pig.data.Tuple;
import org.apache.pig.data.TupleFactory;

/**
 * Counts a bag's tuples, asleep for the square of their number times five microseconds. A
 * combiner leaves some bytes of each tuple, so that what is shuffled grows with the group all the same.
 */
public class Pairs extends EvalFunc<Long> implements Algebraic {
    private static final int SHARE = 8;
    private static final long MICROS = 5;

    @Override
    public Long exec(Tuple input) throws IOException {
        DataBag bag = (DataBag) input.get(0);
        return work(bag.size());
    }

    private static Long work(long n) throws IOException {
        try {
            Thread.sleep(MICROS * n * n / 1000);
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
        return n;
    }

    @Override
    public String getInitial() {
        return Initial.class.getName();
    }

    @Override
    public String getIntermed() {
        return Intermediate.class.getName();
    }

    @Override
    public String getFinal() {
        return Final.class.getName();
    }

    private static Tuple of(long n) {
        StringBuilder out = new StringBuilder(n + " ");
        while (out.length() < SHARE * n) {
            out.append('.');
        }
        return TupleFactory.getInstance().newTuple(out.toString());
    }

    private static long sum(Tuple input) throws IOException {
        long n = 0;
        for (Iterator<Tuple> i = ((DataBag) input.get(0)).iterator(); i.hasNext(); ) {
            String v = (String) i.next().get(0);
            n += Long.parseLong(v.substring(0, v.indexOf(' ')));
        }
        return n;
    }

    /** Runs in the maps, for each tuple. */
    public static class Initial extends EvalFunc<Tuple> {
        @Override
        public Tuple exec(Tuple input) throws IOException {
            return of(((DataBag) input.get(0)).size());
        }
    }

    /** Runs in the combiner. */
    public static class Intermediate extends EvalFunc<Tuple> {
        @Override
        public Tuple exec(Tuple input) throws IOException {
            return of(sum(input));
        }
    }

    /** Runs in the reduces. */
    public static class Final extends EvalFunc<Long> {
        @Override
        public Long exec(Tuple input) throws IOException {
            return work(sum(input));
        }
    }
}
