import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;

/** Reads a table through a pool that sets what it lends: mode, isolation, schema, time-outs. */
public class Hikari {
  public static void main(String[] arguments) throws Exception {
    var env = System.getenv();
    var config = new HikariConfig();
    config.setJdbcUrl(env.get("TEST_URL"));
    config.setUsername(env.get("TEST_USER"));
    config.setPassword(env.get("TEST_PASSWORD"));
    config.setMaximumPoolSize(1);
    config.setAutoCommit(false);
    config.setReadOnly(true);
    config.setTransactionIsolation("TRANSACTION_REPEATABLE_READ");
    try (var pool = new HikariDataSource(config)) {
      var total = sum(pool);
      for (int round = 0; round < 3; round++) check(total == sum(pool));
      System.out.println(total);
    }
  }

  private static int sum(HikariDataSource pool) throws SQLException {
    try (var connection = pool.getConnection()) {
      // The pool puts these back when the connection returns.
      connection.setReadOnly(false);
      connection.setReadOnly(true);
      connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
      connection.setNetworkTimeout(Runnable::run, 60_000);
      try (var statement = connection.createStatement();
          var rows = statement.executeQuery("select sum(id) from victim")) {
        check(rows.next());
        return rows.getInt(1);
      } finally {
        connection.rollback();
        connection.setAutoCommit(true);
      }
    }
  }

  private static void check(boolean isTrue) {
    if (!isTrue) throw new IllegalStateException("another answer was expected");
  }
}
