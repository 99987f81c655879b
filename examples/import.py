#!/usr/bin/env python3
"""Imports the JPEG files of a folder: import.py FOLDER

Nothing but the standard library. Files are registered 500 at a time, and only those that the service lacks are sent, straight to the
signed address that it gives for each; 10,000 files are 22 writes of the 30 that a key has each minute. Run it again after any
interruption: it goes on with the import that is open, because `clientRef` names it.
"""
import hashlib
import json
import os
import pathlib
import sys
import time
import urllib.error
import urllib.request

API = os.environ["PHOTO_SERVICE_URL"] + "/api/v1"
TOKEN = os.environ["PHOTO_SERVICE_TOKEN"]


def call(method, path, body=None):
    """One request; waits where the service asks for it."""
    data = None if body is None else json.dumps(body).encode()
    headers = {"Authorization": "Bearer " + TOKEN, "Content-Type": "application/json"}
    request = urllib.request.Request(API + path, data, headers, method=method)
    try:
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        if error.code not in (429, 503):
            raise SystemExit(error.read().decode())
        time.sleep(int(error.headers["Retry-After"]))
        return call(method, path, body)


def upload(target, path):
    """Sends exactly the headers that the target asks for; no key, and no part of a budget."""
    request = urllib.request.Request(target["url"], path.read_bytes(), target["headers"], method=target["method"])
    urllib.request.urlopen(request).close()


folder = pathlib.Path(sys.argv[1]).resolve()
files = sorted(folder.glob("**/*.jpg"))
job = call("POST", "/imports", {"clientRef": "import.py:" + hashlib.sha256(str(folder).encode()).hexdigest()})

for first in range(0, len(files), 500):
    batch = files[first : first + 500]
    items = [
        {
            "filename": path.name,
            "clientRef": hashlib.sha256(str(path).encode()).hexdigest(),
            "sizeBytes": path.stat().st_size,
            "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        }
        for path in batch
    ]
    for result in call("POST", f"/imports/{job['id']}/photos", {"photos": items})["data"]:
        path = batch[result["index"]]
        if result["outcome"] == "rejected":
            print(f"{path}: {result['error']['message']}", file=sys.stderr)
        elif result["photo"]["upload"]:
            upload(result["photo"]["upload"], path)

job = call("POST", f"/imports/{job['id']}/finalize")
while job["status"] == "processing":
    time.sleep(2)
    job = call("GET", f"/imports/{job['id']}")
print(f"{job['counts']['imported']} imported, {job['counts']['duplicate']} there already, {job['counts']['failed']} failed")
