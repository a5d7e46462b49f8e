"""Receives OTLP as JSON, parses it strictly with the messages that OpenTelemetry publishes, and answers GET with a summary."""
import base64
import json
import sys
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from google.protobuf.json_format import Parse
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

spans, metrics, faults = {}, Counter(), []


def with_bytes(value):
    """Converts ids: OTLP writes them in hexadecimal, but the JSON mapping of protobuf expects base64."""
    if isinstance(value, list):
        return [with_bytes(each) for each in value]
    if isinstance(value, dict):
        return {
            key: base64.b64encode(bytes.fromhex(each)).decode() if key in ("traceId", "spanId", "parentSpanId") else with_bytes(each)
            for key, each in value.items()
        }
    return value


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        try:
            text = json.dumps(with_bytes(json.loads(body)))
            if self.path == "/v1/traces":
                for resource in Parse(text, ExportTraceServiceRequest()).resource_spans:
                    for span in resource.scope_spans[0].spans:
                        assert len(span.trace_id) == 16 and len(span.span_id) == 8, "ids"
                        assert span.start_time_unix_nano <= span.end_time_unix_nano, "times"
                        spans[span.span_id] = span
            else:
                for resource in Parse(text, ExportMetricsServiceRequest()).resource_metrics:
                    for metric in resource.scope_metrics[0].metrics:
                        for point in metric.histogram.data_points:
                            assert sum(point.bucket_counts) == point.count, "counts"
                            metrics[metric.name] = max(metrics[metric.name], len(metric.histogram.data_points))
        except Exception as fault:  # noqa: BLE001
            faults.append(f"{self.path}: {fault}")
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"{}")

    def do_GET(self):
        roots = [span for span in spans.values() if span.name == "ListProjects"]
        below = [span for span in spans.values() if any(span.parent_span_id == root.span_id for root in roots)]
        answer = {
            "spans": len(spans),
            "lists": len(roots),
            "of the caller's trace": sum(root.trace_id.hex() == "4bf92f3577b34da6a3ce929d0e0e4736" for root in roots),
            "statements below them": len(below),
            "metrics": metrics,
            "faults": faults,
        }
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps(answer).encode())

    def log_message(self, *_):
        pass


ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
