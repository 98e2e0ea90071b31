import io.r2dbc.pool.ConnectionPool;
import io.r2dbc.pool.ConnectionPoolConfiguration;
import io.r2dbc.spi.Connection;
import io.r2dbc.spi.ConnectionFactories;
import io.r2dbc.spi.ConnectionFactoryOptions;
import io.r2dbc.spi.IsolationLevel;
import io.r2dbc.spi.ValidationDepth;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Reads a table with a driver of R2DBC through its pool: prepared, in a transaction, validated. */
public class Reactive {
  public static void main(String[] arguments) {
    var env = System.getenv();
    var options =
        ConnectionFactoryOptions.parse(env.get("TEST_URL"))
            .mutate()
            .option(ConnectionFactoryOptions.USER, env.get("TEST_USER"))
            .option(ConnectionFactoryOptions.PASSWORD, env.get("TEST_PASSWORD"))
            .build();
    var pool =
        new ConnectionPool(
            ConnectionPoolConfiguration.builder(ConnectionFactories.get(options))
                .maxSize(1)
                .validationQuery("select 1")
                .build());
    Integer total = null;
    for (int round = 0; round < 3; round++) {
      var found =
          Flux.usingWhen(pool.create(), connection -> sum(connection, env.get("TEST_MARK")),
                  Connection::close)
              .blockLast();
      if (total != null && !total.equals(found)) throw new IllegalStateException("two answers");
      total = found;
    }
    pool.close();
    System.out.println(total);
  }

  private static Mono<Integer> sum(Connection connection, String mark) {
    return Mono.from(connection.validate(ValidationDepth.REMOTE))
        .then(Mono.from(connection.setTransactionIsolationLevel(IsolationLevel.REPEATABLE_READ)))
        .then(Mono.from(connection.beginTransaction()))
        .then(
            Flux.from(
                    connection
                        .createStatement("select id from victim where id > " + mark)
                        .bind(0, 0)
                        .fetchSize(2)
                        .execute())
                .flatMap(result -> result.map((row, description) -> row.get("id", Integer.class)))
                .reduce(0, Integer::sum))
        .flatMap(total -> Mono.from(connection.commitTransaction()).thenReturn(total))
        .flatMap(total -> Mono.from(connection.setAutoCommit(true)).thenReturn(total));
  }
}
