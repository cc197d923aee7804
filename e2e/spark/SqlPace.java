import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.api.java.UDF2;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataTypes;

/** pace(value, ms) of SQL gives value back after so many milliseconds: slots are then the limit, not the cores. */
public final class SqlPace implements UDF2<String, Integer, String> {
    @Override
    public String call(String value, Integer ms) throws InterruptedException {
        Thread.sleep(ms);
        return value;
    }

    /** The optimizer neither repeats nor moves what it takes to be not deterministic. */
    public static void register(SparkSession session) {
        session.udf().register("pace", functions.udf(new SqlPace(), DataTypes.StringType).asNondeterministic());
    }
}
