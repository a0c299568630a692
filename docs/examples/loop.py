"""Publish a report, replace it at the same address, and read how it was read.

    VITRINE_SERVER=https://share.example VITRINE_API_KEY=vtr_... python3 loop.py

It needs nothing but the standard library.
"""

import json
import os
import time
import urllib.error
import urllib.request
import uuid

API = os.environ["VITRINE_SERVER"].rstrip("/") + "/api/v1"
KEY = os.environ["VITRINE_API_KEY"]


class Refused(Exception):
    """The instance has refused a request. code is for programs, the text for people."""

    def __init__(self, body):
        super().__init__(f"{body['code']}: {body['error']}")
        self.code = body["code"]
        self.body = body


def call(method, path, body=None, headers=None):
    """Ask the API, again while it says that it will pass. Returns the answer and its ETag."""
    data = None if body is None else json.dumps(body).encode()
    for attempt in range(5):
        request = urllib.request.Request(API + path, data=data, method=method)
        request.add_header("Authorization", "Bearer " + KEY)
        request.add_header("User-Agent", "loop.py/1.0")
        if data is not None:
            request.add_header("Content-Type", "application/json")
        for name, value in (headers or {}).items():
            request.add_header(name, value)
        try:
            with urllib.request.urlopen(request) as answer:
                text = answer.read()
                return json.loads(text) if text else None, answer.headers.get("ETag")
        except urllib.error.HTTPError as failure:
            refusal = json.loads(failure.read())
            if failure.code in (429, 503) and attempt < 4:
                time.sleep(min(int(failure.headers.get("Retry-After", "1")), 30))
                continue
            raise Refused(refusal) from None


def publish(name, kind, content, replace=None, **options):
    """The three steps from bytes to a link. A retry makes no second link."""
    file = {"name": name, "type": kind, "idempotencyKey": str(uuid.uuid4())}
    if replace:
        file["replace"] = replace
    begun, _ = call("POST", "/uploads", {**file, "size": len(content)})
    if "existing" in begun:
        return begun["existing"]
    put = urllib.request.Request(begun["signedUrl"], data=content, method="PUT", headers={"Content-Type": kind})
    urllib.request.urlopen(put).close()  # no key: the address is enough
    link, _ = call("POST", "/uploads/complete", {**file, **options, "path": begun["path"]})
    return link


def main():
    link = publish("report.md", "text/markdown", b"# Report\n\nFirst figures.\n", linkName="Report")
    slug = link["slug"]
    print(link["url"])

    publish("report.md", "text/markdown", b"# Report\n\nCorrected figures.\n", replace=slug)

    # Change only what was seen: with another ETag the answer is 412.
    seen, etag = call("GET", "/links/" + slug)
    changed, _ = call("PATCH", "/links/" + slug, {"title": "Report, corrected"}, {"If-Match": etag})
    print(changed["title"], "is version", changed["version"])
    try:
        call("PATCH", "/links/" + slug, {"title": "Too late"}, {"If-Match": etag})
    except Refused as refused:
        print("refused:", refused.code, "because it is now", refused.body["current"]["title"])

    report, _ = call("GET", "/links/" + slug + "/analytics?range=7d")
    print(report["totals"]["views"], "views")
    for insight in report["insights"]:
        print(insight["label"] + ":", insight["value"], insight["detail"])

    try:
        publish("setup.txt", "text/plain", b"#!/bin/sh\necho\n")
    except Refused as refused:
        print("refused:", refused.code)


main()
