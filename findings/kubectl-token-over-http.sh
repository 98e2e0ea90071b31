#!/bin/bash
# kubectl leaves the token of a kubeconfig out, without a word, if the address of its server is http.
set -euo pipefail
KUBECTL=1.20.5+really1.20.2-1.1+deb12u1
folder=$(mktemp -d)
started=()
finish() { for one in "${started[@]}"; do kill "$one" 2>/dev/null || true; done; rm -rf "$folder"; }
trap finish EXIT
cd "$folder"
apt-get download -q "kubernetes-client=$KUBECTL" >/dev/null
dpkg -x kubernetes-client_*.deb root
openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2 -subj /CN=localhost \
  -addext 'subjectAltName=IP:127.0.0.1' 2>/dev/null
# Answers /version and notes whether a token came.
cat > server.mjs <<'JS'
import { readFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
const answer = (scheme) => (request, reply) => {
  writeFileSync(`${scheme}.seen`, request.headers.authorization ?? 'no token');
  reply.setHeader('content-type', 'application/json');
  reply.end(JSON.stringify({ major: '1', minor: '20', gitVersion: 'v1.20.2' }));
};
const plain = http.createServer(answer('http')).listen(0, '127.0.0.1');
const files = { key: readFileSync('key.pem'), cert: readFileSync('cert.pem') };
const secure = https.createServer(files, answer('https')).listen(0, '127.0.0.1');
secure.once('listening', () => {
  writeFileSync('ports', `${plain.address().port} ${secure.address().port}\n`);
});
JS
node server.mjs &
started+=($!)
for _ in $(seq 100); do [ -s ports ] && break; sleep 0.1; done
read -r plain secure < ports
# Prints what the server of an address saw.
seen_at() {
  local status=0
  HOME=$folder root/usr/bin/kubectl --kubeconfig /dev/null --cache-dir "$folder/cache" --server "$1" \
    ${2:+--certificate-authority "$2"} --token example-token get --raw /version >/dev/null 2>complaints || status=$?
  echo "$(cat "${1%%:*}.seen"), exit status $status, complaints: $(wc -l < complaints)"
}
echo "kubectl $(dpkg-deb -f kubernetes-client_*.deb Version), Node.js $(node --version)"
overTls=$(seen_at "https://127.0.0.1:$secure" cert.pem)
echo "https: $overTls"
overPlain=$(seen_at "http://127.0.0.1:$plain")
echo "http:  $overPlain"
[ "$overTls" = 'Bearer example-token, exit status 0, complaints: 0' ]
[ "$overPlain" = 'no token, exit status 0, complaints: 0' ]
