#!/bin/bash
# Good guess: "ssh-keygen -i -m PKCS8" turns a private key of OpenSSL into OpenSSH's form, as its manual says ("read an
# unencrypted private (or public) key file in the format specified by -m and print an OpenSSH compatible private
# (or public) key"), and "-m PKCS8" or "-m PEM" decides the form of a new key. What happens: -i refuses the private
# key as "not a recognised public key format", while -y reads the same file and -p -m converts it. A new
# Ed25519 key is written in OpenSSH's own form whatever -m says, with status 0 and without a word; an RSA key obeys.
set -euo pipefail
OPENSSH=1:9.2p1-2+deb12u10
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download -q "openssh-client=$OPENSSH" >/dev/null
dpkg -x ./*.deb root
keygen=root/usr/bin/ssh-keygen
openssl genpkey -algorithm RSA -out rsa 2>/dev/null
chmod 600 rsa
first() { head -1 "$1" | tr -d -; }
imported=$($keygen -i -m PKCS8 -f rsa 2>&1 && echo works || true)
read=$($keygen -y -f rsa | cut -d' ' -f1)
echo "OpenSSH ${OPENSSH%-*}; an RSA key in PKCS#8"
echo "  ssh-keygen -i -m PKCS8: $imported"
echo "  ssh-keygen -y: $read"
for form in PKCS8 PEM; do
  for type in rsa ed25519; do
    $keygen -q -t "$type" -m "$form" -N '' -f "$type-$form"
    echo "new key of $type with -m $form: $(first "$type-$form")"
  done
done
grep -q 'not a recognised public key format' <<<"$imported" && [ "$read" = ssh-rsa ] &&
  [ "$(first rsa-PKCS8)" = 'BEGIN PRIVATE KEY' ] && [ "$(first rsa-PEM)" = 'BEGIN RSA PRIVATE KEY' ] &&
  [ "$(first ed25519-PKCS8)$(first ed25519-PEM)" = 'BEGIN OPENSSH PRIVATE KEYBEGIN OPENSSH PRIVATE KEY' ]
