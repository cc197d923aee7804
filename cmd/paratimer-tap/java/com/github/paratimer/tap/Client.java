package com.github.paratimer.tap;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;

/** Posts batches to one collector. A socket starts in a fraction of the time that Java's own HTTP client needs. */
final class Client {
    private static final int PATIENCE = 2000; // milliseconds
    private static final int CONNECT = 1000;

    private final String host;
    private final int port;
    private final String token;
    private volatile Socket current;
    private volatile boolean cancelled; // requests are given up

    Client(String host, int port, String token) {
        this.host = host;
        this.port = port;
        this.token = token;
    }

    /** That no batch was taken, and whether one may be later. */
    static final class Refused extends Exception {
        private static final long serialVersionUID = 1L;
        final boolean all; // no batch will ever be taken
        final boolean batch; // this one never will be
        final boolean silent; // there was no answer in time

        Refused(String why, boolean all, boolean batch, boolean silent) {
            super(why);
            this.all = all;
            this.batch = batch;
            this.silent = silent;
        }
    }

    /** That the request was given up by cancel, which says nothing of the collector. */
    static final class Cancelled extends Exception {
        private static final long serialVersionUID = 1L;
    }

    void post(String json) throws Refused, Cancelled {
        byte[] body = json.getBytes(StandardCharsets.UTF_8);
        long give = System.nanoTime() + PATIENCE * 1_000_000L;
        try (Socket s = new Socket()) {
            current = s;
            if (cancelled) {
                throw new Cancelled();
            }
            s.connect(new InetSocketAddress(host, port), CONNECT);
            s.setSoTimeout(PATIENCE);
            String head = "POST /v1/groups HTTP/1.1\r\nHost: " + host + ":" + port + "\r\nAuthorization: Bearer " + token
                    + "\r\nContent-Type: application/json\r\nContent-Length: " + body.length + "\r\nConnection: close\r\n\r\n";
            IOException cut = write(s.getOutputStream(), head.getBytes(StandardCharsets.ISO_8859_1), body);
            String answer = read(s.getInputStream(), give, cut);
            int status = status(answer);
            if (status / 100 == 2) {
                return;
            }
            boolean all = status < 400 || status == 401 || status == 403 || status == 404 || status == 405 || status == 410;
            boolean batch = status >= 400 && status < 500 && !all && status != 408 && status != 429;
            int text = answer.indexOf("\r\n\r\n");
            String why = text < 0 ? "" : answer.substring(text + 4).trim().split("\n", 2)[0];
            throw new Refused("it answers " + status + ": " + Text.printable(why), all, batch, false);
        } catch (IOException | RuntimeException e) {
            if (cancelled) {
                throw new Cancelled();
            }
            throw new Refused(String.valueOf(e.getMessage()), false, false, e instanceof SocketTimeoutException);
        } finally {
            current = null;
        }
    }

    /** Gives up the request that is under way, and all that follow until resume is called. */
    void cancel() {
        cancelled = true;
        Socket s = current;
        if (s != null) {
            try {
                s.close();
            } catch (IOException e) {
                // It is closed then.
            }
        }
    }

    /** Allows requests again after cancel. */
    void resume() {
        cancelled = false;
    }

    /** Writes a request. Returns the error if the collector stopped reading: it may have answered all the same. */
    private static IOException write(OutputStream out, byte[] head, byte[] body) {
        try {
            out.write(head);
            out.write(body);
            out.flush();
            return null;
        } catch (IOException e) {
            return e;
        }
    }

    /** Reads an answer. A collector that refuses a request may answer, and reset the connection, before it has read the body. */
    private static String read(InputStream in, long give, IOException cut) throws IOException {
        byte[] buffer = new byte[1024];
        int n = 0;
        try {
            while (n < buffer.length) {
                int more = in.read(buffer, n, buffer.length - n);
                if (more < 0) {
                    break;
                }
                n += more;
                if (System.nanoTime() > give) {
                    throw new SocketTimeoutException("it is too slow");
                }
            }
        } catch (SocketTimeoutException e) {
            throw e;
        } catch (IOException e) {
            if (n == 0) {
                throw cut != null ? cut : e;
            }
        }
        return new String(buffer, 0, n, StandardCharsets.ISO_8859_1);
    }

    private static int status(String answer) throws IOException {
        String[] words = answer.split("[ \r\n]", 3);
        if (words.length < 2 || !words[0].startsWith("HTTP/1.") || !words[1].matches("[0-9]{3}")) {
            throw new IOException("its answer is not HTTP");
        }
        return Integer.parseInt(words[1]);
    }
}
