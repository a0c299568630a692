"""Uploads a file as tus.mjs does, with a client in Python and a checksum of each chunk."""

import json
import os
import sys
import urllib.request
from urllib.parse import urlsplit

from tusclient.uploader import Uploader

api, key, through, path, chunk_size = sys.argv[1:]


def post(step, body):
    headers = {"Authorization": "Bearer " + key, "Content-Type": "application/json"}
    with urllib.request.urlopen(urllib.request.Request(api + step, json.dumps(body).encode(), headers)) as answer:
        return json.load(answer)


file = {"name": os.path.basename(path), "type": "text/plain"}
begun = post("/uploads", {**file, "size": os.path.getsize(path)})
address = urlsplit(begun["resumableUrl"])
Uploader(
    path,
    url=through + address.path + ("?" + address.query if address.query else ""),
    chunk_size=int(chunk_size),
    retries=20,
    retry_delay=0.1,
    upload_checksum=True,
).upload()
print(post("/uploads/complete", {**file, "path": begun["path"]})["url"])
