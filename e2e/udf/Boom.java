import java.io.IOException;
import org.apache.pig.EvalFunc;
import org.apache.pig.data.DataType;
import org.apache.pig.data.Tuple;
import org.apache.pig.impl.logicalLayer.schema.Schema;

/** Returns its first field and throws on one value: every attempt of that value's task fails. */
public class Boom extends EvalFunc<String> {
    private final String value;

    public Boom(String value) {
        this.value = value;
    }

    @Override
    public String exec(Tuple input) throws IOException {
        Object field = input.get(0);
        if (value.equals(field)) {
            throw new IOException("boom at " + field);
        }
        return field == null ? null : field.toString();
    }

    @Override
    public Schema outputSchema(Schema input) {
        return new Schema(new Schema.FieldSchema(null, DataType.CHARARRAY));
    }
}
