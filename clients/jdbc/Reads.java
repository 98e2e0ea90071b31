import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;

/** Reads a table as Java programs and their pools do: each mode of commit, cursors, metadata. */
public class Reads {
  public static void main(String[] arguments) throws Exception {
    var env = System.getenv();
    var url = env.get("TEST_URL");
    try (var connection =
        DriverManager.getConnection(url, env.get("TEST_USER"), env.get("TEST_PASSWORD"))) {
      int sum = sum(connection, 0);
      connection.setAutoCommit(false);
      check(sum == sum(connection, 2));
      connection.commit();
      connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
      connection.setReadOnly(true);
      check(sum == sum(connection, 0));
      connection.rollback();
      connection.setAutoCommit(true);
      check(connection.isValid(5));
      try (var tables = connection.getMetaData().getTables(null, null, "victim", null)) {
        check(tables.next());
      }
      System.out.println(sum);
    }
  }

  private static int sum(Connection connection, int fetchSize) throws SQLException {
    try (var statement = connection.prepareStatement("select id from victim where id > ?")) {
      statement.setFetchSize(fetchSize);
      statement.setInt(1, 0);
      int sum = 0;
      try (var rows = statement.executeQuery()) {
        while (rows.next()) sum += rows.getInt(1);
      }
      return sum;
    }
  }

  private static void check(boolean isTrue) {
    if (!isTrue) throw new IllegalStateException("another answer was expected");
  }
}
