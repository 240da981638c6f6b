# The Python that the tests run on.
ARG PYTHON=3.11

FROM docker.io/library/python:${PYTHON}-slim AS build
WORKDIR /build
# PyTorch's CPU index, which saves gigabytes: docker build --build-arg TORCH_INDEX=<that index> .
ARG TORCH_INDEX=
COPY requirements.txt .
RUN python3 -m venv /venv \
 && /venv/bin/pip install --no-cache-dir --disable-pip-version-check \
      ${TORCH_INDEX:+--extra-index-url "$TORCH_INDEX"} -r requirements.txt \
 && rm -rf /venv/lib/python3*/site-packages/torch/include /venv/lib/python3*/site-packages/torch/test

FROM docker.io/library/python:${PYTHON}-slim
# Nothing is written but below /tmp, so the container also runs with a read-only root.
ENV PATH=/venv/bin:$PATH \
    HOME=/tmp \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    STREAMLIT_LOGGER_HIDE_WELCOME_MESSAGE=true \
    STREAMLIT_SERVER_ADDRESS=0.0.0.0 \
    STREAMLIT_SERVER_PORT=8501
COPY --from=build /venv /venv
WORKDIR /app
COPY .streamlit .streamlit
COPY assets assets
COPY deploy deploy
COPY rope_core rope_core
COPY pages pages
COPY app.py .
USER 10001:10001
EXPOSE 8501
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s \
  CMD ["python", "-c", "import os, urllib.request as web; web.urlopen(f'http://127.0.0.1:{os.environ[\"STREAMLIT_SERVER_PORT\"]}/_stcore/health', timeout=4)"]
ENTRYPOINT ["streamlit", "run", "app.py"]
