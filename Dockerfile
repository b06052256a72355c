# syntax=docker/dockerfile:1
# The daemon in an image: docker build --tag freshness .   (how to run it: docs/deploy.md)
# With models that run inside it: --build-arg EXTRAS=postgres,local
#   and, for a machine without a GPU, --build-arg PIP_EXTRA_INDEX_URL=https://download.pytorch.org/whl/cpu

ARG PYTHON=python:3.13-slim-trixie

FROM ${PYTHON} AS build
ARG EXTRAS=postgres
ARG PIP_EXTRA_INDEX_URL=
# Releases are those of constraints.txt, for what is installed and for what builds it.
ENV PIP_CONSTRAINT=/build/constraints.txt \
    PIP_BUILD_CONSTRAINT=/build/constraints.txt \
    PIP_DISABLE_PIP_VERSION_CHECK=1 \
    PIP_ROOT_USER_ACTION=ignore
WORKDIR /build
RUN python3 -m venv /opt/freshness
COPY pyproject.toml constraints.txt README.md LICENSE ./
# The libraries first, with a package that holds nothing but its version: a change of the code keeps this layer.
COPY freshness/__init__.py freshness/
RUN --mount=type=cache,target=/root/.cache/pip \
    /opt/freshness/bin/pip install ".[${EXTRAS}]"
COPY freshness/ freshness/
RUN --mount=type=cache,target=/root/.cache/pip \
    /opt/freshness/bin/pip install --no-deps --force-reinstall . \
    && /opt/freshness/bin/pip uninstall --yes pip

FROM ${PYTHON}
ARG VERSION=unknown
ARG REVISION=unknown
LABEL org.opencontainers.image.title="freshness" \
      org.opencontainers.image.description="How old is what a language model knows? The daemon and the command line." \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
# A number, so that Kubernetes can see that it isn't root; the folders exist for a volume to take over its owner.
RUN groupadd --gid 10001 freshness \
    && useradd --uid 10001 --gid freshness --no-create-home --home-dir /var/lib/freshness --shell /usr/sbin/nologin freshness \
    && install --directory --owner=freshness --group=freshness --mode=0750 /var/lib/freshness /var/cache/freshness \
    && install --directory /etc/freshness
COPY --from=build /opt/freshness /opt/freshness
# /etc/freshness/config.toml is read where it is there, the history is /var/lib/freshness/freshness.db unless
# FRESHNESS_STORE__URL says otherwise. Nothing is written but there, below /var/cache/freshness and in /tmp.
ENV PATH=/opt/freshness/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    XDG_CONFIG_HOME=/etc \
    XDG_DATA_HOME=/var/lib \
    XDG_CACHE_HOME=/var/cache \
    HF_HOME=/var/cache/freshness/huggingface \
    FRESHNESS_SERVER__HOST=0.0.0.0 \
    FRESHNESS_SERVER__PORT=9464
USER 10001:10001
WORKDIR /var/lib/freshness
VOLUME ["/var/lib/freshness"]
EXPOSE 9464
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --retries=3 \
    CMD ["python3", "-c", "import http.client, os; c = http.client.HTTPConnection('127.0.0.1', int(os.environ['FRESHNESS_SERVER__PORT']), timeout=4); c.request('GET', '/readyz'); raise SystemExit(c.getresponse().status != 200)"]
ENTRYPOINT ["freshness"]
CMD ["serve"]
