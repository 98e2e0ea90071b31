#!/usr/bin/env bash
# asyncssh's server ends the connection when a client's window fills while it redirects two pipes of a program.
# `process.redirect(stdout=program.stdout, stderr=program.stderr)` is expected to slow the program down
# while a client does not read. Instead, once the window opens again, asyncssh starts a second copy of
# each pipe. The first copy of the silent pipe still waits for data: "read() called while another
# coroutine is already waiting for incoming data". The whole connection ends with all its channels.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/python"
"$folder/python/bin/pip" install -q --disable-pip-version-check asyncssh==2.24.1

cat > "$folder/slow.py" <<'PYTHON'
import asyncio, logging, sys
import asyncssh

SIZE = 4 * 1024 * 1024
PROGRAM = f"import sys; sys.stdout.buffer.write(bytes({SIZE}))"

class Server(asyncssh.SSHServer):
    def password_auth_supported(self):
        return True

    def validate_password(self, username, password):
        return password == "correct"

async def redirected(process):
    program = await asyncio.create_subprocess_exec(
        sys.executable, "-c", PROGRAM,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE)
    await process.redirect(stdout=program.stdout, stderr=program.stderr)
    status = await program.wait()
    await process.stdout.drain()
    process.exit(status)

async def copied(process):
    program = await asyncio.create_subprocess_exec(
        sys.executable, "-c", PROGRAM, stdout=asyncio.subprocess.PIPE)
    while data := await program.stdout.read(65536):
        process.stdout.write(data)
        await process.stdout.drain()
    process.exit(await program.wait())

async def outcome(handler):
    server = await asyncssh.listen(
        "127.0.0.1", 0, server_factory=Server, encoding=None, process_factory=handler,
        server_host_keys=[asyncssh.generate_private_key("ssh-ed25519")])
    received = 0
    try:
        async with asyncssh.connect(
                "127.0.0.1", server.get_port(), known_hosts=None, username="any",
                password="correct", client_keys=None) as connection:
            process = await connection.create_process("any", encoding=None)
            await asyncio.sleep(2)  # a client that is slow to read
            while data := await process.stdout.read(65536):
                received += len(data)
            await process.wait_closed()
            how = f"status {process.exit_status}"
    except (OSError, asyncssh.Error) as error:
        how = f"{type(error).__name__}: {error}"
    server.close()
    return f"{received} of {SIZE} bytes, {how}"

async def main():
    logging.basicConfig(stream=sys.stdout, format='log: %(message)s')
    asyncssh.set_log_level('DEBUG')
    logging.getLogger('asyncssh').addFilter(lambda r: r.exc_info is not None)
    print("asyncssh", asyncssh.__version__)
    for handler in (copied, redirected):
        print(f"{handler.__name__}: {await outcome(handler)}")

asyncio.run(main())
PYTHON
"$folder/python/bin/python" "$folder/slow.py" 2> "$folder/errors" | tee "$folder/out"
grep -q '^RuntimeError: read() called while another coroutine is already waiting' "$folder/out"
grep -q '^copied: 4194304 of 4194304 bytes, status 0$' "$folder/out"
grep -q '^redirected: ' "$folder/out"
! grep -q '^redirected: 4194304 of 4194304 bytes, status 0$' "$folder/out"
