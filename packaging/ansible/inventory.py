#!/usr/bin/python3
"""Inventory of Ansible: the SSH assets that the owner of an access key may use.

    export BASTION_URL=https://bastion.example.com BASTION_KEY_FILE=~/.bastion-key
    ansible-inventory -i inventory.py --graph

BASTION_KEY_FILE holds ID:SECRET of the access key. Hosts are reached through the SSH listener of
BASTION_SSH_HOST (default: the host of the URL) and BASTION_SSH_PORT (2222), so each command is
checked and recorded. BASTION_ACCOUNT names a system user; without it the permissions select one.
Needs Python 3.7 and no packages.
"""
import base64
import hashlib
import hmac
import json
import os
import re
import sys
import urllib.error
import urllib.parse
import urllib.request
from email.utils import formatdate

PAGE = 200
# Ansible asks the server for the home of ansible_user, which names the bastion's user, too. These
# paths need no such answer. Files pass through commands: SFTP may be limited to another folder.
PATHS = {
    "ansible_remote_tmp": "$HOME/.ansible/tmp",
    "ansible_async_dir": ".ansible_async",
    "ansible_ssh_transfer_method": "piped",
}


def ask(path):
    """Sends a signed request and returns its JSON."""
    key_id, secret = KEY.split(":", 1)
    date = formatdate(usegmt=True)
    text = f"(request-target): get {path}\ndate: {date}"
    mac = hmac.new(secret.encode(), text.encode(), hashlib.sha256).digest()
    signature = base64.b64encode(mac).decode()
    request = urllib.request.Request(URL + path, headers={
        "Date": date,
        "Accept": "application/json",
        "Authorization": f'Signature keyId="{key_id}",algorithm="hmac-sha256",'
                         f'headers="(request-target) date",signature="{signature}"',
    })
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)


def assets():
    """Yields the granted assets, page by page."""
    offset = 0
    while True:
        page = ask(f"/api/v1/perms/users/assets/?limit={PAGE}&offset={offset}")
        yield from page["results"]
        offset += PAGE
        if page["next"] is None:
            return


def group_name(prefix, text):
    return f"{prefix}_{re.sub(r'[^A-Za-z0-9_]', '_', text)}"


def inventory():
    user = ask("/api/v1/users/profile/")["username"]
    account = os.environ.get("BASTION_ACCOUNT", "")
    host = os.environ.get("BASTION_SSH_HOST") or urllib.parse.urlsplit(URL).hostname
    port = int(os.environ.get("BASTION_SSH_PORT") or 2222)
    hosts, groups = {}, {}
    for asset in assets():
        if not any(protocol.startswith("ssh/") for protocol in asset["protocols"]):
            continue
        name = asset["hostname"]
        # Two organizations may use one name.
        if name in hosts:
            name = f"{name}-{asset['id'][:8]}"
        hosts[name] = {
            "ansible_host": host,
            "ansible_port": port,
            "ansible_user": f"{user}@{account}@{asset['hostname'] if name == asset['hostname'] else asset['id']}",
            **PATHS,
            "bastion_asset": asset["id"],
            "bastion_address": asset["ip"],
        }
        for prefix, text in (("platform", asset["platform"]), ("organization", asset["org_name"])):
            groups.setdefault(group_name(prefix, text or "none"), {"hosts": []})["hosts"].append(name)
    return {"_meta": {"hostvars": hosts}, "all": {"hosts": list(hosts)}, **groups}


try:
    URL = os.environ["BASTION_URL"].rstrip("/")
    with open(os.path.expanduser(os.environ["BASTION_KEY_FILE"]), encoding="utf-8") as file:
        KEY = file.read().strip()
    # Ansible asks for single hosts only if the list has no _meta.
    json.dump({} if "--host" in sys.argv else inventory(), sys.stdout, indent=1)
except KeyError as missing:
    sys.exit(f"{missing.args[0]} is not set, or the server answered without it")
except urllib.error.HTTPError as error:
    sys.exit(f"{URL} answered {error.code}: check the access key and the clock")
except (OSError, ValueError) as error:
    sys.exit(f"the inventory cannot be read: {error}")
