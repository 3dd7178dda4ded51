"""Metrics in the format of Prometheus; imported only if CHATAPI_METRICS is `on`."""

from chatapi.metrics.exposition import metrics_route
from chatapi.metrics.recorder import MetricsRecorder
from chatapi.metrics.separate_port import serve_separately

__all__ = ["MetricsRecorder", "metrics_route", "serve_separately"]
