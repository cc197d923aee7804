import java.io.File;
import java.io.IOException;
import org.apache.pig.EvalFunc;
import org.apache.pig.data.DataType;
import org.apache.pig.data.Tuple;
import org.apache.pig.impl.logicalLayer.schema.Schema;

/** Sleeps for each record and returns its first field: containers, not cores, limit a run. */
public class Pace extends EvalFunc<String> {
    private final long millis;
    private Boolean broken; // the node fails its tasks: fault.sh break-node says so to it

    public Pace(String millis) {
        // A node that was started slow says so to its tasks.
        String factor = System.getenv("PARATIMER_PACE");
        this.millis = Math.round(Double.parseDouble(millis) * (factor == null ? 1 : Double.parseDouble(factor)));
    }

    @Override
    public String exec(Tuple input) throws IOException {
        if (broken == null) {
            String node = System.getenv("PARATIMER_NODE");
            broken = node != null && new File(node, "broken").exists();
        }
        if (broken) {
            throw new IOException("a test says that this node is broken");
        }
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
        Object field = input.get(0);
        return field == null ? null : field.toString();
    }

    @Override
    public Schema outputSchema(Schema input) {
        return new Schema(new Schema.FieldSchema(null, DataType.CHARARRAY));
    }
}
