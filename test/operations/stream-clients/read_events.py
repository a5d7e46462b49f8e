"""Prints a line for each event of a stream, with the library that the argument names."""
import os
import sys

URL = os.environ["URL"]
HEADERS = {"Authorization": f"Bearer {os.environ['TOKEN']}", "Accept": "text/event-stream"}


def requests_lines():
    import requests

    with requests.get(URL, headers=HEADERS, stream=True) as answer:
        yield from (line for line in answer.iter_lines() if line.startswith(b"data:"))


def sseclient_events():
    import requests
    import sseclient

    with requests.get(URL, headers=HEADERS, stream=True) as answer:
        yield from sseclient.SSEClient(answer).events()


def httpx_lines():
    import httpx

    with httpx.stream("GET", URL, headers=HEADERS, timeout=None) as answer:
        yield from (line for line in answer.iter_lines() if line.startswith("data:"))


def urllib3_chunks():
    import urllib3

    answer = urllib3.request("GET", URL, headers=HEADERS, preload_content=False)
    yield from (chunk for chunk in answer.stream() if b"data:" in chunk)


libraries = {"requests": requests_lines, "sseclient-py": sseclient_events, "httpx": httpx_lines, "urllib3": urllib3_chunks}
for _ in libraries[sys.argv[1]]():
    print("event", flush=True)
