import java.sql.DriverManager;

/** Connects as Java programs do, in each TLS mode that needs no file, and runs a statement and a prepared one. */
public class Main {
  public static void main(String[] arguments) throws Exception {
    var env = System.getenv();
    for (var mode : new String[] {"DISABLED", "PREFERRED", "REQUIRED"}) {
      var url = "jdbc:mysql://127.0.0.1:" + env.get("TEST_PORT") + "/" + env.get("TEST_DATABASE") + "?sslMode=" + mode;
      try (var connection = DriverManager.getConnection(url, env.get("TEST_USER"), env.get("TEST_PASSWORD"));
          var statement = connection.prepareStatement("select ? + 1")) {
        statement.setInt(1, 41);
        try (var rows = statement.executeQuery()) {
          rows.next();
          System.out.println(mode + " " + rows.getInt(1));
        }
      }
    }
  }
}
