"""Reads a table with mysql-connector-python, without its C extension."""
import os
import mysql.connector

for more in ({}, {"autocommit": True}, {"sql_mode": "TRADITIONAL", "time_zone": "+00:00"}):
    connection = mysql.connector.connect(
        host="127.0.0.1", port=int(os.environ["TEST_PORT"]), user=os.environ["TEST_USER"],
        password=os.environ["TEST_PASSWORD"], database="shop", use_pure=True, **more)
    cursor = connection.cursor()
    cursor.execute("select sum(id) from victim")
    total = int(cursor.fetchone()[0])
    cursor.close()
    connection.commit()
    connection.start_transaction(isolation_level="REPEATABLE READ")
    connection.rollback()
    connection.close()
print(total)
