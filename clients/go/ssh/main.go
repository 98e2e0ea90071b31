// Runs a command over SSH with the post-quantum key exchange and no other.
package main

import (
	"fmt"
	"os"

	"golang.org/x/crypto/ssh"
)

func main() {
	client, err := ssh.Dial("tcp", "127.0.0.1:"+os.Getenv("TEST_PORT"), &ssh.ClientConfig{
		Config: ssh.Config{KeyExchanges: []string{"mlkem768x25519-sha256"}},
		User:   os.Getenv("TEST_USER"),
		Auth:   []ssh.AuthMethod{ssh.Password(os.Getenv("TEST_PASSWORD"))},
		// The host key of a test is new each time.
		HostKeyCallback: ssh.InsecureIgnoreHostKey(),
	})
	check(err)
	defer client.Close()
	session, err := client.NewSession()
	check(err)
	output, err := session.Output("echo exchanged")
	check(err)
	fmt.Print(string(output))
}

func check(err error) {
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}
