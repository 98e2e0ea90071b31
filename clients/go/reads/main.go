// Reads a table through the pool of pgx in each of its ways to send a statement.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

func main() {
	ctx := context.Background()
	modes := []pgx.QueryExecMode{
		pgx.QueryExecModeCacheStatement, pgx.QueryExecModeCacheDescribe,
		pgx.QueryExecModeDescribeExec, pgx.QueryExecModeExec, pgx.QueryExecModeSimpleProtocol,
	}
	var total int
	for _, mode := range modes {
		config, err := pgxpool.ParseConfig(fmt.Sprintf("host=127.0.0.1 port=%s dbname=%s sslmode=require application_name=reads", os.Getenv("TEST_PORT"), os.Getenv("TEST_DATABASE")))
		check(err)
		config.ConnConfig.User, config.ConnConfig.Password = os.Getenv("TEST_USER"), os.Getenv("TEST_PASSWORD")
		config.ConnConfig.DefaultQueryExecMode = mode
		config.MaxConns = 1
		pool, err := pgxpool.NewWithConfig(ctx, config)
		check(err)
		for range 3 {
			check(pool.QueryRow(ctx, "select sum(id) from victim where id > $1", 0).Scan(&total))
		}
		options := pgx.TxOptions{IsoLevel: pgx.Serializable, AccessMode: pgx.ReadOnly, DeferrableMode: pgx.Deferrable}
		check(pgx.BeginTxFunc(ctx, pool, options, func(transaction pgx.Tx) error {
			batch := &pgx.Batch{}
			batch.Queue("select sum(id) from victim")
			batch.Queue("select count(*) from victim")
			return transaction.SendBatch(ctx, batch).Close()
		}))
		pool.Close()
	}
	fmt.Println(total)
}

func check(err error) {
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}
