# The first stage installs the locked wheels; the second holds only them and the source.
FROM python:3.13-slim AS builder
COPY requirements.lock .
RUN python -m venv --without-pip /opt/chatapi \
    && pip --python /opt/chatapi/bin/python install --no-cache-dir --disable-pip-version-check \
        --require-hashes --no-deps --only-binary :all: -r requirements.lock

FROM python:3.13-slim
LABEL org.opencontainers.image.title="chatapi" \
      org.opencontainers.image.description="A team chat server with channels, topics and a long-polling event API." \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.version="0.1.0"
# As with dev.py, the source is on the path instead of being installed.
COPY --from=builder /opt/chatapi /opt/chatapi
RUN groupadd --gid 10001 chatapi \
    && useradd --uid 10001 --gid chatapi --no-create-home --home-dir /data chatapi \
    && install --directory --owner chatapi --group chatapi --mode 0700 /data \
    && printf '#!/bin/sh\nexec /opt/chatapi/bin/python -P -m chatapi "$@"\n' \
        > /opt/chatapi/bin/chatapi \
    && chmod 0755 /opt/chatapi/bin/chatapi
WORKDIR /app
COPY migrations ./migrations
COPY src ./src
# Compiled now: the server may not write here, and would compile all of it at each start.
RUN python -m compileall -q --invalidation-mode unchecked-hash migrations src
ENV PATH=/opt/chatapi/bin:$PATH \
    PYTHONPATH=/app/src \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    CHATAPI_DATA_DIR=/data
USER 10001:10001
VOLUME /data
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/health', timeout=4)"]
# Exec form: the process gets SIGTERM itself and can let open requests finish.
ENTRYPOINT ["chatapi"]
CMD ["serve", "--host", "0.0.0.0", "--port", "8000"]
