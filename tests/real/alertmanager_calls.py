"""Calls every operation of Alertmanager's own Swagger 2.0 document and compares what comes back."""

from __future__ import annotations

import datetime
from typing import Any

from client import Client, same


def check(client: Client) -> None:
    same(client.skipped, [])
    status = client("GET", "/status")
    same(status["cluster"]["status"], "disabled")
    assert "receivers" in status["config"]["original"], status["config"]
    same([receiver["name"] for receiver in client("GET", "/receivers")], ["nobody", "team"])
    alerts(client)
    silences(client)
    same(client.uncalled(), [])


def alerts(client: Client) -> None:
    labels = {"alertname": "Disk & \"Full\"", "team": "web", "path": "/a,b c"}
    client("POST", "/alerts", body=[
        {"labels": labels, "annotations": {"text": "ä €"}, "generatorURL": "http://127.0.0.1/graph?q=1&r=2"},
        {"labels": {"alertname": "Other"}},
    ])  # fmt: skip

    def listed(**arguments: Any) -> list[str]:
        found = client("GET", "/alerts", **arguments)
        return sorted(alert["labels"]["alertname"] for alert in found)

    same(listed(), ["Disk & \"Full\"", "Other"])
    # Two matchers are two query items: each has to hold.
    same(listed(filter=['team="web"', 'path="/a,b c"']), ["Disk & \"Full\""])
    same(listed(filter=['team="web"', 'alertname="Other"']), [])
    same(listed(receiver="team"), ["Disk & \"Full\""])
    same(listed(active=False), [])
    found = client("GET", "/alerts", filter=['team="web"'])[0]
    same((found["labels"], found["annotations"]), (labels, {"text": "ä €"}))
    same(found["generatorURL"], "http://127.0.0.1/graph?q=1&r=2")

    groups = client("GET", "/alerts/groups", receiver="team")
    same([group["labels"] for group in groups], [{"alertname": "Disk & \"Full\""}])
    bad = client.error("GET", "/alerts", filter=["no matcher"])
    same(bad.status, 400)
    assert "no matcher" in str(bad), str(bad)


def silences(client: Client) -> None:
    begin = datetime.datetime.now(datetime.timezone.utc)
    silence = {
        "matchers": [{"name": "alertname", "value": "Other", "isRegex": False, "isEqual": True}],
        "startsAt": begin, "endsAt": begin + datetime.timedelta(hours=1), "createdBy": "tests", "comment": "quiet, please",
    }  # fmt: skip
    identifier = client("POST", "/silences", body=silence)["silenceID"]
    found = client("GET", "/silence/{silenceID}", silenceID=identifier)
    same((found["id"], found["comment"], found["status"]["state"]), (identifier, "quiet, please", "active"))
    same([item["id"] for item in client("GET", "/silences", filter=['alertname="Other"'])], [identifier])
    same(client("GET", "/silences", filter=['alertname="Unheard"']), [])
    same([alert["status"]["silencedBy"] for alert in client("GET", "/alerts", filter=['alertname="Other"'])], [[identifier]])
    same(client("DELETE", "/silence/{silenceID}", silenceID=identifier), None)
    same(client("GET", "/silence/{silenceID}", silenceID=identifier)["status"]["state"], "expired")
    missing = client.error("GET", "/silence/{silenceID}", silenceID="12345678-1234-5678-1234-567812345678")
    same(missing.status, 404)
