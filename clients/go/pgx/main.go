// Copies rows with CopyFrom, which sends them before the server has answered.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/jackc/pgx/v5"
)

func main() {
	ctx := context.Background()
	config, err := pgx.ParseConfig(fmt.Sprintf("host=127.0.0.1 port=%s dbname=%s sslmode=require", os.Getenv("TEST_PORT"), os.Getenv("TEST_DATABASE")))
	check(err)
	config.User, config.Password = os.Getenv("TEST_USER"), os.Getenv("TEST_PASSWORD")
	connection, err := pgx.ConnectConfig(ctx, config)
	check(err)
	defer connection.Close(ctx)
	rows := make([][]any, 1000)
	for number := range rows {
		rows[number] = []any{int32(number), fmt.Sprint("name ", number)}
	}
	copied, err := connection.CopyFrom(ctx, pgx.Identifier{"copied"}, []string{"id", "name"}, pgx.CopyFromRows(rows))
	check(err)
	fmt.Println("copied", copied)
}

func check(err error) {
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}
