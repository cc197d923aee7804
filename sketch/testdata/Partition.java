// Writes partition.txt: what Hadoop itself computes for keys of Text. Any Hadoop will do; this table is of 3.4.2:
//
//	java -cp 'hadoop-common.jar:hadoop-mapreduce-client-core.jar:…' Partition.java > partition.txt
//
// A line is "=" and a key in hexadecimal, or "PATTERN*TIMES" in hexadecimal and decimal; its hash code; its reduce of 1, 2, 3, 4, 7, 8, 10,
// 100, 1000 and 2147483647; and how many bytes it takes in a map's output.
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.util.ArrayList;
import java.util.Random;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.lib.HashPartitioner;

public class Partition {
	static final int[] REDUCES = {1, 2, 3, 4, 7, 8, 10, 100, 1000, Integer.MAX_VALUE};

	public static void main(String[] args) throws Exception {
		line("", 1);
		for (int b = 0; b < 256; b++) line(String.format("%02x", b), 1);
		for (String s : new String[] {"the", "of", "a b", "key\twith tab", "user_0000042", "ß", "日本語", "👍", "k1", "k2", "k3", "k4", "0", "00"})
			line(hex(s.getBytes("UTF-8")), 1);
		for (String s : new String[] {"ff", "80", "7f", "00", "61", "fffefd", "0102030405", "c3a9"})
			for (int times : new int[] {2, 3, 4, 5, 7, 8, 63, 64, 127, 128, 255, 256, 1000, 65535, 65536, 100003, 1000000}) line(s, times);
		Random random = new Random(5);
		for (int i = 0; i < 300; i++) {
			byte[] key = new byte[random.nextInt(40)];
			random.nextBytes(key);
			line(hex(key), 1);
		}
	}

	static void line(String pattern, int times) throws Exception {
		byte[] one = new byte[pattern.length() / 2], key = new byte[one.length * times];
		for (int i = 0; i < one.length; i++) one[i] = (byte) Integer.parseInt(pattern.substring(2 * i, 2 * i + 2), 16);
		for (int i = 0; i < times; i++) System.arraycopy(one, 0, key, i * one.length, one.length);
		Text text = new Text();
		text.set(key, 0, key.length); // as Streaming does: any bytes
		StringBuilder out = new StringBuilder(times == 1 ? "=" + pattern : pattern + "*" + times).append(' ').append(text.hashCode()).append(' ');
		HashPartitioner<Text, Text> partitioner = new HashPartitioner<>();
		for (int i = 0; i < REDUCES.length; i++) out.append(i == 0 ? "" : ",").append(partitioner.getPartition(text, null, REDUCES[i]));
		ByteArrayOutputStream bytes = new ByteArrayOutputStream();
		text.write(new DataOutputStream(bytes));
		System.out.println(out.append(' ').append(bytes.size()));
	}

	static String hex(byte[] bytes) {
		StringBuilder out = new StringBuilder();
		for (byte b : bytes) out.append(String.format("%02x", b & 255));
		return out.toString();
	}
}
